"""Labels of groups by their definitions; nothing of discreet is imported.

A column is its taxonomy, whose leaves may be numbers, and what is missing is the empty text.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

from oracle.tables import Taxonomy, leaves


def number(text: str) -> Fraction | None:
    """Digits with or without a sign, a point and an exponent."""
    try:
        float(text)
    except ValueError:
        return None
    return Fraction(text) if text.isascii() and not set(text) - set("+-.eE0123456789") else None


def in_order(tree: Taxonomy) -> list[str]:
    """The leaves that are numbers by number, then the others as they are."""
    numbers = [(value, leaf) for leaf in leaves(tree) if (value := number(leaf)) is not None]
    return [*(leaf for _, leaf in sorted(numbers)), *(leaf for leaf in leaves(tree) if number(leaf) is None)]


def root_of(tree: Taxonomy) -> str:
    return tree if isinstance(tree, str) else tree[0]


def escaped(member: str) -> str:
    return "".join("\\" + character if character in "\\,{}" else character for character in member)


def decimals_of(tree: Taxonomy) -> int:
    return next(
        digits
        for digits in range(100)
        if all(((number(leaf) or 0) * 10**digits).denominator == 1 for leaf in leaves(tree))
    )


def mean_of(tree: Taxonomy, values: Sequence[str]) -> str:
    """With one decimal more than any leaf has; of two that are as near the higher one."""
    unit = Fraction(1, 10 ** (decimals_of(tree) + 1))
    mean = sum((number(value) or Fraction(0) for value in values), Fraction(0)) / len(values)
    below = mean // unit * unit
    nearest = below + unit if mean - below >= unit / 2 else below
    digits = 0
    while (nearest * 10**digits).denominator > 1:
        digits += 1
    text = str(abs(nearest * 10**digits)).rjust(digits + 1, "0")
    text = f"{text[:-digits]}.{text[-digits:]}" if digits else text
    return f"-{text}" if nearest < 0 else text


def label_of(tree: Taxonomy, labelling: str, values: Sequence[str]) -> str:
    """What a group of these values is published as."""
    if "" in values:
        return root_of(tree) if set(values) - {""} else ""
    if labelling == "means":
        return mean_of(tree, values)
    if labelling == "nodes" and len(set(values)) > 1:
        return _lowest(tree, set(values))
    there = [leaf for leaf in in_order(tree) if leaf in values]
    if len(there) == 1:
        return there[0]
    return f"{there[0]}..{there[-1]}" if labelling == "ranges" else f"{{{', '.join(map(escaped, there))}}}"


def stands_for(tree: Taxonomy, labelling: str, values: Sequence[str]) -> set[str]:
    """The leaves that the label of a group of these values may stand for."""
    everything = in_order(tree)
    if "" in values:
        return {*everything, ""} if set(values) - {""} else {""}
    if labelling == "sets":
        return set(values)
    places = [everything.index(value) for value in values]
    return set(everything[min(places) : max(places) + 1])


def made_labels(tree: Taxonomy, labelling: str) -> dict[str, set[str]]:
    """Every range, or every set, and the leaves that it stands for."""
    everything = in_order(tree)
    groups = combinations(everything, 2) if labelling == "ranges" else _subsets(everything)
    return {label_of(tree, labelling, group): stands_for(tree, labelling, group) for group in groups}


def _lowest(tree: Taxonomy, values: set[str]) -> str:
    """The label of the lowest node above them."""
    assert not isinstance(tree, str)
    below = [child for child in tree[1] if values <= set(leaves(child))]
    return _lowest(below[0], values) if below else tree[0]


def read_as(tree: Taxonomy, labelling: str, text: str) -> frozenset[str]:
    """The leaves that a published text may stand for, to somebody who has the taxonomy and the file. A leaf of the
    missing value is the last one below the root."""
    there = with_leaves(tree, [leaf for leaf in leaves(tree) if leaf])
    if text == "":
        return frozenset({""})
    if text == root_of(tree):
        return frozenset(leaves(tree))
    if labelling == "means":
        return frozenset(leaves(there))
    if labelling in ("ranges", "sets") and text in (made := made_labels(there, labelling)):
        return frozenset(made[text])
    return frozenset(next(leaves(node) for node in _nodes(tree) if root_of(node) == text))


def with_leaves(tree: Taxonomy, kept: Sequence[str]) -> Taxonomy:
    """The tree with some of its leaves."""
    if isinstance(tree, str):
        return tree
    below = (child for child in tree[1] if set(leaves(child)) & set(kept))
    return (tree[0], tuple(with_leaves(child, kept) for child in below))


def _nodes(tree: Taxonomy) -> list[Taxonomy]:
    return [tree] if isinstance(tree, str) else [tree, *(node for child in tree[1] for node in _nodes(child))]


def hull_width(tree: Taxonomy, standing: frozenset[str]) -> Fraction:
    """From the lowest to the highest of the leaves that a value may stand for, as a share of all; 1 for a value that
    may be missing or not."""
    there = [leaf for leaf in in_order(tree) if leaf]
    if not standing - {""}:
        return Fraction(0)
    if "" in standing:
        return Fraction(1)
    numbers = [number(leaf) for leaf in there]
    by_number = dict(zip(there, numbers, strict=True)) if None not in numbers else {}
    at = {leaf: by_number.get(leaf) or Fraction(0 if by_number else place) for place, leaf in enumerate(there)}
    whole = max(at.values()) - min(at.values())
    return (max(at[leaf] for leaf in standing) - min(at[leaf] for leaf in standing)) / whole if whole else Fraction(0)


def ends_of(leaf: str) -> tuple[float, float] | None:
    """The ends of a leaf that is a number, or a range of numbers, `[0-5)` or `[-5 to 0)`."""
    if number(leaf) is not None:
        return float(leaf), float(leaf)
    if not (leaf.startswith("[") and leaf.endswith(")")):
        return None
    low, _, high = leaf[1:-1].partition(" to ")
    return float(low), float(high)


def middle_of(standing: frozenset[str]) -> float | None:
    """Between the least and the greatest number that a value may stand for; None for a missing one."""
    ends = [found for leaf in standing - {""} if (found := ends_of(leaf)) is not None]
    return (min(low for low, _ in ends) + max(high for _, high in ends)) / 2 if ends else None


def _subsets(everything: Sequence[str]) -> list[tuple[str, ...]]:
    return [group for size in range(2, len(everything) + 1) for group in combinations(everything, size)]
