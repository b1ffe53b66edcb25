"""The benchmarks on transactions, on a few that are drawn here: what they count, average and draw is right."""

import csv
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from benchmarks import sets, sets_figures, sets_pruning
from benchmarks.findings import Findings
from benchmarks.sets_data import RETAIL, WEB_VIEW_1, WEB_VIEW_2, amplify, missing
from benchmarks.sets_questions import Power, ask

from discreet.errors import NoReleaseError


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a BMS-WebView-1 of 400 short transactions, and nothing else."""
    folder = tmp_path_factory.mktemp("data")
    random = np.random.default_rng(0)
    popularity = 1 / np.arange(1, 31)
    lines = [
        " ".join(f"i{item}" for item in random.choice(30, random.integers(1, 5), False, popularity / popularity.sum()))
        for _ in range(400)
    ]
    path = folder / WEB_VIEW_1.file
    path.parent.mkdir()
    with pa.CompressedOutputStream(str(path), "zstd") as file:
        file.write("\n".join(lines).encode())
    return folder


def test_sensitive_items_are_drawn_from_the_rare_ones_and_have_no_place_in_the_taxonomy(data: Path) -> None:
    transactions = WEB_VIEW_1.encoded(data, 1, sensitive=8)
    assert len(transactions.sensitive_items) == 8
    assert not set(transactions.sensitive_items) & set(transactions.taxonomy.labels)
    assert transactions.taxonomy.leaf_count(0) == 30 - 8
    assert 2 * int(transactions.sensitive_occurrences.max()) < transactions.transactions == 400
    assert WEB_VIEW_1.encoded(data, 2, sensitive=8).sensitive_items != transactions.sensitive_items


def test_copies_are_perturbed_and_the_originals_stay(data: Path) -> None:
    transactions = WEB_VIEW_1.encoded(data, 1)
    same = amplify(transactions, 400, np.random.default_rng(0))
    assert np.array_equal(same.leaf_occurrences, transactions.leaf_occurrences)
    more = amplify(transactions, 4_000, np.random.default_rng(0))
    assert more.transactions == 4_000
    assert len(more.sets) > len(transactions.sets)
    # A replaced item can be one that is there already.
    assert 0.9 * 10 * transactions.occurrences < more.occurrences < 10 * transactions.occurrences


def test_a_share_between_those_of_whole_l() -> None:
    assert str(Power(3, 3, share=Fraction(1, 5))) == "(3,3,5,5)"
    assert str(Power(3, 3, share=Fraction(3, 10))) == "(3,3,5,3.33)"
    assert Power(2, 1, 4, Fraction(3, 10)).itemset_limits().share == Fraction(3, 10)


def test_a_measurement_tells_what_was_proved(data: Path) -> None:
    [record] = sets.measured("OG", WEB_VIEW_1, Power(2), 0, "lm", data, quick=True)
    assert record["status"] == "optimal"
    assert record["data"] == "BMS-WebView-1" and record["power"] == "(2,0,5,1)"
    assert isinstance(record["loss"], float) and 0 < record["loss"] < 1
    assert isinstance(record["ncp"], float) and record["ncp"] > record["loss"]
    table = sets._times([sets.Question(WEB_VIEW_1, Power(2), target=1)], [record])
    assert table.splitlines()[2].startswith("| BMS-WebView-1 | (2,0,5,1) |")
    assert "| 1 of 1 |" in table


def test_curves_have_no_method_below_the_optimum(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sets_figures, "LOSS", sets_figures.LOSS[:1] + sets_figures.LOSS[3:4])
    found = sets_figures.loss(data, quick=True)
    assert found.picture.startswith("<?xml") and "BMS-WebView-1, m = 3" in found.picture
    assert "| OG |" in found.text and "(pictures/sets_loss.svg)" in found.text
    by_point: dict[object, dict[object, float]] = {}
    for record in found.records:
        loss = record["loss"]
        assert isinstance(loss, float)
        by_point.setdefault((record["varied"], record["at"]), {})[record["method"]] = loss
    assert len(by_point) == 4
    for losses in by_point.values():
        assert set(losses) == {"OG", "mOG", "AA", "LG", "MM"}
        assert losses["OG"] <= min(losses["mOG"], losses["AA"])


def test_a_cut_keeps_the_supports_of_its_patterns(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sets_figures, "PATTERNS", sets_figures.PATTERNS[:1])
    found = sets_figures.patterns(data, quick=True)
    for record in found.records:
        error, patterns, original = record["error"], record["patterns"], record["original"]
        assert isinstance(error, float) and isinstance(patterns, float) and isinstance(original, float)
        assert 0 < patterns <= original
        assert (error == 0) == (record["method"] == "mOG")


def test_points_not_reached_with_every_seed_have_no_mean() -> None:
    curve = sets_figures.Curve(WEB_VIEW_1, "m", [(1, Power(1), 0), (2, Power(2), 0)], ("OG",), (1, 2))
    records: list[dict[str, object]] = [
        {"data": "BMS-WebView-1", "varied": "m", "method": "OG", "at": at, "seed": seed, "loss": loss}
        for at, seed, loss in ((1, 1, 0.1), (1, 2, 0.3), (2, 1, 0.5))
    ]
    assert sets_figures._means(curve, records, "loss") == {"OG": {1: 0.2}}
    assert sets_figures._table(curve, records, "loss", "{:.2f}".format).endswith("| OG | 0.20 |  |")


@pytest.mark.parametrize("variant", [name for name in sets_pruning.VARIANTS if name != sets_pruning.FULL])
def test_a_part_taken_out_costs_time_only(data: Path, variant: str) -> None:
    for seed in (1, 2, 3):
        transactions = WEB_VIEW_1.encoded(data, seed, sensitive=5)
        for power in (Power(2), Power(2, 1), Power(2, 1, 4, Fraction(1, 2))):
            try:
                full = ask("OG", power, transactions).result
            except NoReleaseError:
                continue
            with sets_pruning._in_place(sets_pruning.VARIANTS[variant]):
                without = ask("OG", power, transactions).result
            assert without.status == full.status == "optimal"
            assert without.best.cost == full.best.cost


def test_without_locking_everything_above_an_item_is_open(data: Path) -> None:
    transactions = WEB_VIEW_1.encoded(data, 1)
    with sets_pruning._in_place(sets_pruning.VARIANTS["without locking"]):
        details = ask("OG", Power(3), transactions).result.details
    assert details["nodes_open"] == len(transactions.taxonomy.labels) - 30
    assert details["nodes_open"] > ask("OG", Power(3), transactions).result.details["nodes_open"]


def test_what_is_not_there_is_named(data: Path, tmp_path: Path) -> None:
    assert missing(data, [WEB_VIEW_1]) == ""
    assert "does not have them: BMS-WebView-2, Retail." in missing(data, [RETAIL, WEB_VIEW_1, WEB_VIEW_2, RETAIL])
    for benchmark in (sets.run, sets.scaling, sets_pruning.printed, sets_pruning.ablation, sets_figures.general):
        found = benchmark(tmp_path, True)
        assert "Left out" in found.text and "--data DIR" in found.text
        assert not found.records and not found.picture


def test_findings_are_kept_side_by_side(tmp_path: Path) -> None:
    findings = Findings("text", [{"k": 5, "loss": 0.25}, {"k": 10, "loss": 0.5}], "<svg/>")
    findings.keep(tmp_path, "some")
    findings.show(tmp_path / "page.md", "some")
    assert (tmp_path / "pictures" / "some.svg").read_text() == "<svg/>"
    assert (tmp_path / "some.md").read_text() == "text\n"
    assert (tmp_path / "some.svg").read_text() == "<svg/>"
    with (tmp_path / "some.csv").open() as file:
        assert list(csv.DictReader(file)) == [{"k": "5", "loss": "0.25"}, {"k": "10", "loss": "0.5"}]
