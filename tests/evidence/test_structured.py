"""The machine-readable part of a page is given as the page has it."""

from __future__ import annotations

import json

import pytest

from tests.evidence.pages_at_hand import URL, linked, recorded, with_head
from webquarry._read.html.parse import Document, parse_html
from webquarry.evidence.models import StructuredData
from webquarry.evidence.page.markup import Markup
from webquarry.evidence.page.structured import read_structured_data


def structured(page: str | Document) -> StructuredData | None:
    document = parse_html(page) if isinstance(page, str) else page
    found = read_structured_data(Markup(URL, document))
    if found is None:
        return None
    shape = StructuredData.from_json(found)
    assert shape.as_dict() == found
    return shape


def test_a_page_without_any_has_none() -> None:
    assert structured(recorded("no-metadata.html")) is None
    assert read_structured_data(Markup(URL)) is None


def test_json_ld_blocks_are_the_values_they_hold_with_their_nulls() -> None:
    block = {
        "@type": "Article",
        "headline": "Tides & <i>waves</i>",
        "image": None,
        "n": [1, 2.5, True],
        "é": "\u200b",
    }
    found = structured(with_head(linked(json.dumps(block, ensure_ascii=False)), linked("[]")))

    assert found is not None
    assert found.as_dict() == {"jsonLd": [block, []]}


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1,}',
        "<!-- {} -->",
        '{"a": NaN}',
        '{"a": 1e999}',
        "[" * 100 + "]" * 100,
        "[" * 100_000,
        "{",
    ],
)
def test_invalid_json_is_skipped_and_counted(text: str) -> None:
    found = structured(with_head(linked(text), linked('{"b": 2}')))

    assert found is not None
    assert (found.json_ld, found.skipped) == ([{"b": 2}], 1)


def test_a_lone_surrogate_does_not_break_the_answer() -> None:
    found = structured(with_head(linked(r'{"a\ud800": "\udfff \ud83d\ude00"}')))

    assert found is not None
    assert "😀" in str(found.as_dict())


def test_blocks_beyond_the_limit_are_skipped_and_counted() -> None:
    block = linked(json.dumps({"text": "x" * 150_000}))
    found = structured(with_head(block, block, linked("{}")))

    assert found is not None
    assert found.json_ld is not None
    assert (len(found.json_ld), found.skipped) == (2, 1)


def test_no_text_and_not_all_of_it_is_endless() -> None:
    long = linked(json.dumps({"text": "word " * 5_000}))
    many = linked(json.dumps({f"n{number}": "x" * 900 for number in range(100)}))
    found = structured(with_head(long, many, linked('{"a": 1}')))

    assert found is not None
    assert found.json_ld is not None
    assert [sorted(block) for block in found.json_ld] == [["text"], ["a"]]
    assert len(found.json_ld[0]["text"]) <= 2_000
    assert found.json_ld[0]["text"].endswith(" ...")
    assert found.skipped == 1


def test_open_graph_and_article_tags_keep_their_prefix_and_repeated_ones_are_joined() -> None:
    found = structured(recorded("news-article.html"))

    assert found is not None
    assert found.open_graph is not None
    assert found.open_graph["og:site_name"] == "The Daily Post"
    assert found.open_graph["article:tag"] == "harbour; storm"
    assert not [name for name in found.open_graph if not name.startswith(("og:", "article:"))]
