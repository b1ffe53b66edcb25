"""Hypothesis strategies for small random problems that the oracle can exhaust in milliseconds."""

from collections.abc import Collection
from fractions import Fraction
from typing import Any, get_args

from hypothesis import strategies as st

from oracle.tables import Loss, Problem, Scheme, Taxonomy, collapse, cuts_of, leaves

SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
LOSSES: tuple[Loss, ...] = get_args(Loss)
COMBINATIONS: tuple[tuple[Scheme, Loss], ...] = tuple(
    (s, loss) for s in SCHEMES for loss in LOSSES if loss == "lm" or s not in ("vio-sa", "all-sa")
)
EDGES = tuple(Fraction(t) for t in ("1/2", "2/3", "3/4", "2/5", "1/3", "1/4", "1/6", "1", "0"))
LENIENT = tuple(Fraction(t) for t in ("1/2", "2/3", "3/4", "1"))
ROOT_FANOUT = (2, 3, 2, 3, 2, 3, 2, 3, 1, 0)
FANOUT = (0, 0, 0, 2, 2, 2, 2, 3, 3, 1)  # 0 is a leaf
WEIGHTS = tuple(Fraction(t) for t in ("1", "2", "1/2", "10", "1/3", "7/5"))
SKEWED = (0, 0, 0, 0, 1, 1, 1, 2, 2, 3)  # which of the values "a", "b", "c", "d", if there are so many


@st.composite
def taxonomies(draw: st.DrawFn, name: str = "t", max_cuts: int = 150, depth: int = 3) -> Taxonomy:
    """A tree of depth at most ``depth``, one to three children a node, with at most ``max_cuts`` cuts."""

    def grow(label: str, levels: int) -> Taxonomy:
        fanout = draw(st.sampled_from(ROOT_FANOUT if levels == depth else FANOUT))
        if levels == 0 or fanout == 0:
            return label
        return label, tuple(grow(f"{label}{i}", levels - 1) for i in range(fanout))

    tree = grow(name, depth)
    while len(cuts_of(tree)) > max_cuts:
        tree = _flatter(tree)
    return tree


def _flatter(tree: Taxonomy) -> Taxonomy:
    """The tree with one of its lowest inner nodes made a leaf."""
    if isinstance(tree, str):
        raise AssertionError("a leaf has one cut")
    label, children = tree
    for i, child in enumerate(children):
        if not isinstance(child, str):
            return label, (*children[:i], _flatter(child), *children[i + 1 :])
    return label


@st.composite
def too_coarse(draw: st.DrawFn, tree: Taxonomy) -> frozenset[str]:
    """Labels that must not be published, and with each of them those above it; chains collapsed, as in a cut."""

    def below(node: Taxonomy) -> frozenset[str]:
        if isinstance(node, str) or draw(st.sampled_from((True, True, False))):
            return frozenset()
        label, children = node
        return frozenset({label}).union(*(below(child) for child in children))

    return below(collapse(tree))


@st.composite
def thresholds(draw: st.DrawFn, values: Collection[str], lenient: bool = False) -> dict[str, Fraction]:
    """One threshold for all values or one for each, often where a tie is likely, sometimes 0 or 1."""
    likely = st.sampled_from(LENIENT if lenient else EDGES[:5])
    one = likely | likely | st.sampled_from(EDGES) | st.fractions(0, 1, max_denominator=12)
    if draw(st.booleans()):
        return dict.fromkeys(sorted(values), draw(one))
    return {value: draw(one) for value in sorted(values)}


@st.composite
def problems(
    draw: st.DrawFn,
    combinations: Collection[tuple[Scheme, Loss]] = COMBINATIONS,
    max_attributes: int = 3,
    max_records: int = 14,
    max_cuts: int = 150,
    max_k: int = 4,
    asks_for_more: bool = False,
) -> Problem:
    """A problem with 1 to ``max_attributes`` taxonomies and at most ``max_cuts`` cut combinations.

    asks_for_more: with weights, labels that are too coarse and a limit on what is suppressed, each often enough.
    """
    scheme, loss = draw(st.sampled_from(sorted(combinations)))
    trees: list[Taxonomy] = []
    left = max_cuts
    attributes = draw(st.integers(1, max_attributes))
    for i in range(attributes):  # leave four cuts for each taxonomy that is still to come
        budget = max(2, left // 4 ** (attributes - 1 - i)) if left > 1 else 1
        trees.append(draw(taxonomies(name="xyz"[i] if i < 3 else f"q{i}_", max_cuts=budget)))
        left //= len(cuts_of(trees[-1]))
    values = draw(st.sampled_from((2, 3, 4, 3, 2, 3, 4, 1)))
    size = min(max_records, draw(st.sampled_from((1, 2, 3, 5, 7, 8, 9, 10, 11, 12, 13, 14, max_records))))
    record = st.tuples(
        st.tuples(*(st.sampled_from(leaves(tree)) for tree in trees)),
        st.sampled_from(["abcd"[s] for s in SKEWED if s < values]),
        st.sampled_from("uuuvvw") if loss == "cm" else st.none(),
    )
    records = tuple(draw(st.lists(record, min_size=size, max_size=size)))
    k = draw(st.sampled_from((1, 1, 1, 1, 1, 1, *range(2, max_k + 1))))
    more: dict[str, Any] = {}
    if asks_for_more:
        weight = st.sampled_from(WEIGHTS)
        more = {
            "weights": tuple(draw(weight) for _ in trees) if loss == "lm" and draw(st.booleans()) else (),
            "too_coarse": frozenset[str]().union(*(draw(too_coarse(tree)) for tree in trees)),
            "most_suppressed": draw(st.none() | st.integers(0, 1 + size // 2)),
        }
    return Problem(
        **more,
        taxonomies=tuple(trees),
        records=records,
        thresholds=draw(thresholds({s for _, s, _ in records}, lenient=scheme == "none")),
        k=1 if scheme in ("vio-sa", "all-sa") else k,
        scheme=scheme,
        loss=loss,
        guard_stars=scheme == "vio-sa" and draw(st.booleans()),
    )
