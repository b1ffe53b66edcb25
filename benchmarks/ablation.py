"""What each part of the search gives: the same problems without it."""

from __future__ import annotations

from benchmarks import markdown
from benchmarks.questions import Question, report_progress
from benchmarks.sources import Source
from discreet.encode.table import EncodedTable
from discreet.kernels.partition_price import ALL_BOUNDS, GENERALIZATION_BOUND, SUPPRESSION_BOUND, WHOLE_PARTS_BOUND
from discreet.search.results import SearchResult
from discreet.search.table.space import Techniques

QUESTIONS = (
    Question("lm", "vio-sa", 4),
    Question("lm", "all-sa", 4),
    Question("lm", "all-rec", 4),
    Question("dm", "vio-rec", 4),
    Question("dm", "all-rec", 6),
    Question("cm", "vio-rec", 4),
    Question("cm", "all-rec", 4),
)
QUICK_QUESTIONS = QUESTIONS[2:4]

FULL = "full"
VARIANTS = {
    FULL: Techniques(),
    "without warm start": Techniques(warm_start=False),
    "no attribute programmed": Techniques(programme="none"),
    "programmed: most cuts": Techniques(programme="most-cuts"),
    "rare values first": Techniques(order="ascending"),
    "without tightening": Techniques(tighten=False),
    "without stopping early": Techniques(stop_early=False),
    "without generalization bound": Techniques(bounds=ALL_BOUNDS & ~GENERALIZATION_BOUND),
    "without suppression bound": Techniques(bounds=ALL_BOUNDS & ~SUPPRESSION_BOUND),
    "without whole-parts bound": Techniques(bounds=ALL_BOUNDS & ~WHOLE_PARTS_BOUND),
}

TIME_LIMIT = 10.0
QUICK_TIME_LIMIT = 0.2
REPEATED_BELOW = 2.0
"""seconds: what is faster is done three times, and the fastest counts"""

Answers = dict[tuple[str, Question], SearchResult]


def run(source: Source, quick: bool) -> str:
    questions = QUICK_QUESTIONS if quick else QUESTIONS
    time_limit = QUICK_TIME_LIMIT if quick else TIME_LIMIT
    answers: Answers = {}
    for question in questions:
        for variant, techniques in VARIANTS.items():
            repetitions = 1 if quick else 3
            answer = _fastest(question, source.table(question.loss), time_limit, techniques, repetitions)
            answers[variant, question] = answer
            report_progress(f"ablation: {question}, {variant}: {markdown.duration(answer.seconds)} s")
            _check(question, variant, answers)
    header = ["", *map(str, questions)]
    examined = [[variant, *(_examined(answers, variant, question) for question in questions)] for variant in VARIANTS]
    seconds = [
        [variant, *(_seconds(answers, variant, question, time_limit) for question in questions)] for variant in VARIANTS
    ]
    return (
        f"Cuts examined (and how many times those of the full search) within {time_limit:g} s:\n\n"
        f"{markdown.table(header, examined)}\n\n"
        f"Seconds (and how many times those of the full search); where {time_limit:g} s did not suffice, the gap "
        f"that was left:\n\n{markdown.table(header, seconds)}"
    )


def _fastest(
    question: Question, table: EncodedTable, time_limit: float, techniques: Techniques, repetitions: int
) -> SearchResult:
    best = question.answer(table, time_limit, techniques)
    for _ in range(repetitions - 1):
        if best.seconds < REPEATED_BELOW:
            best = min(best, question.answer(table, time_limit, techniques), key=lambda answer: answer.seconds)
    return best


def _examined(answers: Answers, variant: str, question: Question) -> str:
    answer, full = answers[variant, question], answers[FULL, question]
    at_least = "" if answer.status == "optimal" else "> "
    return f"{at_least}{answer.cuts_examined:,}{_times(variant, answer.cuts_examined, full.cuts_examined)}"


def _seconds(answers: Answers, variant: str, question: Question, time_limit: float) -> str:
    answer, full = answers[variant, question], answers[FULL, question]
    if answer.status != "optimal":
        return f"> {time_limit:g} (gap {answer.gap:.1%})"
    return f"{markdown.duration(answer.seconds)}{_times(variant, answer.seconds, full.seconds)}"


def _times(variant: str, number: float, full: float) -> str:
    return "" if variant == FULL or not full else f" ({number / full:,.1f}x)"


def _check(question: Question, variant: str, answers: Answers) -> None:
    """A technique may cost time, never the optimum."""
    answer, full = answers[variant, question], answers[FULL, question]
    if answer.status == full.status == "optimal" and answer.best.cost != full.best.cost:
        raise AssertionError(f"{question}, {variant}: {answer.best.cost}, but the full search has {full.best.cost}")
