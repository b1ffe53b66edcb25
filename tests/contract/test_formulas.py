"""output.escape_formulas: harmless in a spreadsheet, the same release to everybody else."""

import csv
from pathlib import Path

import pyarrow as pa
import pytest

import discreet
from discreet.errors import InputError
from discreet.values.formulas import escaped

CELLS = ["=cmd|' /C calc'!A0", "+1+1", "@SUM(A1)", "-2+3", "\tx", "'quoted", "-5", "+1.5e3", "plain", "5-3"]
HARMFUL = ("=", "+", "@", "-", "\t", "\r")


def policy(**output: object) -> discreet.Policy:
    return discreet.Policy.parse(
        {
            "data": {},
            "attributes": {
                "=q": {"role": "quasi-identifier"},
                "@s": {"role": "sensitive"},
                "-other": {"role": "insensitive"},
            },
            "privacy": {"model": "l-plus-diversity", "thresholds": {"=yes": "1/2", "no": "3/4"}},
            "output": output,
        }
    )


def table() -> pa.Table:
    cells = [cell for cell in CELLS for _ in range(4)]
    return pa.table({"=q": cells, "@s": ["=yes", "no"] * (len(cells) // 2), "-other": ["=1", "b"] * (len(cells) // 2)})


def read(path: Path, delimiter: str = ",") -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file, delimiter=delimiter))


def test_escaping_is_not_done_unasked(tmp_path: Path) -> None:
    publication = discreet.publish(policy(), tmp_path / "out", data=table())
    rows = read(publication.release / "data.csv")
    assert rows[0] == ["=q", "@s", "-other"]
    assert {row[0] for row in rows[1:]} == set(CELLS)


def test_escaping_on_request(tmp_path: Path) -> None:
    publication = discreet.publish(policy(escape_formulas=True), tmp_path / "out", data=table())
    folder = publication.folder
    rows = read(publication.release / "data.csv")
    assert rows[0] == ["'=q", "'@s", "'-other"]
    assert {row[0] for row in rows[1:]} == {escaped(cell) for cell in CELLS}
    files = [*publication.release.glob("**/*.csv"), *folder.glob("steward/*.csv")]
    assert len(files) == 3
    for file in files:
        for row in read(file, ";" if file.parent.name == "taxonomies" else ","):
            assert not [cell for cell in row if cell.startswith(HARMFUL) and cell not in ("-5", "+1.5e3")]
    verdict = discreet.verify(folder)
    assert verdict.holds and verdict.rows == 40
    assert discreet.attack(folder, original=table())["linkage"]["after"]["unmatched"] == 0


def test_the_verifier_sees_through_it(tmp_path: Path) -> None:
    publication = discreet.publish(policy(escape_formulas=True), tmp_path / "out", data=table())
    data = publication.release / "data.csv"
    data.write_text(data.read_text(encoding="utf-8").replace(",no,", ",'=yes,"), encoding="utf-8")
    verdict = discreet.verify(publication.folder)
    assert not verdict.holds
    assert "'=yes' in" in verdict.breaches[0].witnesses[0]


def test_escaping_can_be_undone() -> None:
    for cell in CELLS:
        assert cell in (escaped(cell), escaped(cell)[1:])
    assert len({escaped(cell) for cell in [*CELLS, *("'" + cell for cell in CELLS)]}) == 2 * len(CELLS)


def test_parquet_has_no_formulas() -> None:
    with pytest.raises(InputError, match="escape_formulas: parquet files have no formulas"):
        policy(format="parquet", escape_formulas=True)


@pytest.mark.parametrize(
    ("cell", "why"), [("'a", "nothing to escape"), ("'-5", "a number"), ("=1", "not escaped"), ("'", "nothing behind")]
)
def test_a_cell_that_escaping_cannot_have_written(tmp_path: Path, cell: str, why: str) -> None:
    """Read leniently, it would be counted with cells that every reader tells from it."""
    publication = discreet.publish(policy(escape_formulas=True), tmp_path / "out", data=table())
    data = publication.release / "data.csv"
    data.write_text(data.read_text(encoding="utf-8").replace("plain,", f"{cell},", 1), encoding="utf-8")
    with pytest.raises(InputError, match="not as escaping writes it"):
        discreet.verify(publication.folder)


def test_a_label_that_escaping_cannot_have_written(tmp_path: Path) -> None:
    publication = discreet.publish(policy(escape_formulas=True), tmp_path / "out", data=table())
    (taxonomy,) = (publication.release / "taxonomies").iterdir()
    taxonomy.write_text(taxonomy.read_text(encoding="utf-8").replace("plain;", "'plain;"), encoding="utf-8")
    with pytest.raises(InputError, match="not as escaping writes it"):
        discreet.verify(publication.folder)
