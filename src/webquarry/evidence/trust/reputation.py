"""How reliable a host is known to be: a host name in, a tier with its basis out, or nothing.

The list (data/reputation, with its notice) is the judgement of Wikipedia's editors. It is looked up
by registrable domain, so `news.example.co.uk` is `example.co.uk`. Absence means unknown, not bad.

The editors cite neither themselves nor other summaries that anybody can edit, which says nothing of
how good those are: they are tertiary sources, good to begin with and not to end with.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, cast

from webquarry._search.addresses import split_host
from webquarry.net.domains import registrable_domain

Tier = Literal["high", "mixed", "low"]

BASIS = "Wikipedia editors' assessment of the source, August 2026 (CC BY-SA 4.0)"

TERTIARY = "tertiary source"
# Wikipedia, its sister projects that sum up what others say, and those that show it elsewhere.
_TERTIARY_DOMAINS = frozenset(
    {
        "citizendium.org",
        "dbpedia.org",
        "wikibooks.org",
        "wikidata.org",
        "wikimedia.org",
        "wikipedia.org",
        "wikiquote.org",
        "wikivoyage.org",
        "wikiwand.com",
        "wiktionary.org",
    }
)


@dataclass(frozen=True)
class Reputation:
    """A host's known reliability."""

    tier: Tier
    basis: str = BASIS


def reputation_of(url: str) -> Reputation | None:
    """The reputation of the site a URL belongs to."""
    try:
        host = split_host(url)[1].rstrip(".")
    except ValueError:
        return None
    domain = registrable_domain(host)
    if domain in _TERTIARY_DOMAINS:
        return Reputation("mixed", TERTIARY)
    tiers = _read_tiers()
    if host in tiers:  # some lists name a section's host of its own
        return Reputation(tiers[host])
    if domain in tiers:
        return Reputation(tiers[domain])
    return None


@cache
def _read_tiers() -> dict[str, Tier]:
    """The tier of each domain of the list."""
    path = Path(__file__).parents[2] / "data" / "reputation" / "wikipedia-editors.csv"
    rows = csv.reader(path.read_text("utf-8").splitlines())
    names = next(rows)
    domain, tier = names.index("domain"), names.index("tier")
    return {row[domain]: cast(Tier, row[tier]) for row in rows}
