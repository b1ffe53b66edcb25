"""Releases of tables made by hand, to be changed at one place and verified."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from discreet.verifier import Verdict

EDUCATION = "Junior;Secondary;Any\nSenior;Secondary;Any\nBachelor;University;Any\nGraduate;University;Any\n;Any\n"
COUNTRY = "UK;Europe;*\nFrance;Europe;*\nUSA;America;*\nCanada;America;*\n"
HALF = {"model": "l-plus-diversity", "thresholds": "1/2"}
EXAMPLE_3_1 = {
    "model": "l-plus-diversity",
    "thresholds": {"Cancer": "3/10", "Asthma": "2/5", "Flu": "1/2"},
}

Row = Sequence[str | None]


def certificate() -> dict[str, Any]:
    return {
        "format": "discreet-certificate/1",
        "kind": "table",
        "data": "data.csv",
        "promise": [HALF],
        "method": {"name": "l-plus-optimize", "version": "0.1.0", "loss": "lm", "suppression": "vio-sa"},
        "columns": {
            "name": {"role": "identifier"},
            "education": {"role": "quasi-identifier", "taxonomy": "taxonomies/education.csv"},
            "country": {"role": "quasi-identifier", "taxonomy": "taxonomies/country.csv"},
            "disease": {"role": "sensitive"},
        },
        "verdict": {"holds": True},
    }


@dataclass
class Release:
    """A release to be changed at one place and written."""

    rows: Sequence[Row]
    header: Sequence[str] = ("education", "country", "disease")
    stated: dict[str, Any] = field(default_factory=certificate)
    taxonomies: dict[str, str] = field(default_factory=lambda: {"education.csv": EDUCATION, "country.csv": COUNTRY})

    def write(self, folder: Path) -> Path:
        (folder / "taxonomies").mkdir(parents=True)
        for name, text in self.taxonomies.items():
            (folder / "taxonomies" / name).write_text(text, encoding="utf-8", newline="")
        (folder / "certificate.json").write_text(json.dumps(self.stated), encoding="utf-8")
        if self.stated["data"].endswith(".parquet"):
            kind = None if self.rows else pa.string()
            columns = [pa.array([row[place] for row in self.rows], kind) for place in range(len(self.header))]
            table = pa.table(columns, names=list(self.header))
            pq.write_table(table, folder / self.stated["data"], store_schema=False)
        else:
            with (folder / self.stated["data"]).open("w", encoding="utf-8", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows([self.header, *self.rows])
        return folder

    def promising(self, *promise: Mapping[str, object]) -> Release:
        self.stated["promise"] = list(promise)
        return self


def one_partition(**diseases: int) -> Release:
    """Rows of one partition: `one_partition(Flu=3, Asthma=6)`; `star` is suppressed."""
    values = [name for name, number in diseases.items() for _ in range(number)]
    return Release([("Graduate", "America", "*" if name == "star" else name) for name in values])


def kinds(verdict: Verdict) -> list[str]:
    assert verdict.holds == (not verdict.breaches)
    assert sum(len(breach.witnesses) for breach in verdict.breaches) <= 10
    return [breach.kind for breach in verdict.breaches]
