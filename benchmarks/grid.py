"""The 33 problems: every loss with every suppression scheme it goes with, at l = 2, 4, 6."""

from __future__ import annotations

from benchmarks import markdown
from benchmarks.machine import peak_memory
from benchmarks.questions import Question, report_progress
from benchmarks.sources import Source
from discreet import NoReleaseError
from discreet.search.results import SearchResult

RECORD_SCHEMES = ("none", "vio-rec", "all-rec")
SCHEMES = {"lm": ("none", "vio-sa", "all-sa", "vio-rec", "all-rec"), "dm": RECORD_SCHEMES, "cm": RECORD_SCHEMES}
DIVERSITIES = (2, 4, 6)
QUICK_DIVERSITIES = (4,)

REFERENCE = {
    ("lm", "none"): ("< 0.1", "< 0.1", "< 0.1"),
    ("lm", "vio-sa"): ("13", "18", "> 100"),
    ("lm", "all-sa"): ("21", "92", "32"),
    ("lm", "vio-rec"): ("< 0.5", "< 0.5", "< 0.5"),
    ("lm", "all-rec"): ("6", "11", "1"),
    ("dm", "vio-rec"): ("0.6", "0.6", "0.6"),
    ("dm", "all-rec"): ("6", "43", "64"),
    ("cm", "vio-rec"): ("43", "0.8", "0.2"),
    ("cm", "all-rec"): ("40", "3", "0.1"),
}
"""Seconds of a plain C++ rendering of the thesis's algorithm on Adult, for each of DIVERSITIES, where known."""
REFERENCE_TOTAL = 498

OPTIMA = {
    Question("lm", "vio-sa", 2): "37,811.917",
    Question("lm", "vio-rec", 4): "95,489.983",
    Question("dm", "all-rec", 4): "141,027,241",
    Question("cm", "vio-rec", 2): "8,032",
}
"""Costs on Adult that were found by others."""
ADULT_CUTS = 59_974_008_300


def run(source: Source, quick: bool) -> str:
    questions = [
        Question(loss, scheme, diversity)
        for loss, schemes in SCHEMES.items()
        for scheme in schemes
        for diversity in (QUICK_DIVERSITIES if quick else DIVERSITIES)
    ]
    answers: dict[Question, SearchResult | None] = {}
    for question in questions:
        try:
            answer = question.answer(source.table(question.loss))
        except NoReleaseError:
            answers[question] = None
            continue
        answers[question] = answer
        report_progress(f"grid: {question}: {markdown.duration(answer.seconds)} s")
    found = [answer for answer in answers.values() if answer]
    if source.is_whole_adult:
        _check(answers)
    total = sum(answer.seconds for answer in found)
    summary = [
        f"{len(questions)} problems over {found[0].cuts_total:,} cuts: {markdown.duration(total)} s in all, "
        f"peak memory {peak_memory():,.0f} MB."
    ]
    if source.is_whole_adult:
        summary.append(
            f"The plain C++ rendering needs over {REFERENCE_TOTAL} s: {REFERENCE_TOTAL / total:.1f} times as long. "
            f"The number of cuts and the {len(OPTIMA)} optima known beforehand were checked."
        )
    header = ("loss", "suppression", "l", "cost", "status", "cuts examined", "seconds", "plain C++, seconds")
    rows = [_row(question, answer, source.is_whole_adult) for question, answer in answers.items()]
    return f"{' '.join(summary)}\n\n{markdown.table(header, rows, text_columns=2)}"


def _row(question: Question, answer: SearchResult | None, compared: bool) -> list[str]:
    start = [question.loss, question.suppression, str(question.l)]
    if answer is None:
        return [*start, "", "no release", "", "", ""]
    references = REFERENCE.get((question.loss, question.suppression)) if compared else None
    return [
        *start,
        markdown.amount(answer.best.cost),
        answer.status,
        f"{answer.cuts_examined:,}",
        markdown.duration(answer.seconds),
        references[DIVERSITIES.index(question.l)] if references else "",
    ]


def _check(answers: dict[Question, SearchResult | None]) -> None:
    """Nothing is printed that contradicts what is known about Adult."""
    for question, answer in answers.items():
        if answer is None or answer.status != "optimal" or answer.cuts_total != ADULT_CUTS:
            raise AssertionError(f"{question}: no proved optimum over {ADULT_CUTS:,} cuts: {answer}")
        cost, known = markdown.amount(answer.best.cost), OPTIMA.get(question)
        if known not in (None, cost):
            raise AssertionError(f"{question}: the cost is {cost}, but the optimum is known to be {known}")
