"""One call of a tool: timeout, progress, text formats, and links to large answers."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

import mcp_types as types
import pytest

from tests.mcp.in_process import call
from webquarry.clock import Clock
from webquarry.mcp.linking import LIFETIME_SECONDS, read_artifact
from webquarry.progress import note
from webquarry.settings import Settings
from webquarry.store.calls import RECEIPT_META
from webquarry.tool import Answer
from webquarry.toolkit import Toolkit


class Pages(Answer):
    """An answer that may be linked to."""

    may_be_large: ClassVar[bool] = True

    query: str
    results: list[dict[str, str]]
    content: str = ""

    def how_to_read_on(self) -> str:
        return "Call it again with page 2."


class MovableClock(Clock):
    """A clock that can be advanced."""

    ahead = timedelta()

    def now(self) -> datetime:
        return super().now() + self.ahead


def kit_with(**settings: Any) -> Toolkit:
    kit = Toolkit(Settings(replay=Path("demo"), **settings), {})  # nothing is stored on disk
    kit.__dict__["clock"] = MovableClock()
    return kit


def run(
    function: Callable[..., Awaitable[Answer]], kit: Toolkit | None = None, **options: Any
) -> types.CallToolResult:
    return asyncio.run(call(function, kit or kit_with(), **options))


def texts(result: types.CallToolResult) -> list[str]:
    return [part.text for part in result.content if isinstance(part, types.TextContent)]


async def pages(kit: Toolkit) -> Pages:
    """Return pages."""
    found = [
        {"title": f"Page {n}\n# not a heading", "url": f"https://site.example/{n}"}
        for n in range(30)
    ]
    return Pages(query="otters", results=found).add_meta(cache={"cached": True})


async def large(kit: Toolkit) -> Pages:
    """Return a large answer."""
    return Pages(query="otters", results=[], content="Otters éat fish.\n" * 8000).add_meta(
        cache={"cached": False}
    )


# --- timeout and progress


def test_call_that_takes_too_long_is_stopped_and_retryable() -> None:
    ended: list[str] = []

    async def endless(kit: Toolkit) -> Pages:
        """Never end."""
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("stopped")
        raise AssertionError

    result = run(endless, kit_with(call_timeout_seconds=0.01))

    assert ended == ["stopped"]
    assert result.is_error
    assert texts(result)[0].startswith(
        "The tool endless took longer than 0.01 seconds and was stopped."
    )
    assert json.loads(texts(result)[1])["retryable"] is True


def progress_of(
    function: Callable[..., Awaitable[Answer]], sent: list[dict[str, Any]] | None = None
) -> list[tuple[float, str]]:
    sent = [] if sent is None else sent
    assert not run(function, sent=sent).is_error
    assert {message["method"] for message in sent} <= {"notifications/progress"}
    assert {message["params"]["progressToken"] for message in sent} <= {"token"}
    return [(message["params"]["progress"], message["params"]["message"]) for message in sent]


def test_notes_of_the_engine_are_sent_in_order_also_from_child_tasks() -> None:
    async def working(kit: Toolkit) -> Pages:
        """Work."""
        note("asking")
        await asyncio.create_task(noting("reading"))
        return await pages(kit)

    async def noting(message: str) -> None:
        note(message)

    assert progress_of(working) == [(1, "asking"), (2, "reading")]


def test_call_ends_when_progress_cannot_be_sent() -> None:
    class Closed(list[Any]):
        def append(self, message: Any) -> None:
            raise BrokenPipeError

    async def working(kit: Toolkit) -> Pages:
        """Work."""
        note("asking")
        return await pages(kit)

    result = asyncio.run(asyncio.wait_for(call(working, kit_with(), sent=Closed()), 20))
    assert not result.is_error


# --- text formats


def test_text_has_the_chosen_format_and_the_structured_content_does_not_change() -> None:
    kit = kit_with(link_threshold_bytes=1_000_000)
    shown = {name: run(pages, kit, text_format=name) for name in ("json", "markdown", "digest")}
    markdown, digest = texts(shown["markdown"])[0], texts(shown["digest"])[0]

    assert len({json.dumps(result.structured_content) for result in shown.values()}) == 1
    assert json.loads(texts(shown["json"])[0]) == shown["json"].structured_content
    assert markdown.startswith(
        "- query: otters\n\n## results\n\n1. Page 0 # not a heading\n   - url:"
    )
    assert "https://site.example/29" in markdown
    assert "https://site.example/29" not in digest
    assert len(digest.encode()) <= 2048
    assert "\n#" not in markdown.replace("\n## results", "")


# --- large answers


def linked_content(result: types.CallToolResult) -> dict[str, Any]:
    assert isinstance(result.structured_content, dict)
    return result.structured_content


def test_large_answer_is_stored_under_its_hash_and_linked_to() -> None:
    kit = kit_with()
    result = run(large, kit)
    linked = linked_content(result)
    body = asyncio.run(read_artifact(linked["resource"], kit))
    assert body is not None

    assert set(linked) == {"resource", "bytes", "mimeType", "summary", "expiresAt", "linked"}
    assert linked["linked"] is True
    assert linked["resource"] == f"research://artifact/{hashlib.sha256(body.encode()).hexdigest()}"
    assert linked["bytes"] == len(body.encode())
    assert json.loads(body)["content"].count("fish") == 8000
    assert json.loads(texts(result)[0]) == linked
    (link,) = [part for part in result.content if isinstance(part, types.ResourceLink)]
    assert (str(link.uri), link.size) == (linked["resource"], linked["bytes"])
    assert link.mime_type == linked["mimeType"]
    assert result.meta is not None
    assert result.meta["webquarry/cache"] == {"cached": False}
    assert result.meta[RECEIPT_META].startswith("wq-")


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-03-26"])
def test_revisions_without_links_get_the_uri_as_text(revision: str) -> None:
    result = run(large, revision=revision)

    assert not any(isinstance(part, types.ResourceLink) for part in result.content)
    assert f"Read {linked_content(result)['resource']} with resources/read" in texts(result)[2]


def test_beginning_of_a_large_answer_is_sent_with_advice_on_the_rest() -> None:
    beginning = texts(run(large))[1]

    assert 4000 < len(beginning.encode()) <= 8192
    assert "Otters éat fish." in beginning
    assert beginning.endswith("Call it again with page 2.")


def test_artifact_expires_after_an_hour() -> None:
    kit = kit_with()
    linked = linked_content(run(large, kit))
    assert isinstance(kit.clock, MovableClock)

    kit.clock.ahead = timedelta(seconds=LIFETIME_SECONDS - 60)
    assert asyncio.run(read_artifact(linked["resource"], kit)) is not None
    kit.clock.ahead = timedelta(seconds=LIFETIME_SECONDS + 1)
    assert asyncio.run(read_artifact(linked["resource"], kit)) is None


@pytest.mark.parametrize(
    "name", ["", "0" * 63, "0" * 64, "../" + "0" * 61, "G" * 64, "0" * 64 + "?x", "A" * 64]
)
def test_unknown_artifact_is_not_found(name: str) -> None:
    assert asyncio.run(read_artifact(f"research://artifact/{name}", kit_with())) is None
