"""What transactions reveal before anything is done to them, and which of their items people may want to keep secret.

How identifying they are is asked as an adversary would: take a random transaction, know a few of its items picked at
random (all of them where it has fewer), perhaps also an item that is not in it, and count the transactions that are
left. The item that is absent is picked as often as it is bought: that somebody lacks what hardly anybody has says
nothing.

Knowledge of one item is counted exactly. So is that of two, while the squares of the transactions' lengths sum up to
no more than `MOST_PAIR_WORK`: with the item-transaction matrix A, A'A counts each pair of items, and A'WA sums up over
the transactions that have the pair how likely each is drawn with it. The two are computed for a few items at a time,
so memory stays small. What more knowledge adds is estimated by `DRAWS` random transactions, each with known
items one after the other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from discreet.profile.hints import hint
from discreet.read.transactions import RawTransactions
from discreet.values.arrays import Int32s, Int64s
from discreet.values.look_alikes import look_alikes
from discreet.values.sets import Sets

SMALL = 5
PROTECTION = 2
"""a proposed item is in at most one of so many transactions that have other items"""
DRAWS = 2000
MOST_KNOWN = 3
MOST_PAIR_WORK = 2 * 10**8
WORK_AT_A_TIME = 4 * 10**6
SHOWN_ITEMS = 10
LONGEST_NAME_READ = 1000

SENSITIVE = {
    "suggests a pregnancy, or its prevention": (
        *("pregnan", "schwanger", "grossesse", "enceinte", "prenatal", "antenatal", "abortion", "abtreibung"),
        *("avortement", "miscarriage", "contracept", "verhütung", "condom", "kondom", "preservatif", "préservatif"),
        *("morningafter", "fertility", "ovulation", "misoprostol", "mifepristone"),
    ),
    "suggests somebody's sexuality": (
        *("sex", "sexual", "sexuell", "erotic", "erotik", "viagra", "sildenafil", "cialis", "tadalafil", "potenz"),
        *("erectile", "lubricant", "vibrator", "porn", "lesbian", "gay", "transgender"),
    ),
    "suggests an infection that people are shunned for": (
        *("hiv", "aids", "sida", "hepatitis", "hépatite", "syphilis", "chlamydia", "gonorrh", "herpes"),
        *("tubercul", "tuberkul", "sti"),
    ),
    "suggests something about mental health": (
        *("psych", "depress", "antidepress", "dépress", "prozac", "fluoxetine", "sertraline", "schizo", "bipolar"),
        *("anxiety", "suicid", "suizid", "selbstmord", "dementia", "demenz", "démence", "alzheimer", "ritalin"),
    ),
    "suggests an addiction": (
        *("nicotine", "nikotin", "methadon", "naloxon", "buprenorphin", "opioid", "heroin", "cocaine", "kokain"),
        *("cannabis", "marijuana", "addict", "sucht", "alcoholi", "alkoholi", "gambling", "overdose", "syringe"),
    ),
    "suggests a serious illness": (
        *("cancer", "krebs", "chemo", "tumor", "tumour", "tumeur", "oncolog", "onkolog", "leukemi", "leukaemi"),
        *("leukämi", "epilep", "parkinson", "insulin", "incontinen", "inkontinen", "palliativ"),
    ),
    "suggests belief, politics or debts": (
        *("religio", "politic", "politik", "politiq", "bankrupt", "insolven", "debt", "schulden", "payday"),
    ),
}
"""Why an item is proposed -> words in its name; judged as names of columns are (`profile.hints`)."""

_ANY_WORD = re.compile("|".join(word for words in SENSITIVE.values() for word in words))
_NO_LETTER = re.compile(r"[\W\d_]+")


@dataclass(frozen=True)
class Item:
    name: str
    transactions: int
    """that have it"""


@dataclass(frozen=True)
class SensitiveItem(Item):
    reason: str


@dataclass(frozen=True)
class Lengths:
    """How many items the transactions have."""

    shortest: int
    median: float
    mean: float
    longest: int
    empty: int
    """transactions of no item"""


@dataclass(frozen=True)
class Exposure:
    """How far somebody who knows a few items of a random transaction gets."""

    present: int
    """known items that are in the transaction, or all it has"""
    absent: int
    """known items that are not in it"""
    single: float
    """the share of cases in which one transaction is left"""
    small: float
    """the share of cases in which fewer than five are left"""
    draws: int | None
    """how many random cases were tried; None: all cases are counted"""


@dataclass(frozen=True)
class TransactionProfile:
    """What is known about transactions; counts are of transactions unless said otherwise."""

    transactions: int
    items: int
    """different ones"""
    occurrences: int
    """of items in transactions"""
    duplicates: int
    """items that a transaction named again"""
    lengths: Lengths
    most_frequent: tuple[Item, ...]
    least_frequent: tuple[Item, ...]
    rare_items: int
    """items in fewer than five transactions"""
    distinct: int
    """different transactions"""
    unique: int
    """that are like no other"""
    small: int
    """in groups of fewer than five that are alike"""
    exposures: tuple[Exposure, ...]
    sensitive: tuple[SensitiveItem, ...]
    """items to protect, proposed by their names; setting them apart leaves a promise that can be kept"""
    too_frequent: tuple[SensitiveItem, ...]
    """items that by their names should be among them, but that too many transactions have to call them a secret"""
    look_alikes: tuple[tuple[str, ...], ...]
    """items that look the same and are different, of which at least one should be among them"""
    named: bool
    """whether there is a letter in the name of any item"""
    with_other_items: int
    """that have an item which is not proposed as sensitive"""


def profile_transactions(raw: RawTransactions, random: np.random.Generator, draws: int = DRAWS) -> TransactionProfile:
    """All that is known about transactions, at least one of which has an item."""
    sets = raw.sets
    frequencies = np.bincount(sets.items, minlength=len(raw.items)).astype(np.int64)
    alike = Counter(items.tobytes() for items in sets)
    # Equally frequent items in the order of their names, which is that of their numbers.
    most = np.argsort(-frequencies, kind="stable")[:SHOWN_ITEMS]
    least = np.argsort(frequencies, kind="stable")[:SHOWN_ITEMS]
    hinted = tuple(_hinted(raw.items, frequencies))
    kept, with_other_items = _protectable(raw, frequencies, {item.name for item in hinted})
    return TransactionProfile(
        transactions=len(sets),
        items=len(raw.items),
        occurrences=len(sets.items),
        duplicates=raw.duplicates,
        lengths=Lengths(
            shortest=int(sets.sizes.min()),
            median=float(np.median(sets.sizes)),
            mean=float(sets.sizes.mean()),
            longest=int(sets.sizes.max()),
            empty=int(np.count_nonzero(sets.sizes == 0)),
        ),
        most_frequent=tuple(Item(raw.items[place], int(frequencies[place])) for place in most.tolist()),
        least_frequent=tuple(Item(raw.items[place], int(frequencies[place])) for place in least.tolist()),
        rare_items=int(np.count_nonzero(frequencies < SMALL)),
        distinct=len(alike),
        unique=sum(count == 1 for count in alike.values()),
        small=sum(count for count in alike.values() if count < SMALL),
        exposures=tuple(exposures(sets, len(raw.items), random, draws)),
        sensitive=tuple(item for item in hinted if item.name in kept),
        too_frequent=tuple(item for item in hinted if item.name not in kept),
        look_alikes=_look_alikes(raw.items, {item.name for item in hinted}),
        named=any(_NO_LETTER.sub("", name[:LONGEST_NAME_READ]) for name in raw.items),
        with_other_items=with_other_items,
    )


# --- Sensitive items ----------------------------------------------------------------------------------------


def why_sensitive(name: str) -> str | None:
    """What the item would reveal about a person, if its name has a word for it.

    >>> why_sensitive("HIV self-test"), why_sensitive("sparkling water")
    ('suggests an infection that people are shunned for', None)
    """
    read = name[:LONGEST_NAME_READ]
    if not _ANY_WORD.search(_NO_LETTER.sub("", read).lower()):
        return None
    return next((reason for reason, words in SENSITIVE.items() if hint(read, words)), None)


def _hinted(items: tuple[str, ...], frequencies: Int64s) -> Iterator[SensitiveItem]:
    for name, count in zip(items, frequencies.tolist(), strict=True):
        if reason := why_sensitive(name):
            yield SensitiveItem(name, count, reason)


def _look_alikes(items: tuple[str, ...], hinted: set[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(group for group in look_alikes(items) if hinted.intersection(group))


def _protectable(raw: RawTransactions, frequencies: Int64s, hinted: set[str]) -> tuple[set[str], int]:
    """The items about all of which a promise can be kept, and how many transactions have an item beside them.

    Anyone who knows that somebody has any other item at all knows little, and yet must not find an item in more than
    its share of these transactions. The most frequent one that breaks this is given up, until none does.
    """
    sets, kept = raw.sets, sorted(place for place, name in enumerate(raw.items) if name in hinted)
    while True:
        others = np.ones(len(raw.items), bool)
        others[kept] = False
        has_other = np.zeros(len(sets), bool)
        has_other[sets.rows[others[sets.items]]] = True
        among = np.bincount(sets.items[has_other[sets.rows]], minlength=len(raw.items))
        total = int(has_other.sum())
        # Where all are sensitive, none is among others, and the most frequent of all goes.
        given_up = max(kept, key=lambda place: (among[place], frequencies[place]), default=None)
        if given_up is None or (total and int(among[given_up]) * PROTECTION <= total):
            return {raw.items[place] for place in kept}, total
        kept.remove(given_up)


# --- What an adversary finds --------------------------------------------------------------------------------


def exposures(
    sets: Sets,
    items: int,
    random: np.random.Generator,
    draws: int = DRAWS,
    most_pair_work: int = MOST_PAIR_WORK,
) -> Iterator[Exposure]:
    """For one, two and three items known to be in a transaction: without and with one known not to be in it."""
    exact = {1: _of_one(sets, items)}
    if int((sets.sizes**2).sum()) <= most_pair_work:
        exact[2] = _of_two(sets, items)
    left = _left_in_draws(sets, items, random, draws)
    for present in range(1, MOST_KNOWN + 1):
        counted = min(present, max(exact))
        for absent in (0, 1):
            if (present, absent) == (counted, 0):
                yield Exposure(present, absent, *exact[present], None)
            else:
                added = _found(left[:, absent, present - 1]) - _found(left[:, 0, counted - 1])
                single, small = np.minimum(np.add(exact[counted], added), 1).tolist()
                yield Exposure(present, absent, single, small, draws)


def _found(left: Int64s) -> npt.NDArray[np.float64]:
    """In which share of the cases one transaction is left, and in which fewer than five."""
    return np.array([np.mean(left == 1), np.mean(left < SMALL)])


def _of_one(sets: Sets, items: int) -> tuple[float, float]:
    """The shares of cases, over all transactions and all items of each, that leave one and fewer than five."""
    frequencies = np.bincount(sets.items, minlength=items)[sets.items]
    chances = 1 / sets.sizes[sets.rows]
    return _shares(sets, float(chances[frequencies == 1].sum()), float(chances[frequencies < SMALL].sum()))


def _of_two(sets: Sets, items: int) -> tuple[float, float]:
    """The same over all pairs of items of each transaction; of one that has a single item, over that item."""
    pairs = sets.sizes * (sets.sizes - 1) / 2
    chances = np.where(pairs > 0, 1 / np.maximum(pairs, 1), 0.0)
    has = sparse.csr_array((np.ones(len(sets.items)), sets.items, sets.offsets), (len(sets), items))
    # One product for both sums: the count in the real part, the chance in the imaginary one.
    both = sparse.csr_array((1 + 1j * chances[sets.rows], sets.items, sets.offsets), (len(sets), items))
    within = has.T.tocsr()
    work = np.bincount(sets.items, weights=sets.sizes[sets.rows], minlength=items)
    blocks = (np.cumsum(work) // WORK_AT_A_TIME).astype(np.int64)
    single = small = 0.0
    for block in np.split(np.arange(items), np.flatnonzero(np.diff(blocks)) + 1):
        summed = (within[block] @ both).tocoo()
        counts, likely = summed.data.real, summed.data.imag
        once = summed.col > block[summed.row]  # each pair is there twice, and each item with itself
        single += float(likely[once & (counts == 1)].sum())
        small += float(likely[once & (counts < SMALL)].sum())
    alone = np.bincount(sets.items, minlength=items)[sets.items[(sets.sizes == 1)[sets.rows]]]
    return _shares(sets, single + int(np.count_nonzero(alone == 1)), small + int(np.count_nonzero(alone < SMALL)))


def _shares(sets: Sets, single: float, small: float) -> tuple[float, float]:
    """Anyone who knows a transaction of no item knows nothing, and all are left. Rounded, so that all is 1."""
    everybody = len(sets)
    empty = int(np.count_nonzero(sets.sizes == 0))
    single, small = single + empty * (everybody == 1), small + empty * (everybody < SMALL)
    return round(single / everybody, 12), round(small / everybody, 12)


def _left_in_draws(sets: Sets, items: int, random: np.random.Generator, draws: int) -> Int64s:
    """Draw, absent items known (0 or 1), present items known less one -> how many transactions are left."""
    order = np.argsort(sets.items, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(sets.items, minlength=items))))
    having = np.split(sets.rows[order], starts[1:-1])
    left = np.full((draws, 2, MOST_KNOWN), len(sets), np.int64)
    for draw, row in enumerate(random.integers(len(sets), size=draws).tolist()):
        present = sets[row]
        known = present[random.choice(len(present), min(MOST_KNOWN, len(present)), replace=False)].tolist()
        absent = _absent_item(present, starts, random)
        without = np.empty(0, np.int64) if absent is None else having[absent]
        left[draw, 1] -= len(without)
        found = None
        for place, item in enumerate(known):
            found = having[item] if found is None else _in_both(found, having[item])
            left[draw, 0, place:] = len(found)
            left[draw, 1, place:] = len(found) - len(_in_both(found, without))
    return left


def _absent_item(present: Int32s, starts: Int64s, random: np.random.Generator) -> int | None:
    """An item that the transaction does not have, each as likely as it is frequent; None where it has all.

    starts: how many occurrences the items before each have, and at the end all. The occurrences of absent items are
    numbered without gaps and one of the numbers is drawn: adding the occurrences of the present items before it gives
    its place.
    """
    own = np.cumsum(starts[present + 1] - starts[present])
    others = int(starts[-1]) - int(own[-1] if len(own) else 0)
    if others == 0:
        return None
    before = np.concatenate(([0], own))
    number = int(random.integers(others))
    passed = int(np.searchsorted(starts[present] - before[:-1], number, side="right"))
    return int(np.searchsorted(starts, number + before[passed], side="right")) - 1


def _in_both(one: Int64s, other: Int64s) -> Int64s:
    """What is in both of two ascending arrays."""
    few, many = (one, other) if len(one) <= len(other) else (other, one)
    if not len(few):
        return few
    places = np.minimum(np.searchsorted(many, few), len(many) - 1)
    found: Int64s = few[many[places] == few]
    return found
