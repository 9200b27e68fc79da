"""The structured data of an answer: short and whole, or a note that there is more."""

from __future__ import annotations

import json
from typing import Any

import pytest

from webquarry.evidence.page.structured import MOST_BYTES, shorten_structured_data

METADATA = {"title": "Slack 48", "author": "Ada Marsh", "published": {"value": "2024-05-02"}}
CITED = {
    "url": "https://s.example/48",
    "metadata": {"title": "Slack 48", "author": "Ada Marsh", "site": "Chandlery", "date": "2024"},
}
OFFER = {"@type": "Offer", "price": "4890.00", "url": "https://s.example/48"}


def shorten(json_ld: list[Any] | None = None, **tags: Any) -> dict[str, Any]:
    whole = {"jsonLd": json_ld, **tags}
    return shorten_structured_data(
        {name: value for name, value in whole.items() if value}, METADATA, CITED
    )


def size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def test_small_json_ld_blocks_are_returned_unchanged() -> None:
    blocks = [OFFER, {"@type": "Report", "headline": "Slack 48"}]

    assert shorten(blocks) == {"jsonLd": blocks}


@pytest.mark.parametrize("blocks", [[OFFER] * 4, [OFFER, {"description": "A battery. " * 30}]])
def test_json_ld_blocks_that_do_not_fit_together_are_all_left_out(blocks: list[Any]) -> None:
    assert shorten(blocks) == {"more": True}


def test_tags_that_metadata_and_citation_repeat_are_left_out() -> None:
    graph = {"og:title": "Slack 48", "og:site_name": "Chandlery", "article:section": "Energy"}
    tags = {"citation_title": "Slack 48", "citation_pdf_url": "https://s.example/48.pdf"}

    assert shorten(openGraph=graph, citation=tags) == {
        "openGraph": {"article:section": "Energy"},
        "citation": {"citation_pdf_url": "https://s.example/48.pdf"},
        "more": True,
    }


@pytest.mark.parametrize(
    "json_ld",
    [
        [OFFER] * 50,
        [{f"key{number}": "é" * 50 for number in range(300)}],
        ["text", 5, None, True, {}],
    ],
)
def test_short_form_is_never_longer_than_its_limit(json_ld: list[Any]) -> None:
    short = shorten(json_ld, openGraph={f"og:x{number}": "y" * 20 for number in range(50)})

    assert size(short) <= MOST_BYTES
    assert short["more"] is True
