"""`scrape_page`: modes, parts and cursors over one frozen text; outcomes, retractions and the
cache.
"""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.net.doubles import FakeWeb
from tests.tools.pages import ARTICLE, URL, Session, page, sent
from webquarry._read.slices.text import WrittenText
from webquarry.errors import BadInput, Challenge, NotFound, ScriptPage, ThinPage
from webquarry.pages.slice import SliceRequest, take_slice


def whole(session: Session, **arguments: Any) -> str:
    """The pieces of a page, read to the end by cursors and joined."""
    answer = session.scrape(**arguments)
    content = answer.content
    for _ in range(10_000):
        if answer.next_cursor is None:
            return content
        assert answer.truncated
        limits = {name: arguments[name] for name in ("max_length", "mode") if name in arguments}
        answer = session.scrape(cursor=answer.next_cursor, **limits)
        content += answer.content
    raise AssertionError("the pieces have no end")


@pytest.mark.parametrize("limit", [1, 7, 100, 999, 2_500, 50_000])
@pytest.mark.parametrize("part", [{}, {"section": "Part 3"}, {"find": "Number"}, {"outline": True}])
def test_pieces_joined_are_the_whole_byte_for_byte(limit: int, part: dict[str, Any]) -> None:
    if limit == 1 and not part:
        limit = 20
    session = page()
    expected = session.scrape(max_length=5_000_000, **part).content

    assert whole(session, max_length=limit, **part) == expected
    assert len(session.web.asked()) == 1


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(max_size=400), st.integers(1, 50), st.sampled_from(["markdown", "text", "bytes"]))
def test_any_text_is_given_whole_by_its_cursors(text: str, limit: int, kind: Any) -> None:
    data = text.encode("utf-8", "replace")
    shown = WrittenText.of_lines(data)
    piece = take_slice(shown, "digest", SliceRequest(limit), kind)
    found = piece.data
    while piece.rest:
        piece = take_slice(shown, "digest", SliceRequest(limit, cursor=piece.rest), kind)
        found += piece.data

    assert found == data


def test_a_cut_ends_with_a_block_and_says_how_much_there_is_and_how_to_go_on() -> None:
    session = page()
    full = session.scrape().as_dict()
    cut = session.scrape(max_length=2_000).as_dict()

    assert full["truncated"] is False
    assert not {"totalLength", "nextCursor", "matches", "outline", "encoding"} & set(full)
    assert (cut["truncated"], cut["totalLength"]) == (True, full["contentLength"])
    assert cut["contentLength"] == len(cut["content"].encode()) <= 2_000
    assert cut["content"].endswith("\n\n")
    assert cut["nextCursor"]


def test_a_section_is_what_its_place_in_the_outline_says() -> None:
    session = page()
    text = session.scrape().content.encode()
    outline = session.scrape(outline=True).outline or []
    place = next(heading for heading in outline if heading.title == "Part 5")

    by_name, by_number = session.scrape(section="part 5"), session.scrape(section=str(place.number))

    assert (
        by_name.content
        == by_number.content
        == text[place.offset : place.offset + place.bytes].decode()
    )
    assert by_name.content.startswith("## Part 5\n")


