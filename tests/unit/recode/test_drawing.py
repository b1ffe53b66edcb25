"""A release drawn as counts equals the release that publishing writes, up to who is drawn."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import discreet
from discreet.commands.workspace import workspace
from discreet.encode.released_table import read_release
from discreet.policy import TablePolicy
from discreet.recode.table.recoded import ByCuts
from discreet.recode.table.sampling import draw_release
from discreet.search.table.problem import release_of
from discreet.search.table.solve import encode, search

ROWS = 400


def people() -> pa.Table:
    random = np.random.default_rng(3)
    return pa.table(
        {
            "q": random.integers(0, 12, ROWS),
            "s": random.choice(list("aaabbcd"), ROWS),
            "c": random.choice(["yes", "no"], ROWS),
        }
    )


@pytest.mark.parametrize("scheme", ["none", "vio-sa", "all-sa", "vio-rec", "all-rec"])
def test_drawn_and_written_agree(tmp_path: Path, scheme: str) -> None:
    policy = TablePolicy.parse(
        {
            "data": {},
            "attributes": {
                "q": {"role": "quasi-identifier", "taxonomy": {"intervals": [3], "start": 0, "end": 12}},
                "s": {"role": "sensitive"},
                "c": {"role": "class"},
            },
            "privacy": {"model": "l-plus-diversity", "thresholds": "2/5" if scheme != "none" else "3/5"},
            "search": {"suppression": scheme},
        }
    )
    table = people()
    publication = discreet.publish(policy, tmp_path / "out", data=table)
    with workspace() as engine:
        with_class = encode(engine, policy, table).collapsed()
        solved = search(policy, with_class, np.random.default_rng(1))
        recoded = solved.found[0].recoded
        assert isinstance(recoded, ByCuts)
        suppressed = release_of(solved.problem, recoded)
        drawn = draw_release(with_class.table, recoded.cuts, suppressed, scheme, np.random.default_rng(1))
        written = read_release(engine, publication.release / "data.csv", with_class)

    def rows(release: object, *, classes: bool) -> dict[tuple[int, ...], int]:
        found: dict[tuple[int, ...], int] = {}
        columns = [*release.nodes, release.sensitive, *([release.classes] if classes else [])]  # type: ignore[attr-defined]
        for *key, count in zip(*columns, release.counts, strict=True):  # type: ignore[attr-defined]
            place = tuple(int(part) for part in key)
            found[place] = found.get(place, 0) + int(count)
        return found

    assert rows(drawn, classes=False) == rows(written, classes=False)
    if scheme in ("none", "vio-sa", "all-sa", "all-rec"):
        assert rows(drawn, classes=True) == rows(written, classes=True)


def test_who_stays_is_drawn_among_all_classes() -> None:
    random = np.random.default_rng(5)
    from discreet.recode.table.sampling import _drawn

    kept = np.array([_drawn(np.array([[[6, 2]]]), np.array([[4]]), random)[0, 0] for _ in range(2000)])
    assert (kept.sum(axis=1) == 4).all()
    assert kept[:, 0].mean() == pytest.approx(3, abs=0.1)
