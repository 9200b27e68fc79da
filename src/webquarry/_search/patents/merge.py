"""One publication, one patent: the lists of several services in, one list out, the same in whatever
order they came.

A patent has the best rank that any list gave it, and of each field the richest value that any list
had.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from webquarry._search.patents.models import Patent
from webquarry._search.patents.numbers import PatentNumber


def merge(lists: Iterable[Sequence[Patent]]) -> list[Patent]:
    """The patents of all lists, the best ranked first; of equally ranked ones that with the lower
    number.
    """
    records: dict[PatentNumber, list[Patent]] = {}
    ranks: dict[PatentNumber, int] = {}
    for patents in lists:
        for rank, patent in enumerate(patents):
            number = patent.number
            records.setdefault(number, []).append(patent)
            ranks[number] = min(rank, ranks.get(number, rank))
    ordered = sorted(records, key=lambda number: (ranks[number], number))
    return [_merge_records(records[number]) for number in ordered]


def _merge_records(records: Sequence[Patent]) -> Patent:
    """One patent of its records: of each field the richest value."""

    def best(field: str, rank: Callable[[Any], Any]) -> Any:
        """The best value of a field; equal ones are told apart by themselves, never by where they
        stood.
        """
        values = [getattr(record, field) for record in records]
        return max(values, key=lambda value: (rank(value), str(value)))

    number = records[0].number
    providers: set[str] = set()
    for record in records:
        providers.update(filter(None, record.provider.split("+")))
    return Patent(
        number=number,
        title=best(
            "title", lambda title: (title != number.google, not title.isupper(), len(title))
        ),
        url=best("url", lambda url: url == number.url),
        abstract=best("abstract", len),
        assignees=best("assignees", _fullness),
        inventors=best("inventors", _fullness),
        filed=best("filed", _exactness),
        published=best("published", _exactness),
        granted=best("granted", _exactness),
        status=best("status", lambda status: (status is not None, status != number.stage)),
        pdf=best("pdf", lambda pdf: pdf is not None),
        cpc=best("cpc", len),
        snippet=best("snippet", len),
        provider="+".join(sorted(providers)),
    )


def _exactness(date: str | None) -> int:
    """How exact a date is: a year, a month or a day."""
    return len(date or "")


def _fullness(names: tuple[str, ...]) -> tuple[int, bool, int]:
    """How much a list of names says: their number, whether they are not all capitals, their
    length.
    """
    has_small_letters = not all(map(str.isupper, names))
    letters = sum(map(len, names))
    return len(names), has_small_letters, letters
