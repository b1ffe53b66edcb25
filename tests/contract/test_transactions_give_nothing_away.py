"""Think as the adversary: what the published files of transactions tell beyond the promise."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

import discreet
from pages.baskets import PROMISES
from shop import BASKETS, METHODS, command, document, released, write_policy

SHAPES = ("dat", "long", "basket", "parquet")


def policy(privacy: dict[str, Any], **others: Any) -> discreet.Policy:
    return discreet.Policy.parse({"data": {"kind": "transactions"}, "privacy": privacy, **others})


def told(out: Path) -> str:
    """All that can be read in the release, names of files included; what Parquet compresses is read through it."""
    texts = []
    for path in sorted((out / "release").rglob("*")):
        texts.append(path.name)
        if path.suffix == ".parquet":
            texts += [item for items in parquet.read_table(path).column(0).to_pylist() for item in items]
            texts.append(path.read_bytes().decode("latin1"))
        elif path.is_file():
            texts.append(path.read_text(encoding="utf-8"))
    return "\n".join(texts)


# --- Order --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
def test_the_order_is_random_and_not_that_of_the_original(tmp_path: Path, shape: str) -> None:
    items = [f"i{number:03}" for number in range(300)]
    rules = policy({"model": "km-anonymity", "k": 1, "m": 1}, output={"format": shape})
    orders = []
    for name, seed in (("one", 1), ("other", 2), ("unseeded", None)):
        discreet.publish(rules, tmp_path / name, data=[[item] for item in items], seed=seed)
        orders.append([item for (item,) in released(tmp_path / name)])
    assert all(sorted(order) == items for order in orders)
    assert len({tuple(order) for order in orders}) == 3
    for order in orders:
        places = [items.index(item) for item in order]
        assert abs(np.corrcoef(places, range(len(items)))[0, 1]) < 0.25


@pytest.mark.parametrize("method", METHODS)
def test_equal_transactions_do_not_stand_together(tmp_path: Path, method: str) -> None:
    """They would if distinct sets were written one after the other, and so tell which were alike in the original."""
    baskets = [["a", "b"], ["c", "d"], ["e", "f"], ["a", "b", "s"]] * 60
    rules = policy(dict(PROMISES[method]), sensitive=["s"], search={"method": method}, taxonomy={"even": 2, "seed": 1})
    discreet.publish(rules, tmp_path / "out", data=baskets, seed=1)
    lines = released(tmp_path / "out")
    if method == "permutation":  # within groups only, which are what it tells
        return
    most = Counter(lines).most_common(1)[0]
    places = [place for place, line in enumerate(lines) if line == most[0]]
    assert len(set(lines)) == 1 or max(places) - min(places) > most[1]


def test_numbers_of_the_long_shape_are_new(tmp_path: Path) -> None:
    path = write_policy(tmp_path, written="long")
    assert command("publish", path, "--out", tmp_path / "out").code == 0
    rows = [line.split(",") for line in (tmp_path / "out/release/data.csv").read_text().splitlines()[1:]]
    numbers = [int(number) for number, _ in rows]
    assert numbers == sorted(numbers) and set(numbers) == set(range(1, len(BASKETS) + 1))


def test_groups_and_their_transactions_are_numbered_at_random(tmp_path: Path) -> None:
    baskets = [[f"i{number:03}"] + (["s"] if number % 8 == 0 else []) for number in range(200)]
    rules = policy({"model": "privacy-degree", "p": 4}, sensitive=["s"])
    rows = []
    for name in ("one", "other"):
        discreet.publish(rules, tmp_path / name, data=baskets)
        rows.append((tmp_path / name / "release/data.csv").read_text().splitlines()[1:])
    first = [{line.rpartition(",")[2]: line.split(",")[0] for line in lines} for lines in rows]
    assert first[0].keys() == first[1].keys() and first[0] != first[1]
    numbers = [int(line.split(",")[1]) for line in rows[0]]
    assert numbers == list(range(1, 201))
    places = [int(line.rpartition("i")[2]) for line in rows[0]]
    assert places != sorted(places)
    assert not any(line.rpartition(",")[2] == "s" for lines in rows for line in lines)


# --- Names --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("taxonomy", ["*", {"even": 2, "seed": 1}], ids=["flat", "even"])
@pytest.mark.parametrize(
    "privacy",
    [
        {"model": "kl-privacy", "k": 3, "l": 1, "m": 2, "n": 0},
        {"model": "kl-privacy", "k": 3, "l": 2, "m": 1, "n": 1},
        {"model": "km-anonymity", "k": 3, "m": 2},
        {"model": "coherence", "k": 3, "h": "1/2", "p": 2},
        {"model": "transactional-k-anonymity", "k": 3},
    ],
    ids=lambda privacy: f"{privacy['model']}-{privacy.get('n', '')}",
)
def test_what_is_not_published_is_not_named(tmp_path: Path, privacy: dict[str, Any], taxonomy: object) -> None:
    baskets = [["bread", "milk"]] * 20 + [["bread", "milk", "PizzaSecreta"], ["milk", "CaviarSecreto"], ["s", "bread"]]
    rules = policy(privacy, sensitive=["s"], taxonomy=taxonomy)
    for shape in ("dat", "parquet"):
        out = tmp_path / shape
        discreet.publish(rules.with_settings({"output.format": shape}), out, data=baskets)
        published = {item for items in released(out) for item in items}
        text = told(out)
        for item in {"PizzaSecreta", "CaviarSecreto"} - published:
            assert item not in text
        assert not {"PizzaSecreta", "CaviarSecreto"} <= published


@pytest.mark.parametrize("method", ["greedy-suppression"])
def test_what_is_suppressed_is_neither_named_nor_counted(tmp_path: Path, method: str) -> None:
    baskets = [["bread", "milk"]] * 20 + [["PizzaSecreta"], ["bread", "PizzaSecreta"]]
    rules = policy({"model": "coherence", "k": 5, "h": "1/2", "p": 2}, search={"method": method})
    publication = discreet.publish(rules, tmp_path / "out", data=baskets)
    assert publication.result["suppressed"] == {"items": 1, "occurrences": 2, "sensitive_occurrences": 0}
    assert "PizzaSecreta" not in told(tmp_path / "out")
    assert "suppress" not in told(tmp_path / "out").replace("greedy-suppression", "")
    assert Counter(released(tmp_path / "out")) == {("bread", "milk"): 20, (): 1, ("bread",): 1}


def test_dropped_items_are_not_named(tmp_path: Path) -> None:
    path = write_policy(tmp_path, sensitive=[], on_missing="drop")
    assert command("publish", path, "--out", tmp_path / "out").code == 0
    assert "Viagra" not in told(tmp_path / "out")


# --- Files --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_no_path_no_seed_no_search_is_told(tmp_path: Path, method: str) -> None:
    folder = tmp_path / "SecretProject"
    folder.mkdir()
    path = write_policy(folder, method, taxonomy={"even": 2, "seed": 424242})
    assert command("publish", path, "--out", tmp_path / "out", "--seed", 535353).code == 0
    text = told(tmp_path / "out")
    for secret in ("SecretProject", "baskets.dat", "policy.yaml", "424242", "535353", str(tmp_path)):
        assert secret not in text
    for word in ("seconds", "threats", "cost", "bound", "suppressed", "counts", "rows", "time"):
        assert word not in text.replace("group,item,count", "")


@pytest.mark.parametrize("shape", SHAPES)
def test_the_same_release_has_the_same_size(tmp_path: Path, shape: str) -> None:
    """The size of the files is a function of what is published, and not of how it came to be."""
    rules = policy({"model": "km-anonymity", "k": 2, "m": 2}, output={"format": shape})
    plain = [["a", "b"]] * 10
    doubled = [["b", "a", "a"]] * 10
    sizes = []
    for name, baskets in (("plain", plain), ("doubled", doubled)):
        discreet.publish(rules, tmp_path / name, data=baskets)
        release = tmp_path / name / "release"
        sizes.append({str(p.relative_to(release)): p.stat().st_size for p in release.rglob("*") if p.is_file()})
    assert sizes[0] == sizes[1]


def test_parquet_carries_no_metadata_of_the_original(tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame({"secret_name": [list(items) for items in BASKETS]}, index=[f"row{n}" for n in range(29)])
    rules = policy({"model": "km-anonymity", "k": 2, "m": 1}, sensitive=["Viagra"])
    discreet.publish(rules, tmp_path / "out", data=frame.reset_index(drop=True))
    file = parquet.ParquetFile(tmp_path / "out/release/data.parquet")
    assert set(file.metadata.metadata or {}) <= {b"ARROW:schema"}
    assert file.schema_arrow.metadata is None and file.schema_arrow.names == ["items"]
    content = (tmp_path / "out/release/data.parquet").read_bytes()
    assert b"pandas" not in content and b"secret_name" not in content and b"discreet" not in content


def test_the_certificate_is_the_same_for_data_of_any_length(tmp_path: Path) -> None:
    """Nothing in it, and nothing in the taxonomy, depends on how many transactions there are or had to change."""
    rules = policy({"model": "km-anonymity", "k": 2, "m": 1})
    files: list[Sequence[bytes]] = []
    for name, times in (("few", 5), ("many", 50)):
        discreet.publish(rules, tmp_path / name, data=[["a"], ["b"]] * times)
        release = tmp_path / name / "release"
        files.append([(release / part).read_bytes() for part in ("certificate.json", "taxonomies/1-items.csv")])
    assert files[0] == files[1]


def test_release_can_be_read_by_all_and_steward_by_one(tmp_path: Path) -> None:
    path = write_policy(tmp_path)
    assert command("publish", path, "--out", tmp_path / "out").code == 0
    assert (tmp_path / "out/steward").stat().st_mode & 0o077 == 0
    modes = {p.stat().st_mode & 0o777 for p in (tmp_path / "out/release").rglob("*") if p.is_file()}
    assert len(modes) == 1
    certificate = json.dumps(document(tmp_path / "out/release/certificate.json"))
    assert "steward" not in certificate
