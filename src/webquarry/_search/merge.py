"""One page, one result: ranked lists of results in, one list without repetitions out.

Two addresses of one page (`identity`) are one result. It keeps the best rank that any list gave it
and the text of the first list that had it; only a date that the first one lacked is taken from
another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from webquarry._search.models import Result

IdentifiedResult = tuple[str, Result]  # with the identity of its page


def merge(lists: Iterable[Sequence[IdentifiedResult]]) -> list[Result]:
    """The results of all lists, the best ranked first; of equally ranked ones that of the earlier
    list.
    """
    found: dict[str, Result] = {}
    places: dict[str, tuple[int, int]] = {}
    for number, results in enumerate(lists):
        for rank, (page, result) in enumerate(results):
            first = found.setdefault(page, result)
            if first.published is None and result.published is not None:
                found[page] = replace(first, published=result.published)
            place = (rank, number)
            places[page] = min(places.get(page, place), place)
    ordered = sorted(found, key=places.__getitem__)
    return [found[page] for page in ordered]
