"""The structure of a page as a reader or a screen reader meets it, and what is wrong with it."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = frozenset({"meta", "br", "link", "img", "hr", "input"})


class Outline(HTMLParser):
    """Reads a page; `faults` lists in words what is wrong with its structure."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.headings: list[int] = []
        self.identifiers: list[str] = []
        self.targets: list[str] = []
        self.pictures: list[str] = []
        self.tables = 0
        self.captions = 0
        self.tags: set[str] = set()
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        self._conclude()

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.add(tag)
        if len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
            self.headings.append(int(tag[1]))
        if identifier := given.get("id"):
            self.identifiers.append(identifier)
        if (target := given.get("href")) and target.startswith("#"):
            self.targets.append(target[1:])
        if given.get("role") == "img" or tag == "svg":
            self.pictures.append(given.get("aria-label") or "")
        self.faults += [f"{tag} has {name}" for name in given if name.startswith("on") or name in {"src", "srcset"}]
        self.tables += tag == "table"
        self.captions += tag == "caption"
        if tag == "html" and not given.get("lang"):
            self.faults.append("the page has no language")
        if tag == "th" and "scope" not in given:
            self.faults.append("a th has no scope")
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.faults.append(f"</{tag}> closes what was not open")

    def handle_data(self, data: str) -> None:
        if not self._open or self._open[-1] != "style":
            self.texts.append(data)

    def _conclude(self) -> None:
        if self._open:
            self.faults.append(f"never closed: {self._open}")
        if self.headings.count(1) != 1 or self.headings[0] != 1:
            self.faults.append("the page does not begin with its one h1")
        for above, below in zip(self.headings, self.headings[1:], strict=False):
            if below > above + 1:
                self.faults.append(f"an h{below} follows an h{above}")
        if len(set(self.identifiers)) < len(self.identifiers):
            self.faults.append("an id occurs twice")
        self.faults += [f"no target: #{target}" for target in self.targets if target not in self.identifiers]
        if not all(self.pictures):
            self.faults.append("a picture has no text alternative")
        if self.tables != self.captions:
            self.faults.append(f"{self.tables} tables have {self.captions} captions")
        self.faults += [f"<{tag}> in the page" for tag in self.tags & {"script", "iframe", "object", "img", "form"}]
