"""The `instant_answer` tool of the research set."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from tests.search.engines import Engines, called
from tests.search.replies import FOLDER, recorded
from webquarry.errors import BadInput
from webquarry.tool import Answer

NAMES = sorted(path.stem for path in (FOLDER / "instant").glob("*.json"))


def ask(reply: httpx2.Response, **arguments: Any) -> Answer:
    return called(Engines(instant=reply), "instant_answer", {}, **{"query": "tides"} | arguments)


def json_reply(name: str) -> httpx2.Response:
    return httpx2.Response(200, content=recorded(f"instant/{name}"))


EMPTY = httpx2.Response(
    200,
    json={
        "AbstractText": "",
        "RelatedTopics": [],
        "Results": [],
        "Answer": "",
        "Heading": "",
        "Definition": "",
    },
)


@pytest.mark.parametrize("name", NAMES)
def test_every_recorded_reply_is_an_answer_with_its_sources_and_the_mark_of_trust(
    name: str,
) -> None:
    found = ask(json_reply(name)).as_dict()

    assert found["trust"] == "untrusted-external-content"
    assert found["source"] == "DuckDuckGo Instant Answer API"
    assert all(url.startswith("https://") for url in found["urls"])
    told = found["abstract"] or found["answer"] or found["definition"] or found["topics"]
    assert bool(told) is ("hint" not in found)


def test_an_abstract_comes_with_its_source_and_topics_with_their_group() -> None:
    body = {
        "Heading": "Tide",
        "AbstractText": "Tides are the rise\u200b and fall of sea levels.",
        "AbstractSource": "Wikipedia",
        "AbstractURL": "https://en.wikipedia.org/wiki/Tide",
        "RelatedTopics": [
            {
                "Text": "Tidal power - Energy.",
                "FirstURL": "https://duckduckgo.com/Tidal_power",
                "Result": "",
            },
            {
                "Name": "Music",
                "Topics": [
                    {"Text": "Tide - A band.", "FirstURL": "https://duckduckgo.com/Tide_band"}
                ],
            },
        ],
        "Results": [],
    }
    found = ask(httpx2.Response(200, json=body)).as_dict()

    assert found == {
        "query": "tides",
        "heading": "Tide",
        "abstract": "Tides are the rise and fall of sea levels.",
        "abstractSource": "Wikipedia",
        "answer": "",
        "definition": "",
        "definitionSource": "",
        "topics": [
            {"name": "Tidal power", "text": "Energy.", "url": "https://duckduckgo.com/Tidal_power"},
            {
                "name": "Tide",
                "text": "A band.",
                "url": "https://duckduckgo.com/Tide_band",
                "group": "Music",
            },
        ],
        "urls": ["https://en.wikipedia.org/wiki/Tide"],
        "source": "DuckDuckGo Instant Answer API",
        "trust": "untrusted-external-content",
    }


def test_nothing_known_is_an_answer_with_a_hint() -> None:
    answer = ask(EMPTY)

    assert "web_search" in answer.as_dict()["hint"]
    assert answer.meta["webquarry/cache"]["maxAgeSeconds"] == 60


def test_a_blank_question_is_bad_input() -> None:
    with pytest.raises(BadInput, match="blank"):
        ask(EMPTY, query="  ")
