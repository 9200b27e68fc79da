"""Bibliographies: each work once, in the order of the style, with keys.

APA and MLA lists are sorted letter by letter without accents, the formats of programs by key. The
order of the input only decides which of two equally rich records is taken.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace

from webquarry._search.addresses import doi_url
from webquarry._search.identity import identity
from webquarry._search.text import normalize_letters
from webquarry.evidence.models import CitationStyle
from webquarry.evidence.page.titles import title_from_url
from webquarry.evidence.styles.apa import YEAR_ONLY, format_apa
from webquarry.evidence.styles.csl import to_csl
from webquarry.evidence.styles.exchange import to_bibtex, to_ris
from webquarry.evidence.styles.mla import format_mla
from webquarry.evidence.styles.work import Work, build_keys, plain, to_letters

_ANY_KIND = ("webpage", "document")
_ARTICLES = ("a ", "an ", "the ")
_SortableNames = tuple[tuple[str, str], ...]  # family and given names


@dataclass(frozen=True)
class ListedWork:
    """A work of a bibliography; `places` are the indexes of its records in the input."""

    work: Work
    places: tuple[int, ...]
    key: str = ""


@dataclass(frozen=True)
class Bibliography:
    """The text of a bibliography and its entries in the same order."""

    text: str
    entries: tuple[ListedWork, ...]


def build_bibliography(works: Sequence[Work], style: CitationStyle) -> Bibliography:
    """Return the bibliography of the works in a style."""
    entries = merge_records(works)
    entries.sort(key=lambda entry: (_mla_order if style == "mla" else _apa_order)(entry.work))
    if style not in ("apa", "mla"):
        keys = build_keys(entry.work for entry in entries)
        entries = [replace(entry, key=key) for entry, key in zip(entries, keys, strict=True)]
        entries.sort(key=lambda entry: entry.key)
    match style:
        case "apa":
            text = "\n\n".join(_format_apa_list(entries)).rstrip("\n")
        case "mla":
            text = "\n\n".join(format_mla(entry.work) for entry in entries).rstrip("\n")
        case "bibtex":
            text = "\n".join(to_bibtex(entry.work, entry.key) for entry in entries)
        case "ris":
            text = "\r\n".join(to_ris(entry.work) for entry in entries)
        case "csl-json":
            items = [to_csl(entry.work, entry.key) for entry in entries]
            text = json.dumps(items, ensure_ascii=False, indent=2) + "\n"
    return Bibliography(text, tuple(entries))


def merge_records(works: Sequence[Work]) -> list[ListedWork]:
    """Return each work once. Records with the same DOI are one work, and so are records of the same
    page, unless they have different DOIs.
    """
    groups: dict[str, list[int]] = {}  # the indexes of the records of each work
    group_of_page: dict[str, str] = {}
    for place, work in enumerate(works):
        if work.doi:
            group = identity(doi_url(work.doi.lower()))
            groups.setdefault(group, []).append(place)
            group_of_page[group] = group
            if work.url:
                group_of_page.setdefault(identity(work.url), group)
    for place, work in enumerate(works):
        if not work.doi:
            page = f"title {_sortable(work.title)} {work.issued}"
            page = identity(work.url) if work.url else page
            groups.setdefault(group_of_page.setdefault(page, page), []).append(place)
    return [_merge(works, sorted(places)) for places in sorted(groups.values(), key=min)]


def _merge(works: Sequence[Work], places: list[int]) -> ListedWork:
    """Return the record with the most fields, with a title, a DOI and a URL of any record."""
    records = [works[place] for place in places]
    best = max(records, key=_count_fields)
    best_first = [best, *records]
    merged = replace(
        best,
        title=next((work.title for work in best_first if _is_titled(work)), best.title),
        doi=next((work.doi for work in best_first if work.doi), ""),
        url=next((work.url for work in best_first if work.url), ""),
    )
    return ListedWork(merged, tuple(places))


def _count_fields(work: Work) -> int:
    """Return the number of known fields; a URL as title and a general kind do not count."""
    known = sum(map(bool, astuple(work)))
    return known - (not _is_titled(work)) - (work.kind in _ANY_KIND)


def _is_titled(work: Work) -> bool:
    """Return whether the title is not made from the URL."""
    return work.title not in (title_from_url(work.url), title_from_url(work.location))


def _sortable(text: str) -> str:
    """Return a text for sorting: without accents, capitals and punctuation."""
    letters = normalize_letters("NFKD", plain(text)).casefold()
    return " ".join("".join(filter(lambda one: one.isalnum() or one.isspace(), letters)).split())


def _sortable_title(work: Work) -> str:
    """Return the title without a leading article."""
    title = _sortable(work.title)
    article = next(filter(title.startswith, _ARTICLES), "")
    return title.removeprefix(article)


def _sortable_names(work: Work) -> _SortableNames:
    """Return the authors, or the title if there are none."""
    names = tuple(
        (_sortable(name.family or name.literal), _sortable(name.given)) for name in work.authors
    )
    return names or ((_sortable_title(work), ""),)


def _apa_order(work: Work) -> tuple[object, ...]:
    """Sort by author, then date with undated works first, then title."""
    date = work.issued[:1] if work.kind in YEAR_ONLY else work.issued
    title = _sortable_title(work)
    return _sortable_names(work), date, title, work.title, work.location, repr(work)


def _mla_order(work: Work) -> tuple[object, ...]:
    """Sort by author, then title. Videos and works signed by their site start with the title."""
    title = _sortable_title(work)
    names = _sortable_names(work)
    if work.is_signed_by_site or work.kind == "motion_picture":
        names = ((title, ""),)
    return names, title, work.title, work.issued, work.location, repr(work)


def _format_apa_list(entries: Sequence[ListedWork]) -> list[str]:
    """Return the references; letters distinguish works of the same authors and year."""
    signatures = [(_sortable_names(entry.work), entry.work.issued[:1]) for entry in entries]
    count = Counter(signatures)
    seen: Counter[object] = Counter()
    references: list[str] = []
    for entry, signature in zip(entries, signatures, strict=True):
        letter = to_letters(seen[signature]) if count[signature] > 1 else ""
        references.append(format_apa(entry.work, letter=letter))
        seen[signature] += 1
    return references
