"""Works -> one bibliography: each work once, in the order of its style, under keys of its own.

APA and MLA are sorted as their handbooks say, letter by letter and without regard to accents; what
programs read is sorted by key. The order of the works that come in decides nothing but which of two
equally rich records is kept.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from typing import Literal

from webquarry._search.addresses import doi_url
from webquarry._search.identity import identity
from webquarry._search.text import normalize_letters
from webquarry.evidence.page.titles import title_from_url
from webquarry.evidence.styles.apa import YEAR_ONLY, format_apa
from webquarry.evidence.styles.bibtex import to_bibtex
from webquarry.evidence.styles.csl import to_csl
from webquarry.evidence.styles.keys import build_keys, to_letters
from webquarry.evidence.styles.mla import format_mla
from webquarry.evidence.styles.ris import to_ris
from webquarry.evidence.styles.work import Work, plain

Style = Literal["apa", "mla", "bibtex", "ris", "csl-json"]
_ANY_KIND = ("webpage", "document")
_ARTICLES = ("a ", "an ", "the ")
_SortableName = tuple[str, str]  # the family name and the given name


@dataclass(frozen=True)
class ListedWork:
    """One work of a bibliography; `places` are those of its records among the works given."""

    work: Work
    places: tuple[int, ...]
    key: str = ""


@dataclass(frozen=True)
class Bibliography:
    """The text, as it may be written to a file, and what it lists in the same order."""

    text: str
    entries: tuple[ListedWork, ...]


def build_bibliography(works: Sequence[Work], style: Style) -> Bibliography:
    """The works in a style."""
    entries = merge_records(works)
    if style == "mla":
        entries.sort(key=lambda entry: _mla_order(entry.work))
        text = "\n\n".join(format_mla(entry.work) for entry in entries)
        return Bibliography(text.rstrip("\n"), tuple(entries))
    entries.sort(key=lambda entry: _apa_order(entry.work))
    if style == "apa":
        text = "\n\n".join(_format_apa_list(entries))
        return Bibliography(text.rstrip("\n"), tuple(entries))
    keys = build_keys(entry.work for entry in entries)
    entries = [replace(entry, key=key) for entry, key in zip(entries, keys, strict=True)]
    entries.sort(key=lambda entry: entry.key)
    if style == "bibtex":
        records = [to_bibtex(entry.work, entry.key) for entry in entries]
        text = "\n".join(records)
    elif style == "ris":
        records = [to_ris(entry.work) for entry in entries]
        text = "\r\n".join(records)
    else:
        items = [to_csl(entry.work, entry.key) for entry in entries]
        text = json.dumps(items, ensure_ascii=False, indent=2) + "\n"
    return Bibliography(text, tuple(entries))


def merge_records(works: Sequence[Work]) -> list[ListedWork]:
    """Each work once, its richest record: one DOI is one work, and so is one page, unless its
    records have two DOIs.
    """
    groups: dict[str, list[int]] = {}  # the places of the records of each work
    group_of_page: dict[str, str] = {}
    for place, work in enumerate(works):
        if not work.doi:
            continue
        group = identity(doi_url(work.doi.lower()))
        groups.setdefault(group, []).append(place)
        group_of_page[group] = group
        if work.url:
            group_of_page.setdefault(identity(work.url), group)
    for place, work in enumerate(works):
        if work.doi:
            continue
        if work.url:
            page = identity(work.url)
        else:
            page = f"title {_sortable(work.title)} {work.issued}"
        group = group_of_page.setdefault(page, page)
        groups.setdefault(group, []).append(place)
    return [_merge(works, sorted(places)) for places in sorted(groups.values(), key=min)]


def _merge(works: Sequence[Work], places: list[int]) -> ListedWork:
    """The richest of the records, with a title, a DOI and an address if any of them has one."""
    records = [works[place] for place in places]
    best = max(records, key=_richness)
    best_first = [best, *records]
    titles = [work.title for work in best_first if _is_titled(work)]
    dois = [work.doi for work in best_first if work.doi]
    urls = [work.url for work in best_first if work.url]
    merged = replace(
        best,
        title=next(iter(titles), best.title),
        doi=next(iter(dois), ""),
        url=next(iter(urls), ""),
    )
    return ListedWork(merged, tuple(places))


def _richness(work: Work) -> int:
    """How much is known of a work; its own address in place of a title says nothing, nor that it is
    some page.
    """
    known = sum(map(bool, astuple(work)))
    if not _is_titled(work):
        known -= 1
    if work.kind in _ANY_KIND:
        known -= 1
    return known


def _is_titled(work: Work) -> bool:
    """Whether a work has a title of its own, not only its address in place of one."""
    by_url = title_from_url(work.url)
    by_location = title_from_url(work.location)
    return work.title not in (by_url, by_location)


# The orders of the styles


def _sortable(text: str) -> str:
    """A text as it is sorted: without accents, capitals and signs."""
    one_line = plain(text)
    decomposed = normalize_letters("NFKD", one_line)
    kept: list[str] = []
    for letter in decomposed.casefold():
        if letter.isalnum():
            kept.append(letter)
        elif letter.isspace():
            kept.append(" ")
    written = "".join(kept)
    return " ".join(written.split())


def _sortable_title(work: Work) -> str:
    """The title without the article that it begins with."""
    title = _sortable(work.title)
    for article in _ARTICLES:
        if title.startswith(article):
            return title.removeprefix(article)
    return title


def _sortable_names(work: Work) -> tuple[_SortableName, ...]:
    """What an entry begins with: its authors, or its title where nobody signed it."""
    names: list[_SortableName] = []
    for name in work.authors:
        family = _sortable(name.family or name.literal)
        given = _sortable(name.given)
        names.append((family, given))
    if not names:
        title = _sortable_title(work)
        names.append((title, ""))
    return tuple(names)


def _apa_order(work: Work) -> tuple[object, ...]:
    """By author, then by date with the undated first, then by title."""
    return (
        _sortable_names(work),
        work.issued[:1] if work.kind in YEAR_ONLY else work.issued,
        _sortable_title(work),
        work.title,
        work.location,
        repr(work),
    )


def _mla_order(work: Work) -> tuple[object, ...]:
    """By author, then by title. What its own site has signed, and a video, begin with their
    titles.
    """
    title = _sortable_title(work)
    if work.is_signed_by_site or work.kind == "motion_picture":
        names: tuple[_SortableName, ...] = ((title, ""),)
    else:
        names = _sortable_names(work)
    return (
        names,
        title,
        work.title,
        work.issued,
        work.location,
        repr(work),
    )


# The texts of the styles


def _format_apa_list(entries: Sequence[ListedWork]) -> list[str]:
    """Works of the same authors and year are told apart by letters behind the year."""
    signatures = [(_sortable_names(entry.work), entry.work.issued[:1]) for entry in entries]
    count = Counter(signatures)
    written_before: Counter[object] = Counter()
    written: list[str] = []
    for entry, signature in zip(entries, signatures, strict=True):
        letter = ""
        if count[signature] > 1:
            letter = to_letters(written_before[signature])
        written.append(format_apa(entry.work, letter=letter))
        written_before[signature] += 1
    return written
