"""The paper's figures and ours, from the cells that are there."""

from sciql.benchmark.figures.gallery import data_exhibits, score_exhibits

__all__ = ["data_exhibits", "score_exhibits"]
