"""The `format_bibliography` tool: the sources of a session, or given ones, as one bibliography."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.net.doubles import FakeWeb
from tests.sessions.kits import A, B, C, kit_on, run, step
from tests.tools.pages import ARTICLE, URL, sent
from webquarry.errors import BadInput, NotFound
from webquarry.evidence.page.people import Name
from webquarry.evidence.styles.csl import to_csl
from webquarry.evidence.styles.work import Work
from webquarry.sessions.models import KeptQuote, Source
from webquarry.toolkit import Toolkit
from webquarry.tools import load

PAPER = to_csl(
    Work(
        "article-journal", "Tides", (Name("Lee", "Ann"),), "Sea", doi="10.1000/abc", issued=(2024,)
    )
)


def scenario(folder: Path, work: Callable[[Toolkit], Awaitable[Any]]) -> Any:
    async def all_of_it() -> Any:
        async with kit_on(folder, FakeWeb({})) as kit:
            return await work(kit)

    return asyncio.run(all_of_it())


def of_list(*sources: Any, style: str = "apa") -> Any:
    """The answer for a given list."""
    arguments = {"sources": list(sources), "style": style}

    async def ask(kit: Toolkit) -> Any:
        answer = await load("research", "format_bibliography").call(kit, arguments)
        return answer.as_dict()

    with TemporaryDirectory() as folder:
        return scenario(Path(folder), ask)


def test_the_sources_of_a_session_are_listed_once_and_sorted(tmp_path: Path) -> None:
    async def work(kit: Toolkit) -> Any:
        id = (await step(kit, 1))["sessionId"]
        found = [
            Source(A, "Zebra tides", "2020-05-01"),
            Source(B, "Tides", csl=PAPER),
            Source("https://doi.org/10.1000/abc", "Tides, by its DOI"),
            Source(C, "An apple"),
        ]
        await kit.sessions.record(await kit.sessions.read(id), "web_search", found)
        answers = [
            (
                await run(kit, "format_bibliography", sessionId=id, style=one, include_found=True)
            ).as_dict()
            for one in ("apa", "bibtex")
        ]
        return [*answers, await kit.sessions.read(id)]

    apa, bibtex, session = scenario(tmp_path, work)

    assert apa["bibliography"] == (
        f"An apple. (n.d.). c.org. {C}\n\n"
        "Lee, A. (2024). Tides. Sea. https://doi.org/10.1000/abc\n\n"
        f"Zebra tides. (2020, May 1). a.org. {A}"
    )
    assert (apa["count"], apa["duplicates"]) == (3, 1)
    assert [entry["numbers"] for entry in apa["entries"]] == [[4], [2, 3], [1]]
    assert [entry["key"] for entry in bibtex["entries"]] == ["a2020zebra", "cndan", "lee2024tides"]
    assert "is known of 3, 4: read the page with scrape_page" in apa["hints"][0]
    assert len(session.sources) == 4


def test_only_read_or_quoted_sources_are_cited(
    tmp_path: Path,
) -> None:
    read = {**PAPER, "accessed": {"date-parts": [[2026, 3, 1]]}}

    async def work(kit: Toolkit) -> Any:
        id = (await step(kit, 1))["sessionId"]
        found = [Source(A, "Zebra tides"), Source(B, "Tides", csl=read), Source(C, "An apple")]
        session = await kit.sessions.read(id)
        await kit.sessions.record(session, "web_search", found)
        quotes = [
            KeptQuote("An apple a day is a fruit.", "typography", C),
            KeptQuote("A zebra is a striped horse.", "near", A),
        ]
        await kit.sessions.record_quotes(session, "check_quotes", quotes)
        return (await run(kit, "format_bibliography", sessionId=id)).as_dict()

    answer = scenario(tmp_path, work)

    assert "Zebra" not in answer["bibliography"]
    assert [entry["numbers"] for entry in answer["entries"]] == [[3], [2]]
    assert answer["hints"][0].startswith("1 sources were found and not read")
    assert "is known of 3: read" in answer["hints"][1]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("https://a.org/x_y", "a.org/x_y. (n.d.). a.org. https://a.org/x_y"),
        ("10.1000/ABC", "doi.org/10.1000/abc. (n.d.). https://doi.org/10.1000/abc"),
        ("doi:10.1000/abc", "doi.org/10.1000/abc. (n.d.). https://doi.org/10.1000/abc"),
        (PAPER, "Lee, A. (2024). Tides. Sea. https://doi.org/10.1000/abc"),
        (
            {
                "url": "https://a.org/p",
                "title": "P",
                "authors": ["Ann Lee", "Bo Kim"],
                "published": "2024-03-02",
            },
            "Lee, A., & Kim, B. (2024, March 2). P. a.org. https://a.org/p",
        ),
        (  # as academic_search gives it
            {
                "title": "P",
                "url": "https://a.org/p",
                "doi": "10.1000/x",
                "authors": ["Ann Lee"],
                "journal": "Sea",
                "year": 2020,
            },
            "Lee, A. (2020). P. Sea. https://doi.org/10.1000/x",
        ),
        (  # as search_and_scrape gives it
            {
                "url": "https://a.org/p",
                "title": "P",
                "publishedAt": "2024-03-02T10:00:00Z",
                "content": "x",
                "trust": "y",
            },
            "P. (2024, March 2). a.org. https://a.org/p",
        ),
        (
            {"title": "A book", "type": "book", "issued": {"date-parts": [[1999]]}},
            "A book. (1999).",
        ),
    ],
)
def test_a_source_may_be_given_in_several_forms(source: Any, expected: str) -> None:
    assert of_list(source)["bibliography"] == expected


@pytest.mark.parametrize(
    "source",
    ["tides", "ftp://a.org/x"],
)
def test_invalid_source_is_rejected_with_its_position(source: Any) -> None:
    with pytest.raises(BadInput, match="Source 2 of the list") as caught:
        of_list("https://a.org/", source)

    assert "CSL-JSON" in caught.value.suggested_action


def test_both_or_neither_a_session_and_a_list_are_refused(tmp_path: Path) -> None:
    async def both(kit: Toolkit) -> Any:
        return await run(kit, "format_bibliography", sessionId="x", sources=["https://a.org/"])

    with pytest.raises(BadInput, match=r"^Both") as caught:
        scenario(tmp_path, both)
    with pytest.raises(BadInput, match=r"^Neither"):
        scenario(tmp_path, lambda kit: run(kit, "format_bibliography", sessionId=" "))
    with pytest.raises(BadInput, match="holds 0 sources"):
        of_list()
    with pytest.raises(BadInput, match="holds 2001 sources"):
        of_list(*["https://a.org/"] * 2001)
    with pytest.raises(NotFound):
        scenario(tmp_path, lambda kit: run(kit, "format_bibliography", sessionId="s-1"))
    assert "sessionId" in caught.value.suggested_action


def test_a_secret_in_an_address_does_not_come_out() -> None:
    answer = of_list(
        "https://a.org/p?api_key=canary-1234567890abcdef",
        {"url": "https://b.org/?token=canary-1234567890", "title": "x"},
    )

    assert "canary" not in json.dumps(answer)


def test_url_that_was_read_is_cited_with_what_was_read(tmp_path: Path) -> None:
    async def read_and_cite() -> str:
        async with kit_on(tmp_path, FakeWeb({URL: sent(ARTICLE)})) as kit:
            await load("research", "scrape_page").call(kit, {"url": URL})
            answer = await load("research", "format_bibliography").call(kit, {"sources": [URL]})
            return str(answer.as_dict()["bibliography"])

    assert asyncio.run(read_and_cite()).startswith("Marsh, A. (")
