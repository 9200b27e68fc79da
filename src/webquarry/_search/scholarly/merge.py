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
from typing import Any

from webquarry._search.addresses import doi_url
from webquarry._search.scholarly.models import EMPTY, FIELDS, Notice, Paper
from webquarry._search.text import normalize_letters

_SMOOTHING = 60  # of reciprocal rank fusion, as in the paper that proposed it
_STAMP = re.compile(r"^(?:(?:retracted|withdrawn)\b(?: (?:article|paper|chapter))?\s*)+")
_BUNDLE = ("volume", "issue", "pages")  # of one printing, so of one record
# Those of the journal count for more than the preprint's.
_OF_PUBLICATION = ("journal", "kind", "publisher", "year")

Group = list[Paper]


def merge(records: Iterable[Paper]) -> list[Paper]:
    """Return the papers, best first."""
    # The records of one paper together: first by their identifiers, then by title, year and author.
    singles = [[record] for record in records]
    by_ids = [_flatten(linked) for linked in _link(singles, _ids)]
    groups: list[Group] = []
    for linked in _link(by_ids, _works):
        if len(linked) > 1 and _have_conflict(linked):
            groups += linked
        else:
            groups.append(_flatten(linked))
    for group in groups:
        group.sort(key=_richness)
    groups.sort(key=_standing)
    return [_merge_group(group) for group in groups]


def title_key(title: str) -> str:
    """Return a title for comparison: letters and digits without accents and retraction marks."""
    letters = normalize_letters("NFKD", title.casefold())
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return _STAMP.sub("", re.sub(r"[\W_]+", " ", bare).strip())


def _flatten(groups: list[Group]) -> Group:
    """Return the records of several groups."""
    return [record for group in groups for record in group]


def _link(
    members: list[Group], keys_of: Callable[[Group], Iterable[Hashable]]
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
        for key in keys_of(member):
            parents[root(number)] = root(holders.setdefault(key, number))
    sets: dict[int, list[Group]] = {}
    for number, member in enumerate(members):
        sets.setdefault(root(number), []).append(member)
    return list(sets.values())


def _ids(group: Group) -> set[Hashable]:
    """Return the identifiers of all records with their kinds."""
    keys: set[Hashable] = set()
    for record in group:
        if record.journal_doi:
            keys.add(("doi", record.journal_doi))
        if record.arxiv_id:
            keys.add(("arxiv", record.arxiv_id))
        if record.pmid:
            keys.add(("pmid", record.pmid))
    return keys


def _works(group: Group) -> set[Hashable]:
    """Return title, year and first author of the records that have all three."""
    keys: set[Hashable] = set()
    for record in group:
        if record.year is None or not record.authors:
            continue
        first = record.authors[0]
        # The last word of the family name: particles are written in too many ways.
        family = title_key(first.family or first.written).rpartition(" ")[2]
        title = title_key(record.title)
        if family and title:
            keys.add((title, record.year, family))
    return keys


def _have_conflict(groups: list[Group]) -> bool:
    """Return whether groups have different identifiers of one kind, so that they are several
    papers.
    """
    for name in ("journal_doi", "arxiv_id", "pmid"):
        # Had two of them one in common, they would be one group.
        named = [group for group in groups if any(getattr(record, name) for record in group)]
        if len(named) > 1:
            return True
    return False


def _richness(record: Paper) -> tuple[Any, ...]:
    """Sort key: the richest first, without ties."""
    known = sum(getattr(record, name) not in EMPTY for name in FIELDS)
    return (
        -known,
        -len(record.abstract),
        record.source,
        record.rank,
        _content(record),
    )


def _content(record: Paper) -> str:
    """Return all fields as text, so that different records have an order."""
    return repr([getattr(record, name) for name in FIELDS])


def _standing(group: Group) -> tuple[Any, ...]:
    """Sort key of a paper: reciprocal rank fusion, each index once, then the best single rank."""
    ranks: dict[str, int] = {}
    for record in group:
        best = ranks.get(record.source, record.rank)
        ranks[record.source] = min(record.rank, best)
    score = math.fsum(1 / (_SMOOTHING + rank) for rank in ranks.values())
    richest = group[0]
    return (
        -score,
        min(ranks.values()),
        title_key(richest.title),
        _content(richest),
        len(group),
    )


def _merge_group(group: Group) -> Paper:
    """Return one paper of its records, the richest first."""
    givers = _choose_givers(group)
    fields: dict[str, Any] = {}
    origins = {}
    for name in FIELDS:
        giver = givers[name]
        fields[name] = getattr(giver, name)
        if fields[name] not in EMPTY:
            origins[name] = giver.origins.get(name, giver.source)
    fields["notices"] = _merge_notices(group)
    origins.pop("notices", None)
    if fields["notices"]:
        tellers = {record.source for record in group if record.notices}
        origins["notices"] = ",".join(sorted(tellers))  # the last of FIELDS, so in its order
    paper = replace(group[0], **fields, rank=0, origins=origins)
    return _with_lasting_url(paper)


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
    for record in reversed(group):  # so that the first of several stays
        if record.open_access:
            givers["open_access"] = record
        if record.journal_doi:
            givers["doi"] = record
    # The date must be one of the year that was chosen, and is the most exact one of those.
    givers["published"] = givers["year"]
    year = givers["year"].year
    dated = [record for record in group if record.published]
    fitting = [record for record in dated if int(record.published[:4]) == year]
    if fitting:
        givers["published"] = max(fitting, key=lambda record: len(record.published))
    return givers


def _merge_notices(group: Group) -> tuple[Notice, ...]:
    """Return all notices; those of a preprint only if nothing else was published."""
    is_published = any(record.journal_doi and not record.arxiv_id for record in group)
    notices = set()
    for record in group:
        for notice in record.notices:
            if not (notice.preprint and is_published):
                notices.add(notice)
    return tuple(
        sorted(
            notices,
            key=lambda notice: (notice.type, notice.date, notice.doi or "", notice.source),
        )
    )


def _with_lasting_url(paper: Paper) -> Paper:
    """Return the paper with the URL of its DOI, arXiv id or PubMed id, if any."""
    if paper.journal_doi:
        name, url = "doi", doi_url(paper.journal_doi)
    elif paper.arxiv_id:
        name, url = "arxiv_id", f"https://arxiv.org/abs/{paper.arxiv_id}"
    elif paper.pmid:
        name, url = "pmid", f"https://pubmed.ncbi.nlm.nih.gov/{paper.pmid}/"
    else:
        return paper
    return replace(paper, url=url, origins={**paper.origins, "url": paper.origins[name]})
