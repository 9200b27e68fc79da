"""web_fetch: lines of Markdown, never cut in silence, and errors in the promised words."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webquarry._read.html.parse import CUT
from webquarry._read.models import Page
from webquarry._read.slices.text import WrittenText
from webquarry.errors import (
    MissingExtra,
    NetworkFailure,
    RateLimited,
    Unreadable,
    WebquarryError,
)
from webquarry.tools.executables.web_fetch import FetchAnswer, select_lines, web_fetch


def fields(answer: FetchAnswer) -> dict[str, Any]:
    return answer.model_dump(exclude_none=True)


def test_a_single_line_over_the_limit_is_cut_at_a_character_and_says_so() -> None:
    assert fields(select_lines("ääää\nb", 1, None, 5)) == {
        "content": "ää",
        "lines_read": 1,
        "total_lines": 2,
        "next_offset": 2,
        "cut_line_bytes": 8,
    }


@given(st.text(alphabet="aä🦦\n", max_size=60), st.integers(4, 30))
def test_fuzz_going_on_from_each_next_offset_reads_every_line_once(
    markdown: str, max_bytes: int
) -> None:
    lines = markdown.removesuffix("\n").split("\n") if markdown else []
    read: list[str] = []
    offset: int | None = 1
    while offset:
        answer = select_lines(markdown, offset, None, max_bytes)
        assert len(answer.content.encode()) <= max_bytes
        read += answer.content.split("\n") if answer.lines_read else []
        offset = answer.next_offset
        assert answer.total_lines == (len(lines) if offset or answer.cut_line_bytes else None)

    assert len(read) == len(lines)
    assert all(whole.startswith(part) for part, whole in zip(read, lines, strict=True))
    assert all(
        part == whole
        for part, whole in zip(read, lines, strict=True)
        if len(whole.encode()) <= max_bytes
    )


def kit(found: Page | Exception, max_bytes: int = 0) -> Any:
    """A toolkit whose reader gives this page, or fails like this."""

    async def read(url: str) -> Page:
        if isinstance(found, Exception):
            raise found
        return found

    return SimpleNamespace(
        reader=SimpleNamespace(read=read), settings=SimpleNamespace(fetch_max_bytes=max_bytes)
    )


def call(toolkit: Any, **arguments: Any) -> FetchAnswer:
    answer = asyncio.run(web_fetch.call(toolkit, {"url": "https://a.example/", **arguments}))
    assert isinstance(answer, FetchAnswer)
    return answer


def page(markdown: str, *notes: str, outcome: str = "ok", lost: tuple[str, ...] = ()) -> Page:
    url = "https://a.example/"
    moment = datetime(2026, 11, 15, tzinfo=UTC)
    return Page(
        url,
        url,
        "T",
        WrittenText(markdown.encode()),
        "html",
        "utf-8",
        outcome,
        notes,
        moment,
        lost=lost,
    )


def test_lost_text_is_said_in_the_answer_and_other_notes_only_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert call(kit(page("text", "The encoding was guessed.", CUT, lost=(CUT,)))).notes == [CUT]
    assert "The encoding was guessed." in caplog.text
    assert CUT in caplog.text
    assert fields(call(kit(page("text", "The encoding was guessed.")))) == {
        "content": "text",
        "lines_read": 1,
    }


@pytest.mark.parametrize(
    "error",
    [
        NetworkFailure("it went wrong"),
        RateLimited("it went wrong", retry_after_seconds=5),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_page_that_did_not_come_is_a_failed_fetch_of_the_same_kind(error: WebquarryError) -> None:
    with pytest.raises(type(error)) as caught:
        call(kit(error))

    assert caught.value.message == "Failed to fetch URL: it went wrong"
    assert caught.value is error


@pytest.mark.parametrize(
    "error",
    [Unreadable("it went wrong"), MissingExtra("pdf", "This")],
    ids=lambda error: type(error).__name__,
)
def test_a_page_that_came_and_cannot_be_read_is_a_failed_parse(error: WebquarryError) -> None:
    words = error.message

    with pytest.raises(type(error)) as caught:
        call(kit(error))

    assert caught.value.message == f"Failed to parse HTML: {words}"
