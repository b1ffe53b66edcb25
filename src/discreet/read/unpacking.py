"""Files that have to be put somewhere before they can be read: from a .zip file, and from standard input.

They go to a private folder that is gone afterwards.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from shutil import copyfileobj
from zipfile import BadZipFile, ZipFile, ZipInfo

from discreet.errors import InputError
from discreet.policy import values
from discreet.private_folders import temporary_folder
from discreet.read.source import SourceFile
from discreet.read.storing import refuse_broken
from discreet.values.words import counted

STANDARD_INPUT = Path(values.STANDARD_INPUT)
HARMLESS_BYTES = 1 << 30
MOST_TIMES_LARGER = 200
"""What is larger than that, unpacked, is refused where it has grown by more than so many times: text that people write
does not."""
_BEGINNINGS = {
    b"PAR1": ".parquet",
    b"ARROW1": ".arrow",
    b"\x1f\x8b": ".csv.gz",
    b"\x28\xb5\x2f\xfd": ".csv.zst",
    b"PK\x03\x04": ".zip",
}
_SHOWN_MEMBERS = 5


def refuse_bomb(file: SourceFile, members: Iterable[ZipInfo]) -> None:
    """A few kilobytes can unpack to more than there is disk for."""
    size = sum(member.file_size for member in members)
    packed = max(1, file.path.stat().st_size)
    if size > HARMLESS_BYTES and size > MOST_TIMES_LARGER * packed:
        raise InputError(
            f"{file} would unpack to {size:,} bytes, {size // packed:,} times its size; unpack it yourself if that is "
            "right."
        )


@contextmanager
def unzipped(file: SourceFile) -> Iterator[SourceFile]:
    """The one data file in a .zip file."""
    with temporary_folder("zip-") as folder:
        try:
            with ZipFile(file.path) as archive:
                member = _only_member(file, archive.infolist())
                refuse_bomb(file, [member])
                inner = PurePosixPath(member.filename).name
                target = folder / f"data{''.join(PurePosixPath(inner).suffixes[-2:])}"
                with archive.open(member) as packed, target.open("wb") as unpacked:
                    copyfileobj(packed, unpacked)
        except (BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
            refuse_broken(file, "a ZIP file", error)
        except RuntimeError:  # zipfile's word for what is encrypted
            raise InputError(f"{file} is protected by a password; unpack it yourself.") from None
        yield replace(file, path=target, name=f"{file}, {inner}")


def _only_member(file: SourceFile, members: Iterable[ZipInfo]) -> ZipInfo:
    found = [member for member in members if not member.is_dir() and not _is_hidden(PurePosixPath(member.filename))]
    if len(found) == 1:
        return found[0]
    shown = ", ".join(PurePosixPath(member.filename).name for member in found[:_SHOWN_MEMBERS])
    raise InputError(
        f"{file} has {counted(len(found), 'file')}{f' ({shown}, ...)' if found else ''}, and one is needed; unpack it "
        "and name the file, or several by a pattern such as 'folder/*.csv'."
    )


def _is_hidden(path: PurePosixPath) -> bool:
    """What a Mac adds, for one."""
    return any(part.startswith((".", "__MACOSX")) for part in path.parts)


@contextmanager
def standard_input(encoding: str | None) -> Iterator[SourceFile]:
    """What comes through standard input, as a file whose ending says what it begins like."""
    with temporary_folder("input-") as folder:
        spooled = folder / "data"
        with spooled.open("wb") as file:
            copyfileobj(sys.stdin.buffer, file)
        with spooled.open("rb") as file:
            beginning = file.read(1024)
        ending = next((ending for magic, ending in _BEGINNINGS.items() if beginning.startswith(magic)), None)
        if ending == ".zip" and (b"[Content_Types].xml" in beginning or b"xl/" in beginning):
            ending = ".xlsx"
        if ending is None:
            text = beginning.lstrip(b"\xef\xbb\xbf \t\r\n")
            ending = ".json" if text.startswith(b"[") else ".jsonl" if text.startswith(b"{") else ".csv"
        path = spooled.rename(spooled.with_suffix(ending))
        yield replace(SourceFile.at(path, encoding), name="standard input")
