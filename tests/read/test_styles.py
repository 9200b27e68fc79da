"""Hidden nodes of a whole page."""

from __future__ import annotations

from webquarry._read.html.parse import parse_html
from webquarry._read.style.styles import Styles


def test_hidden_elements_and_texts_are_marked_with_their_reason() -> None:
    document = parse_html(
        "<!doctype html><style>.v{visibility:hidden}.s{visibility:visible}</style>"
        "<p id=a>1</p><div id=b hidden><p id=c>2</p></div>"
        "<div id=d class=v>3<b id=e class=s>4</b><i id=f>5</i></div>"
    )

    hidden = Styles(document.roots, document.page_info).find_hidden()

    assert {one.get("id"): reason for one, reason in hidden.elements.items()} == {
        "b": "hidden attribute"
    }
    assert {one.get("id"): reason for one, reason in hidden.texts.items()} == {
        "d": "visibility hidden",
        "f": "visibility hidden",
    }
    assert hidden.undecided == 0


def test_names_limit_the_rules_that_are_read() -> None:
    page = "<!doctype html><style>.a{display:none}.b{display:none}</style><p class=a>1<p class=b>2"
    document = parse_html(page)

    hidden = Styles(document.roots, document.page_info, {"b"}).find_hidden()

    assert [one.get("class") for one in hidden.elements] == ["b"]
