"""The verifier of rho-uncertainty on releases as they are published: single cases, borders, and large ones."""

import json
import os
from collections import Counter
from collections.abc import Collection, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest

from discreet.errors import InputError
from discreet.read.transactions import read_transactions
from discreet.verifier import Verdict, verify_release
from oracle.rho_uncertainty import TABLE_1

DATA = Path(os.environ.get("DISCREET_DATA", Path(__file__).resolve().parents[4] / "shared" / "data"))
Records = Sequence[Collection[str]]


def verified(folder: Path, records: Records, sensitive: Sequence[str], promise: object = "1/2") -> Verdict:
    """promise: as the certificate has it, or rho alone."""
    items = sorted({"a"}.union(*records) - set(sensitive))
    stated = {
        "format": "discreet-certificate/1",
        "kind": "transactions",
        "data": "data.dat",
        "shape": "dat",
        "taxonomy": "items.csv",
        "sensitive": list(sensitive),
        "promise": [promise if isinstance(promise, dict) else {"model": "rho-uncertainty", "rho": promise}],
        "method": {"name": "insertion", "version": "0.1.0"},
        "verdict": {"holds": True},
    }
    (folder / "items.csv").write_text("".join(f"{item};*\n" for item in items), encoding="utf-8")
    (folder / "certificate.json").write_text(json.dumps(stated), encoding="utf-8")
    (folder / "data.dat").write_text("".join(" ".join(record) + "\n" for record in records), encoding="utf-8")
    return verify_release(folder)


def witnesses(verdict: Verdict) -> set[str]:
    assert verdict.holds == (not verdict.breaches)
    assert {breach.kind for breach in verdict.breaches} <= {"rho-uncertainty"}
    return {witness for breach in verdict.breaches for witness in breach.witnesses}


def test_the_printed_example(tmp_path: Path) -> None:
    verdict = verified(tmp_path, TABLE_1, ["condom"])
    assert witnesses(verdict) == {
        "'beer': 'condom' in 2 of 2 transactions, more than 1/2 of them",
        "'flour': 'condom' in 1 of 1 transaction, more than 1/2 of them",
    }
    assert verdict.breaches[0].sentence.startswith("At least 2 rules by which a sensitive item follows")
    assert verdict.promise == (
        "rho-uncertainty: anyone who knows any items that a transaction has, sensitive ones too, but none that it "
        "lacks, infers no other sensitive item with a confidence above 1/2.",
    )
    mended = [record - {"condom"} if place in (0, 4) else record for place, record in enumerate(TABLE_1)]
    assert verified(tmp_path, mended, ["condom"]).holds


@pytest.mark.parametrize(
    ("rho", "most"), [("7/10", 7), ("0.7", 7), ("3/10", 3), ("1/3", 3), ("1", 10), (1, 10), (0, 0)]
)
def test_exactly_rho_is_safe(rho: object, most: int, tmp_path: Path) -> None:
    def of_ten(number: int) -> Records:
        return [("a", "s")] * number + [("a",)] * (10 - number)

    assert verified(tmp_path, of_ten(most), ["s"], rho).holds
    if most < 10:
        several = verified(tmp_path, of_ten(most + 1), ["s"], rho)
        assert witnesses(several) == {
            f"'a': 's' in {most + 1} of 10 transactions, more than {Fraction(str(rho))} of them"
        }


def test_63_of_90_at_7_of_10(tmp_path: Path) -> None:
    """In floats 0.7 times 90 is below 63."""
    assert verified(tmp_path, [("a", "s")] * 63 + [("a",)] * 27, ["s"], "7/10").holds


def test_a_record_of_one_item_is_part_of_no_rule(tmp_path: Path) -> None:
    """Whoever knows nothing finds s in 8 of 10; that is left out of the promise."""
    assert verified(tmp_path, [("s",)] * 8 + [(), ("a",)], ["s"]).holds


def test_what_is_known_may_be_sensitive_itself(tmp_path: Path) -> None:
    verdict = verified(tmp_path, [("s", "t"), ("s",), ("s",)], ["s", "t"])
    assert witnesses(verdict) == {"'t': 's' in 1 of 1 transaction, more than 1/2 of them"}


def test_a_rule_that_no_whole_record_gives(tmp_path: Path) -> None:
    """{a, b} and {a, c} are each safe, as {a, b, c} holds both; a alone is not."""
    records = [("a", "b", "s"), ("a", "c", "s"), ("a", "b", "c")]
    verdict = verified(tmp_path, records, ["s"])
    assert witnesses(verdict) == {"'a': 's' in 2 of 3 transactions, more than 1/2 of them"}
    assert verified(tmp_path, [*records, ("a",)], ["s"]).holds


def test_a_witness_is_short_and_a_long_one_stays_readable(tmp_path: Path) -> None:
    items = [f"i{number:02}" for number in range(40)]
    verdict = verified(tmp_path, [(*items, "s")], ["s"])
    (witness,) = witnesses(verdict)
    assert len(witness) == len("'i00': 's' in 1 of 1 transaction, more than 1/2 of them")
    one_missing = [[item for item in items if item != missing] for missing in items]
    verdict = verified(tmp_path, [(*items, "s"), *one_missing], ["s"])
    (witness,) = witnesses(verdict)
    assert "and 30 more: 's' in 1 of 1 transaction" in witness


