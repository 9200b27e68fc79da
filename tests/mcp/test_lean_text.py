"""The text of a result: mostly the content, with few bytes of metadata."""

from __future__ import annotations

import asyncio
import json
import tomllib
from pathlib import Path

import pytest

from tests.tools.pages import ARTICLE, page
from webquarry.answer_text import render_markdown
from webquarry.mcp.calls import render
from webquarry.toolkit import Toolkit
from webquarry.tools import load

WEB = Path(__file__).parents[2] / "scripts" / "recorded_web" / "web.toml"
URLS = [answer["url"] for answer in tomllib.loads(WEB.read_text("utf-8"))["answer"]]


DATED = ARTICLE.replace(
    "<head>",
    '<head><meta property="article:published_time" content="2024-05-02T09:00:00Z">',
).replace("The pilot", '<a href="/pilot">The pilot</a>', 1)


def test_truncated_page_says_how_to_continue() -> None:
    answer = page(DATED).scrape(max_length=1_000)
    last = answer.as_markdown().rstrip().splitlines()[-2]

    assert last == (
        f"Cut: {answer.content_length} of {answer.total_length} bytes; "
        f"go on with cursor {answer.next_cursor}"
    )
    thin = page("<title>x</title><p>Open on Sundays.").scrape()
    assert thin.extraction_note == "The page holds only 3 words of text."
    assert f"\nPartial: {thin.extraction_note}\n" in thin.as_markdown()
    assert thin.as_markdown().count(thin.extraction_note) == 1


def test_nested_values_are_rendered_without_json() -> None:
    data = {
        "query": "otters",
        "urls": ["https://a.example/"],
        "results": [
            {
                "title": "Otters\n# not a heading",
                "url": "https://a.example/",
                "snippet": "They eat fish.",
                "sourceReputation": {"tier": "high", "basis": "editors"},
                "authors": ["Ada Marsh", "Per Lind"],
            }
        ],
    }

    assert render_markdown(data) == (
        "- query: otters\n\n## results\n\n1. Otters # not a heading\n"
        "   - url: https://a.example/\n   - They eat fish.\n"
        "   - sourceReputation: tier high, basis editors\n   - authors: Ada Marsh, Per Lind\n"
    )


def test_combined_texts_are_not_repeated_in_their_sources() -> None:
    data = {"sources": [{"title": "A", "content": "Fish."}], "combinedContent": "# A\n\nFish.\n"}

    assert render_markdown(data).count("Fish.") == 1


@pytest.mark.parametrize("form", ["markdown", "digest"])
def test_structured_content_is_complete_in_every_text_format(form: str) -> None:
    async def run() -> None:
        async with Toolkit.open(environ={"WEBQUARRY_REPLAY": "demo"}) as kit:
            answer = await load("research", "scrape_page").call(kit, {"url": URLS[2]})
            result = await render(answer, kit, "2025-11-25", form)
            assert json.loads(result.structured or b"") == answer.as_dict()

    asyncio.run(run())