def test_find_gives_the_blocks_and_says_how_many() -> None:
    answer = page().scrape(find="number 4:")

    assert answer.matches == 1
    assert "Number 4: The pilot" in answer.content
    assert "Number 1:" not in answer.content
    missing = page().scrape(find="no such words")
    assert (missing.content, missing.matches) == ("", 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"outline": True, "find": "x"}, "outline and find were given together"),
        ({"mode": "raw", "section": "a"}, "section is not there in raw mode"),
        ({"section": "Nowhere"}, "no section 'Nowhere'"),
        ({"cursor": "!!"}, "not one that was given out"),
        ({"max_length": 0}, "max_length"),
    ],
)
def test_what_cannot_be_meant_is_bad_input(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        page().scrape(**arguments)


def cursor_of(session: Session, **changes: Any) -> str:
    """A cursor of the page with some of its fields changed."""
    text = session.scrape(max_length=500).next_cursor or ""
    fields = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    for place, value in changes.items():
        fields[int(place[1:])] = value
    return base64.urlsafe_b64encode(json.dumps(fields).encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "changes",
    [
        {"_1": 10**9},
        {"_1": "x"},
        {"_3": 99},
        {"_2": 1},
        {"_1": 1},
    ],
)
def test_forged_cursor_is_rejected(changes: dict[str, Any]) -> None:
    session = page("<p>" + "é漢" * 2_000)

    with pytest.raises(BadInput, match="not one that was given out"):
        session.scrape(cursor=cursor_of(session, **changes))


def test_cursor_of_a_changed_page_says_to_start_over() -> None:
    session = Session(FakeWeb({URL: [sent(ARTICLE), sent(ARTICLE.replace("pilot", "captain"))]}))
    cursor = session.scrape(max_length=2_000).next_cursor
    session.clock.seconds += 3_601

    with pytest.raises(BadInput, match="has changed since") as caught:
        session.scrape(cursor=cursor)
    assert "without cursor to start anew" in caught.value.suggested_action


# Raw


@pytest.mark.parametrize("limit", [1, 100, 256, 5_000])
def test_raw_bytes_are_base64_and_the_limit_counts_the_bytes_sent(limit: int) -> None:
    body = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
    session = page(body, "image/png")
    answer = session.scrape(mode="raw", max_length=limit)
    data = base64.b64decode(answer.content)

    while answer.next_cursor and limit > 1:
        answer = session.scrape(mode="raw", max_length=limit, cursor=answer.next_cursor)
        data += base64.b64decode(answer.content)

    assert answer.encoding == "base64"
    assert answer.content_length == len(answer.content)
    assert data == (body if limit > 1 else body[:1])


@pytest.mark.parametrize("mode", ["full", "preview", "raw"])
def test_a_wall_is_an_error_in_every_mode(mode: str) -> None:
    wall = (
        "<title>Just a moment...</title><script>window._cf_chl_opt={}</script>"
        "<p>Checking your browser"
    )

    with pytest.raises(Challenge):
        page(wall).scrape(mode=mode)
    with pytest.raises(NotFound):
        page("gone", status=404).scrape(mode=mode)


# Outcome


def test_a_thin_page_is_partial_and_says_why_and_is_raised_when_empty() -> None:
    answer = page("<title>Harbor</title><p>Open on Sundays.</p>").scrape()

    assert (answer.extraction_quality, answer.content) == ("partial", "Open on Sundays.")
    assert answer.meta["webquarry/routing"]["notes"] == ["The page holds only 3 words of text."]
    assert answer.extraction_note == "The page holds only 3 words of text."
    with pytest.raises(ThinPage):
        page("<p> </p>").scrape()


@pytest.mark.parametrize("around", ["", "<p>Harbor tide office and more</p>"])
def test_a_script_page_is_an_error_that_says_how_to_get_a_browser(around: str) -> None:
    shell = (
        '<div id="root"></div><script src="app.js"></script>'
        f"<noscript>Please enable JavaScript.</noscript>{around}"
    )

    with pytest.raises(ScriptPage) as caught:
        page(shell).scrape()

    assert caught.value.kind == "js_shell"
    assert "apt install chromium-headless-shell" in caught.value.suggested_action


# The cache and the schema


# --- what is left out


ASIDE = "<div class=sidebar><h2>Most read</h2>" + "".join(
    f"<a href=/{number}>Story number {number} of the week</a> " for number in range(9)
)


def test_left_out_parts_are_listed_and_mode_whole_has_them() -> None:
    session = page(ARTICLE.replace("<footer>", f"{ASIDE}</div><footer>"))

    main, whole = session.scrape(), session.scrape(mode="whole")

    assert main.left_out is not None
    assert main.left_out.headings == ["Most read"]
    assert main.left_out.bytes > 200
    assert "Story number 8" not in main.content
    assert "Story number 8" in whole.content
    assert "© Harbor" in whole.content
    assert whole.left_out is None
    assert whole.whole is True
    assert main.whole is None
    assert "leftOut" not in session.scrape(mode="raw").as_dict()
    assert "leftOut" not in session.scrape(section="Part 2").as_dict()
