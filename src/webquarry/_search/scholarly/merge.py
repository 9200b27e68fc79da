"""Records of several indexes merged into papers, the best first.

Records with a common DOI, arXiv id or PubMed id belong together, directly or through others; then
those with equal title, year and first author, unless that would join different identifiers. The
richest record is completed from the others; `origins` names the source of each field. The order of
the input does not matter.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from itertools import chain
from typing import Any

from webquarry._search.addresses import doi_url
from webquarry._search.scholarly.models import EMPTY, FIELDS, Notice, Paper
from webquarry._search.text import normalize_letters

_SMOOTHING = 60  # of reciprocal rank fusion
_STAMP = re.compile(r"^(?:(?:retracted|withdrawn)\b(?: (?:article|paper|chapter))?\s*)+")
_IDS = ("journal_doi", "arxiv_id", "pmid")
_BUNDLE = ("volume", "issue", "pages")  # from the same record
# From the record of the journal rather than of the preprint.
_OF_PUBLICATION = ("journal", "kind", "publisher", "year")

Group = list[Paper]


def merge(records: Iterable[Paper]) -> list[Paper]:
    """Return the papers, best first."""
    singles = [[record] for record in records]
    groups = [list(chain.from_iterable(linked)) for linked in _link(singles, _ids)]
    merged: list[Group] = []
    for linked in _link(groups, _works):
        if _have_conflict(linked):
            merged += linked
        else:
            merged.append(list(chain.from_iterable(linked)))
    for group in merged:
        group.sort(key=_richness)
    merged.sort(key=_standing)
    return [_merge_group(group) for group in merged]


def title_key(title: str) -> str:
    """Return a title for comparison: letters and digits without accents and retraction marks."""
    letters = normalize_letters("NFKD", title.casefold())
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return _STAMP.sub("", re.sub(r"[\W_]+", " ", bare).strip())


def _link(
    members: list[Group], keys_of: Callable[[Paper], Iterable[Hashable]]
) -> list[list[Group]]:
    """Return sets of members that share a key, directly or through others (union-find)."""
    parents = list(range(len(members)))

    def root(number: int) -> int:
        while parents[number] != number:
            parents[number] = parents[parents[number]]
            number = parents[number]
        return number

    holders: dict[Hashable, int] = {}
    for number, member in enumerate(members):
        for record in member:
            for key in keys_of(record):
                parents[root(number)] = root(holders.setdefault(key, number))
    sets: dict[int, list[Group]] = {}
    for number, member in enumerate(members):
        sets.setdefault(root(number), []).append(member)
    return list(sets.values())


def _ids(record: Paper) -> list[tuple[str, str]]:
    """Return the identifiers of a record with their kinds."""
    return [(name, getattr(record, name)) for name in _IDS if getattr(record, name)]


def _works(record: Paper) -> list[Hashable]:
    """Return title, year and first author of a record that has all three."""
    if record.year is None or not record.authors:
        return []
    first = record.authors[0]
    # The last word of the family name: particles are written in many ways.
    family = title_key(first.family or first.written).rpartition(" ")[2]
    title = title_key(record.title)
    return [(title, record.year, family)] if family and title else []


def _have_conflict(groups: list[Group]) -> bool:
    """Return whether groups have different identifiers of one kind, so that they are several
    papers.
    """
    named = [{name for record in group for name, _ in _ids(record)} for group in groups]
    return any(sum(name in names for names in named) > 1 for name in _IDS)


def _richness(record: Paper) -> tuple[Any, ...]:
    """Sort key: the richest first, without ties."""
    known = sum(getattr(record, name) not in EMPTY for name in FIELDS)
    return -known, -len(record.abstract), record.source, record.rank, _content(record)


def _content(record: Paper) -> str:
    """Return all fields as text, so that different records have an order."""
    return repr([getattr(record, name) for name in FIELDS])


def _standing(group: Group) -> tuple[Any, ...]:
    """Sort key of a paper: reciprocal rank fusion, each index once, then the best single rank."""
    ranks: dict[str, int] = {}
    for record in group:
        ranks[record.source] = min(record.rank, ranks.get(record.source, record.rank))
    score = math.fsum(1 / (_SMOOTHING + rank) for rank in ranks.values())
    best = group[0]
    return -score, min(ranks.values()), title_key(best.title), _content(best), len(group)


def _merge_group(group: Group) -> Paper:
    """Return one paper of its records, the richest first, with the URL of its identifier."""
    givers = _choose_givers(group)
    values: dict[str, Any] = {name: getattr(giver, name) for name, giver in givers.items()}
    values["notices"] = _merge_notices(group)
    origins = {
        name: givers[name].origins.get(name, givers[name].source)
        for name in FIELDS
        if values[name] not in EMPTY
    }
    if values["notices"]:
        sources = {record.source for record in group if record.notices}
        origins["notices"] = ",".join(sorted(sources))
    paper = replace(group[0], **values, rank=0)
    urls = {
        "doi": doi_url(paper.journal_doi) if paper.journal_doi else "",
        "arxiv_id": f"https://arxiv.org/abs/{paper.arxiv_id}" if paper.arxiv_id else "",
        "pmid": f"https://pubmed.ncbi.nlm.nih.gov/{paper.pmid}/" if paper.pmid else "",
    }
    for name, url in urls.items():
        if url:
            origins["url"] = origins[name]
            return replace(paper, url=url, origins=origins)
    return replace(paper, origins=origins)


def _choose_givers(group: Group) -> dict[str, Paper]:
    """Return the record that provides each field: the richest one, with rules for some fields."""
    formal = sorted(group, key=lambda record: record.kind in ("", "article"))
    givers = {}
    for name in FIELDS:
        ordered = formal if name in _OF_PUBLICATION else group
        knowing = [record for record in ordered if getattr(record, name) not in EMPTY]
        givers[name] = (knowing or ordered)[0]
    fullest = max(group, key=lambda record: sum(getattr(record, name) != "" for name in _BUNDLE))
    givers |= dict.fromkeys(_BUNDLE, fullest)
    givers["abstract"] = max(group, key=lambda record: len(record.abstract))
    with_count = [record for record in group if record.citation_count is not None] or group
    givers["citation_count"] = max(with_count, key=lambda record: record.citation_count or 0)
    for record in reversed(group):  # the first one overrides the others
        if record.open_access:
            givers["open_access"] = record
        if record.journal_doi:
            givers["doi"] = record
    # The most exact date of the chosen year.
    givers["published"] = givers["year"]
    year = str(givers["year"].year)
    fitting = [record for record in group if record.published[:4] == year]
    if fitting:
        givers["published"] = max(fitting, key=lambda record: len(record.published))
    return givers


def _merge_notices(group: Group) -> tuple[Notice, ...]:
    """Return all notices; those of a preprint only if nothing else was published."""
    is_published = any(record.journal_doi and not record.arxiv_id for record in group)
    notices = {
        notice
        for record in group
        for notice in record.notices
        if not (notice.preprint and is_published)
    }
    return tuple(sorted(notices, key=lambda one: (one.type, one.date, one.doi or "", one.source)))
