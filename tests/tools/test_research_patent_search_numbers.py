"""The `patent_search` tool: a number means that patent and no other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from tests.search.engines import Engines
from tests.search.patents.recorded import KEYS, LENS_ONLY
from tests.tools.patents import BRAVE, FOUND, LENS, LOGIN, NO_EPO, answered, numbers, routing

PAGE = (Path(__file__).parent.parent / "evidence" / "patent_page.html").read_text("utf-8")


def pages(
    found: str | None = None, status: int = 404
) -> Callable[[httpx2.Request], httpx2.Response]:
    """patents.google.com: one page for every number, or none."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        if request.url.path == "/robots.txt":
            return httpx2.Response(404)
        return httpx2.Response(200, html=found) if found else httpx2.Response(status)

    return answer


def test_a_number_is_looked_up_in_the_registers() -> None:
    engines = Engines(epo=[LOGIN, NO_EPO], lens=LENS)
    answer = answered(engines, KEYS, query="US 10,999,999")

    assert numbers(answer) == ["US10999999B2"]
    assert any(
        "/publication/epodoc/US10999999/" in str(request.url) for _, request in engines.asked
    )


@pytest.mark.parametrize("query", ["US10999998B2", "US10999999B1", "EP10999999", "WO2020123456"])
def test_a_similar_number_is_not_the_number(query: str) -> None:
    assert numbers(answered(Engines(lens=LENS), LENS_ONLY, query=query)) == []


def test_without_a_register_a_number_is_read_off_its_page() -> None:
    engines = Engines(pages=pages(PAGE))
    answer = answered(engines, {}, query="us10999999b2")
    (patent,) = answer.as_dict()["patents"]

    assert (patent["number"], patent["assignee"], patent["pdf"][-14:]) == (
        "US10999999B2",
        "Tideworks Ltd",
        "US10999999.pdf",
    )
    assert routing(answer)["providerUsed"] == "google_patents"
    assert "No patent service is configured" in routing(answer)["notes"][0]


def test_unknown_number_is_empty_without_a_search() -> None:
    engines = Engines(pages=pages(), brave=FOUND)
    answer = answered(engines, BRAVE, query="US10999997B2")

    assert numbers(answer) == []
    assert set(engines.names) == {"pages"}
    assert answer.as_dict()["hints"]["reason"] == "no_match"
