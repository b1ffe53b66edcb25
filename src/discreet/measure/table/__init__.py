"""How useful a released table is beside its original; a measure is one file and one line in TABLE_MEASURES."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.encode.released_table import ReleasedTable
from discreet.encode.table import EncodedTable, Encoding
from discreet.measure.measurement import Measurement
from discreet.measure.table.association import PairwiseAssociation
from discreet.measure.table.certainty_penalty import CertaintyPenalty
from discreet.measure.table.class_size import AverageClassSize
from discreet.measure.table.classes import classes
from discreet.measure.table.classification_metric import PublishedClassification
from discreet.measure.table.comparison import Comparison, TableMeasure
from discreet.measure.table.discernibility import PublishedDiscernibility
from discreet.measure.table.diversity import Closeness, DistinctDiversity, EntropyDiversity, SmallestClass
from discreet.measure.table.entropy import NonUniformEntropy
from discreet.measure.table.learning import TrainedClassifier
from discreet.measure.table.loss_metric import PublishedLossMetric
from discreet.measure.table.marginals import MarginalDivergence
from discreet.measure.table.precision import Precision
from discreet.measure.table.queries import CountingQueries
from discreet.search.table.solve import SolvedTable
from discreet.values.steps import one_by_one

TABLE_MEASURES: dict[str, TableMeasure] = {
    measure.name: measure
    for measure in (
        TrainedClassifier(),
        CountingQueries(),
        PairwiseAssociation(),
        MarginalDivergence(),
        PublishedLossMetric(),
        CertaintyPenalty(),
        Precision(),
        NonUniformEntropy(),
        PublishedDiscernibility(),
        PublishedClassification(),
        AverageClassSize(),
        SmallestClass(),
        DistinctDiversity(),
        EntropyDiversity(),
        Closeness(),
    )
}


def measure_table(
    original: EncodedTable,
    release: ReleasedTable,
    *,
    sensitive: str | None,
    class_column: str | None,
    random: np.random.Generator,
    recoding: str = "global",
) -> list[Measurement]:
    """All measures that apply to the table, in the order of TABLE_MEASURES.

    sensitive, class_column: the names of the columns that the original is encoded with, None where there is none;
    the measures that need one are then left out, as are those that cannot take the recoding. An InputError is
    raised when the release cannot be one of this original, or holds values that overlap.
    """
    comparison = Comparison(original, release, sensitive, class_column, recoding)
    # Each measure draws from a stream of its own, so that a new one does not change the others' figures.
    streams = dict(zip(TABLE_MEASURES, random.spawn(len(TABLE_MEASURES)), strict=True))
    applying = {
        name: measure
        for name, measure in TABLE_MEASURES.items()
        if not (measure.needs_sensitive and sensitive is None)
        and not (measure.needs_class and class_column is None)
        and recoding in measure.recodings
    }
    return [measure.measure(comparison, streams[name]) for name, measure in one_by_one("measure", applying.items())]


def measure_solved(
    solved: SolvedTable, original: Encoding, release: ReleasedTable, random: np.random.Generator
) -> dict[str, Any]:
    """The parts of the result that are measured in the release read back. original: with its classes."""
    recoding = solved.chosen.recoded.recoding
    # All that a record tells, taken as one value, would look more diverse than any of its columns is.
    sensitive = None if original.table.is_joint else original.sensitive
    measurements = measure_table(
        original.table,
        release,
        sensitive=sensitive,
        class_column=original.class_column,
        random=random,
        recoding=recoding,
    )
    untaken = {
        measure.title: reason
        for measure in TABLE_MEASURES.values()
        if (reason := _why_not(measure, recoding, joint=original.table.is_joint))
    }
    return {
        "classes": classes(original.table, release),
        "utility": [measurement.as_dict() for measurement in measurements],
        **({"not_measured": untaken} if untaken else {}),
    }


def _why_not(measure: TableMeasure, recoding: str, *, joint: bool) -> str:
    """Why a release cannot be measured so; empty where it can."""
    if measure.needs_sensitive and joint:
        return "it takes a record to have one sensitive value, and here it has several"
    if recoding in measure.recodings:
        return ""
    if recoding == "synthetic":
        return "it takes each row for somebody's record, and the rows were made up"
    return "it asks what became of each record, and groups with labels of their own do not tell"
