"""Excel workbooks: one sheet, whose first row names the columns. Cells become text, as a CSV file would have them."""

from __future__ import annotations

from zipfile import BadZipFile, ZipFile

from python_calamine import CalamineError, CalamineWorkbook

from discreet.engine import Engine
from discreet.errors import InputError
from discreet.read.source import SourceFile
from discreet.read.storing import cell_text, fault_of_names, refuse_broken, refuse_no_rows, store_texts
from discreet.read.unpacking import refuse_bomb
from discreet.values.words import listed


def load_excel(engine: Engine, file: SourceFile, sheet: str | None, table: str) -> None:
    """The sheet of that name, or the first. Rows and columns without any cell are left out."""
    try:
        with ZipFile(file.path) as parts:
            refuse_bomb(file, parts.infolist())
        workbook = CalamineWorkbook.from_path(file.path)
        if sheet is not None and sheet not in workbook.sheet_names:
            raise InputError(
                f"{file} has no sheet {sheet!r}; set data.sheet to {listed(map(repr, workbook.sheet_names), 'or')}."
            )
        chosen = workbook.get_sheet_by_index(0) if sheet is None else workbook.get_sheet_by_name(sheet)
        rows = iter(chosen.to_python())
    except (BadZipFile, CalamineError, OSError) as error:
        refuse_broken(file, "an Excel workbook", error)
    header = [cell_text(cell) or "" for cell in next(rows, [])]
    filled = [row for row in rows if any(cell != "" for cell in row)]
    kept = [place for place, name in enumerate(header) if name.strip() or any(row[place] != "" for row in filled)]
    names = [header[place] for place in kept]
    if fault := fault_of_names(names):
        raise InputError(f"{file}, sheet {chosen.name!r}: {fault}")
    if not filled:
        refuse_no_rows(f"{file}, sheet {chosen.name!r},")
    store_texts(engine, names, ([row[place] for place in kept] for row in filled), table)
