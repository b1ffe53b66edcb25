"""Taxonomy files: both layouts, both separators, and a sentence for every file that cannot be used."""

import re
from pathlib import Path

import pytest

from discreet.errors import InputError
from discreet.taxonomy import MISSING, Taxonomy, read_taxonomy, read_with_notes, write_taxonomy


def read(tmp_path: Path, content: str | bytes) -> Taxonomy:
    path = tmp_path / "tree.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_taxonomy(path, "tree")


EXPECTED = Taxonomy.from_paths("tree", [["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"]])


@pytest.mark.parametrize(
    "content",
    [
        "a;x;*\nb;x;*\nc;y;*\n",
        "a,x,*\r\nb,x,*\r\nc,y,*",
        "a;x;*\rb;x;*\rc;y;*\r",
        "\ufeffa;x;*\nb;x;*\nc;y;*\n",
        "\n\na;x;*\n  \nb;x;*\n;;\nc;y;*\n\n",
        "a;a;x;*\nb;x;x;*;;\nc;y;*;*\n",
        '"a";"x";"*"\nb;x;*\n"c";y;*\n',
        "child,parent\nx,*\na,x\nb,x\ny,*\nc,y\n",
        "Child;Parent\r\na;x\r\nb;x\r\nc;y\r\nx;*\r\ny;*\r\n*;\r\n",
        '\ufeff\n "CHILD" , parent \na,x\nb,x\nc,y\n\nx,*\ny,*\n*\n',
    ],
)
def test_one_tree_written_in_many_ways(tmp_path: Path, content: str) -> None:
    assert read(tmp_path, content) == EXPECTED


@pytest.mark.parametrize(
    ("content", "labels"),
    [
        ("Paris, FR;France;*\nLyon, FR;France;*\n", ("*", "France", "Paris, FR", "Lyon, FR")),
        ("beef;raw,meat,*\nham,meat,*\n", ("*", "meat", "beef;raw", "ham")),
        ('beef,"meat; raw",*\nham,"meat; raw",*\n', ("*", "meat; raw", "beef", "ham")),
        ('a;"x;1";*\nb;"x;1";*\n', ("*", "x;1", "a", "b")),
        ('"a;1",*\r"b;1",*\r', ("*", "a;1", "b;1")),
        ('a,"x;y"\nb,"x;y"\n', ("x;y", "a", "b")),
        ('a;"say ""x""";*\nb;5" pipe;*\n', ("*", 'say "x"', "a", '5" pipe', "b")),
        ('"two\nlines";x\n"a,b";x\n', ("x", "two\nlines", "a,b")),
        ("child,parent\na;1,*\nb;1,*\n", ("*", "a;1", "b;1")),
        (" a; *\nb; *\n", (" *", " a", "b")),
        ("only\n", ("only",)),
        ("Zürich;*\n東京;*\n", ("*", "Zürich", "東京")),
    ],
)
def test_labels_may_hold_the_other_separator_and_quotes(tmp_path: Path, content: str, labels: tuple[str, ...]) -> None:
    assert read(tmp_path, content).labels == labels


@pytest.mark.parametrize(
    "content",
    [
        "a;x;*\n;*\nb;x;*\nc;y;*\n",
        '"";*\na;x;*\nb;x;*\nc;y;*\n',
        "a,x,*\nb,x,*\nc,y,*\n,,*\n",
        "child,parent\n,*\na,x\nb,x\nc,y\nx,*\ny,*\n",
    ],
)
def test_an_empty_first_field_is_the_missing_value(tmp_path: Path, content: str) -> None:
    assert read(tmp_path, content) == EXPECTED.with_missing()


@pytest.mark.parametrize(
    "taxonomy",
    [
        EXPECTED,
        EXPECTED.with_missing(),
        Taxonomy.from_paths("tree", [["only"]]),
        Taxonomy.from_paths("tree", [[" "]]),
        Taxonomy.from_paths("tree", [["only"]]).with_missing(),
        Taxonomy.from_paths("tree", [["*"]]).with_missing(),
        Taxonomy.from_paths("tree", [["Child", "parent"], ["b", "parent"]]),
        Taxonomy.from_paths("tree", [["a;1", 'x "y"', "*"], ["b\r", "x,\n", "*"], [";", ",", "*"]]),
    ],
)
def test_what_is_written_reads_back_equal(tmp_path: Path, taxonomy: Taxonomy) -> None:
    write_taxonomy(taxonomy, tmp_path / "tree.csv")
    assert read_taxonomy(tmp_path / "tree.csv", "tree") == taxonomy


def test_the_written_file_is_plain(tmp_path: Path) -> None:
    write_taxonomy(EXPECTED.with_missing(), tmp_path / "tree.csv")
    assert (tmp_path / "tree.csv").read_bytes() == b"a;x;*\r\nb;x;*\r\nc;y;*\r\n;*\r\n"


