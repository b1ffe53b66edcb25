"""The benchmarks of rho-uncertainty, on a few transactions drawn here: what they cut, draw and count is right."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from benchmarks import rho, rho_figures
from benchmarks.findings import Findings
from benchmarks.rho import METHODS, Question, is_safe, measured
from benchmarks.rho_data import CutShort, PartOf, Synthetic, encoded
from benchmarks.sets_data import RETAIL, WEB_VIEW_1, WEB_VIEW_2

from discreet.models.privacy_degree import PrivacyDegree
from discreet.models.rho_uncertainty import RhoUncertainty
from discreet.recode.transactions.recoded import Recoded
from discreet.taxonomy import Cut

HALF = Fraction(1, 2)
ITEMS = 20


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which all three data sets are the same 200 short transactions, items in descending order."""
    folder = tmp_path_factory.mktemp("data")
    random = np.random.default_rng(0)
    sets = [random.choice(ITEMS, random.integers(1, 8), False) for _ in range(200)]
    lines = "\n".join(" ".join(f"i{item:02}" for item in sorted(items, reverse=True)) for items in sets)
    for where in (WEB_VIEW_1, WEB_VIEW_2, RETAIL):
        (folder / where.file).parent.mkdir()
        with pa.CompressedOutputStream(str(folder / where.file), "zstd") as file:
            file.write(lines.encode())
    return folder


def test_records_are_cut_to_the_first_items_of_the_file(data: Path) -> None:
    whole, cut = WEB_VIEW_2.raw(data, False), CutShort(WEB_VIEW_2, 3).raw(data, False)
    assert max(map(len, whole.sets)) == 7
    for before, after in zip(whole.sets, cut.sets, strict=True):
        assert [cut.items[item] for item in after] == [whole.items[item] for item in before][-3:]


def test_a_larger_part_has_the_records_of_a_smaller_one(data: Path) -> None:
    parts = [PartOf(RETAIL, fifths).raw(data, False) for fifths in range(1, 6)]
    assert [len(part.sets) for part in parts] == [40, 80, 120, 160, 200]
    for smaller, larger in pairwise(parts):
        assert np.array_equal(larger.sets.take(np.arange(len(smaller.sets))).items, smaller.sets.items)


def test_synthetic_records_are_as_long_as_those_of_the_paper_and_have_all_items_alike(tmp_path: Path) -> None:
    synthetic = Synthetic(records=20_000, items=50, longest=50)
    raw = synthetic.raw(tmp_path, False)
    assert len(raw.sets) == 20_000 and raw.sets.sizes.min() == 1 and raw.sets.sizes.max() <= 50
    assert raw.sets.sizes.mean() == pytest.approx(4.2, abs=0.1)
    supports = np.bincount(raw.sets.items, minlength=50)
    assert supports.min() > 0.9 * supports.mean() and supports.max() < 1.1 * supports.mean()
    shares = synthetic.shares_of_lengths()
    assert shares.sum() == pytest.approx(1) and shares @ np.arange(1, 51) == pytest.approx(2_071_352 / 493_193)
    assert np.allclose(shares[1:] / shares[:-1], shares[1] / shares[0])
    assert np.array_equal(raw.sets.items, synthetic.raw(tmp_path, False).sets.items)


@pytest.mark.parametrize("method", METHODS)
def test_every_release_is_safe_and_loses_what_it_should(data: Path, method: str) -> None:
    record = measured(Question(WEB_VIEW_2, method, HALF), data, quick=True)
    assert record["is_safe"] is True
    assert (record["records"], record["data"], record["rho"]) == (200, "BMS-WebView-2", "1/2")
    loss, of_trivial, bound = record["loss"], record["of_trivial"], record["bound"]
    assert isinstance(loss, float) and isinstance(of_trivial, float)
    if method == "permutation":
        assert loss == record["divergence"] == 0
    elif method == "trivial":
        assert of_trivial == 1 and record["rules_before"] != record["rules_after"]
    elif method == "insertion":
        assert isinstance(bound, float) and 0 < bound <= loss and of_trivial < 1


