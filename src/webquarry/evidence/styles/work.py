"""What a reference is made of, and the parts that the styles share: italics, ranges of pages, where
a work is found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import quote

from webquarry.evidence.page.people import Name

MOST_LISTED = 100
# Control characters stand for italics while a reference is put together: no text that comes in can
# hold them.
_ON, _OFF = "\x02", "\x03"
_MARKS = re.compile(f"([{_ON}{_OFF}])")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_RANGE = re.compile(r"\s*(\w+)\s*[-–—]+\s*(\w+)\s*")
_SENTENCE_ENDS = (".", "!", "?", "…")


@dataclass(frozen=True)
class Work:
    """One source. `kind` is a type of CSL, such as `webpage` or `article-journal`; dates are (year,
    month, day).
    """

    kind: str = "webpage"
    title: str = ""
    authors: tuple[Name, ...] = ()
    container: str = ""  # the journal, the newspaper, the site
    publisher: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    number: str = ""  # of an article or a report, where there are no pages
    doi: str = ""
    url: str = ""
    issued: tuple[int, ...] = ()
    accessed: tuple[int, ...] = ()
    issn: str = ""
    language: str = ""

    @property
    def location(self) -> str:
        """Where it is found: by its DOI, else at its address."""
        if self.doi:
            return f"https://doi.org/{quote(self.doi, safe='/:;().-_')}"
        return self.url

    @property
    def listed_authors(self) -> tuple[Name, ...]:
        """The authors for a list that a program keeps; a paper with thousands of them ends in "et
        al.".
        """
        if len(self.authors) <= MOST_LISTED:
            return self.authors
        return (*self.authors[:MOST_LISTED], Name(literal="et al."))

    @property
    def is_signed_by_site(self) -> bool:
        """The author is the site, or the publisher, under the same name."""
        if len(self.authors) != 1:
            return False
        author = self.authors[0].literal.casefold()
        site = self.container or self.publisher
        return bool(author) and author == site.casefold()


def plain(text: str) -> str:
    """A text in one line without control characters, as it may stand in a reference."""
    if not text:
        return ""
    if not (text.isascii() and text.isprintable()):
        text = _CONTROL.sub(" ", text)
    return " ".join(text.split())


def is_plain(text: str) -> bool:
    """Whether a text is certainly as `plain` would have it."""
    if not (text.isascii() and text.isprintable()) or "  " in text:
        return False
    return not text.startswith(" ") and not text.endswith(" ")


def italic(text: str) -> str:
    """The text, marked."""
    if not text:
        return ""
    return f"{_ON}{text}{_OFF}"


def add_full_stop(text: str) -> str:
    """The text with a full stop, unless it has one of its own."""
    bare = text.rstrip(_OFF + "”’)")
    if not text or bare.endswith(_SENTENCE_ENDS):
        return text
    return text + "."


def join_present(separator: str, parts: Iterable[str]) -> str:
    """The parts that are not empty, joined."""
    present = filter(None, parts)
    return separator.join(present)


def render(reference: str, *, markdown: bool, escape: Callable[[str], str] | None = None) -> str:
    """The reference as Markdown, or as plain text without its italics. `escape` is for texts that
    nobody vouches for.
    """
    if not markdown:
        return reference.replace(_ON, "").replace(_OFF, "")
    written: list[str] = []
    for piece in _MARKS.split(reference):
        if piece in (_ON, _OFF):
            written.append("*")
        elif escape is not None:
            written.append(escape(piece))
        else:
            written.append(piece.replace("*", r"\*"))
    return "".join(written)


def page_range(pages: str) -> tuple[str, str]:
    """First and last page; the last is empty for a single one or what is no range."""
    found = _RANGE.fullmatch(pages)
    if not found:
        return plain(pages), ""
    first, last = found.groups()
    return first, last
