"""The `patent_search` tool: the web in the place of registers, providers by name, and filters that
hold on both.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.search.engines import Engines
from tests.search.patents.recorded import KEYS, LENS_ONLY
from tests.tools.patents import (
    BRAVE,
    EPO,
    FOUND,
    LENS,
    LOGIN,
    G,
    answered,
    numbers,
    routing,
)


def test_without_a_register_the_web_is_searched_on_patent_sites_and_that_is_said() -> None:
    engines = Engines(brave=FOUND)
    answer = answered(engines, BRAVE)

    assert numbers(answer) == ["US10999999B2", "WO2019048999A1", "EP3456789A1"]
    assert "site:patents.google.com" in engines.sent()["q"]
    assert routing(answer)["providerUsed"] == "brave"
    assert routing(answer)["fallback"] is True
    assert "LENS_API_TOKEN was not found" in routing(answer)["fallbackReason"]
    assert "No patent service is configured" in routing(answer)["notes"][0]
    assert answer.as_dict()["patents"][1] == {
        "title": f"Title of {G}WO2019048999A1/en",
        "number": "WO2019048999A1",
        "url": f"{G}WO2019048999A1/en",
        "status": "application",
        "snippet": f"About {G}WO2019048999A1/en.",
    }


@pytest.mark.parametrize(
    ("provider", "asked"), [("lens", {"lens"}), ("web", {"brave"}), ("brave", {"brave"})]
)
def test_a_provider_that_is_named_is_the_only_one_asked(provider: str, asked: set[str]) -> None:
    engines = Engines(epo=[LOGIN, EPO], lens=LENS, brave=FOUND)
    answer = answered(engines, KEYS | BRAVE, provider=provider)

    assert set(engines.names) == asked
    assert routing(answer)["fallback"] is False
    assert routing(answer)["notes"] == []


@pytest.mark.parametrize(
    "arguments",
    [{"patent_office": "JP"}, {"year_to": 2020}],
)
def test_filters_hold_on_what_a_register_sends_all_the_same(arguments: dict[str, Any]) -> None:
    assert numbers(answered(Engines(lens=LENS), LENS_ONLY, **arguments)) == []
    assert numbers(answered(Engines(lens=LENS), LENS_ONLY, cpc_code="F03B", year_from=2021)) == [
        "US10999999B2"
    ]
