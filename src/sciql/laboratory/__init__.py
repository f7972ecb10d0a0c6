"""What a criterion makes of a dataset, looked at from all sides before anybody trains on it."""

from sciql.laboratory.figures import Laboratory, PairSupport, Windowed, examine

__all__ = ["Laboratory", "PairSupport", "Windowed", "examine"]
