"""Pages whose text was taken in by a menu that is never closed."""

from __future__ import annotations

import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import build_flow

SENTENCES = (
    "The ferry leaves at seven and carries forty passengers to the island, where the keeper of the "
    "old tower meets them with tea, a lamp and the log of the year."
)


@pytest.mark.parametrize("tag", ["nav", "header", "button", "div role=navigation"])
def test_text_that_an_unclosed_menu_took_in_is_found(tag: str) -> None:
    document = parse_html(
        f"<body><{tag}><a href=/>Home</a><main>{f'<p>{SENTENCES}</p>' * 4}</main></body>"
    )

    assert build_flow(document).texts.count(SENTENCES) == 4


@pytest.mark.parametrize("tag", ["footer", "dialog", "div role=dialog"])
def test_notices_on_a_page_without_text_stay_notices(tag: str) -> None:
    assert (
        build_flow(parse_html(f"<body><{tag}>{f'<p>{SENTENCES}</p>' * 4}</{tag}></body>")).texts
        == []
    )


def test_sentences_in_a_menu_stay_out_where_the_page_has_text_of_its_own() -> None:
    document = parse_html(
        f"<body><nav><p>{SENTENCES}</p></nav><main><p>{'Another text. ' * 20}</p></main></body>"
    )

    assert SENTENCES not in build_flow(document).texts


def test_text_inside_of_menus_in_menus_is_found() -> None:
    menus = "<nav><header>" * 100

    assert SENTENCES in build_flow(parse_html(f"<body>{menus}<p>{SENTENCES}</p>" * 4)).texts
