"""How useful a released table is beside its original; a measure is one file and one line in TABLE_MEASURES."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from discreet.encode.released_table import ReleasedTable
from discreet.encode.table import EncodedTable, Encoding
from discreet.errors import DiscreetError
from discreet.measure.measurement import Measurement
from discreet.measure.table.association import PairwiseAssociation
from discreet.measure.table.certainty_penalty import CertaintyPenalty
from discreet.measure.table.class_size import AverageClassSize
from discreet.measure.table.classes import classes
from discreet.measure.table.classification_metric import PublishedClassification
from discreet.measure.table.comparison import MADE_UP, Again, Comparison, MadeUpRows, TableMeasure
from discreet.measure.table.correlation import CorrelationError
from discreet.measure.table.discernibility import PublishedDiscernibility
from discreet.measure.table.diversity import Closeness, DistinctDiversity, EntropyDiversity, SmallestClass
from discreet.measure.table.entropy import NonUniformEntropy
from discreet.measure.table.hull import HullWidth
from discreet.measure.table.learning import TrainedClassifier
from discreet.measure.table.learning_from_numbers import DecisionTree, NearestNeighbours
from discreet.measure.table.loss_metric import PublishedLossMetric
from discreet.measure.table.marginals import MarginalDivergence
from discreet.measure.table.precision import Precision
from discreet.measure.table.queries import CountingQueries
from discreet.measure.table.reappearing import Reappearing
from discreet.policy import TablePolicy
from discreet.recode.table.recoded import ByRegions, NewNumbers
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.table.problem import TableProblem
from discreet.search.table.solve import SolvedTable
from discreet.values.arrays import Int64s
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
        HullWidth(),
        Precision(),
        NonUniformEntropy(),
        PublishedDiscernibility(),
        PublishedClassification(),
        AverageClassSize(),
        SmallestClass(),
        DistinctDiversity(),
        EntropyDiversity(),
        Closeness(),
        NearestNeighbours(),
        DecisionTree(),
        CorrelationError(),
        Reappearing(),
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
    again: Again | None = None,
) -> list[Measurement]:
    """All measures that apply to the table, in the order of TABLE_MEASURES.

    sensitive, class_column: the names of the columns that the original is encoded with, None where there is none;
    the measures that need one are then left out, as are those that cannot take the recoding. An InputError is
    raised when the release cannot be one of this original, or holds values that overlap.
    """
    comparison = Comparison(original, release, sensitive, class_column, recoding, again)
    # Each measure draws from a stream of its own, so that a new one does not change the others' figures.
    streams = dict(zip(TABLE_MEASURES, random.spawn(len(TABLE_MEASURES)), strict=True))
    applying = {
        name: measure
        for name, measure in TABLE_MEASURES.items()
        if not (measure.needs_sensitive and sensitive is None)
        and not (measure.needs_class and class_column is None)
        and recoding in measure.recodings
        and (again is not None or measure.recodings != MADE_UP)
    }
    return [measure.measure(comparison, streams[name]) for name, measure in one_by_one("measure", applying.items())]


def measure_solved(
    solved: SolvedTable, original: Encoding, release: ReleasedTable, random: np.random.Generator
) -> dict[str, Any]:
    """The parts of the result that are measured in the release read back. original: with its classes."""
    recoded = solved.chosen.recoded
    recoding = recoded.recoding
    if isinstance(recoded, ByRegions) and "means" in original.table.labels.values():
        release = recoded.knowing(release)
    makes_numbers = solved.policy.search.declared().makes_numbers
    # All that a record tells, taken as one value, would look more diverse than any of its columns is.
    sensitive = None if original.table.is_joint else original.sensitive
    measurements = measure_table(
        original.table,
        release,
        sensitive=sensitive,
        class_column=original.class_column,
        random=random,
        recoding=recoding,
        again=makes_again(solved.policy, solved.problem, original) if makes_numbers else None,
    )
    untaken = {
        measure.title: reason
        for measure in TABLE_MEASURES.values()
        if measure.recodings != MADE_UP and (reason := _why_not(measure, recoding, joint=original.table.is_joint))
    }
    return {
        **({} if makes_numbers else {"classes": classes(original.table, release)}),
        "utility": [measurement.as_dict() for measurement in measurements],
        **({"not_measured": untaken} if untaken else {}),
    }


def makes_again(policy: TablePolicy, problem: TableProblem, original: Encoding) -> Again:
    """Makes rows up from some of the records, as a policy that makes numbers up asks of all."""
    search, table = policy.search, original.table
    columns = [*table.attributes, *original.joint.columns]
    codes = {value or None: code for code, value in enumerate(table.class_values)}

    def make_up(counts: Int64s, random: np.random.Generator) -> MadeUpRows | None:
        some = np.flatnonzero(counts)
        part = replace(
            table,
            leaves=table.leaves[:, some],
            sensitive=table.sensitive[some],
            classes=table.classes[some],
            counts=counts[some],
        )
        asked = replace(problem, table=part)
        try:
            result: SearchResult = search.declared().function(asked, Limits(), random, **search.options())
        except DiscreetError:  # too few records, of a class or in all
            return None
        made: NewNumbers = result.recoded
        numbers = np.stack([np.array(made.columns[name], np.float64) for name in columns], axis=1)
        classes = np.zeros(made.rows, np.int64)
        if made.classes is not None:
            classes[:] = [codes[value] for value in made.classes]
        return MadeUpRows(numbers, classes)

    return make_up


def _why_not(measure: TableMeasure, recoding: str, *, joint: bool) -> str:
    """Why a release cannot be measured so; empty where it can."""
    if measure.needs_sensitive and joint:
        return "it takes a record to have one sensitive value, and here it has several"
    if recoding in measure.recodings:
        return ""
    if recoding == "synthetic":
        return "it counts rows by what they show of somebody's record, and the rows were made up"
    return "it asks what became of each record, and groups with labels of their own do not tell"
