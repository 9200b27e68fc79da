"""The finder: all indexes at once, one that fails is left out and told of, and the web when all
fail.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import httpx2
import pytest

from tests.net.doubles import FakeClock
from tests.search.engines import HOMELESS, Engines, brave, failed
from tests.search.scholarly.replies import response
from webquarry._search.scholarly.finder import Finder
from webquarry._search.scholarly.models import FoundPapers, PaperQuery
from webquarry.errors import BadInput, RateLimited, WebquarryError
from webquarry.net.client import Client
from webquarry.store.cache import Cache, MemoryStore
from webquarry.toolkit import Toolkit

T = TypeVar("T")
SIX = ["arxiv", "crossref", "europepmc", "openalex", "pubmed", "semanticscholar"]
QUERY = PaperQuery("tidal energy", 10)


def pubmed(request: httpx2.Request) -> httpx2.Response:
    return response(
        "pubmed/step_200_esearch.json" if "esearch" in request.url.path else "pubmed/ok_200.xml"
    )


def indexes(**other: Any) -> Engines:
    """All six, each with its recorded answer unless another is given."""
    usual: dict[str, Any] = {
        "arxiv": response("arxiv/ok_200.xml"),
        "crossref": response("crossref/ok_200.json"),
        "europepmc": response("europepmc/ok_200.json"),
        "openalex": response("openalex/ok_200.json"),
        "pubmed": pubmed,
        "semanticscholar": response("semanticscholar/ok_200.json"),
    }
    return Engines(**usual | other)


def all_fail(**other: Any) -> Engines:
    return indexes(**dict.fromkeys(SIX, failed(500)) | other)


def used(
    engines: httpx2.AsyncBaseTransport,
    use: Callable[[Finder], Awaitable[T]],
    clock: FakeClock | None = None,
    **environ: str,
) -> T:
    """Use a finder whose indexes are these."""
    variables = (
        HOMELESS
        | {
            "retries": "0",
            "BRAVE_API_KEY": "canary-brave-1234",
            "SEARCH_PROVIDER": "brave",
        }
        | environ
    )

    async def run() -> T:
        async with Toolkit.open(environ=variables) as kit:
            kit.clock = clock or FakeClock()
            kit.client = Client(kit.settings, kit.clock, pages=engines, providers=engines)
            kit.cache = Cache([MemoryStore(1_000_000)], kit.clock)
            return await use(kit.scholar)

    return asyncio.run(run())


def found(
    engines: Engines,
    query: PaperQuery = QUERY,
    *,
    environ: dict[str, str] | None = None,
    **how: Any,
) -> FoundPapers:
    variables: Any = environ or {}
    return used(engines, lambda finder: finder.find(query, **how), **variables)


def test_all_six_are_asked_and_their_records_merged() -> None:
    engines = indexes()
    answer = found(engines)

    assert sorted(set(engines.names)) == SIX
    assert engines.names.count("pubmed") == 2
    dois = [paper.doi for paper in answer.results if paper.doi]
    assert len(dois) == len(set(dois))
    tides = next(paper for paper in answer.results if paper.doi == "10.5555/jce.2023.0042")
    assert {"crossref", "openalex"} & set(tides.origins.values())
    assert list(answer.order) == SIX
    assert [attempt.outcome for attempt in answer.attempts] == ["ok"] * 6
    assert not answer.partial


@pytest.mark.parametrize("down", SIX)
def test_failed_index_is_left_out_with_a_note(down: str) -> None:
    answer = found(indexes(**{down: failed(500)}))

    assert answer.results
    assert answer.partial
    assert [one.provider for one in answer.attempts if one.outcome == "network"] == [down]
    assert len(answer.notes) == 1
    assert "is left out: network" in answer.notes[0]
    assert down not in answer.provider.split(",")
    assert not answer.is_fallback


def test_filters_hold_whatever_an_index_did() -> None:
    every = found(indexes()).results
    assert {paper.year for paper in every} >= {2018, 2023, None}

    assert {
        paper.year for paper in found(indexes(), PaperQuery("x", 10, year_from=2019)).results
    } <= set(range(2019, 2100))
    assert {
        paper.year for paper in found(indexes(), PaperQuery("x", 10, year_to=2018)).results
    } == {
        2002,
        2018,
    }
    assert all(
        paper.pdf_url for paper in found(indexes(), PaperQuery("x", 10, with_pdf=True)).results
    )
    assert all(
        paper.open_access
        for paper in found(indexes(), PaperQuery("x", 10, open_access=True)).results
    )


def test_by_date_the_newest_comes_first_and_the_undated_last() -> None:
    years = [
        paper.year for paper in found(indexes(), PaperQuery("x", 10, newest_first=True)).results
    ]

    assert years == sorted((year for year in years if year), reverse=True) + [None] * years.count(
        None
    )
    assert years.count(None) == 1


def test_a_source_is_asked_alone_and_so_is_a_provider() -> None:
    ways: list[dict[str, Any]] = [
        {"source": "arxiv"},
        {"provider": "arXiv"},
        {"source": "pubmed", "provider": "arxiv"},
    ]
    for how in ways:
        engines = indexes()
        answer = found(engines, **how)
        assert engines.names == ["arxiv"]
        assert {paper.source for paper in answer.results} == {"arxiv"}


def test_unknown_index_is_bad_input_that_lists_the_known_ones() -> None:
    engines = indexes()
    with pytest.raises(BadInput) as caught:
        found(engines, provider="google")

    assert "semanticscholar" in caught.value.suggested_action
    assert engines.names == []


# When all fail


def test_when_all_fail_the_web_is_searched_on_scholarly_sites() -> None:
    pages = (
        "https://arxiv.org/pdf/2209.00042v1",
        "https://www.nature.com/articles/s41586-020-1",
        "https://evil.example/x",
    )
    engines = all_fail(brave=brave(*pages, page_age="2022-09-01T00:00:00"))
    answer = found(engines)

    assert answer.is_fallback
    assert answer.provider == "brave"
    assert "brave" in engines.names
    first, second = answer.results
    assert (first.arxiv_id, first.url, first.pdf_url, first.year) == (
        "2209.00042", "https://arxiv.org/abs/2209.00042", pages[0], 2022,
    )  # fmt: skip
    assert second.doi == "10.1038/s41586-020-1"
    assert (first.source, first.abstract) == ("brave", "")
    assert "the web was searched on scholarly sites" in answer.notes[0]
    assert [one.provider for one in answer.attempts] == [*SIX, "brave"]


def test_a_named_provider_is_never_replaced() -> None:
    engines = all_fail(
        arxiv=response("arxiv/rate_limited_200_rate_exceeded.txt"),
        brave=brave("https://arxiv.org/abs/1"),
    )
    with pytest.raises(RateLimited) as caught:
        found(engines, provider="arxiv")

    assert caught.value.provider == "arxiv"
    assert "brave" not in engines.names
    assert "openalex" in caught.value.suggested_action


def test_when_the_web_fails_too_the_error_names_everybody() -> None:
    with pytest.raises(WebquarryError) as caught:
        found(all_fail(brave=failed(500)))

    for name in [*SIX, "brave"]:
        assert name in caught.value.message
    assert [one.provider for one in caught.value.attempts] == [*SIX, "brave"]


def test_a_key_that_an_index_sends_back_is_concealed() -> None:
    key = "canary-openalex-1234"
    body = response("openalex/ok_200.json").content.replace(
        b"Harbour currents", f"Harbour {key}".encode()
    )
    engines = indexes(
        openalex=httpx2.Response(200, headers={"content-type": "application/json"}, content=body)
    )
    answer = found(engines, environ={"OPENALEX_API_KEY": key})

    assert any("Harbour ***" in paper.title for paper in answer.results)
    assert key not in repr(answer)


# The cache


def repeated(engines: Engines, after: float, **environ: str) -> tuple[FoundPapers, FoundPapers]:
    clock = FakeClock()

    async def use(finder: Finder) -> tuple[FoundPapers, FoundPapers]:
        first = await finder.find(QUERY)
        clock.seconds += after
        return first, await finder.find(QUERY)

    return used(engines, use, clock, **environ)


def test_a_whole_answer_is_good_for_an_hour_and_the_same_again() -> None:
    first, second = repeated(indexes(), 3500)

    assert (first.cached, second.cached) == (False, True)
    assert (second.max_age_seconds, second.results) == (3600, first.results)
    assert not repeated(indexes(), 3700)[1].cached


@pytest.mark.parametrize(
    ("engines", "seconds"),
    [
        (lambda: indexes(semanticscholar=failed(500)), 600),
        (lambda: all_fail(brave=brave("https://arxiv.org/abs/2209.00042")), 60),
        (
            lambda: indexes(
                **{
                    name: response(f"{name}/empty_200.{'xml' if name == 'arxiv' else 'json'}")
                    for name in SIX
                },
            ),
            60,
        ),
    ],
    ids=["one is missing", "by the web", "nothing"],
)
def test_less_than_that_is_good_for_less(engines: Callable[[], Engines], seconds: int) -> None:
    first, second = repeated(engines(), seconds - 20)

    assert (first.max_age_seconds, second.cached) == (seconds, True)
    assert not repeated(engines(), seconds + 20)[1].cached
