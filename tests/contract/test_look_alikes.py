"""Sensitive values that differ only to a program make a promise hollow, and the steward is told before it happens."""

from __future__ import annotations

from pathlib import Path

import pytest

import discreet
from discreet.cli import main
from discreet.errors import InputError
from discreet.values.look_alikes import in_words, look_alikes

HOSPITAL = Path(__file__).parents[2] / "examples" / "hospital" / "policy.yaml"
HIV = ("HIV", "HIV ", "hiv", "ＨＩＶ", "H\u200bIV", "\tHIV")  # noqa: RUF001 - the point of it


def test_what_looks_alike() -> None:
    assert look_alikes([*HIV, "flu", "HIV2", "H IV"]) == [tuple(sorted(HIV))]
    assert look_alikes(["straße", "STRASSE", "e\u0301té", "ÉTÉ", "ete"]) == [
        ("STRASSE", "straße"),
        ("e\u0301té", "ÉTÉ"),
    ]
    assert look_alikes(["", " ", "\u200b", "x"]) == [("", " ", "\u200b")]
    assert look_alikes(["a", "b", "ab", "a b", "1", "1.0", "-", "—"]) == []
    assert look_alikes(["a  b", "a b"]) == [("a  b", "a b")]


def test_they_are_listed_up_to_a_point() -> None:
    assert in_words([("HIV", "hiv"), ("", " ")]) == "'HIV' and 'hiv'; missing values and ' '"
    told = in_words([(f"v{place}", f"V{place}") for place in range(9)])
    assert told.endswith("'v2' and 'V2'; and 6 more such groups")


def table(folder: Path, second: str) -> Path:
    """Ten people in one group, all of whom have HIV if `second` is read by a human."""
    rows = ["age,disease", *(f"30,{'HIV' if place % 2 else second}" for place in range(10))]
    (folder / "data.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (folder / "policy.yaml").write_text(
        "data: {path: data.csv}\n"
        "attributes: {age: {role: quasi-identifier}, disease: {role: sensitive}}\n"
        "privacy: {model: l-diversity, l: 2}\n",
        encoding="utf-8",
    )
    return folder / "policy.yaml"


@pytest.mark.parametrize("second", HIV[1:])
def test_publish_warns_and_strict_refuses(second: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = table(tmp_path, second)
    assert main(["publish", str(policy), "--out", str(tmp_path / "out")]) == 0
    assert "Warning: disease: some values look alike and count as different ones" in capsys.readouterr().err
    assert main(["publish", str(policy), "--out", str(tmp_path / "strict"), "--strict"]) == 2
    assert "look alike" in capsys.readouterr().err
    assert not (tmp_path / "strict").exists() and not list(tmp_path.glob(".*"))


def four_of_different_ages(folder: Path) -> Path:
    """A table that has to be changed to keep its promise, and then keeps it against everybody."""
    policy = table(folder, "flu")
    (folder / "data.csv").write_text("age,disease\n31,HIV\n32,HIV\n33,flu\n34,flu\n", encoding="utf-8")
    return policy


def test_strict_publishes_where_there_is_nothing_to_warn_of(tmp_path: Path) -> None:
    policy = four_of_different_ages(tmp_path)
    publication = discreet.publish(policy, tmp_path / "out", strict=True, settings={"search.suppression": "none"})
    assert publication.warnings == publication.result["hollow"] == publication.result["unprotected"] == []


def test_strict_refuses_whatever_else_there_is_to_warn_of(tmp_path: Path) -> None:
    policy, settings = four_of_different_ages(tmp_path), {"search.suppression": "none"}
    assert discreet.publish(policy, tmp_path / "out", seed=1, settings=settings).warnings
    with pytest.raises(InputError, match="nothing to warn of: A seed was given"):
        discreet.publish(policy, tmp_path / "strict", strict=True, seed=1, settings=settings)
    assert not (tmp_path / "strict").exists()


def test_strict_refuses_a_promise_that_protects_nobody_or_not_everybody(tmp_path: Path) -> None:
    policy = table(tmp_path, "flu")  # everybody is thirty, and half of them have it: the original keeps the promise
    assert discreet.publish(policy, tmp_path / "out").result["hollow"]
    with pytest.raises(InputError, match="nothing to warn of: The original already keeps this promise"):
        discreet.publish(policy, tmp_path / "strict", strict=True)
    with pytest.raises(InputError, match="nothing to warn of: It does not hold against somebody who knows"):
        discreet.publish(HOSPITAL, tmp_path / "strict", strict=True)
    assert not (tmp_path / "strict").exists()


def test_inspect_tells_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table(tmp_path, "hiv")
    with (tmp_path / "data.csv").open("a", encoding="utf-8") as file:
        file.write("".join(f"{age},flu\n" for age in range(20)))
    assert main(["inspect", str(tmp_path / "data.csv")]) == 0
    assert "look alike" in " ".join(capsys.readouterr().out.split())


def baskets(folder: Path, listed: str) -> Path:
    lines = ["bread,HIV test", "bread,hiv test", "bread,milk", "bread,milk", "bread", "milk", "milk,bread", "bread"]
    (folder / "baskets.csv").write_text("\n".join(lines * 3) + "\n", encoding="utf-8")
    (folder / "policy.yaml").write_text(
        "data: {kind: transactions, path: baskets.csv, separator: ','}\n"
        f"sensitive: [{listed}]\n"
        "privacy: {model: rho-uncertainty, rho: 1/2}\n",
        encoding="utf-8",
    )
    return folder / "policy.yaml"


@pytest.mark.parametrize(
    ("listed", "said"),
    [("HIV test", "are not listed and so not protected: 'HIV test' and 'hiv test'"), ("HIV test, hiv test", "rarer")],
)
def test_an_item_that_looks_like_a_sensitive_one_is_told(listed: str, said: str, tmp_path: Path) -> None:
    policy = baskets(tmp_path, listed)
    warnings = discreet.publish(policy, tmp_path / "out").warnings
    assert any(said in sentence for sentence in warnings), warnings
    with pytest.raises(InputError, match="nothing to warn of"):
        discreet.publish(policy, tmp_path / "strict", strict=True)


def test_inspect_tells_it_of_items(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    baskets(tmp_path, "HIV test")
    assert main(["inspect", str(tmp_path / "baskets.csv"), "--kind", "transactions", "--separator", ","]) == 0
    assert "'HIV test' and 'hiv test'" in " ".join(capsys.readouterr().out.split())
    inspected = discreet.inspect(tmp_path / "baskets.csv", kind="transactions", separator=",")
    assert inspected.as_dict()["look_alikes"] == [["HIV test", "hiv test"]]
