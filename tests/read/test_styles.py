"""Hidden nodes of a whole page."""

from __future__ import annotations

from webquarry._read.html.parse import parse_html
from webquarry._read.style.styles import find_hidden


def test_hidden_elements_and_texts_are_marked_with_their_reason() -> None:
    document = parse_html(
        "<!doctype html><style>.v{visibility:hidden}.s{visibility:visible}</style>"
        "<p id=a>1</p><div id=b hidden><p id=c>2</p></div>"
        "<div id=d class=v>3<b id=e class=s>4</b><i id=f>5</i></div>"
    )

    hidden = find_hidden(document.roots, document.page_info)

    assert {one.get("id"): reason for one, reason in hidden.elements.items()} == {
        "b": "hidden attribute"
    }
    assert {one.get("id"): reason for one, reason in hidden.texts.items()} == {
        "d": "visibility hidden",
        "e": None,
    }
    assert not hidden.undecided


def test_reasons_can_be_ignored() -> None:
    document = parse_html("<p hidden>1</p><p style='visibility:hidden'>2</p><p style=opacity:0>3")

    hidden = find_hidden(
        document.roots, document.page_info, ignored={"hidden attribute", "visibility hidden"}
    )

    assert list(hidden.elements.values()) == ["transparent"]
    assert not hidden.texts
