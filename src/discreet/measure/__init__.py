"""The utility of a release against its original, one measure a file; a new one is one line in MEASURES."""

from __future__ import annotations

import numpy as np

from discreet.encode import EncodedTable
from discreet.encode.release import ReleasedTable
from discreet.measure.association import PairwiseAssociation
from discreet.measure.certainty_penalty import CertaintyPenalty
from discreet.measure.class_size import AverageClassSize
from discreet.measure.classes import classes
from discreet.measure.classification_metric import PublishedClassification
from discreet.measure.comparison import Comparison
from discreet.measure.discernibility import PublishedDiscernibility
from discreet.measure.diversity import Closeness, DistinctDiversity, EntropyDiversity, SmallestClass
from discreet.measure.entropy import NonUniformEntropy
from discreet.measure.learning import TrainedClassifier
from discreet.measure.loss_metric import PublishedLossMetric
from discreet.measure.marginals import MarginalDivergence
from discreet.measure.measurement import Measure, Measurement
from discreet.measure.precision import Precision
from discreet.measure.queries import CountingQueries

MEASURES: dict[str, Measure] = {
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
) -> list[Measurement]:
    """All measures that apply to the table, in the order of MEASURES.

    sensitive, class_column: the names of the columns that the original is encoded with, None where there is none;
    the measures that need such a column are then left out. An InputError is raised when the release cannot be one of
    this original, or holds values that overlap.
    """
    comparison = Comparison(original, release, sensitive, class_column)
    # Each measure draws from a stream of its own, so that a new one does not change the others' figures.
    streams = dict(zip(MEASURES, random.spawn(len(MEASURES)), strict=True))
    return [
        measure.measure(comparison, streams[name])
        for name, measure in MEASURES.items()
        if not (measure.needs_sensitive and sensitive is None) and not (measure.needs_class and class_column is None)
    ]


__all__ = ["MEASURES", "Comparison", "Measure", "Measurement", "classes", "measure_table"]
