"""Criteria: labelling functions over whole columns, their windows and their names."""

from sciql.criteria.bins import bins
from sciql.criteria.criterion import Columns, Criterion, Labelling
from sciql.criteria.registry import CRITERIA, criterion
from sciql.criteria.report import LabelReport, StyleReport, label_report

__all__ = [
    "CRITERIA",
    "Columns",
    "Criterion",
    "LabelReport",
    "Labelling",
    "StyleReport",
    "bins",
    "criterion",
    "label_report",
]
