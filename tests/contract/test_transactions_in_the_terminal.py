"""What the terminal tells of transactions: the result, the attack and the demo, within 80 columns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from discreet.cli import main
from discreet.cli.demo import DEMOS
from discreet.report.terminal import WIDTH
from pages.baskets import BASKETS, PROMISES, TAXONOMY


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = tmp_path / "policy.yaml"
    (tmp_path / "baskets.csv").write_text("".join(",".join(basket) + "\n" for basket in BASKETS), encoding="utf-8")
    (tmp_path / "items.csv").write_text(TAXONOMY, encoding="utf-8")
    path.write_text(
        "data: {kind: transactions, path: baskets.csv, separator: ','}\n"
        "taxonomy: items.csv\nsensitive: [Viagra]\n"
        "privacy: {model: kl-privacy, k: 2, l: 2, m: 2, n: 1}\n",
        encoding="utf-8",
    )
    return path


def said(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main([str(argument) for argument in arguments]) == 0
    text = capsys.readouterr().out
    # A path is worth a longer line, so that it can be copied.
    assert [line for line in text.splitlines() if len(line) > WIDTH and "/" not in line] == []
    return " ".join(text.split())


def test_publish_tells_what_became_of_the_items(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = policy.parent / "out"
    text = said(capsys, "publish", policy, "--out", out)
    details = json.loads((out / "steward/result.json").read_text(encoding="utf-8"))["search"]["details"]
    for told in (
        "Status optimal: proved that no release by this method loses less",
        "less Yet None of 6 items is published as itself. Loss 11.40 (lm)",
        "Normalized 20.00%",
        "Left 0 of 6 items as themselves, beside 3 more general items",
        "Left of all that transactions hold, 0% as itself, 100% as something more general",
        "Suppressed 0 items everywhere, 0 occurrences Search og,",
        f"threats kept {details['threats_kept']}; itemsets examined {details['itemsets_examined']:,}",
        "Verified the release, read again from its files, keeps the promise",
        f"Release {out / 'release'} Report {out / 'steward' / 'report.html'} (for the steward only)",
    ):
        assert told in text


@pytest.mark.parametrize(
    ("method", "status", "items"),
    [
        (
            "apriori",
            "nothing is proved about what another release could save",
            "2 of 6 items as themselves, beside 2 more general items",
        ),
        (
            "greedy-suppression",
            "nothing is proved about what another release could save",
            "Suppressed 2 items everywhere, 17 occurrences",
        ),
        ("partition", "nothing is proved about what another release could save", "Suppressed 0 items everywhere"),
        (
            "permutation",
            "nothing is lost by this measure",
            "6 of 6 items as themselves Left of all",
        ),
    ],
)
def test_a_method_that_proves_nothing_claims_nothing(
    policy: Path, capsys: pytest.CaptureFixture[str], method: str, status: str, items: str
) -> None:
    promise = json.dumps(dict(PROMISES[method]))
    settings = ("--set", f"search.method={method}", "--set", f"privacy={promise}")
    text = said(capsys, "publish", policy, "--out", policy.parent / "out", *settings)
    assert f"Status feasible: {status} Loss" in text
    assert items in text


def test_attack_tells_what_is_learnt_from_items(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = policy.parent / "out"
    said(capsys, "publish", policy, "--out", out)
    text = said(capsys, "attack", out)
    document = json.loads((out / "steward/attack.json").read_text(encoding="utf-8"))
    before, after = document["before"], document["after"]
    for told in (
        f"Adversary {document['adversary']}",
        f"Of 29 people original release exactly one transaction fits {before['found']} {after['found']}",
        f"fewer fit than promised {before['below_k']} {after['below_k']}",
        f"above the promised confidence {before['above_share']} {after['above_share']}",
        "guessed right knowing nobody",
        f"One of many {document['disjunctions']['reading']}",
        f"Exact set {document['exact_sets']['reading']}",
        *document["reading"],
    ):
        assert told in text
    assert text.count(document["adversary"]) == 1


def test_attack_with_a_file_tells_of_each_person_in_it(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, known = policy.parent / "out", policy.parent / "seen.csv"
    known.write_text("milk,wine\nrolls,milk,beer\n", encoding="utf-8")
    said(capsys, "publish", policy, "--out", out)
    text = said(capsys, "attack", out, "--known", known)
    assert "Whom the adversary knows" in text
    assert "has milk, wine original: 1 transaction: Viagra 100% release: " in text
    assert "An adversary with seen.csv" in (out / "steward/report.html").read_text(encoding="utf-8")


def test_the_demo_of_transactions_tells_the_story_of_a_shop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "demo", "transactions", "--out", tmp_path / "demo")
    for told in (
        "An invented shop wants to publish what its customers buy together.",
        "model: kl-privacy",
        "Status optimal: proved that no release by this method loses less",
        "Verdict PASS: the promise holds",
        "What somebody who saw a few things in everybody's basket learns, in short:",
        f"Policy {DEMOS / 'transactions' / 'policy.yaml'}",
        f"Report {tmp_path / 'demo' / 'steward' / 'report.html'}",
    ):
        assert told in text
