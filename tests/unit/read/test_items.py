"""Files of items: one per line, whatever the line ends, and a sentence for every file that is none."""

from pathlib import Path

import pytest

from discreet.errors import InputError
from discreet.read.items import read_items


def test_one_item_a_line(tmp_path: Path) -> None:
    path = tmp_path / "secret.txt"
    path.write_bytes("\ufeffViagra\r\n\r\n  Caf\u00e9 cr\u00e8me \n01\n \rViagra".encode())
    assert read_items(path) == ["Viagra", "Caf\u00e9 cr\u00e8me", "01", "Viagra"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "there is no such file of items; check the path"),
        (b"", "the file has no items"),
        (b"\n \r\n", "the file has no items"),
        (b"a\nb\xff\n", "line 2 is not UTF-8"),
    ],
)
def test_refused_files_of_items(tmp_path: Path, content: bytes | None, words: str) -> None:
    path = tmp_path / "secret.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_items(path)
    assert str(caught.value).startswith(f"sensitive: {path}: ") and words in str(caught.value)


def test_a_folder_is_no_file_of_items(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the file of items cannot be read"):
        read_items(tmp_path)
