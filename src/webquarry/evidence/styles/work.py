"""A work that is cited, and what the styles share: italics, page ranges, keys."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass, replace
from urllib.parse import quote

from webquarry._search.text import normalize_letters
from webquarry.evidence.page.people import Name

MOST_LISTED = 100
# Control characters mark italics while a reference is built; `plain` removes them from texts.
_ON, _OFF = "\x02", "\x03"
_MARKS = re.compile(f"([{_ON}{_OFF}])")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_RANGE = re.compile(r"\s*(\w+)\s*[-–—]+\s*(\w+)\s*")
_SENTENCE_ENDS = (".", "!", "?", "…")
_ASCII_WORDS = re.compile(r"[a-z0-9]+")
_MAX_KEY = 60


@dataclass(frozen=True)
class Work:
    """One source. `kind` is a type of CSL, such as `webpage` or `article-journal`; dates are tuples
    of year, month and day.
    """

    kind: str = "webpage"
    title: str = ""
    authors: tuple[Name, ...] = ()
    container: str = ""  # the journal, the newspaper, the site
    publisher: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    number: str = ""  # of a report, or of an article without pages
    doi: str = ""
    url: str = ""
    issued: tuple[int, ...] = ()
    accessed: tuple[int, ...] = ()
    issn: str = ""
    language: str = ""

    @property
    def location(self) -> str:
        """The URL of the DOI if there is one, otherwise of the page."""
        if self.doi:
            return f"https://doi.org/{quote(self.doi, safe='/:;().-_')}"
        return self.url

    @property
    def listed_authors(self) -> tuple[Name, ...]:
        """The authors for reference managers; more than a hundred end in "et al."."""
        if len(self.authors) <= MOST_LISTED:
            return self.authors
        return (*self.authors[:MOST_LISTED], Name(literal="et al."))

    @property
    def is_signed_by_site(self) -> bool:
        """Whether the only author is the site or the publisher."""
        if len(self.authors) != 1:
            return False
        author = self.authors[0].literal.casefold()
        return bool(author) and author == (self.container or self.publisher).casefold()


def plain(text: str) -> str:
    """Return a text on one line without control characters."""
    return " ".join(_CONTROL.sub(" ", text).split())


def plain_work(work: Work) -> Work:
    """Return a work whose texts are all plain."""
    texts = {name: plain(value) for name, value in vars(work).items() if isinstance(value, str)}
    authors = tuple(Name(*map(plain, astuple(name))) for name in work.authors)
    return replace(work, authors=authors, **texts)  # type: ignore[arg-type]


def italic(text: str) -> str:
    """Mark a text as italic."""
    return f"{_ON}{text}{_OFF}" if text else ""


def add_full_stop(text: str) -> str:
    """Return the text with a full stop, unless it ends with a mark."""
    if not text or text.rstrip(_OFF + "”’)").endswith(_SENTENCE_ENDS):
        return text
    return text + "."


def join_present(separator: str, parts: Iterable[str]) -> str:
    """Join the parts that are not empty."""
    return separator.join(filter(None, parts))


def render(reference: str, escape: Callable[[str], str] | None = None) -> str:
    """Return the reference as plain text; with `escape`, which is applied to every piece of text,
    as Markdown with italics.
    """
    if escape is None:
        return _MARKS.sub("", reference)
    pieces = _MARKS.split(reference)
    return "".join("*" if piece in (_ON, _OFF) else escape(piece) for piece in pieces)


def page_range(pages: str) -> tuple[str, str]:
    """Return the first and the last page; the last is empty for a single page."""
    found = _RANGE.fullmatch(pages)
    return (found[1], found[2]) if found else (plain(pages), "")


def build_key(work: Work) -> str:
    """Return the key of a work in a bibliography: `okafor2023tidal`, `source` if nothing of it can
    be written in ASCII.
    """
    author = ""
    if work.authors:
        author = _join_ascii_words(work.authors[0].family or work.authors[0].literal, 2)
    author = author or _join_ascii_words(work.container, 1)
    if not author and not work.title:
        return "source"
    year = str(work.issued[0]) if work.issued else "nd"
    return (author + year + _join_ascii_words(work.title, 1))[:_MAX_KEY]


def build_keys(works: Iterable[Work]) -> list[str]:
    """Return a different key for each work; the second of a key gets an `a`, the third a `b`."""
    keys: dict[str, None] = {}
    tried: Counter[str] = Counter()
    for work in works:
        plain_key = key = build_key(work)
        while key in keys:
            key = plain_key + to_letters(tried[plain_key])
            tried[plain_key] += 1
        keys[key] = None
    return list(keys)


def to_letters(number: int) -> str:
    """Return 0 as `a`, 25 as `z`, 26 as `aa`."""
    letters = ""
    while number >= 0:
        number, letter = divmod(number, 26)
        letters = chr(ord("a") + letter) + letters
        number -= 1
    return letters


def _join_ascii_words(text: str, most: int) -> str:
    """Return the first words of a text in lower case, without accents and other characters."""
    ascii_text = normalize_letters("NFKD", text).encode("ascii", "ignore").decode()
    return "".join(_ASCII_WORDS.findall(ascii_text.lower())[:most])