def test_permutation_shows_the_rules_of_the_trivial_release(data: Path) -> None:
    permuted, trivial = (measured(Question(WEB_VIEW_2, name, HALF), data, True) for name in ("permutation", "trivial"))
    assert permuted["rules_after"] == trivial["rules_after"] != 0
    assert permuted["rules_kept"] == trivial["rules_kept"]


def test_of_a_search_that_was_stopped_nothing_is_said(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rho, "TIME_LIMIT", 0.0)
    record = measured(Question(WEB_VIEW_2, "rules", HALF), data, quick=True)
    assert record["outcome"] == "stopped" and record["seconds"] is record["loss"] is record["is_safe"] is None


def test_where_there_is_no_release_nothing_is_said(data: Path) -> None:
    record = measured(Question(WEB_VIEW_2, "permutation", Fraction(1, 50)), data, quick=True)
    assert record["outcome"] == "no release"
    assert record["seconds"] is record["is_safe"] is record["loss"] is None
    row = rho._row([record])
    assert row[:3] == ["BMS-WebView-2", "1/50", "permutation"]
    assert "0 of 0" in row and row[3] == row[4] == ""


def test_what_is_not_safe_is_found(data: Path) -> None:
    transactions = encoded(WEB_VIEW_2, data, 1, quick=False)
    as_it_is = Recoded.by_cut(transactions, Cut.leaves(transactions.taxonomy))
    assert not is_safe(as_it_is, transactions, RhoUncertainty(HALF))
    assert is_safe(as_it_is, transactions, RhoUncertainty(Fraction(1)))
    most = int(transactions.sensitive_occurrences.max())
    one_group = Recoded(as_it_is.sources, as_it_is.nodes, as_it_is.counts, np.zeros(len(as_it_is.counts), np.int32))
    assert is_safe(one_group, transactions, PrivacyDegree(200 // most))
    assert not is_safe(one_group, transactions, PrivacyDegree(200 // most + 1))


@pytest.mark.parametrize(
    ("benchmark", "tables", "columns"),
    [
        (rho_figures.curve, 4, ("0.1", "0.3")),
        (rho_figures.cutoff, 2, ("0.1", "0.3")),
        (rho_figures.scaling, 3, ("1", "2")),
        (rho_figures.permuted, 3, ("4", "6")),
        (rho_figures.knobs, 5, ("125", "250")),
    ],
)
def test_figures(
    data: Path, benchmark: Callable[[Path, bool], Findings], tables: int, columns: tuple[str, str]
) -> None:
    found = benchmark(data, True)
    assert found.text.count("| ---") - found.text.count(" | ---") == tables
    assert f" {columns[0]} | {columns[1]} |" in found.text
    assert bool(found.picture) == ("pictures/" in found.text) == (benchmark is not rho_figures.knobs)
    for record in found.records:
        assert record["is_safe"] if record["outcome"] == "done" else record["method"] == "permutation"


def test_a_mean_is_over_what_could_be_said() -> None:
    records: list[dict[str, object]] = [{"loss": 0.25}, {"loss": None}, {"loss": 0.75}]
    assert rho.shown(records, "loss", "{:.2f}".format) == "0.50"
    assert rho.shown(records, "loss", "{:.2f}".format, max) == "0.75"
    assert rho.shown(records[1:2], "loss", "{:.2f}".format) == ""


def test_tables_and_what_is_not_there(data: Path, tmp_path: Path) -> None:
    assert rho.losses(data, True).text.count("| 1 of 1 |") == len(METHODS)
    assert rho.synthetic(tmp_path, True).text.count("| 1 of 1 |") == len(rho.BY_OCCURRENCE)
    for benchmark in (rho.losses, rho_figures.curve, rho_figures.cutoff, rho_figures.scaling, rho_figures.knobs):
        found = benchmark(tmp_path, True)
        assert "Left out" in found.text and not found.records and not found.picture
