"""Files of hidden-text cases -> cases, each a whole page with words that say what is painted.

A file holds many cases. Each begins with a line `<!-- name -->`, and its HTML follows. In it, words
that begin with SEE are painted, those with INJ are not, and those with OPEN appear once a person
does what the page asks for, which the name then says behind a colon. A word in braces, `{SEE}`,
stands for a sentence around it. HTML that is no page of its own is put into an ordinary article.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_NAME = re.compile(r"^<!-- (.+?) -->$", re.MULTILINE)
_WORD = re.compile(r"\b(?:SEE|INJ|OPEN)\d?\b")
_BRACED = re.compile(r"\{((?:SEE|INJ|OPEN)\d?)\}")
_SENTENCE = "The gauge on the old bridge was read as {} this week, and the figures were noted."
_KEEP = (
    "KEEP{} is a paragraph of the article itself, which tells at some length how the water of the"
    " river was measured in spring, who did it, and what became of the samples that were taken."
)
_PAGE = (
    "<!doctype html><html><head><meta charset=utf-8><title>The water of the river</title></head>"
    "<body><article><h1>The water of the river</h1><p>{before}</p>\n{case}\n<p>{after}</p>"
    "</article></body></html>"
)


@dataclass(frozen=True)
class Case:
    """One page, and which of its words a person sees."""

    name: str
    html: str

    @property
    def painted(self) -> list[str]:
        """The words that are painted as soon as the page is there."""
        return self._find_words("SEE", "KEEP")

    @property
    def hidden(self) -> list[str]:
        """The words that nobody ever sees."""
        return self._find_words("INJ")

    @property
    def opened(self) -> list[str]:
        """The words that are not painted at first, but that a person can bring up."""
        return self._find_words("OPEN")

    def _find_words(self, *beginnings: str) -> list[str]:
        words = re.findall(r"\b[A-Z]{3,4}\d?\b", self.html)
        return sorted({word for word in words if word.startswith(beginnings)})


def read_cases(folder: Path) -> Iterator[Case]:
    """Every case of a folder, in the order of its files."""
    for path in sorted(folder.glob("*.html")):
        _, *parts = _NAME.split(path.read_text("utf-8"))
        for name, html in zip(parts[::2], parts[1::2], strict=True):
            yield Case(f"{path.stem}: {name}", _build_page(html.strip()))


def _build_page(html: str) -> str:
    """The HTML of a case -> a whole page."""
    html = _BRACED.sub(lambda found: _SENTENCE.format(found[1]), html)
    html = html.replace("{KEEP}", _KEEP.format(3))
    if html.lower().startswith(("<!doctype", "<html")):
        return html
    return _PAGE.format(before=_KEEP.format(1), case=html, after=_KEEP.format(2))


def find_labelled_words(html: str) -> list[str]:
    """The words of a page that have a label."""
    return sorted(set(_WORD.findall(html)))
