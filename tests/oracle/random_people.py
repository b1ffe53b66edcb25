"""Random tables with several sensitive columns, several rows for a person and thresholds on categories."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, TypeAlias

import pyarrow as pa
from hypothesis import strategies as st

from oracle.people import Fact, Row, Scheme, SeveralProblem
from oracle.tables import Taxonomy

Case: TypeAlias = tuple[SeveralProblem, dict[str, Any], pa.Table]
"""The same problem for the twin, as a policy, and as a table."""
PLACES = ("a1", "a2", "b1", "b2", "c1")
ILLS = ("F1", "F2", "J1", "J2")
PAYS = ("high", "low", "mid")
SCHEMES: tuple[Scheme, ...] = ("none", "all-sa", "all-rec")
SHARES = tuple(map(Fraction, ("1/4", "1/3", "2/5", "1/2", "2/3", "3/4", "1")))


def taxonomy(values: set[str]) -> Taxonomy:
    """What prefixes: [1] makes of these values."""
    first = sorted({value[0] for value in values})
    return ("*", tuple((f"{letter}*", tuple(sorted(v for v in values if v[0] == letter))) for letter in first))


@st.composite
def several(draw: st.DrawFn, most_rows: int = 14) -> Case:
    people = draw(st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(PLACES)), min_size=1, max_size=9))
    row = st.tuples(st.integers(0, len(people) - 1), st.sampled_from(ILLS), st.sampled_from(PAYS))
    rows = draw(st.lists(row, min_size=2, max_size=most_rows))
    count_people, with_pay = draw(st.booleans()), draw(st.booleans())
    named = {label: draw(st.sampled_from(SHARES)) for label in ("F*", "J1") if draw(st.booleans())}
    default, pay = draw(st.sampled_from(SHARES)), draw(st.sampled_from((2, 3)))
    k, scheme = draw(st.integers(1, 3)), draw(st.sampled_from(SCHEMES))
    if scheme == "all-sa":
        k = 1
    occurring = {ill for _, ill, _ in rows}
    limits: list[tuple[Fact, Fraction]] = [(("ill", ill), named.get(ill, default)) for ill in sorted(occurring)]
    limits += [(("ill", "F*"), named["F*"])] if "F*" in named else []
    limits += [(("pay", value), Fraction(1, pay)) for value in PAYS] if with_pay else []

    def facts(ill: str, value: str) -> frozenset[Fact]:
        return frozenset({("ill", ill), ("ill", f"{ill[0]}*"), *([("pay", value)] if with_pay else [])})

    problem = SeveralProblem(
        taxonomies=tuple(taxonomy({people[person][place] for person, _, _ in rows}) for place in range(2)),
        rows=tuple(Row(str(person), people[person], facts(ill, value)) for person, ill, value in rows),
        limits=tuple(limits),
        k=k,
        scheme=scheme,
        count_people=count_people,
    )
    quasi = {"role": "quasi-identifier", "taxonomy": {"prefixes": [1]}}
    of_ill: dict[str, Any] = {"model": "l-plus-diversity", "column": "ill", "default": str(default)}
    of_ill["thresholds"] = {label: str(share) for label, share in named.items()} or {"J1": str(default)}
    privacy: list[dict[str, Any]] = [of_ill]
    privacy += [{"model": "l-diversity", "column": "pay", "l": pay}] if with_pay else []
    privacy += [{"model": "k-anonymity", "k": k}] if k > 1 else []
    policy = {
        "data": {},
        "attributes": {
            "id": {"role": "person" if count_people else "identifier"},
            "home": quasi,
            "work": quasi,
            "ill": {"role": "sensitive", "taxonomy": {"prefixes": [1]}},
            "pay": {"role": "sensitive" if with_pay else "insensitive"},
        },
        "privacy": privacy,
        "search": {"suppression": scheme},
    }
    table = pa.table(
        {
            "id": [f"p{person}" for person, _, _ in rows],
            "home": [people[person][0] for person, _, _ in rows],
            "work": [people[person][1] for person, _, _ in rows],
            "ill": [ill for _, ill, _ in rows],
            "pay": [value for _, _, value in rows],
        }
    )
    return problem, policy, table
