"""The documents, taken at their word: what they show runs, what they link to is there, what they leave out is said.

A block after the line `<!-- runnable -->` is run, in the order of the document, in a folder that holds the example and
the demo's data. One after `<!-- saved as FILE -->` becomes that file. One after `<!-- printed -->` holds lines that the
last block has printed.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin

import pytest

import discreet
from discreet.cli import main
from discreet.kinds import KINDS
from discreet.policy import Policy
from discreet.policy.file import read_yaml

HOME = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*HOME.glob("*.md"), *HOME.glob("docs/**/*.md")])
POLICY_REFERENCE = HOME / "docs" / "policy.md"
TUTORIALS = [HOME / "docs" / f"{name}.md" for name in ("tutorial", "tutorial-sets", "which-promise")]
RUN = [HOME / "README.md", POLICY_REFERENCE, *TUTORIALS, HOME / "docs" / "why-sets.md"]
EXAMPLE = Path("examples") / "hospital"
DEMOS = Path("src") / "discreet" / "demo"
TABLE_EXAMPLE = HOME / EXAMPLE / "policy.yaml"
TRANSACTION_EXAMPLE = HOME / DEMOS / "transactions" / "policy.yaml"

PICTURES = HOME / "docs" / "pictures"
MOST_BYTES = 150_000

_BLOCK = re.compile(
    r"(<!-- (?P<mark>[^\n]+) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


class Block(NamedTuple):
    language: str
    text: str
    mark: str
    """what stands in the comment above"""


def blocks(document: Path) -> list[Block]:
    text = document.read_text(encoding="utf-8")
    return [Block(found["language"], found["text"], found["mark"] or "") for found in _BLOCK.finditer(text)]


def named(document: Path) -> str:
    return document.relative_to(HOME).as_posix()


@pytest.mark.parametrize("document", RUN, ids=named)
def test_what_is_shown_runs(document: Path, tmp_path: Path) -> None:
    for folder in (EXAMPLE, DEMOS):
        shutil.copytree(HOME / folder, tmp_path / folder)
    commands = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"}
    ran, printed = set(), ""
    for block in blocks(document):
        if block.mark == "runnable":
            printed = run(block, tmp_path, environment)
            ran.add(block.language)
        elif block.mark.startswith("saved as "):
            (tmp_path / block.mark.removeprefix("saved as ")).write_text(block.text, encoding="utf-8")
        elif block.mark == "printed":
            missing = [line for line in block.text.splitlines() if line not in printed.splitlines()]
            assert not missing, f"{named(document)} shows what is not printed any more: {missing}\n{printed}"
        else:
            assert not block.mark, f"{named(document)}: nobody knows what {block.mark!r} means"
    assert ran == {"sh", "python"}


def run(block: Block, folder: Path, environment: Mapping[str, str]) -> str:
    """What a block prints. A command of discreet is run here, as starting Python for each would take minutes."""
    if block.language == "python":
        return _run_apart([sys.executable, "-W", "error", "-c", block.text], folder, environment)
    printed = []
    for line in block.text.replace("\\\n", " ").splitlines():
        fails = line.startswith("! ")
        words = shlex.split(line.removeprefix("! "))
        if words[:1] == ["discreet"] and not set(line) & set("|>&;$`"):
            printed.append(_run_here(words[1:], folder, fails=fails))
        else:
            printed.append(_run_apart(["sh", "-e", "-c", line], folder, environment))
    return "".join(printed)


def _run_here(arguments: list[str], folder: Path, *, fails: bool) -> str:
    with chdir(folder), redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        code = main(arguments)
    assert bool(code) == fails, f"{arguments}\n{out.getvalue()}\n{err.getvalue()}"
    return out.getvalue()


def _run_apart(command: list[str], folder: Path, environment: Mapping[str, str]) -> str:
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_the_first_release_of_the_readme_is_as_it_says(tmp_path: Path) -> None:
    result = discreet.publish(HOME / EXAMPLE / "policy.yaml", tmp_path / "out").result
    assert result["status"] == "optimal"
    assert result["loss"]["exact"] == "22/3"
    assert result["search"]["cuts_total"] == 25
    assert result["cuts"] == {"education": ["Junior", "Senior", "University"], "country": ["Europe", "America"]}
    assert result["suppressed"] == {"records": 0, "values": 1}
    readme = (HOME / "README.md").read_text(encoding="utf-8")
    written = {path.relative_to(tmp_path).as_posix() for path in (tmp_path / "out").glob("*/*")}
    shown = set(re.findall(r"^    (out/\S+?)/? ", readme, re.MULTILINE))
    assert written == shown


def test_the_policies_in_the_readme_are_the_examples() -> None:
    shown = [block.text for block in blocks(HOME / "README.md") if block.language == "yaml"]
    of_table, of_transactions = (read_yaml(text, "README.md") for text in shown)
    assert of_table == example(TABLE_EXAMPLE)
    assert isinstance(of_transactions, Mapping)
    assert as_read(of_transactions) == as_read(example(TRANSACTION_EXAMPLE))


def example(policy: Path) -> Any:
    return read_yaml(policy.read_text(encoding="utf-8"), "policy.yaml")


def as_read(policy: Mapping[str, object]) -> dict[str, Any]:
    """With its defaults."""
    return Policy.parse(policy).as_dict()


@pytest.mark.parametrize("block", [block for block in blocks(POLICY_REFERENCE) if block.language == "yaml"])
def test_every_policy_that_is_shown_is_valid(block: Block) -> None:
    """A part of a policy takes the place of that part in the example of its kind."""
    _, _, below = POLICY_REFERENCE.read_text(encoding="utf-8").partition("\n## Transactions\n")
    assert below
    part = read_yaml(block.text, "docs/policy.md")
    assert isinstance(part, Mapping)
    if block.text in below:
        Policy.parse({**example(TRANSACTION_EXAMPLE), **part})
    else:
        policy = example(TABLE_EXAMPLE)
        attributes = {**policy["attributes"], **part.get("attributes", {})}
        Policy.parse({**policy, **part, "attributes": attributes})


def test_there_are_exactly_two_commands_to_set_up() -> None:
    readme = (HOME / "README.md").read_text(encoding="utf-8")
    set_up = readme.partition("## Set-up")[2].partition("\n## ")[0]
    [commands] = re.findall(r"```sh\n(.*?)```", set_up, re.DOTALL)
    assert commands.split("\n") == ["make demo", "make test", ""]
    targets = re.findall(r"^(\w+):", (HOME / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert {"demo", "test"} <= set(targets)


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_links_lead_somewhere(document: Path) -> None:
    for link in _LINK.findall(document.read_text(encoding="utf-8")):
        if re.match(r"https?:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        assert target.exists(), f"{named(document)}: {link}"
        if anchor:
            headings = _HEADING.findall(target.read_text(encoding="utf-8"))
            assert anchor in {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}, link


def policy_keys() -> Iterator[tuple[str, Any]]:
    """Every key that a policy can have, and its type."""
    for kind in KINDS.values():
        policy = kind.policy()
        for section in (policy, *policy.sections().values()):
            for key, field in section.model_fields.items():
                yield key, field.annotation


def policy_words() -> Iterator[str]:
    """Every name that a policy can give to something."""
    for _, annotation in policy_keys():
        yield from words_of(annotation)
    for name, kind in KINDS.items():
        yield from (name, *kind.models(), *kind.losses(), *kind.methods())
        for vocabulary in kind.vocabularies():
            yield from vocabulary.meanings


def words_of(annotation: Any) -> Iterator[str]:
    """The words that a type allows, at any depth."""
    if get_origin(annotation) is Literal:
        yield from (word for word in get_args(annotation) if isinstance(word, str))
    else:
        for part in get_args(annotation):
            yield from words_of(part)


def test_the_words_of_a_policy_are_found() -> None:
    """A few of those that stand deep in its types, or are registered."""
    keys, words = {key for key, _ in policy_keys()}, set(policy_words())
    assert keys >= {"attributes", "role", "thresholds", "prefixes", "escape_formulas", "top_h", "even", "separator"}
    assert words >= {"quasi-identifier", "decade", "drop", "basket", "transactions", "kl-privacy", "cm", "og", "all-sa"}


@pytest.mark.parametrize("word", sorted({*(key for key, _ in policy_keys()), *policy_words()}))
def test_every_key_and_every_name_is_in_the_policy_reference(word: str) -> None:
    text = POLICY_REFERENCE.read_text(encoding="utf-8")
    code = " ".join(re.findall(r"`[^`\n]+`", text)) + " ".join(block.text for block in blocks(POLICY_REFERENCE))
    assert re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", code), f"docs/policy.md does not explain {word}"


def test_documents_keep_to_the_width_of_the_code() -> None:
    for document in DOCUMENTS:
        for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), start=1):
            if not line.startswith("|"):  # a table's row cannot be broken
                assert len(line) <= 120, f"{named(document)}:{number} has {len(line)} characters"


def test_every_picture_is_shown_and_says_what_it_shows() -> None:
    """A picture's text is a sentence with its finding, for those who do not see it."""
    shown = set()
    for document in DOCUMENTS:
        for alternative, link in _PICTURE.findall(document.read_text(encoding="utf-8")):
            picture = (document.parent / link).resolve()
            assert picture.is_file(), f"{named(document)}: {link}"
            assert picture.stat().st_size <= MOST_BYTES, f"{link} has {picture.stat().st_size:,} bytes"
            assert len(alternative.split()) >= 8, f"{named(document)}: {link} has no text that tells what it shows"
            assert alternative.rstrip().endswith("."), f"{named(document)}: {link}"
            shown.add(picture)
    assert shown == {path for path in PICTURES.iterdir() if path.suffix in (".png", ".svg")}
