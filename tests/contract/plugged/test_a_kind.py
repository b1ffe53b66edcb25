"""A kind of data that lives in this module alone: numbers, one a line, published as multiples of a power of ten.

Its one promise is that every published number is that of at least k lines, its one method rounds until that is so.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pyarrow as pa
import pytest
from pydantic import Field, PlainSerializer, PlainValidator

import discreet
from discreet import cli, verifier
from discreet.attacks.attack import FORMAT as ATTACK_FORMAT
from discreet.attacks.attack import Attack
from discreet.cli import demo
from discreet.engine import Engine
from discreet.errors import InputError, NoReleaseError
from discreet.kinds import KINDS
from discreet.kinds.kind import Kind, Story
from discreet.measure.measurement import Measurement, Unit
from discreet.methods.method import Method
from discreet.policy import POLICIES, Policy
from discreet.policy.promises import promise_section, read_promises, written_promise
from discreet.policy.search import Search, as_written, search_section
from discreet.policy.section import Data, Output, Reporting, Section
from discreet.profile.inspection import FORMAT as INSPECTION_FORMAT
from discreet.profile.inspection import Asked
from discreet.recode.written import Written, write_json
from discreet.report.document import common_document
from discreet.report.page import Section as PageSection
from discreet.report.row import common_row
from discreet.report.search import SearchWords, section
from discreet.report.terminal import field
from discreet.search.events import Listener, SearchEvent, ignore
from discreet.search.limits import Limits
from discreet.search.results import Found, SearchResult
from discreet.search.solving import Solved, run_method
from discreet.verifier.certificate import NAME, NEEDED_KEYS, OPTIONAL_KEYS, Certificate, only_keys, whole
from discreet.verifier.verdict import Breach, Verdict
from listed import is_listed

# --- What can be promised, measured, tried ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Crowd:
    """Every published number is that of k lines."""

    name: ClassVar[str] = "crowd"
    kind: ClassVar[str] = "numbers"
    paper: ClassVar[str] = "none: a test"

    k: int


class Error:
    """How far numbers are moved."""

    name = "error"
    paper = "none: a test"


class Distinct:
    name = "distinct-numbers"
    title = "Distinct numbers"
    paper = "none: a test"
    definition = "How many different numbers there are."
    unit: Unit = "count"
    needs_sensitive = False


def rounding(problem: Problem, limits: Limits, random: np.random.Generator, listen: Listener = ignore) -> SearchResult:
    numbers = problem.numbers
    if len(numbers) < problem.k:
        raise NoReleaseError(f"No release keeps the promise: there are only {len(numbers)} numbers.")
    digits = next(
        digits
        for digits in range(20)
        if min(Counter(rounded(number, digits) for number in numbers).values()) >= problem.k
    )
    cost = Fraction(sum(abs(number - rounded(number, digits)) for number in numbers))
    event = SearchEvent(limits.seconds, cost, None, digits + 1)
    listen(event)
    return SearchResult.ended(digits, cost, limits, [event], {"digits": digits})


def rounded(number: int, digits: int) -> int:
    unit: int = 10**digits
    return number // unit * unit


CROWD_MODELS: dict[str, type[Any]] = {"crowd": Crowd}
METHODS = {
    "rounding": Method(
        name="rounding",
        paper="none: a test",
        summary="Rounds down until every number is that of enough lines.",
        function=rounding,
        keeps=lambda model: model is Crowd,
        rule=True,
        proves=False,
        details={"digits": "Digits that were rounded off"},
    )
}
LOSSES = {"error": Error()}
MEASURES = {"distinct-numbers": Distinct()}
ATTACKS = {
    "rarest": Attack(
        "rarest",
        "none: a test",
        "The adversary who knows a number.",
        lambda release: {"applies": True, "reading": "None."},
    )
}

# --- The policy ------------------------------------------------------------------------------------------------------


class NumbersData(Data):
    """The numbers that are to be published."""

    of_kind = "numbers"

    kind: Literal["numbers"] = Field(default="numbers", description="what the data are: numbers")


class NumbersSearch(Search):
    """How the release of numbers is looked for."""

    of_kind = "numbers"

    @classmethod
    def methods(cls) -> Mapping[str, Method]:
        return METHODS


class NumbersOutput(Output):
    """How the release of numbers is written."""

    of_kind = "numbers"

    format: Literal["txt"] = Field(default="txt", description="the format of the released data: txt")


def read_search(value: object) -> Any:
    return NumbersPolicy.section_at("search").model_validate(as_written(value))


class NumbersPolicy(Policy):
    """How numbers are published."""

    of_kind = "numbers"

    data: NumbersData = Field(description="what to publish")
    privacy: Annotated[
        tuple[Any, ...],
        PlainValidator(lambda value: read_promises(value, CROWD_MODELS, "{model: crowd, k: 5}")),
        PlainSerializer(lambda models: [written_promise(model) for model in models]),
    ] = Field(description="the promise to keep")
    search: Annotated[
        NumbersSearch, PlainValidator(read_search), PlainSerializer(lambda search: search.model_dump(mode="json"))
    ] = Field(default=None, validate_default=True, description="how to look for the best release")
    output: NumbersOutput = Field(default_factory=NumbersOutput, description="how to write the release")
    report: Reporting = Field(default_factory=Reporting, description="what to tell the steward")

    @classmethod
    def models(cls) -> Mapping[str, type[Any]]:
        return CROWD_MODELS

    @classmethod
    def section_at(cls, place: str) -> type[Any]:
        sections: dict[str, type[Section]] = {
            "data": NumbersData,
            "search": search_section(NumbersSearch, METHODS, LOSSES),
            "output": NumbersOutput,
            "report": Reporting,
        }
        return sections.get(place, cls)

    @classmethod
    def sections(cls) -> dict[str, type[Section]]:
        return {"data of numbers": NumbersData, "privacy: crowd": promise_section(Crowd)}

    @classmethod
    def sections_below(cls, place: tuple[str, ...]) -> Sequence[type[Section]]:
        return []

    def _subject(self) -> str:
        return f"Publishes {self.data.path}"

    def _meaning(self, model: Any) -> str:
        return f"everybody is one of {model.k}"

    def _way(self, searches: bool) -> Iterator[str]:
        yield self.search.explained()


# --- The way of the data ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Problem:
    numbers: tuple[int, ...]
    k: int


def encode(engine: Engine, policy: NumbersPolicy, data: object) -> tuple[int, ...]:
    source = policy.data.path if data is None else data
    lines = source.read_text().split() if isinstance(source, Path) else list(map(str, source))  # type: ignore[call-overload]
    for row, line in enumerate(lines, start=1):
        if not line.isdigit():
            raise InputError(f"{source}, row {row}: {line!r} is not a whole number; write one a line.")
    return tuple(map(int, lines))


def search(
    policy: NumbersPolicy, numbers: tuple[int, ...], random: np.random.Generator, listen: Listener = ignore
) -> Solved[Any, Any, Any]:
    problem = Problem(numbers, policy.privacy[0].k)
    result = run_method(policy, problem, random, listen)
    return Solved(policy, numbers, problem, result.found, result, ())


def apply(digits: int, policy: NumbersPolicy, numbers: tuple[int, ...]) -> Solved[Any, Any, Any]:
    problem = Problem(numbers, policy.privacy[0].k)
    cost = Fraction(sum(abs(number - rounded(number, digits)) for number in numbers))
    return Solved(policy, numbers, problem, (Found(digits, cost),), None, (), digits)


def write(engine: Engine, solved: Solved[Any, Any, Any], folder: Path, random: np.random.Generator) -> Written:
    folder.mkdir()
    numbers = random.permutation([rounded(number, solved.chosen.recoded) for number in solved.encoding])
    (folder / "data.txt").write_text("".join(f"{number}\n" for number in numbers))
    promise = [{"model": "crowd", "k": solved.policy.privacy[0].k}]
    return Written({"data": "data.txt", "promise": promise}, promise, len(numbers))


def load_rule(rule: object, policy: NumbersPolicy) -> tuple[NumbersPolicy, int]:
    digits = json.loads(Path(rule).read_text())["digits"] if isinstance(rule, str | Path) else rule
    if not isinstance(digits, int):
        raise InputError("The recoding is not for numbers.")
    return policy, digits


def verify_numbers(certificate: Certificate, promise: Sequence[object] | None = None) -> Verdict:
    only_keys(certificate.entries, NEEDED_KEYS, NAME, OPTIONAL_KEYS)
    [entry] = certificate.promise if promise is None else promise
    assert isinstance(entry, Mapping)
    k = whole(entry["k"], "k")
    groups = Counter(certificate.data.read_text().split())
    rare = [number for number, times in groups.items() if times < k]
    breaches = (Breach("crowd", f"{len(rare)} numbers are rare.", tuple(rare)),) if rare else ()
    stated = f"crowd: every number is that of {k} lines."
    return Verdict(not rare, (stated,), sum(groups.values()), len(groups), breaches, row="line")


def measure(
    solved: Solved[Any, Any, Any], original: tuple[int, ...], release: list[str], random: np.random.Generator
) -> dict[str, Any]:
    found = Measurement.of(
        MEASURES["distinct-numbers"], original=len(set(original)), release=len(set(release)), reading="Counted."
    )
    return {"utility": [found.as_dict()]}


def attack(*ignored: Any) -> dict[str, Any]:
    parts = {name: attack.function(None) for name, attack in ATTACKS.items()}
    return {
        "format": ATTACK_FORMAT,
        "kind": "numbers",
        "adversary": "Somebody who knows a number.",
        **parts,
        "reading": ["They learn nothing."],
    }


def page(result: Mapping[str, Any], known: object) -> tuple[str, list[PageSection]]:
    words = SearchWords("how many digits stay", "roundings")
    return "Numbers", [section(result, words, METHODS["rounding"].details)]


@dataclass(frozen=True)
class Inspection:
    kind: ClassVar[str] = "numbers"
    policy_text: str
    out: Path | None

    def as_dict(self) -> dict[str, Any]:
        return {"format": INSPECTION_FORMAT, "kind": self.kind}


def inspect(engine: Engine, asked: Asked) -> Inspection:
    return Inspection(f"data: {{kind: numbers, path: {asked.path}}}\nprivacy: {{model: crowd, k: 2}}\n", asked.out)


def row(solved: Solved[Any, Any, Any], original: object, random: np.random.Generator) -> dict[str, Any]:
    return {**common_row(solved, sum(solved.encoding)), "digits": solved.chosen.recoded}


NUMBERS = Kind(
    name="numbers",
    records="lines",
    policy=lambda: NumbersPolicy,
    models=lambda: CROWD_MODELS,
    methods=lambda: METHODS,
    losses=lambda: LOSSES,
    measures=lambda: MEASURES,
    attacks=lambda: ATTACKS,
    needs={},
    is_recognized=lambda data, *given: str(data).endswith(".numbers"),
    inspect=inspect,
    encode=encode,
    encoding_key=lambda policy: "",
    warnings=lambda engine, policy, encoding: ("Numbers may be ages.",),
    warm_up=lambda policy: None,
    search=search,
    load_rule=load_rule,
    apply=apply,
    write=write,
    certified=lambda solved: {},
    write_rule=lambda solved, folder: write_json(folder / "recoding.json", {"digits": solved.chosen.recoded}),
    read_release=lambda engine, policy, encoding, folder: (folder / "data.txt").read_text().split(),
    read_data=lambda release, certificate: pa.table({"number": (release / "data.txt").read_text().split()}),
    measure=measure,
    attack=attack,
    attack_folder=attack,
    with_attack=lambda result, document: ({**result, "attack": document}, None),
    document=lambda solved, verdict, seed: common_document(
        solved, verdict, seed, rows=len(solved.encoding), worst=sum(solved.encoding), warnings=[]
    ),
    page=page,
    row_columns=("status", "cost", "normalized", "digits"),
    row=row,
    result_lines=lambda result: [field("Digits", str(result["search"]["details"]["digits"]))],
    attack_lines=lambda document, with_persons: [field("Rarest", document["rarest"]["reading"])],
    inspection_lines=lambda data, inspection: [field("Numbers", data)],
    story=Story("Somebody invented some numbers:", "What an adversary learns:"),
    files={"release/data.txt": "the numbers, in random order"},
)

# --- All the way -----------------------------------------------------------------------------------------------------


@pytest.fixture
def policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(KINDS, "numbers", NUMBERS)
    monkeypatch.setitem(POLICIES, "numbers", NumbersPolicy)
    monkeypatch.setitem(verifier.KINDS, "numbers", verify_numbers)
    (tmp_path / "ages.numbers").write_text("\n".join(map(str, [31, 32, 33, 44, 45, 58, 52, 51])))
    path = tmp_path / "policy.yaml"
    path.write_text("data: {kind: numbers, path: ages.numbers}\nprivacy: {model: crowd, k: 2}\n")
    return path


def test_from_python(policy: Path, tmp_path: Path) -> None:
    publication = discreet.publish(policy, tmp_path / "out", seed=1)
    assert sorted((publication.release / "data.txt").read_text().split()) == ["30"] * 3 + ["40"] * 2 + ["50"] * 3
    assert discreet.verify(publication.folder).holds
    assert publication.warnings[0] == "Numbers may be ages."
    assert publication.result["utility"][0]["release"] == 3
    assert "Digits that were rounded off" in publication.report.read_text()
    assert discreet.attack(publication.folder)["rarest"]["reading"] == "None."
    assert "They learn nothing" in (publication.folder / "steward" / "attack.json").read_text()
    again = discreet.publish(
        policy, tmp_path / "again", data=[71, 72, 84, 85], recoding=publication.folder / "steward" / "recoding.json"
    )
    assert again.result["status"] == "applied" and discreet.verify(again.folder).holds
    rows = discreet.compare(policy, {"privacy.k": [2, 3, 9]}, tmp_path / "compared", seed=1)
    assert [(row["status"], row["digits"]) for row in rows] == [("feasible", 1), ("feasible", 2), ("infeasible", "")]
    assert (tmp_path / "compared" / "frontier.svg").exists()
    (publication.release / "data.txt").write_text("30\n")
    verdict = discreet.verify(publication.folder)
    assert not verdict.holds and verdict.breaches[0].kind == "crowd"


def test_from_the_command_line(
    policy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*arguments: object) -> tuple[int, str]:
        capsys.readouterr()
        return cli.main(list(map(str, arguments))), capsys.readouterr().out

    assert run("inspect", tmp_path / "ages.numbers", "--out", tmp_path / "draft.yaml")[0] == 0
    code, out = run("publish", tmp_path / "draft.yaml", "--out", tmp_path / "out")
    assert code == 0 and "Digits      1" in out and "The method rounding looks for a release" in " ".join(out.split())
    code, out = run("verify", tmp_path / "out")
    assert code == 0 and "8 lines in 3 partitions" in out
    assert "Rarest      None." in run("attack", tmp_path / "out")[1]
    code, out = run("compare", policy, "--vary", "privacy.k=2,3", "--out", tmp_path / "compared")
    assert code == 0 and out.count("feasible") == 2
    monkeypatch.setattr(demo, "DEMOS", tmp_path / "demos")
    (tmp_path / "demos" / "numbers").mkdir(parents=True)
    for file in (policy, tmp_path / "ages.numbers"):
        (tmp_path / "demos" / "numbers" / file.name).write_text(file.read_text())
    code, out = run("demo", "numbers", "--out", tmp_path / "demonstrated")
    assert code == 0 and "Somebody invented some numbers:" in out and "They learn nothing." in out
    for name in ("crowd", "rounding", "error", "distinct-numbers", "rarest"):
        assert is_listed(name, capsys)


def test_bad_input_gets_a_sentence(policy: Path, tmp_path: Path) -> None:
    (tmp_path / "ages.numbers").write_text("31\nold\n")
    with pytest.raises(InputError, match="row 2: 'old' is not a whole number"):
        discreet.publish(policy, tmp_path / "out")
    with pytest.raises(InputError, match="it goes with data of kind table"):
        Policy.load(policy, {"search": "{suppression: none}"})
    with pytest.raises(InputError, match="crowd is a promise about data of kind numbers"):
        Policy.parse(
            {"data": {"path": "x"}, "attributes": {"a": {"role": "quasi-identifier"}}, "privacy": {"model": "crowd"}}
        )
    assert not (tmp_path / "out").exists()
