"""Works -> one bibliography: each work once, in the order of its style, under keys of its own.

APA and MLA are sorted as their handbooks say, letter by letter and without regard to accents; what
programs read is sorted by key. The order of the works that come in decides nothing but which of two
equally rich records is kept.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Literal

from webquarry.evidence.page.titles import title_from_url
from webquarry.evidence.styles.apa import YEAR_ONLY, format_apa
from webquarry.evidence.styles.bibtex import to_bibtex
from webquarry.evidence.styles.csl import to_csl
from webquarry.evidence.styles.keys import build_keys, letters_of
from webquarry.evidence.styles.mla import format_mla
from webquarry.evidence.styles.ris import to_ris
from webquarry.evidence.styles.work import Work, plain
from webquarry.search.identity import identity
from webquarry.search.replies.doi import doi_url

Style = Literal["apa", "mla", "bibtex", "ris", "csl-json"]
_ANY_KIND = ("webpage", "document")
_ARTICLES = ("a ", "an ", "the ")
_Head = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Entry:
    """One work of a bibliography; `places` are those of its records among the works that came in."""

    work: Work
    places: tuple[int, ...]
    key: str = ""


@dataclass(frozen=True)
class Bibliography:
    """The text, as it may be written to a file, and what it lists in the same order."""

    text: str
    entries: tuple[Entry, ...]


def build_bibliography(works: Sequence[Work], style: Style) -> Bibliography:
    """The works in a style."""
    entries = distinct(works)
    if style in _PROSE:
        order, write = _PROSE[style]
        entries = sorted(entries, key=lambda entry: order(entry.work))
        return Bibliography(
            "".join(f"{one}\n\n" for one in write(entries)).rstrip("\n"), tuple(entries)
        )
    entries = sorted(entries, key=lambda entry: _by_year(entry.work))
    keys = build_keys(entry.work for entry in entries)
    keyed = [replace(entry, key=key) for entry, key in zip(entries, keys, strict=True)]
    keyed.sort(key=lambda entry: entry.key)
    return Bibliography(_FILES[style](keyed), tuple(keyed))


def distinct(works: Sequence[Work]) -> list[Entry]:
    """Each work once, its richest record: one DOI is one work, and so is one page, unless its
    records have two DOIs.
    """
    groups: dict[str, list[int]] = {}
    of_page: dict[str, str] = {}  # the group that a page belongs to
    for place, work in enumerate(works):
        if work.doi:
            mark = identity(doi_url(work.doi.lower()))
            groups.setdefault(mark, []).append(place)
            of_page |= {mark: mark}
            if work.url:
                of_page.setdefault(identity(work.url), mark)
    for place, work in enumerate(works):
        if not work.doi:
            if work.url:
                page = identity(work.url)
            else:
                page = f"title {_letters(work.title)} {work.issued}"
            groups.setdefault(of_page.setdefault(page, page), []).append(place)
    return [_entry(works, sorted(places)) for places in sorted(groups.values(), key=min)]


def _entry(works: Sequence[Work], places: list[int]) -> Entry:
    records = [works[place] for place in places]
    best = max(records, key=_richness)
    if _is_titled(best):
        title = best.title
    else:
        title = next((work.title for work in records if _is_titled(work)), best.title)
    doi = best.doi or next((work.doi for work in records if work.doi), "")
    url = best.url or next((work.url for work in records if work.url), "")
    return Entry(replace(best, title=title, doi=doi, url=url), tuple(places))


def _richness(work: Work) -> int:
    """How much is known of a work; its own address in place of a title says nothing, nor that it is
    some page.
    """
    known = sum(map(bool, astuple(work)))
    return known - (not _is_titled(work)) - (work.kind in _ANY_KIND)


def _is_titled(work: Work) -> bool:
    return work.title not in (title_from_url(work.url), title_from_url(work.location))


# The orders of the styles


def _letters(text: str) -> str:
    """A text as it is sorted: without accents, capitals and signs."""
    spread = unicodedata.normalize("NFKD", plain(text)).casefold()
    kept = (letter if letter.isalnum() else " " if letter.isspace() else "" for letter in spread)
    return " ".join("".join(kept).split())


def _title(work: Work) -> str:
    """The title without the article that it begins with."""
    title = _letters(work.title)
    return next(
        (title[len(article) :] for article in _ARTICLES if title.startswith(article)), title
    )


def _head(work: Work) -> _Head:
    """What an entry begins with: its authors, or its title where nobody signed it."""
    names = tuple(
        (_letters(name.family or name.literal), _letters(name.given)) for name in work.authors
    )
    return names or ((_title(work), ""),)


def _shown_date(work: Work) -> tuple[int, ...]:
    if work.kind in YEAR_ONLY:
        return work.issued[:1]
    return work.issued


def _by_year(work: Work) -> tuple[object, ...]:
    """As in APA: by author, then by date with the undated first, then by title."""
    return (_head(work), _shown_date(work), _title(work), work.title, work.location, repr(work))


def _by_title(work: Work) -> tuple[object, ...]:
    """As in MLA: by author, then by title. What its own site has signed, and a video, begin with
    their titles.
    """
    untold = work.signs_itself or work.kind == "motion_picture"
    head = ((_title(work), ""),) if untold else _head(work)
    return (head, _title(work), work.title, work.issued, work.location, repr(work))


# The texts of the styles


def _apa(entries: Sequence[Entry]) -> list[str]:
    """Works of the same authors and year are told apart by letters behind the year."""
    marks = [(_head(entry.work), entry.work.issued[:1]) for entry in entries]
    often, seen = Counter(marks), Counter[object]()
    written = []
    for entry, mark in zip(entries, marks, strict=True):
        written.append(
            format_apa(entry.work, letter=letters_of(seen[mark]) if often[mark] > 1 else "")
        )
        seen[mark] += 1
    return written


def _mla(entries: Sequence[Entry]) -> list[str]:
    return [format_mla(entry.work) for entry in entries]


def _csl(entries: Sequence[Entry]) -> str:
    return (
        json.dumps(
            [to_csl(entry.work, entry.key) for entry in entries], ensure_ascii=False, indent=2
        )
        + "\n"
    )


_PROSE: dict[
    str, tuple[Callable[[Work], tuple[object, ...]], Callable[[Sequence[Entry]], list[str]]]
] = {
    "apa": (_by_year, _apa),
    "mla": (_by_title, _mla),
}
_FILES: dict[str, Callable[[Sequence[Entry]], str]] = {
    "bibtex": lambda entries: "\n".join(to_bibtex(entry.work, entry.key) for entry in entries),
    "ris": lambda entries: "\r\n".join(to_ris(entry.work) for entry in entries),
    "csl-json": _csl,
}
