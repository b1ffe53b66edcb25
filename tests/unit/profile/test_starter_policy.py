from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.policy.file import read_yaml
from discreet.profile.table.starter_policy import STEPS, threshold
from discreet.profile.written_policy import quoted, shown


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_any_text_survives_as_key_and_as_value(text: str) -> None:
    key = quoted(text)
    assert "\n" not in key
    assert read_yaml(f"{{{key}: {key}}}", "test") == {text: text}


@pytest.mark.parametrize("word", ["yes", "NO", "null", "True", "on", "12", "1.5", "~", "", "a: b", "x #y"])
def test_what_could_be_misread_is_quoted(word: str) -> None:
    assert quoted(word).startswith('"')


def test_plain_names_stay_plain() -> None:
    assert [quoted(name) for name in ("age", "country of birth", "hours-per-week")] == [
        "age",
        "country of birth",
        "hours-per-week",
    ]


@given(st.fractions(0, 1))
def test_a_threshold_is_never_below_the_share(share: Fraction) -> None:
    assert share <= threshold(share)
    assert STEPS[0] <= threshold(share) <= 1


def test_what_is_shown_is_short_and_harmless() -> None:
    assert shown("a\nb\x1b[31m") == "a\\nb\\x1b[31m"
    assert len(shown("x" * 1000)) == 60
