"""What fits in one answer: the sources used most, and the words around the quotes."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from webquarry.views.app import build_view_uri, parse_view_uri
from webquarry.views.brief import cut_excerpts, shorten_session

GAP = " … "
Pieces = list[dict[str, Any]]


def make_pieces(texts: list[tuple[str, bool]]) -> Pieces:
    """Pieces of a text, those marked with the numbers of their quotes in order."""
    pieces: Pieces = []
    number = 0
    for text, is_marked in texts:
        piece: dict[str, Any] = {"text": text}
        if is_marked:
            piece["marks"] = [number]
            number += 1
        pieces.append(piece)
    return pieces


@given(st.lists(st.tuples(st.text("ab \n", min_size=1, max_size=900), st.booleans()), max_size=8))
def test_excerpts_contain_every_marked_word_in_order(texts: list[tuple[str, bool]]) -> None:
    pieces = make_pieces(texts)
    marked = [piece for piece in pieces if "marks" in piece]

    excerpts = cut_excerpts(pieces, len(marked))

    assert [piece for piece in excerpts if "marks" in piece] == marked
    whole = "".join(piece["text"] for piece in pieces)
    for piece in excerpts:
        for part in piece["text"].replace("…", GAP).split(GAP):
            assert part.rstrip() in whole


def test_text_far_from_a_quote_is_omitted() -> None:
    pieces = make_pieces([("far " * 500, False), ("quoted", True), ("far " * 500, False)])

    excerpts = cut_excerpts(pieces, 1)

    assert [len(piece["text"]) < 260 for piece in excerpts] == [True, True, True]
    assert excerpts[0]["text"].startswith(GAP)
    assert excerpts[2]["text"].endswith(GAP)


def test_marks_of_quotes_that_are_not_listed_are_not_shown() -> None:
    pieces = make_pieces([("one", True), (" and ", False), ("two", True)])

    excerpts = cut_excerpts(pieces, 1)

    assert [piece.get("marks") for piece in excerpts] == [[0], None]


def test_quoted_and_read_sources_come_first() -> None:
    stages = ["found"] * 30 + ["read", "quoted"]
    sources = [
        {"number": number, "stage": stage, "title": "T", "url": "https://a.org/", "quotes": []}
        for number, stage in enumerate(stages, 1)
    ]
    names = ("id", "status", "goal", "summary", "beganAt", "touchedAt", "calls", "kept", "usd")
    session = {**dict.fromkeys(names), "steps": [1, 2], "sources": sources}

    short = shorten_session(session)

    assert [source["number"] for source in short["sources"][:3]] == [32, 31, 1]
    assert (len(short["sources"]), short["sourcesOmitted"]) == (12, 20)
    assert (short["found"], short["read"], short["quoted"], short["steps"]) == (30, 1, 1, 2)


@given(st.text(min_size=1), st.text(min_size=1))
def test_view_uri_round_trips_its_parameters(url: str, session: str) -> None:
    parameters = {"url": url, "session": session}
    try:
        uri = build_view_uri("page", **parameters)
    except UnicodeEncodeError:
        return  # half of a pair, which no address can hold

    assert parse_view_uri(uri) == ("page", parameters)


def test_other_addresses_are_none_of_a_view_and_other_parameters_are_not_heard() -> None:
    assert parse_view_uri("research://page/x") is None
    assert parse_view_uri("research://view/page?" + "url=x&" * 50) is None
    assert parse_view_uri("research://view/page?url=x&read=1") == ("page", {"url": "x"})