def test_at_most_ten_witnesses_of_many(tmp_path: Path) -> None:
    verdict = verified(tmp_path, [(f"i{number}", "s") for number in range(40)], ["s"])
    assert len(witnesses(verdict)) == 10
    assert verdict.breaches[0].sentence.startswith("At least 10 rules")


def test_subsets_are_not_listed(tmp_path: Path) -> None:
    """Records of up to 120 items, each with the sensitive one and without."""
    items = [f"i{number}" for number in range(120)]
    records = [items[start:] for start in range(0, 120, 10)]
    released = [tuple(record) for record in records] + [(*record, "s") for record in records]
    assert verified(tmp_path, released, ["s"]).holds
    assert "'i0': 's' in 1 of 1 transaction, more than 1/2 of them" in str(verified(tmp_path, released[1:], ["s"]))


def test_no_records_and_no_sensitive_items(tmp_path: Path) -> None:
    assert verified(tmp_path, [], ["s"]).holds
    assert verified(tmp_path, [("a", "b")], []).holds


@pytest.mark.parametrize(
    ("promise", "said"),
    [
        ({"rho": 0.7}, "not exact"),
        ({"rho": "70%"}, "should be a fraction"),
        ({"rho": "1/0"}, "should be a fraction"),
        ({"rho": True}, "should be a fraction"),
        ({"rho": None}, "should be a fraction"),
        ({"rho": "11/10"}, "outside"),
        ({"rho": "-1/2"}, "rho"),
        ({}, "lacks the key 'rho'"),
        ({"rho": "1/2", "k": 2}, "unknown key 'k'"),
        ({"rho": "1/2", "m": 2}, "unknown key 'm'"),
    ],
)
def test_a_promise_that_is_not_understood_is_refused(promise: dict[str, object], said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        verified(tmp_path, [("a",)], ["s"], {"model": "rho-uncertainty", **promise})


# --- large releases -------------------------------------------------------------------------------------------

RHO = Fraction(7, 10)


def known_to_be_safe(records: Records, sensitive: frozenset[str]) -> tuple[list[frozenset[str]], list[tuple[int, str]]]:
    """At most one sensitive item a record, in at most rho of the records that are otherwise equal; what is left out.

    Safe: no sensitive item is known beside another, and at most rho of each group is at most rho of any union of them.
    """
    released = [frozenset(record) - sensitive for record in records]
    sizes = Counter(released)
    kept: Counter[tuple[frozenset[str], str]] = Counter()
    left_out = []
    for place, known in enumerate(released):
        item = next(iter(sorted(sensitive.intersection(records[place]))), None)
        if item is None:
            continue
        if not known or kept[known, item] + 1 <= RHO * sizes[known]:
            released[place] = known | {item}
            kept[known, item] += 1
        else:
            left_out.append((place, item))
    return released, left_out


@pytest.mark.parametrize("name", ["bms_webview2/BMS-WebView-2", "retail/retail"])
def test_a_single_breach_in_a_large_release_is_found(name: str, tmp_path: Path) -> None:
    file = DATA / f"{name}.dat.zst"
    if not file.is_file():
        pytest.skip(f"no {file.name} in {DATA} (set DISCREET_DATA)")
    raw = read_transactions(file)
    places = raw.sets.items.tolist()
    records = [[raw.items[place] for place in places[a:b]] for a, b in pairwise(raw.sets.offsets.tolist())]
    drawn = np.random.default_rng(1).permutation(len(raw.items))[: round(0.4 * len(raw.items))]
    sensitive = [raw.items[place] for place in drawn]
    hidden = frozenset(sensitive)
    released, left_out = known_to_be_safe(records, hidden)
    assert sum(not hidden.isdisjoint(record) for record in released) > 5_000
    assert verified(tmp_path, released, sensitive, "7/10").holds

    # One more occurrence where nobody else holds what is known.
    place, item = next(
        (place, item) for place, item in left_out if sum(released[place] <= other for other in released) == 1
    )
    broken = [*released[:place], released[place] | {item}, *released[place + 1 :]]
    (witness,) = witnesses(verified(tmp_path, broken, sensitive, "7/10"))
    assert f": '{item}' in 1 of 1 transaction, more than 7/10 of them" in witness

    # No single record tells it: what any two of these have in common is safe, what all have in common is not.
    parts = [f"part{number}" for number in range(8)]
    secret = [(*pair, "shared", "secret") for pair in combinations(parts, 2)]
    planted = [*released, *secret, *[(*parts, "shared")] * 6]
    (witness,) = witnesses(verified(tmp_path, planted, [*sensitive, "secret"], "7/10"))
    assert witness == "'shared': 'secret' in 28 of 34 transactions, more than 7/10 of them"
