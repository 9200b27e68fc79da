"""Many records -> papers, each once: records of one paper become one, and those that several
indexes rank high stand first.

Records belong together that share a DOI, an arXiv id or a PubMed id, directly or by others; then
those of the same title, year and first author, unless that would join two papers with different
identifiers. The richest record is kept and filled up from the others; `origins` says who gave what.
The order of the records that come in decides nothing.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from webquarry.search.replies.doi import doi_url
from webquarry.search.scholarly.models import FIELDS, Paper

_SMOOTHING = 60  # of reciprocal rank fusion, as in the paper that proposed it
_STAMP = re.compile(r"^(?:(?:retracted|withdrawn)\b(?: (?:article|paper|chapter))?\s*)+")
_BUNDLE = ("volume", "issue", "pages")  # of one printing, so of one record
_OF_PUBLICATION = (
    "journal",
    "kind",
    "publisher",
    "year",
)  # those of the journal count for more than the preprint's
_EMPTY = (None, "", ())

Group = list[Paper]


def merge(records: Iterable[Paper]) -> list[Paper]:
    """The papers, best first."""
    groups = [sorted(group, key=_richness) for group in _groups(list(records))]
    return [_whole(group) for group in sorted(groups, key=_standing)]


def title_key(title: str) -> str:
    """A title as titles are compared: letters and digits alone, without accents or the stamp of a
    retraction.
    """
    letters = unicodedata.normalize("NFKD", title.casefold())
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return _STAMP.sub("", re.sub(r"[\W_]+", " ", bare).strip())


def _groups(records: Group) -> list[Group]:
    by_ids = [
        [record for one in joined for record in one]
        for joined in _joined([[one] for one in records], _ids)
    ]
    groups: list[Group] = []
    for joined in _joined(by_ids, _works):
        whole = [record for group in joined for record in group]
        groups += [whole] if len(joined) == 1 or not _conflicting(joined) else joined
    return groups


def _joined(
    members: list[Group], keys_of: Callable[[Group], Iterable[Hashable]]
) -> list[list[Group]]:
    """The members in sets of those that share a key, directly or by others."""
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
    named = [("doi", one.journal_doi) for one in group] + [("arxiv", one.arxiv_id) for one in group]
    return {key for key in [*named, *(("pmid", one.pmid) for one in group)] if key[1]}


def _works(group: Group) -> set[Hashable]:
    return {
        (title_key(one.title), one.year, _family(one))
        for one in group
        if one.year is not None and _family(one) and title_key(one.title)
    }


def _family(paper: Paper) -> str:
    """The last word of the first author's family name; particles are written in too many ways."""
    first = paper.authors[0] if paper.authors else None
    if first:
        return title_key(first.family or first.written).rpartition(" ")[2]
    return ""


def _conflicting(groups: list[Group]) -> bool:
    """Whether they have several identifiers of one kind: then the same title means several papers."""
    for name in ("journal_doi", "arxiv_id", "pmid"):
        sets = [{getattr(one, name) for one in group} - {""} for group in groups]
        if (
            len([found for found in sets if found]) > 1
        ):  # had they one in common, they would be one group
            return True
    return False


def _richness(record: Paper) -> tuple[Any, ...]:
    """The richest first; the rest decides between equals, and never by chance."""
    known = sum(getattr(record, name) not in _EMPTY for name in FIELDS)
    return (-known, -len(record.abstract), record.source, record.rank, _exactly(record))


def _exactly(record: Paper) -> str:
    return repr([getattr(record, name) for name in FIELDS])


def _standing(group: Group) -> tuple[Any, ...]:
    """By reciprocal rank fusion, every index counting once; then the best single rank."""
    ranks: dict[str, int] = {}
    for record in group:
        ranks[record.source] = min(record.rank, ranks.get(record.source, record.rank))
    score = math.fsum(1 / (_SMOOTHING + rank) for rank in ranks.values())
    return (-score, min(ranks.values()), title_key(group[0].title), _exactly(group[0]), len(group))


def _whole(group: Group) -> Paper:
    """One paper of its records, the richest of which comes first."""
    formal = sorted(group, key=lambda one: one.kind in ("", "article"))
    givers = {name: _giver(formal if name in _OF_PUBLICATION else group, name) for name in FIELDS}
    givers |= dict.fromkeys(
        _BUNDLE, max(group, key=lambda one: sum(getattr(one, name) != "" for name in _BUNDLE))
    )
    givers["abstract"] = max(group, key=lambda one: len(one.abstract))
    givers["citation_count"] = max(
        group, key=lambda one: -1 if one.citation_count is None else one.citation_count
    )
    givers["open_access"] = next((one for one in group if one.open_access), givers["open_access"])
    givers["doi"] = next((one for one in group if one.journal_doi), givers["doi"])
    givers["published"] = _dated(group, givers["year"])
    fields: dict[str, Any] = {name: getattr(giver, name) for name, giver in givers.items()}
    origins = {
        name: _origin(giver, name) for name, giver in givers.items() if fields[name] not in _EMPTY
    }
    fields["notices"] = _notices(group)
    if fields["notices"]:
        origins["notices"] = ",".join(sorted({one.source for one in group if one.notices}))
    else:
        origins.pop("notices", None)
    paper = replace(group[0], **fields, rank=0)
    return _addressed(
        replace(paper, origins={name: origins[name] for name in FIELDS if name in origins})
    )


def _giver(group: Group, name: str) -> Paper:
    return next((one for one in group if getattr(one, name) not in _EMPTY), group[0])


def _dated(group: Group, dated: Paper) -> Paper:
    """Who gives the date: it must be one of the year that was chosen."""
    fitting = [one for one in group if one.published and int(one.published[:4]) == dated.year]
    if fitting:
        return max(fitting, key=lambda one: len(one.published))
    return dated


def _notices(group: Group) -> tuple[Any, ...]:
    """All notices, each once; of a preprint's own only where nothing else was published."""
    published = any(one.journal_doi and not one.arxiv_id for one in group)
    return tuple(
        sorted(
            {
                notice
                for one in group
                for notice in one.notices
                if not (notice.preprint and published)
            },
            key=lambda notice: (notice.type, notice.date, notice.doi or "", notice.source),
        )
    )


def _origin(record: Paper, name: str) -> str:
    return record.origins.get(name, record.source)


def _addressed(paper: Paper) -> Paper:
    """At the address that lasts: that of its DOI, its arXiv id or its PubMed id, where it has one."""
    lasting: Sequence[tuple[str, str]] = (
        ("doi", doi_url(paper.journal_doi) if paper.journal_doi else ""),
        ("arxiv_id", f"https://arxiv.org/abs/{paper.arxiv_id}" if paper.arxiv_id else ""),
        ("pmid", f"https://pubmed.ncbi.nlm.nih.gov/{paper.pmid}/" if paper.pmid else ""),
    )
    for name, url in lasting:
        if url:
            return replace(paper, url=url, origins={**paper.origins, "url": paper.origins[name]})
    return paper