def test_the_missing_value_alone_is_written_below_a_root(tmp_path: Path) -> None:
    alone = Taxonomy.from_paths("tree", [["*"]]).with_missing().collapsed()
    write_taxonomy(alone, tmp_path / "tree.csv")
    assert read_taxonomy(str(tmp_path / "tree.csv"), "tree").labels == ("*", MISSING)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "the file is empty"),
        (b"\xef\xbb\xbf\n;;\n  \n", "the file is empty"),
        (b"child,parent\n", "the file is empty"),
        (b"a;*\nZ\xfcrich;*\n", "line 2 is not UTF-8"),
        (b"\xef\xbb\xbfa;*\nb;*\nZ\xfcrich;*\n", "line 3 is not UTF-8"),
        (b"\xff\xfea\0;\0*\0", "line 1 is not UTF-8"),
        (b"a;*\nb;*\n\0;*\n", "line 3 has a NUL byte"),
        (b'a;*\n"b;*\n', "line 2 is not valid CSV"),
        (b'a;*\n"b"c;*\n', "line 2 is not valid CSV"),
        (b"a;x;*\nb;;*\n", "line 2: a value has an empty label"),
        (b"a;x;*\n;x;*\n", "line 2: a value has an empty label"),
        (
            b"a;x;*\n;x\n",
            "line 2: the missing value (empty first field) lies under 'x'; put it right below the root",
        ),
        (b"a;*\n;*\n;+\n", "line 3: the missing value (empty first field) appears twice"),
        (b"child,parent\na,x,*\n", "line 2: a row below 'child,parent' has 3 fields"),
        (b"a;x;*\na;y;*\n", "'a' lies under two parents"),
        (b"*;*\na;x;*\n", "'*' is both a leaf and an inner node"),
        (b"a;x;*\nb;y;+\n", "has 2 roots: '*', '+'"),
        (b"a,x,*\nb,x,*\na,x,+\n", "has 2 roots: '*', '+'"),
        (b"child,parent\na,b\nb,a\n", "has a cycle"),
        (b"child,parent\na,b\na,c\n", "'a' lies under two parents"),
    ],
)
def test_files_that_cannot_be_used(tmp_path: Path, content: bytes, sentence: str) -> None:
    with pytest.raises(InputError, match=f"tree.csv: .*{re.escape(sentence)}"):
        read(tmp_path, content)


# As ARX writes them: a status that is also a group, repeated rows, levels that are padded.
ARX = "Divorced;Single;*\nSingle;Single;*\nMarried;Married;*\nDivorced;Single;*\nWidowed;Single;*\n"


def test_a_value_may_have_the_label_of_a_group_and_a_row_may_be_there_twice(tmp_path: Path) -> None:
    (tmp_path / "status.csv").write_text(ARX)
    taxonomy, notes = read_with_notes(tmp_path / "status.csv", "status")
    assert taxonomy == Taxonomy.from_paths(
        "status",
        [
            ["Divorced", "Single (level 1)", "*"],
            ["Single", "Single (level 1)", "*"],
            ["Married", "*"],
            ["Widowed", "Single (level 1)", "*"],
        ],
    )
    assert notes == (
        f"{tmp_path / 'status.csv'}: 1 row repeated another one and counted once.",
        f"{tmp_path / 'status.csv'}: 1 label stood for a value and for a group of values, so the group got another "
        "one: 'Single' is published as 'Single (level 1)'.",
    )


@pytest.mark.parametrize(
    ("content", "paths"),
    [
        ("x;*\na;x;*\n", [["x", "*"], ["a", "x (level 1)", "*"]]),
        ("x;y;*\na;b;x;*\n", [["x", "y", "*"], ["a", "b", "x (level 2)", "*"]]),
        (
            "x;x;x;*\na;x;x;*\nb;c;x;*\n",
            [["x", "x (level 1)", "*"], ["a", "x (level 1)", "*"], ["b", "c", "x (level 1)", "*"]],
        ),
        ("x (level 1);*\nx;*\na;x;*\n", [["x (level 1)", "*"], ["x", "*"], ["a", "x (level 1)'", "*"]]),
        ("x;y;*\ny;z;*\na;x;z;*\n", [["x", "y (level 1)", "*"], ["y", "z", "*"], ["a", "x (level 1)", "z", "*"]]),
    ],
)
def test_levels_keep_labels_apart(tmp_path: Path, content: str, paths: list[list[str]]) -> None:
    assert read(tmp_path, content) == Taxonomy.from_paths("tree", paths)


def test_what_is_read_without_a_change_has_no_notes(tmp_path: Path) -> None:
    (tmp_path / "tree.csv").write_text("a;a;*\nb;x;*\nc;x;*\n;*\n")
    assert read_with_notes(tmp_path / "tree.csv", "tree")[1] == ()


def test_an_edge_may_be_there_twice(tmp_path: Path) -> None:
    assert read(tmp_path, "child,parent\na,x\na,x\nb,x\n").labels == ("x", "a", "b")


def test_paths_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.csv: there is no such taxonomy file"):
        read_taxonomy(tmp_path / "none.csv", "tree")
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        read_taxonomy(tmp_path, "tree")
