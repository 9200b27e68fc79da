"""Of the structured data of a page an answer has the most useful, and not what it says anyway."""

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
PRODUCT = {
    "@context": "https://schema.org",
    "@type": "Product",
    "description": "A battery. " * 30,
    "image": ["https://s.example/1.jpg", "https://s.example/2.jpg"],
    "manufacturerNote": "long " * 60,
    "name": "Slack 48",
    "offers": {
        "@type": "Offer",
        "url": "https://s.example/48",
        "availability": "https://schema.org/InStock",
        "priceCurrency": "EUR",
        "price": "4890.00",
    },
    "aggregateRating": {"@type": "AggregateRating", "reviewCount": 12, "ratingValue": "4.6"},
}


def shorten(json_ld: list[Any] | None = None, **tags: Any) -> dict[str, Any]:
    whole = {"jsonLd": json_ld, **tags}
    return shorten_structured_data(
        {name: value for name, value in whole.items() if value}, METADATA, CITED
    )


def size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def test_price_rating_and_type_of_a_product_stay_and_pictures_and_prose_go() -> None:
    short = shorten([PRODUCT])

    (kept,) = short["jsonLd"]
    assert kept["@type"] == "Product"
    assert kept["offers"]["price"] == "4890.00"
    assert kept["aggregateRating"]["ratingValue"] == "4.6"
    assert not {"image", "description", "name", "@context"} & set(kept)
    assert short["more"] is True


def test_what_metadata_and_citation_say_is_not_said_again() -> None:
    article = {
        "@type": "NewsArticle",
        "headline": "Slack  48",
        "author": {"@type": "Person", "name": "Ada Marsh"},
        "datePublished": "2024-05-02",
        "articleSection": "Energy",
    }
    graph = {"og:title": "Slack 48", "og:site_name": "Chandlery", "article:section": "Energy"}
    tags = {"citation_title": "Slack 48", "citation_pdf_url": "https://s.example/48.pdf"}

    short = shorten([article], openGraph=graph, citation=tags)

    assert short == {
        "jsonLd": [{"@type": "NewsArticle", "articleSection": "Energy"}],
        "openGraph": {"article:section": "Energy"},
        "citation": {"citation_pdf_url": "https://s.example/48.pdf"},
        "more": True,
    }


def test_what_nothing_else_says_stays() -> None:
    whole = {"jsonLd": [{"@type": "Report", "headline": "Another title", "datePublished": "2024"}]}

    assert shorten_structured_data(whole, {}, {"url": "https://s.example/"}) == whole


@pytest.mark.parametrize(
    "json_ld",
    [
        [PRODUCT] * 50,
        [[[[PRODUCT]]]],
        [{"@graph": [PRODUCT, {"@type": ["Event", "Thing"], "startDate": "2026-11-16"}]}],
        [{"@type": "Recipe", "recipeIngredient": ["butter"] * 500}],
        [{f"key{number}": "é" * 50 for number in range(300)}],
        ["text", 5, None, True, {}],
        [{"@type": "Thing", "offers": {"offers": {"offers": {"offers": {"price": 1}}}}}],
    ],
)
def test_it_is_never_longer_than_it_may_be(json_ld: list[Any]) -> None:
    short = shorten(json_ld, openGraph={f"og:x{number}": "y" * 20 for number in range(50)})

    assert size(short) <= MOST_BYTES
    assert short["more"] is True
