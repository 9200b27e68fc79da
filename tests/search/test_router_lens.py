"""Searches through a lens: its domains are asked for in the way each provider takes them, and hold
on what comes back.
"""

from __future__ import annotations

import re
from typing import Any

import httpx2
import pytest

from tests.search.engines import KEYS, Engines, brave, failed, google, routed
from webquarry._search.lenses import Lens, load_lenses
from webquarry._search.models import Found, Query
from webquarry._search.paging import MOST_GROUPS, split_domains
from webquarry._search.providers.brave import Brave
from webquarry.errors import BadInput, RateLimited

BRAVE = KEYS | {"SEARCH_PROVIDER": "brave"}
ACADEMIC = load_lenses()["academic"]


def lens(**fields: Any) -> Lens:
    return Lens.parse({"name": "mine", "description": "d", "domains": ["a.org", "b.org"], **fields})


def route(engines: Engines, chosen: Lens, environ: dict[str, str] = BRAVE, **choice: Any) -> Found:
    query = Query("tides", 5, allowed_domains=choice.pop("site", ()))
    return routed(engines, lambda router: router.route(query, lens=chosen, **choice), environ)


def sites(text: str) -> list[str]:
    return re.findall(r"(?<!-)site:(\S+)", text)


def test_the_domains_are_asked_for_as_operators_and_results_outside_are_dropped() -> None:
    engines = Engines(
        brave=brave(
            "https://a.org/1",
            "https://evil.com/",
            "https://docs.b.org/2",
            "https://nota.org/",
            "https://b.org.evil.com/",
        )
    )
    found = route(engines, lens())

    assert sites(engines.sent()["q"]) == ["a.org", "b.org"]
    assert [result.url for result in found.results] == ["https://a.org/1", "https://docs.b.org/2"]


def test_lens_overrides_site_with_a_note() -> None:
    engines = Engines(brave=brave("https://a.org/1", "https://c.org/"))
    found = route(engines, lens(), site=("c.org",))

    assert [result.url for result in found.results] == ["https://a.org/1"]
    assert found.notes[0] == "`site` was not applied, because the lens 'mine' takes its place."


def test_a_lens_with_an_engine_goes_to_google_with_that_engine_and_no_operators() -> None:
    engines = Engines(
        google=google("https://a.org/1", "https://evil.com/"), brave=brave("https://a.org/2")
    )
    found = route(engines, lens(cx="abc:123"))

    assert engines.names == ["google"]
    assert engines.sent()["cx"] == "abc:123"
    assert not {"siteSearch"} & set(engines.sent())
    assert sites(engines.sent()["q"]) == []
    assert [result.url for result in found.results] == ["https://a.org/1"]
    assert found.because == "the lens 'mine' has an engine of its own"


def test_a_lens_with_a_routing_of_its_own_is_asked_for_there() -> None:
    engines = Engines(tavily=failed(500), google=google("https://a.org/1"))
    found = route(engines, lens(routing=["tavily", "google"]))

    assert engines.names == ["tavily", "google"]
    assert found.because == "the routing of the lens 'mine'"


def test_lens_routing_with_an_unknown_provider_is_an_error() -> None:
    with pytest.raises(BadInput, match="no search provider 'acorn'"):
        route(Engines(), lens(routing=["acorn"]))


# Lists of domains that are too long for one query


def test_a_long_lens_is_asked_for_in_groups_in_its_own_order_until_there_is_enough() -> None:
    engines = Engines(
        brave=[
            brave("https://arxiv.org/1"),
            brave("https://ieee.org/2"),
            brave("https://acm.org/3"),
        ]
    )
    found = route(engines, ACADEMIC)

    asked = [sites(engines.sent(number)["q"]) for number in range(len(engines.asked))]
    assert 1 < len(asked) <= MOST_GROUPS
    assert [domain for group in asked for domain in group] == ACADEMIC.domains
    assert len(found.results) == len(asked)


def test_a_group_that_fails_costs_only_itself_unless_it_is_the_first() -> None:
    limit = httpx2.Response(429, json={"error": {"code": "RATE_LIMITED", "detail": "slow down"}})
    found = route(Engines(brave=[brave("https://arxiv.org/1"), limit]), ACADEMIC)

    assert [result.url for result in found.results] == ["https://arxiv.org/1"]
    assert "Group 2 of the domains of Brave Search failed" in found.notes[0]
    with pytest.raises(RateLimited):
        route(Engines(brave=[limit, brave("https://arxiv.org/1")]), ACADEMIC)


@pytest.mark.parametrize("name", list(load_lenses()))
def test_every_built_in_lens_reaches_brave_in_requests_that_name_its_domains(name: str) -> None:
    provider = Brave.configure(*_configured())
    domains = tuple(load_lenses()[name].domains)
    groups = split_domains(provider, Query("how do they measure it", allowed_domains=domains))

    assert len(groups) <= MOST_GROUPS
    assert all(groups)
    assert domains[: sum(map(len, groups))] == tuple(domain for group in groups for domain in group)
    assert sum(map(len, groups)) > len(domains) / 2


def _configured() -> Any:
    from webquarry.settings import Settings

    return Settings(), KEYS | {"HOME": "/nonexistent"}
