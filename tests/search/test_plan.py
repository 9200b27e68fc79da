"""Who is asked, in which order."""

from __future__ import annotations

from pathlib import Path

import pytest

from webquarry._search.lenses import load_lenses
from webquarry._search.plan import (
    PREFERRED,
    default_order,
    order_for,
)
from webquarry._search.provider import Provider
from webquarry.errors import BadInput
from webquarry.registry import members_of
from webquarry.settings import Settings

NOWHERE = {"HOME": "/nonexistent"}


def providers(**keys: str) -> dict[str, Provider]:
    kinds: list[type[Provider]] = members_of("webquarry._search.providers", Provider)
    settings = Settings.from_environment(keys)
    return {kind.name: kind.configure(settings, NOWHERE | keys) for kind in kinds}


def order(kind: str = "web", **environ: str) -> tuple[tuple[str, ...], str]:
    return order_for(kind, Settings.from_environment(environ), providers(**environ))


def test_without_keys_duckduckgo_is_asked() -> None:
    assert order() == (("duckduckgo",), "what is configured")


def test_those_with_a_key_come_first_and_duckduckgo_last() -> None:
    keys = dict.fromkeys(
        (
            "SERPER_API_KEY",
            "EXA_API_KEY",
            "BRAVE_API_KEY",
            "TAVILY_API_KEY",
            "SEARCHAPI_API_KEY",
            "GOOGLE_SEARCH_API_KEY",
            "GOOGLE_SEARCH_ENGINE_ID",
        ),
        "canary-1234",
    )
    assert order(**keys, SEARXNG_URL="http://127.0.0.1:8888")[0] == (
        "brave", "tavily", "exa", "serper", "searchapi", "google", "searxng", "duckduckgo",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("called", "name"),
    [
        ("wikipedia", "mediawiki"),
        ("Hacker News", "hackernews"),
        ("hacker-news", "hackernews"),
        ("searchapi.io", "searchapi"),
        ("DDG", "duckduckgo"),
        ("DuckDuckGo", "duckduckgo"),
    ],
)
def test_a_provider_answers_to_the_names_that_people_call_it(called: str, name: str) -> None:
    assert order(SEARCH_PROVIDER=called)[0] == (name,)
    assert order(SEARCH_ROUTING=f"{called},brave,{name}")[0] == (name, "brave")


def test_a_provider_from_another_package_comes_before_duckduckgo() -> None:
    known = providers(BRAVE_API_KEY="canary-1234")
    known["acorn"] = known["duckduckgo"]

    assert default_order(known) == ("brave", "acorn", "duckduckgo")


def test_search_provider_means_that_one_and_no_other() -> None:
    assert order(SEARCH_PROVIDER="Tavily", BRAVE_API_KEY="canary-1234") == (
        ("tavily",),
        "set by SEARCH_PROVIDER",
    )


@pytest.mark.parametrize(
    "value",
    [
        "brave, google ,duckduckgo,brave",
        '["brave","google","duckduckgo"]',
        '{"web": "brave,google,duckduckgo"}',
    ],
)
def test_search_routing_is_a_list_in_order_and_counts_for_more_than_search_provider(
    value: str,
) -> None:
    assert order(SEARCH_ROUTING=value, SEARCH_PROVIDER="exa") == (
        ("brave", "google", "duckduckgo"),
        "set by SEARCH_ROUTING",
    )


def test_search_routing_by_kind_counts_for_its_kind_alone() -> None:
    value = '{"web": ["tavily", "duckduckgo"], "academic": ["brave"]}'

    assert order("web", SEARCH_ROUTING=value)[0] == ("tavily", "duckduckgo")
    assert order("academic", SEARCH_ROUTING=value)[0] == ("brave",)
    assert order("patents", SEARCH_ROUTING=value)[0] == ("duckduckgo",)
    assert order("patents", SEARCH_ROUTING=value, SEARCH_PROVIDER="exa")[0] == ("exa",)


@pytest.mark.parametrize("value", ["{", '{"wep": ["brave"]}', '{"web": []}', '{"web": [1]}', ","])
def test_unusable_routing_is_an_error_that_names_the_setting(value: str) -> None:
    with pytest.raises(BadInput, match="SEARCH_ROUTING is not usable"):
        order(SEARCH_ROUTING=value)


@pytest.mark.parametrize(
    "setting", [{"SEARCH_ROUTING": "brave,acorn"}, {"SEARCH_PROVIDER": "acorn"}]
)
def test_unknown_provider_name_is_an_error(setting: dict[str, str]) -> None:
    with pytest.raises(BadInput, match="no search provider 'acorn'"):
        order(**setting)


def test_the_page_on_searching_names_the_order_and_every_lens() -> None:
    page = (Path(__file__).parents[2] / "docs" / "search.md").read_text("utf-8")

    assert ", ".join(PREFERRED) in page
    assert [name for name in load_lenses() if name not in page] == []
