"""l+-diversity: every sensitive value has a threshold of its own.

Paper: Liu 2010 (Enhancing Utility in Privacy Preserving Data Publishing, Simon Fraser University), Definition 3.1.
In every group of records with equal quasi-identifiers, the records that show the sensitive value s make up at most
the share threshold(s) of the group; suppressed values count in the size of the group.

Where the sensitive column has a taxonomy, a label of it may have a threshold: the records that show any value below it
make up at most that share. `default` is the threshold of values that have none of their own.

Monotone: yes. If s breaks its threshold in a group, it does so in some part of every split of that
group (Observation 3.2), so without suppression a violating group can never be mended by splitting it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from discreet.errors import InputError
from discreet.models.partition_limits import SENSITIVE, PartitionLimits, SensitiveColumn, SumLimit, about
from discreet.taxonomy import MISSING
from discreet.values.partitions import PublishedPartitions

CERTIFIED_STEPS = 4
LARGEST_TERM = 10**18
RARE = 2
"""A value that occurs so often at most may be a misspelt one."""
NOTICEABLE = Fraction(11, 10)
"""How much higher a threshold has to be to be mentioned."""


@dataclass(frozen=True)
class ByFrequency:
    """The thesis's rule (3.6.1.2): frequent values are less sensitive and get a threshold in proportion.

    A value rarer than the average gets the baseline, any other baseline * frequency / average, at most 1.
    """

    baseline: Fraction

    def shares(self, sensitive: SensitiveColumn) -> tuple[Fraction, ...]:
        average = Fraction(sum(sensitive.counts), len(sensitive.counts))
        return tuple(min(Fraction(1), self.baseline * max(Fraction(1), count / average)) for count in sensitive.counts)

    def warnings(self, sensitive: SensitiveColumn) -> Iterator[str]:
        """Every rare value, though it may be a misspelt one, lowers the average and so raises the thresholds."""
        counted = zip(sensitive.values, sensitive.counts, strict=True)
        frequent = [(value, count) for value, count in counted if count > RARE]
        if not frequent or len(frequent) == len(sensitive.values):
            return
        without = SensitiveColumn(tuple(value for value, _ in frequent), tuple(count for _, count in frequent))
        before = dict(zip(without.values, self.shares(without), strict=True))
        after = dict(zip(sensitive.values, self.shares(sensitive), strict=True))
        value = max(before, key=lambda value: after[value] / before[value])
        if after[value] > NOTICEABLE * before[value]:
            rare = len(sensitive.values) - len(frequent)
            yield (
                f"privacy.thresholds: {rare} {'value' if rare == 1 else 'values'} that hardly ever occur ({RARE} times "
                f"at most) lower the average frequency, and with that raise thresholds: that of {value!r} from "
                f"{float(before[value]):.0%} to {float(after[value]):.0%}. If they are misspelt, correct them; or "
                "write the thresholds out."
            )


@dataclass(frozen=True)
class LPlusDiversity:
    """No one can be linked to a sensitive value with more confidence than that value's threshold."""

    name: ClassVar[str] = "l-plus-diversity"
    kind: ClassVar[str] = "table"
    paper: ClassVar[str] = "Liu 2010, Definition 3.1"
    monotone: ClassVar[bool] = True
    by_limits: ClassVar[bool] = True
    by_cones: ClassVar[bool] = True
    about_size: ClassVar[bool] = False
    inherited: ClassVar[bool] = False
    needs_sensitive: ClassVar[bool] = True

    thresholds: Fraction | Mapping[str, Fraction] | ByFrequency
    default: Fraction | None = None
    column: str | None = None

    @property
    def treats_alike(self) -> bool:
        return isinstance(self.thresholds, Fraction)

    def demand(self, sensitive: SensitiveColumn) -> PartitionLimits:
        given = self.thresholds.values() if isinstance(self.thresholds, Mapping) else [self.thresholds]
        if any(isinstance(share, Fraction) and share.denominator > LARGEST_TERM for share in (*given, self.default)):
            raise InputError(
                "privacy.thresholds: a threshold has more digits than can be compared exactly; shorten it."
            )
        if isinstance(self.thresholds, ByFrequency):
            return PartitionLimits(self.thresholds.shares(sensitive))
        if isinstance(self.thresholds, Fraction):
            return PartitionLimits((self.thresholds,) * len(sensitive.values))
        sums = tuple(
            SumLimit(values, self.thresholds[label], label)
            for label, values in sensitive.categories.items()
            if label in self.thresholds and label not in sensitive.values
        )
        below = {value: min(limit.share for limit in sums if value in limit.values) for value in _covered(sums)}
        without = [
            value
            for place, value in enumerate(sensitive.values)
            if value not in self.thresholds and self.default is None and place not in below
        ]
        if without:
            raise InputError(
                f"privacy.thresholds: {_listing(without)} in the sensitive column but "
                f"{'has' if len(without) == 1 else 'have'} no threshold; give each a number between 0 and 1 "
                '(the empty key "" stands for missing values), or one number for all, or a default.'
            )
        one = Fraction(1)
        shares = (
            min(self.thresholds.get(value, one if self.default is None else self.default), below.get(place, one))
            for place, value in enumerate(sensitive.values)
        )
        return PartitionLimits(tuple(shares), sums=sums)

    def in_words(self) -> str:
        limit = f", {self.thresholds}" if isinstance(self.thresholds, Fraction) else ""
        return (
            f"can link no value of {SENSITIVE} to that person with more confidence than that value’s "  # noqa: RUF001
            f"threshold{limit}"
        )

    def warnings(self, sensitive: SensitiveColumn) -> list[str]:
        """What thresholds by frequency owe to rare values; thresholds for values that are not in the data."""
        if isinstance(self.thresholds, ByFrequency):
            return list(self.thresholds.warnings(sensitive))
        if not isinstance(self.thresholds, Mapping):
            return []
        absent = [
            value for value in self.thresholds if value not in sensitive.values and value not in sensitive.categories
        ]
        return [f"privacy.thresholds: {_listing(absent)} not in the sensitive column."] if absent else []

    def promise(self, sensitive: SensitiveColumn) -> dict[str, object]:
        """The promise in full, for the verifier."""
        if isinstance(self.thresholds, ByFrequency):
            return self._with(dict(zip(sensitive.values, self.thresholds.shares(sensitive), strict=True)))
        return self._with(self.thresholds)

    def statement(self, published: PublishedPartitions, sensitive: SensitiveColumn) -> dict[str, object]:
        """The promise as the certificate states it.

        Thresholds by frequency, even the largest of them alone, depend on records that are not published. So what is
        stated in their place is a threshold that anybody can see the release keeps: the largest share that a value has
        of a partition, rounded up to a quarter.
        """
        if not isinstance(self.thresholds, ByFrequency):
            return self._with(self.thresholds)
        steps = -(-published.shown * CERTIFIED_STEPS // published.sizes[:, None])
        return self._with(Fraction(max(1, int(steps.max(initial=0))), CERTIFIED_STEPS))

    def _with(self, thresholds: Fraction | Mapping[str, Fraction]) -> dict[str, object]:
        written = str(thresholds) if isinstance(thresholds, Fraction) else {v: str(s) for v, s in thresholds.items()}
        default = {"default": str(self.default)} if isinstance(thresholds, Mapping) and self.default is not None else {}
        return {"model": self.name, **about(self.column), "thresholds": written, **default}


def _covered(sums: tuple[SumLimit, ...]) -> set[int]:
    return {value for limit in sums for value in limit.values}


def _listing(values: list[str]) -> str:
    shown = ", ".join("missing values" if value == MISSING else repr(value) for value in values[:10])
    more = f" and {len(values) - 10} more" if len(values) > 10 else ""
    return f"{shown}{more} {'is' if len(values) == 1 else 'are'}"
