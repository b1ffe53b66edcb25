from __future__ import annotations

import pytest

from discreet.report.charts import drawing
from discreet.report.pictures import draw
from discreet.report.text import amount, count, label, part_of, share, short, value_html, visible


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0.0, "0%"),
        (1.0, "100%"),
        (0.5, "50%"),
        (1 / 3, "33.3%"),
        (0.00001, "< 0.1%"),
        (0.99999, "> 99.9%"),
        (1.25, "125%"),
        (None, "–"),  # noqa: RUF001
        (float("nan"), "–"),  # noqa: RUF001
    ],
)
def test_only_exactly_nothing_and_exactly_all_are_shown_as_such(number: float | None, shown: str) -> None:
    assert share(number) == shown


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0, "0"),
        (1234567, "1,234,567"),
        (10**12, "1.00 × 10¹²"),  # noqa: RUF001
        ("1.2346e+1500", "1.23 × 10¹⁵⁰⁰"),  # noqa: RUF001
        (10**999, "1.00 × 10⁹⁹⁹"),  # noqa: RUF001
        (None, "–"),  # noqa: RUF001
    ],
)
def test_counts_of_any_size(number: int | str | None, shown: str) -> None:
    assert count(number) == shown


@pytest.mark.parametrize(
    ("number", "shown"),
    [(0, "0"), (7.3333, "7.33"), (12.0, "12"), (0.04567, "0.0457"), (123456.78, "123,456.8"), (2e-7, "2.0e-07")],
)
def test_amounts(number: float, shown: str) -> None:
    assert amount(number) == shown


def test_a_part_of_an_astronomical_whole() -> None:
    assert part_of(4, 25) == "16%"
    assert part_of(3, 9_000_000) == "one in 3,000,000"
    assert part_of(10, "1.0e+1500") == "one in 1.00 × 10¹⁴⁹⁹"  # noqa: RUF001
    assert part_of(0, 0) is None
    assert part_of(0, 5) == "none"


def test_nothing_stays_invisible() -> None:
    assert visible("a\x00b\tc\x7f\u202e\ud800\ufffe") == "a␀b␉c␡[U+202E][U+D800][U+FFFE]"
    assert short("  ") == "␠␠"
    assert label("") == "(missing)"
    assert value_html("") == "<em>(missing)</em>"
    assert value_html("<b>") == "<bdi>&lt;b&gt;</bdi>"
    assert len(short("\x00" * 10**6)) < 130
    assert len(short("x" * 10**6)) == 60


def test_joiners_stay_as_words_need_them() -> None:
    word = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
    assert visible(word) == word


def test_a_drawing_survives_every_character() -> None:
    texts = [
        {"text": "".join(map(chr, range(start, start + 256))), "y": place}
        for place, start in enumerate(
            [*range(0, 0x300, 256), 0x2000, 0xD800, 0xDF00, 0xFE00, 0xFF00, 0x1FF00, 0x10FF00]
        )
    ]
    marks = {"y": {"field": "y"}, "text": {"field": "text"}}
    spec = {
        "width": 10,
        "height": 10,
        "data": [{"name": "texts", "values": texts}],
        "marks": [{"type": "text", "from": {"data": "texts"}, "encode": {"enter": marks}}],
    }
    svg = draw([drawing(spec).as_json()])[0]
    assert svg is not None
    assert "␀" in svg and "[U+DFFF]" in svg and "&lt;" in svg
    assert "\x00" not in svg
    assert svg.encode("utf-8")
