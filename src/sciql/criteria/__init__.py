"""Criteria: labelling functions over whole columns, their windows, their names, and several of them at once."""

from sciql.criteria.bins import bins
from sciql.criteria.criterion import Columns, Criterion, Labelling, Source
from sciql.criteria.joint import Joint, joint, parts_of, spelled
from sciql.criteria.own import stored, styles
from sciql.criteria.registry import CRITERIA, criterion, from_record, only_criterion
from sciql.criteria.report import LabelReport, StyleReport, label_report
from sciql.criteria.sources import load_criteria
from sciql.criteria.trial import labelled

__all__ = [
    "CRITERIA",
    "Columns",
    "Criterion",
    "Joint",
    "LabelReport",
    "Labelling",
    "Source",
    "StyleReport",
    "bins",
    "criterion",
    "from_record",
    "joint",
    "label_report",
    "labelled",
    "load_criteria",
    "only_criterion",
    "parts_of",
    "spelled",
    "stored",
    "styles",
]
