"""Machine learning with the release: a classifier trained on it against one trained on the original.

Papers: Quinlan 1993 (C4.5); Breiman, Friedman, Olshen and Stone 1984 (CART, its heir here); Liu 2010, 3.6.1 measures
C4.5 in that way. What is predicted is the class column, from the quasi-identifiers and the sensitive column.

1. The original's records are split at random: two thirds to train on, one third to test with.
2. One tree is trained on the training records as they are, and tested on the test records as they are.
3. Another is trained on the training records as the release shows them: their values replaced by the published ones,
   each record counting with its chance of having been published with its sensitive value or a star (see
   `comparison`). It is tested on the same test records, values replaced in the same way: anyone with the release and
   its taxonomies can generalize a new record. A value that no published one covers stays as it is.
4. The majority is that of the training records.

Why not the whole release: it was made from all records, so testing on originals would test on people it was trained
on. What remains is that the cut was chosen with all records in view; it is chosen for privacy and loss, so this
flatters the release only a little, but it does.

Where groups have labels of their own, or rows were made up, nobody can say which rows are the training records, and a
new record cannot be generalized in one way. There step 3 takes two thirds of the published rows, drawn at random, as
they are, and tests on the test records as the original has them. Some of these rows are those of test records, which
flatters the release: on Adult, groups of five seem .003 better than the original. A feature then says what share of
a published value stands for a leaf below the one it asks for: 1 or 0 for a record of the original.

Both trees see the same kind of features: for each quasi-identifier the middle of the leaf numbers under the value,
which thresholds can split as leaves are in the order of the taxonomy, and for each value (of the most frequent ones,
where there are many) whether the record has it. Leaves of a tree hold at least 0.1% of the training records, or the
tree on the original, whose values are finer, would learn single people by heart and lose to the one on the release.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from discreet.encode.joint import SUPPRESSED
from discreet.measure.measurement import Measurement, Unit, percent
from discreet.measure.table.comparison import ANY_RECODING, UNPUBLISHED, Comparison
from discreet.taxonomy import PublishedValues
from discreet.values.arrays import Floats, Int32s, Int64s, column_codes

TRAINING_SHARE = 2 / 3
MOST_COMBINATIONS = 150_000
MOST_VALUES = 50
SMALLEST_LEAF = 0.001

Features = npt.NDArray[np.float32]


@dataclass(frozen=True)
class _Sample:
    """Combinations of values and how many records of each are there to train on and to test with."""

    chosen: Int64s
    training: Int64s
    testing: Int64s


class TrainedClassifier:
    """How well a classifier trained on the release predicts new records."""

    name: ClassVar[str] = "classifier"
    title: ClassVar[str] = "Machine learning: accuracy of a classifier"
    paper: ClassVar[str] = "Quinlan 1993; Breiman et al. 1984; Liu 2010, 3.6.1"
    definition: ClassVar[str] = (
        "The share of held-out original records whose class a decision tree predicts correctly, trained on the other "
        "records as the original has them or as the release shows them."
    )
    unit: ClassVar[Unit] = "share"
    needs_sensitive: ClassVar[bool] = False
    needs_class: ClassVar[bool] = True
    recodings: ClassVar[tuple[str, ...]] = ANY_RECODING

    def measure(self, comparison: Comparison, random: np.random.Generator) -> Measurement:
        try:
            from sklearn.tree import DecisionTreeClassifier
        except ImportError:
            return self._not_run("scikit-learn is not installed; install it with: pip install 'discreet[learn]'")
        sample = _draw(comparison, random)
        test_records = int(sample.testing.sum())
        if not test_records or not sample.training.sum():
            return self._not_run("there are too few records to hold some out for the test")
        seed = int(random.integers(2**31))

        def accuracy(train: _Records, test: Features) -> float:
            tree = DecisionTreeClassifier(min_weight_fraction_leaf=SMALLEST_LEAF, random_state=seed)
            with warnings.catch_warnings():  # of many classes; whether they make sense is for the steward to say
                warnings.simplefilter("ignore", UserWarning)
                tree.fit(train.features, train.classes, sample_weight=train.weights)
            return float((tree.predict(test) == classes) @ sample.testing / test_records)

        classes = comparison.original.classes[sample.chosen]
        of_original = _features_of_original(comparison, sample)
        in_training = sample.training > 0
        before = accuracy(
            _Records(of_original[in_training], classes[in_training], sample.training[in_training].astype(np.float64)),
            of_original,
        )
        majority = int(np.argmax(np.bincount(classes, weights=sample.training)))
        baseline = float((classes == majority) @ sample.testing / test_records)
        if comparison.recoding == "global":
            train, test = _as_published(comparison, sample)
        else:
            train, test = _rows_as_they_are(comparison, sample, random)
        after = accuracy(train, test) if len(train.weights) else None
        details: dict[str, Any] = {
            "ran": True,
            "majority": baseline,
            "training_records": int(sample.training.sum()),
            "test_records": test_records,
            "standard_error": {
                "original": _standard_error(before, test_records),
                "release": None if after is None else _standard_error(after, test_records),
                "majority": _standard_error(baseline, test_records),
            },
            "combinations": len(comparison.original.counts),
            "combinations_used": len(sample.chosen),
        }
        column = comparison.class_column
        if after is None:
            reading = f"The release has no record to learn {column} from; the original lets a tree predict it for "
            reading += f"{percent(before)} of new records."
        else:
            reading = (
                f"A decision tree trained on the release predicts {column} correctly for {percent(after)} of new "
                f"records; trained on the original it is {percent(before)}, and always guessing the commonest gives "
                f"{percent(baseline)}."
            )
            if comparison.recoding != "global":
                flattered = "the release was made of all records, also of those tested on, which flatters it a little."
                reading = f"{reading[:-1]}; {flattered}"
        if len(sample.chosen) < len(comparison.original.counts):
            reading = f"{reading[:-1]} (measured on a sample of {len(sample.chosen):,} combinations of values)."
        return Measurement.of(self, original=before, release=after, reading=reading, details=details)

    def _not_run(self, reason: str) -> Measurement:
        return Measurement.of(
            self, original=None, release=None, reading=f"Not measured: {reason}.", details={"ran": False}
        )


@dataclass(frozen=True)
class _Records:
    features: Features
    classes: Int32s
    weights: Floats


def _draw(comparison: Comparison, random: np.random.Generator) -> _Sample:
    counts = comparison.original.counts
    chosen = np.arange(len(counts))
    if len(counts) > MOST_COMBINATIONS:
        chosen = np.sort(random.choice(len(counts), MOST_COMBINATIONS, replace=False))
    training = random.binomial(counts[chosen], TRAINING_SHARE)
    return _Sample(chosen, training, counts[chosen] - training)


def _features_of_original(comparison: Comparison, sample: _Sample) -> Features:
    original = comparison.original
    columns = []
    for row in original.leaves[:, sample.chosen]:
        columns += [row.astype(np.float32)[:, None], _indicators(row, _frequent(row, sample.training))]
    if comparison.sensitive is not None:
        values = original.sensitive[sample.chosen]
        columns.append(_indicators(values, _frequent(values, sample.training)))
    return np.hstack(columns)


def _as_published(comparison: Comparison, sample: _Sample) -> tuple[_Records, Features]:
    """The training records as the release shows them, and the features of the test records."""
    original = comparison.original
    nodes = comparison.nodes[:, sample.chosen].copy()
    for row, taxonomy, leaves in zip(nodes, original.taxonomies, original.leaves[:, sample.chosen], strict=True):
        uncovered = row == UNPUBLISHED
        row[uncovered] = taxonomy.leaf_nodes[leaves[uncovered]]
    sensitive = original.sensitive[sample.chosen]
    classes = original.classes[sample.chosen]
    shown = sample.training * comparison.chances.shown[sample.chosen]
    starred = sample.training * comparison.chances.starred[sample.chosen]
    star = len(original.sensitive_values)
    # Records that look alike in the release are one record with their weight.
    columns = np.vstack([nodes, sensitive, classes])
    with_star = np.vstack([nodes, np.full_like(sensitive, star), classes])
    columns = np.hstack([columns[:, shown > 0], with_star[:, starred > 0]])
    weights = np.concatenate([shown[shown > 0], starred[starred > 0]])
    if len(weights):
        _, first, number = np.unique(column_codes(columns), return_index=True, return_inverse=True)
        columns, weights = columns[:, first], np.bincount(number, weights=weights)
    train_features: list[Features] = []
    test_features: list[Features] = []
    for index, taxonomy in enumerate(original.taxonomies):
        middle = _middle(PublishedValues(taxonomy))
        frequent = _frequent(columns[index], weights)
        for features, values in ((train_features, columns[index]), (test_features, nodes[index])):
            features += [middle[values][:, None], _indicators(values, frequent)]
    if comparison.sensitive is not None:
        values = columns[-2]
        frequent = _frequent(values[values != star], weights[values != star])
        train_features.append(_indicators(values, frequent))
        test_features.append(_indicators(sensitive, frequent))
    return _Records(np.hstack(train_features), columns[-1], weights), np.hstack(test_features)


def _rows_as_they_are(
    comparison: Comparison, sample: _Sample, random: np.random.Generator
) -> tuple[_Records, Features]:
    """Published rows to train on, and the features of the test records as the original has them."""
    original, release = comparison.original, comparison.release
    rows = np.arange(len(release.counts))
    if len(rows) > MOST_COMBINATIONS:
        rows = np.sort(random.choice(len(rows), MOST_COMBINATIONS, replace=False))
    drawn = random.binomial(release.counts[rows], TRAINING_SHARE)
    rows, weights = rows[drawn > 0], drawn[drawn > 0].astype(np.float64)
    train_features: list[Features] = []
    test_features: list[Features] = []
    for index, (published, codes, leaves) in enumerate(
        zip(comparison.values, release.nodes[:, rows], original.leaves[:, sample.chosen], strict=True)
    ):
        often = _frequent(codes, weights).astype(np.int32)
        below = comparison.spread(index) @ published.covers(often).T.astype(np.float64)
        for features, values in ((train_features, codes), (test_features, published.taxonomy.leaf_nodes[leaves])):
            features += [_middle(published)[values][:, None], np.asarray(below[values].todense(), np.float32)]
    if comparison.sensitive is not None:
        shown = release.sensitive[rows]
        frequent = _frequent(shown[shown != SUPPRESSED], weights[shown != SUPPRESSED])
        train_features.append(_indicators(shown, frequent))
        test_features.append(_indicators(original.sensitive[sample.chosen], frequent))
    return _Records(np.hstack(train_features), release.classes[rows], weights), np.hstack(test_features)


def _middle(published: PublishedValues) -> Features:
    """Value -> the middle of the numbers of the leaves that it may stand for."""
    first, stop = published.spans
    return np.asarray((first + stop - 1) / 2, np.float32)


def _frequent(values: npt.NDArray[np.integer], weights: npt.NDArray[Any]) -> Int64s:
    """The values with most records, at most so many."""
    totals = np.bincount(values, weights=weights)
    occurring = np.flatnonzero(totals)
    return occurring[np.argsort(-totals[occurring], kind="stable")[:MOST_VALUES]]


def _indicators(values: npt.NDArray[np.integer], of: Int64s) -> Features:
    return np.asarray(values[:, None] == of[None, :], np.float32)


def _standard_error(share: float, records: int) -> float:
    return sqrt(share * (1 - share) / records)
