"""Known reliability of hosts, as rated by the editors of Wikipedia (data/reputation).

Ratings are by registrable domain, so `news.example.co.uk` is `example.co.uk`. A host without a
rating is unknown, not bad. Wikipedia and similar sites, which the editors do not rate, are tertiary
sources.
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
_TERTIARY_DOMAINS = frozenset(
    """
    citizendium.org dbpedia.org wikibooks.org wikidata.org wikimedia.org wikipedia.org
    wikiquote.org wikivoyage.org wikiwand.com wiktionary.org
    """.split()  # noqa: SIM905
)


@dataclass(frozen=True)
class Reputation:
    """The reliability of a host."""

    tier: Tier
    basis: str = BASIS


def reputation_of(url: str) -> Reputation | None:
    """Return the reputation of the host of a URL."""
    try:
        host = split_host(url)[1].rstrip(".")
    except ValueError:
        return None
    domain = registrable_domain(host)
    if domain in _TERTIARY_DOMAINS:
        return Reputation("mixed", TERTIARY)
    tiers = _read_tiers()
    tier = tiers.get(host) or tiers.get(domain)  # some ratings are of a single host
    return Reputation(tier) if tier else None


@cache
def _read_tiers() -> dict[str, Tier]:
    path = Path(__file__).parents[2] / "data" / "reputation" / "wikipedia-editors.csv"
    rows = csv.DictReader(path.read_text("utf-8").splitlines())
    return {row["domain"]: cast(Tier, row["tier"]) for row in rows}
