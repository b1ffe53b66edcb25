"""A promise about tables that lives in this module alone, and that no limit on single values could state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import discreet
from demos import small_demo, with_sections
from discreet.engine.published import PublishedGroups
from discreet.models.partition_limits import SensitiveColumn
from discreet.models.table import TABLE_MODELS
from discreet.values.arrays import Bools, Int64s
from discreet.values.partitions import PublishedPartitions
from discreet.verifier.certificate import only_keys, whole
from discreet.verifier.table.claims import SUPPRESSED, Columns
from discreet.verifier.table.naming import partition, sensitive_column
from discreet.verifier.table.promises import TABLE_PROMISES
from discreet.verifier.verdict import Breach
from listed import is_listed


@dataclass(frozen=True)
class SomeValues:
    """Every group shows some different sensitive values."""

    name: ClassVar[str] = "some-values"
    kind: ClassVar[str] = "table"
    paper: ClassVar[str] = "none: a test"
    monotone: ClassVar[bool] = True
    by_limits: ClassVar[bool] = False
    by_cones: ClassVar[bool] = False
    treats_alike: ClassVar[bool] = True
    about_size: ClassVar[bool] = False
    inherited: ClassVar[bool] = True
    needs_sensitive: ClassVar[bool] = True
    column: ClassVar[None] = None

    number: int

    def demand(self, sensitive: SensitiveColumn) -> Different:
        return Different(self.number, (Fraction(1),) * len(sensitive.values))

    def in_words(self) -> str:
        return f"finds {self.number} different values of {{sensitive}}"

    def warnings(self, sensitive: SensitiveColumn) -> list[str]:
        return []

    def promise(self, sensitive: SensitiveColumn) -> dict[str, object]:
        return {"model": self.name, "number": self.number}

    def statement(self, published: PublishedPartitions, sensitive: SensitiveColumn) -> dict[str, object]:
        return {"model": self.name, "number": self.number}


@dataclass(frozen=True)
class Different:
    smallest: int
    shares: tuple[Fraction, ...]
    says_nothing: bool = False

    def holds(self, histograms: Int64s) -> Bools:
        return np.asarray((histograms > 0).sum(axis=1) >= self.smallest)


@dataclass(frozen=True)
class VerifiedValues:
    """The same, written again for the verifier."""

    number: int
    column: str
    model: str = "some-values"
    closed_under_union: bool = True
    says_nothing: bool = False
    notes: tuple[str, ...] = ()
    unproved: None = None

    def __str__(self) -> str:
        return f"{self.model}: every partition shows {self.number} different sensitive values."

    def breaches(self, groups: PublishedGroups, columns: Columns) -> Iterator[Breach]:
        histograms = groups.histograms(self.column)
        few = [keys for keys, values in histograms if len(values.keys() - {SUPPRESSED}) < self.number]
        if few:
            yield Breach(self.model, f"{len(few)} partitions show too few.", (partition(columns, few[0]),))


def read(entry: Mapping[str, object], columns: Columns, where: str) -> VerifiedValues:
    only_keys(entry, {"model", "number"}, where)
    return VerifiedValues(whole(entry["number"], f"{where}: number"), sensitive_column(entry, columns, where))


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(TABLE_MODELS, "some-values", SomeValues)
    monkeypatch.setitem(TABLE_PROMISES, "some-values", read)
    return small_demo("table", tmp_path)


def test_it_goes_all_the_way(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy: Any = with_sections(path, privacy={"model": "some-values", "number": 3})
    assert (policy.search.method, policy.search.suppression) == ("samarati", "all-rec"), "the first that can keep it"
    publication = discreet.publish(policy, tmp_path / "out", seed=1)
    verdict = discreet.verify(publication.folder)
    assert verdict.holds and verdict.promise == ("some-values: every partition shows 3 different sensitive values.",)
    page = publication.report.read_text()
    assert "finds 3 different values of <bdi>diagnosis</bdi>" in page
    assert publication.result["attack"]["minimality"]["applies"] is False
    data = publication.release / "data.csv"
    header, *rows = data.read_text().splitlines()
    column = header.split(",").index("diagnosis")
    spoilt = [",".join("Flu" if place == column else cell for place, cell in enumerate(row.split(","))) for row in rows]
    data.write_text("\n".join([header, *spoilt]) + "\n")
    verdict = discreet.verify(publication.folder)
    assert not verdict.holds and verdict.breaches[0].kind == "some-values"
    assert is_listed("some-values", capsys)


def test_it_stands_beside_others(path: Path, tmp_path: Path) -> None:
    both = [{"model": "some-values", "number": 2}, {"model": "k-anonymity", "k": 4}]
    publication = discreet.publish(with_sections(path, privacy=both), tmp_path / "out", seed=1)
    assert discreet.verify(publication.folder).holds
    assert publication.result["partitions"]["smallest"] >= 4


def test_what_cannot_keep_it_says_so(path: Path) -> None:
    policy = with_sections(path, privacy={"model": "some-values", "number": 3})
    with pytest.raises(discreet.InputError, match="l-plus-optimize cannot keep some-values; use samarati"):
        policy.with_settings({"search.method": "l-plus-optimize"})
    with pytest.raises(discreet.InputError, match="with some-values these are not worked out"):
        policy.with_settings({"search.suppression": "vio-rec"})
