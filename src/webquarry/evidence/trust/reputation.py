"""Known reliability of hosts, as rated by the editors of Wikipedia (data/reputation).

Ratings are by registrable domain, so `news.example.co.uk` is `example.co.uk`. A host without a
rating is unknown, not bad. The editors decide what Wikipedia may cite: hosts that they exclude for
their kind (wikis, user-generated content, preprints) are `mixed`, with the kind as basis; only
hosts that they find unreliable are `low`.
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
USER_GENERATED = "user-generated content"
PREPRINTS = "preprints and manuscripts, not peer reviewed"
# Hosts that the editors rate as a kind of source, or that they do not cite because they are of such
# a kind. Their contents vary, so their tier is `mixed`.
_KINDS = {
    TERTIARY: """
        citizendium.org dbpedia.org wikibooks.org wikidata.org wikimedia.org wikipedia.org
        wikiquote.org wikivoyage.org wikiwand.com wiktionary.org
    """,
    USER_GENERATED: """
        ancestry.com answers.com askubuntu.com baike.baidu.com blog.naver.com blogger.com
        blogspot.com cafe.naver.com change.org city-data.com crunchbase.com deviantart.com
        discogs.com everything2.com facebook.com familysearch.org fandom.com findagrave.com
        findmypast.co.uk findmypast.com flickr.com geni.com glitchwave.com gofundme.com
        goodreads.com imdb.com inaturalist.org indiegogo.com instagram.com kickstarter.com
        knowyourmeme.com last.fm linkedin.com livejournal.com mathoverflow.net medium.com
        metal-archives.com progarchives.com quora.com rateyourmusic.com reddit.com
        rigvedawiki.net scribd.com serverfault.com setlist.fm songmeanings.com sonemic.com
        sourcewatch.org stackexchange.com stackoverflow.com superuser.com tiktok.com
        tvtropes.org twitter.com urbandictionary.com whosampled.com wikia.com wikia.org
        wikicities.com wikinews.org wordpress.com x.com youtube.com
    """,
    PREPRINTS: """
        academia.edu arxiv.org biorxiv.org chemrxiv.org medrxiv.org osf.io preprints.org
        psyarxiv.com researchgate.net ssrn.com techrxiv.org
    """,
}
_KIND_OF = {domain: kind for kind, domains in _KINDS.items() for domain in domains.split()}


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
    kind = _KIND_OF.get(host) or _KIND_OF.get(domain)
    if kind is not None:
        return Reputation("mixed", kind)
    tiers = _read_tiers()
    tier = tiers.get(host) or tiers.get(domain)  # some ratings are of a single host
    return Reputation(tier) if tier else None


@cache
def _read_tiers() -> dict[str, Tier]:
    path = Path(__file__).parents[2] / "data" / "reputation" / "wikipedia-editors.csv"
    rows = csv.DictReader(path.read_text("utf-8").splitlines())
    return {row["domain"]: cast(Tier, row["tier"]) for row in rows}
