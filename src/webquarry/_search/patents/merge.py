"""Lists of patents of several services merged; the result does not depend on their order.

A patent has the best rank of all lists, and of each field the richest value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from webquarry._search.patents.models import Patent
from webquarry._search.patents.numbers import PatentNumber


def merge(lists: Iterable[Sequence[Patent]]) -> list[Patent]:
    """Return each publication once, the best ranked first, equal ranks by number."""
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
    number = records[0].number
    ranks: dict[str, Callable[[Any], Any]] = {
        "title": lambda title: (title != number.google, not title.isupper(), len(title)),
        "url": lambda url: url == number.url,
        "assignees": _fullness,
        "inventors": _fullness,
        "status": lambda status: (status is not None, status != number.stage),
        "pdf": lambda pdf: pdf is not None,
    }
    for name in ("abstract", "filed", "published", "granted", "cpc", "snippet"):
        ranks[name] = _length
    values: dict[str, Any] = {}
    for name, rank in ranks.items():
        candidates = [(rank(value), str(value), value) for value in _values(records, name)]
        values[name] = max(candidates, key=lambda one: one[:2])[2]
    providers = {name for record in records for name in record.provider.split("+") if name}
    return Patent(number=number, provider="+".join(sorted(providers)), **values)


def _values(records: Sequence[Patent], name: str) -> list[Any]:
    return [getattr(record, name) for record in records]


def _length(value: Any) -> int:
    return len(value or ())


def _fullness(names: tuple[str, ...]) -> tuple[int, bool, int]:
    """Rank a list of names: their number, not all in capitals, their length."""
    return len(names), not all(map(str.isupper, names)), sum(map(len, names))
