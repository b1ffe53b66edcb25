"""The anonymization methods, one a file, a subpackage per kind of data; a new one is one line in METHODS."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Method:
    """What a method says of itself to those who choose one; its code loads only when it runs."""

    name: str
    kind: str
    paper: str
    summary: str


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            name="l-plus-optimize",
            kind="table",
            paper="Liu 2010, chapter 3",
            summary="The release of least loss, proved by branch and bound; stopped early, the best so far with its "
            "proven gap.",
        ),
    )
}

__all__ = ["METHODS", "Method"]
