"""A query that is longer than a provider takes: who is asked first, and what of it is asked.

Those who take it whole come first. For the others it is cut behind its last word that fits, and a
note says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from webquarry._search.models import Query
from webquarry._search.provider import Provider


def put_takers_first(
    names: Sequence[str], query: Query, providers: Mapping[str, Provider]
) -> tuple[str, ...]:
    """The names, those who can be asked for the whole query before those who cannot."""
    takers = []
    for name in names:
        provider = providers[name]
        if provider.configured and provider.takes(query):
            takers.append(name)
    others = [name for name in names if name not in takers]
    if all(providers[name].takes(query) for name in others):
        return tuple(names)
    return (*takers, *others)


def cut_query(query: Query, provider: Provider) -> tuple[Query, list[str]]:
    """The query as long as the provider takes it, and a note where that is less than all of it.
    One of which nothing fits is left as it is: the provider says why it cannot be asked.
    """
    if provider.takes(query):
        return query, []
    text = query.text
    fits = 0
    too_many = len(text)
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        if provider.takes(replace(query, text=text[:middle].rstrip())):
            fits = middle
        else:
            too_many = middle
    words = text[:fits].rstrip()
    if not text[fits].isspace() and " " in words:
        words = words.rpartition(" ")[0].rstrip()  # no half word
    if words.count('"') % 2:
        words = "".join(words.rsplit('"', 1)).strip()  # a phrase that is cut is none
    if not words:
        return query, []
    note = (
        f"{provider.label} takes at most {provider.query_limit} in a query: the first {len(words)} "
        f"of {len(text)} characters were searched for."
    )
    return replace(query, text=words), [note]
