"""How well a class can be predicted after learning from rows of numbers that were made up.

Records are divided at random: two thirds are published in the same way, a classifier learns from the rows made up from
them, and predicts the class of the other third, which had no part in them. Beside it the same classifier learnt from
the two thirds as they are, and the guess that everybody has the commonest class. Two classifiers, since they may differ
much: the five nearest neighbours (Cover and Hart 1967; in columns standardized by what is learnt from), as Aggarwal and
Yu 2004 measure, and a decision tree (Breiman et al. 1984), whose cuts between single values made-up rows may blur.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import sqrt
from typing import Any, ClassVar

import numpy as np

from discreet.measure.measurement import Measurement, Unit, percent
from discreet.measure.table.comparison import MADE_UP, Comparison
from discreet.values.arrays import Floats, Int64s

TRAINING_SHARE = 2 / 3
MOST_RECORDS = 100_000
"""that learn, and that are predicted"""
NEIGHBOURS = 5
SMALLEST_LEAF = 0.001
"""of a tree, as a share of the records"""


class LearningFromNumbers(ABC):
    """The share of records held out whose class is predicted correctly."""

    name: ClassVar[str]
    called: ClassVar[str]
    unit: ClassVar[Unit] = "share"
    needs_sensitive: ClassVar[bool] = False
    needs_class: ClassVar[bool] = True
    recodings: ClassVar[tuple[str, ...]] = MADE_UP

    @abstractmethod
    def classifier(self, seed: int) -> Any:
        """One that has learnt nothing yet."""

    def measure(self, comparison: Comparison, random: np.random.Generator) -> Measurement:
        try:
            import sklearn  # noqa: F401
        except ImportError:
            return self._not_run("scikit-learn is not installed; install it with: pip install 'discreet[learn]'")
        counts, classes = comparison.original.counts, comparison.original.classes.astype(np.int64)
        training = random.binomial(counts, TRAINING_SHARE)
        own = random.spawn(1)[0]  # so that the same records learn and are predicted, however rows are made up
        rows = comparison.again(training, own) if comparison.again is not None and training.any() else None
        testing = _some(np.repeat(np.arange(len(counts)), counts - training), random)
        if rows is None or not len(testing):
            return self._not_run("there are too few records to hold some out for the test")
        seed = int(random.integers(2**31))
        learnt = _some(np.repeat(np.arange(len(counts)), training), random)
        made_up = _some(np.arange(len(rows.classes)), random)
        test, truth = comparison.numbers[testing], classes[testing]
        before = self.accuracy(comparison.numbers[learnt], classes[learnt], test, truth, seed)
        after = self.accuracy(rows.numbers[made_up], rows.classes[made_up], test, truth, seed)
        majority = float((truth == np.argmax(np.bincount(classes[learnt]))).mean())
        details = {
            "ran": True,
            "majority": majority,
            "training_records": len(learnt),
            "test_records": len(testing),
            "standard_error": {
                name: sqrt(share * (1 - share) / len(testing))
                for name, share in (("original", before), ("release", after), ("majority", majority))
            },
        }
        reading = (
            f"Learnt from made-up rows, {self.called} predicts {comparison.class_column} correctly for "
            f"{percent(after)} of records that had no part in them; learnt from records it is {percent(before)}, and "
            f"always guessing the commonest gives {percent(majority)}."
        )
        if after < majority <= before:
            reading = f"{reading[:-1]}: whoever learns this way from the release does better to guess."
        return Measurement.of(self, original=before, release=after, reading=reading, details=details)

    def accuracy(self, numbers: Floats, classes: Int64s, test: Floats, truth: Int64s, seed: int) -> float:
        """The share of the test that is predicted correctly."""
        center, spread = numbers.mean(axis=0), numbers.std(axis=0)
        spread[spread == 0] = 1
        learner = self.classifier(seed)
        learner.fit((numbers - center) / spread, classes)
        return float((learner.predict((test - center) / spread) == truth).mean())

    def _not_run(self, reason: str) -> Measurement:
        return Measurement.of(
            self, original=None, release=None, reading=f"Not measured: {reason}.", details={"ran": False}
        )

    @property
    @abstractmethod
    def title(self) -> str: ...

    @property
    @abstractmethod
    def paper(self) -> str: ...

    @property
    @abstractmethod
    def definition(self) -> str: ...


def _some(places: Int64s, random: np.random.Generator) -> Int64s:
    """At most so many of them, in random order: of neighbours equally near the first ones vote."""
    return random.permutation(places)[:MOST_RECORDS]


class NearestNeighbours(LearningFromNumbers):
    """The accuracy of the five nearest neighbours."""

    name = "neighbours"
    called = "a vote of the five nearest neighbours"
    title = "Machine learning: accuracy of the five nearest neighbours"
    paper = "Cover and Hart 1967; Aggarwal and Yu 2004"
    definition = (
        "The share of held-out original records whose class is that of most of their five nearest neighbours, among "
        "the other records or among rows made up from these."
    )

    def classifier(self, seed: int) -> Any:
        from sklearn.neighbors import KNeighborsClassifier

        return KNeighborsClassifier(NEIGHBOURS)


class DecisionTree(LearningFromNumbers):
    """The accuracy of a decision tree."""

    name = "tree"
    called = "a decision tree"
    title = "Machine learning: accuracy of a decision tree"
    paper = "Breiman et al. 1984"
    definition = (
        "The share of held-out original records whose class a decision tree predicts correctly that has learnt from "
        "the other records, or from rows made up from these."
    )

    def classifier(self, seed: int) -> Any:
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(min_weight_fraction_leaf=SMALLEST_LEAF, random_state=seed)
