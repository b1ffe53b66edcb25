from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow as pa

import discreet

HOSTILE = "<script>alert('x')</script>"


def test_the_report_shows_the_results_figures_and_escapes_what_comes_from_data(tmp_path: Path) -> None:
    data = pa.table({HOSTILE: [HOSTILE, HOSTILE, "b", "b"], "s": ["1", "2", "1", "2"]})
    policy = discreet.Policy.parse(
        {
            "data": {},
            "attributes": {HOSTILE: {"role": "quasi-identifier"}, "s": {"role": "sensitive"}},
            "privacy": {"model": "l-diversity", "l": 2},
        }
    )
    publication = discreet.publish(policy, tmp_path / "out", data=data)
    page = publication.report.read_text(encoding="utf-8")
    result = json.loads((tmp_path / "out/steward/result.json").read_text(encoding="utf-8"))
    assert "<script" not in page
    assert page.count("&lt;script&gt;") == 2  # the column's name and its value
    assert "no sensitive value has more than 1/2 of a partition" in page
    assert f"{result['rows']['published']} of {result['rows']['original']} records" in page
    assert not re.search(r"https?://|src=|<link", page), "the page is self-contained"
