"""One call of a tool over MCP: its time, its progress, its text, and what becomes of a large
answer.
"""

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

from webquarry.calls.receipt import RECEIPT_META, make_receipt
from webquarry.clock import Clock
from webquarry.errors import BadInput
from webquarry.progress import note
from webquarry.settings import Settings
from webquarry.surfaces.mcp import calling
from webquarry.surfaces.mcp.calling import CallOptions, call_tool
from webquarry.surfaces.mcp.linking import LIFE_SECONDS, read_artifact
from webquarry.surfaces.mcp.listing import describe
from webquarry.tool import Answer, Tool, load, tool
from webquarry.toolkit import Toolkit


class Pages(Answer):
    """Some pages."""

    may_be_large: ClassVar[bool] = True

    query: str
    results: list[dict[str, str]]
    content: str = ""

    def how_to_read_on(self) -> str:
        return "Call it again with page 2."


class Movable(Clock):
    """A clock that can be put forward."""

    ahead = timedelta()

    def now(self) -> datetime:
        return super().now() + self.ahead


def kit_with(**settings: Any) -> Toolkit:
    kit = Toolkit(Settings(replay=Path("demo"), **settings), {})  # nothing is kept on disk
    kit.__dict__["clock"] = Movable()
    return kit


def run(
    function: Callable[..., Awaitable[Answer]], options: CallOptions, kit: Toolkit | None = None
) -> types.CallToolResult:
    return asyncio.run(call_tool(Tool(function), kit or kit_with(), {}, options))


def texts(result: types.CallToolResult) -> list[str]:
    return [part.text for part in result.content if isinstance(part, types.TextContent)]


async def pages(kit: Toolkit) -> Pages:
    """Give pages."""
    found = [
        {"title": f"Page {n}\n# not a heading", "url": f"https://site.example/{n}"}
        for n in range(30)
    ]
    return Pages(query="otters", results=found).add_meta(cache={"cached": True})


async def large(kit: Toolkit) -> Pages:
    """Give a large answer."""
    return Pages(query="otters", results=[], content="Otters éat fish.\n" * 8000).add_meta(
        cache={"cached": False}
    )


# --- time and progress


def test_a_call_that_takes_too_long_is_stopped_and_told_as_one_to_try_again() -> None:
    ended: list[str] = []

    async def endless(kit: Toolkit) -> Pages:
        """Never end."""
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("stopped")
        raise AssertionError

    result = run(endless, CallOptions(seconds=0.01))

    assert ended == ["stopped"]
    assert result.is_error
    assert texts(result)[0].startswith(
        "The tool endless took longer than 0.01 seconds and was stopped."
    )
    assert json.loads(texts(result)[1])["retryable"] is True


def test_a_timeout_inside_a_tool_is_not_taken_for_the_end_of_its_time() -> None:
    async def failing(kit: Toolkit) -> Pages:
        """Fail."""
        raise TimeoutError("something else")

    assert texts(run(failing, CallOptions(seconds=60)))[0].startswith(
        "The tool failing failed: TimeoutError."
    )


def test_every_tool_may_have_a_time_of_its_own() -> None:
    settings = Settings.from_environment({"WEBQUARRY_CALL_TIMEOUTS": "slow_one=300, quick_one=2.5"})

    assert [settings.seconds_for(name) for name in ("slow_one", "quick_one", "other")] == [
        300,
        2.5,
        120,
    ]


def told_of(function: Callable[..., Awaitable[Answer]]) -> list[tuple[float, str | None]]:
    heard: list[tuple[float, str | None]] = []

    async def report(done: float, total: float | None, message: str | None) -> None:
        heard.append((done, message))

    assert not run(function, CallOptions(report=report)).is_error
    return heard


def test_what_the_work_notes_is_told_in_order_also_from_its_tasks() -> None:
    async def working(kit: Toolkit) -> Pages:
        """Work."""
        note("asking")
        await asyncio.create_task(noting("reading"))
        return await pages(kit)

    async def noting(message: str) -> None:
        note(message)

    assert told_of(working) == [(1, "asking"), (2, "reading")]


def test_work_that_fails_right_after_a_note_ends_at_once() -> None:
    async def failing(kit: Toolkit) -> Pages:
        """Fail."""
        await asyncio.sleep(0)
        note("asking")
        raise BadInput("No.")

    async def report(done: float, total: float | None, message: str | None) -> None:
        await asyncio.sleep(0)

    async def many() -> list[types.CallToolResult]:
        calls = [
            call_tool(Tool(failing), kit_with(), {}, CallOptions(report=report)) for _ in range(20)
        ]
        return await asyncio.wait_for(asyncio.gather(*calls), 20)

    assert all(result.is_error for result in asyncio.run(many()))


def test_silent_work_is_told_to_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calling, "BEAT_SECONDS", 0.001)

    async def silent(kit: Toolkit) -> Pages:
        """Be silent."""
        await asyncio.sleep(0.05)
        return await pages(kit)

    heard = told_of(silent)

    assert heard[:2] == [
        (1, "still working on silent"),
        (2, "still working on silent"),
    ]


def test_nobody_is_told_of_what_is_noted_after_the_call() -> None:
    heard = told_of(pages)
    note("too late")

    assert heard == []


# --- text


def test_the_text_is_the_same_json_unless_another_is_chosen() -> None:
    kit = kit_with(link_threshold_bytes=1_000_000)
    shown = {mode: run(pages, CallOptions(mode), kit) for mode in ("json", "markdown", "digest")}

    assert len({json.dumps(result.structured_content) for result in shown.values()}) == 1
    assert json.loads(texts(shown["json"])[0]) == shown["json"].structured_content
    assert texts(shown["markdown"])[0].startswith(
        "- query: otters\n\n## results\n\n1. Page 0 # not a heading\n   - url:"
    )
    assert "https://site.example/29" in texts(shown["markdown"])[0]
    assert "https://site.example/29" not in texts(shown["digest"])[0]
    assert len(texts(shown["digest"])[0].encode()) <= calling.DIGEST_BYTES
    assert "\n#" not in texts(shown["markdown"])[0].replace("\n## results", "")


# --- large answers


def test_a_large_answer_is_kept_under_its_own_hash_and_linked_to() -> None:
    kit = kit_with()
    result = run(large, CallOptions(), kit)
    linked = result.structured_content
    assert isinstance(linked, dict)
    body = asyncio.run(read_artifact(linked["resource"], kit))
    assert body is not None

    assert set(linked) == {"resource", "bytes", "mimeType", "summary", "expiresAt", "linked"}
    assert linked["linked"] is True
    assert isinstance(linked["summary"], str)
    assert linked["resource"] == f"research://artifact/{hashlib.sha256(body.encode()).hexdigest()}"
    assert linked["bytes"] == len(body.encode())
    assert json.loads(body)["content"].count("fish") == 8000
    assert json.loads(texts(result)[0]) == linked
    (link,) = [part for part in result.content if isinstance(part, types.ResourceLink)]
    assert (str(link.uri), link.size, link.mime_type) == (
        linked["resource"],
        linked["bytes"],
        linked["mimeType"],
    )
    assert result.meta is not None
    assert result.meta["webquarry/cache"] == {"cached": False}
    assert result.meta[RECEIPT_META] == make_receipt("large", {}, linked["resource"][-64:])


def test_for_clients_that_follow_no_links_the_best_of_it_is_sent_with_the_way_to_the_rest() -> None:
    beginning = texts(run(large, CallOptions()))[1]

    assert 4000 < len(beginning.encode()) <= 8192
    assert "Otters éat fish." in beginning
    assert beginning.endswith("Call it again with page 2.")


def test_what_is_kept_is_gone_after_an_hour() -> None:
    kit = kit_with()
    linked = run(large, CallOptions(), kit).structured_content
    assert isinstance(linked, dict)
    assert isinstance(kit.clock, Movable)

    kit.clock.ahead = timedelta(seconds=LIFE_SECONDS - 60)
    assert asyncio.run(read_artifact(linked["resource"], kit)) is not None
    kit.clock.ahead = timedelta(seconds=LIFE_SECONDS + 1)
    assert asyncio.run(read_artifact(linked["resource"], kit)) is None


def test_without_a_cache_a_large_answer_is_sent_whole() -> None:
    result = run(large, CallOptions(), kit_with(cache=False))

    assert isinstance(result.structured_content, dict)
    assert result.structured_content["content"].count("fish") == 8000
    assert not any(isinstance(part, types.ResourceLink) for part in result.content)


def test_the_threshold_decides_and_is_a_setting() -> None:
    size = len(texts(run(pages, CallOptions()))[0].encode())

    for threshold, is_linked in ((size, True), (size + 1, False)):
        result = run(pages, CallOptions(), kit_with(link_threshold_bytes=threshold))
        assert isinstance(result.structured_content, dict)
        assert ("linked" in result.structured_content) is is_linked


@pytest.mark.parametrize(
    "name", ["", "0" * 63, "0" * 64, "../" + "0" * 61, "G" * 64, "0" * 64 + "?x", "A" * 64]
)
def test_an_address_that_was_never_given_out_leads_nowhere(name: str) -> None:
    assert asyncio.run(read_artifact(f"research://artifact/{name}", kit_with())) is None


def test_a_tool_that_may_link_is_listed_with_both_shapes() -> None:
    schema = describe(load("research", "scrape_page")).output_schema
    assert schema is not None

    assert schema["type"] == "object"
    full, linked = schema["anyOf"]
    assert "content" in full["properties"]
    assert linked["properties"]["linked"] == {"const": True}
    assert "resource" in linked["required"]


def test_a_tool_is_listed_as_what_it_is() -> None:
    @tool(read_only=False, idempotent=False, open_world=False)
    async def remembering(kit: Toolkit) -> Pages:
        """Remember."""
        return await pages(kit)

    hints = describe(remembering).annotations
    usual = describe(tool(pages)).annotations
    assert hints is not None
    assert usual is not None

    assert (hints.read_only_hint, hints.idempotent_hint, hints.open_world_hint) == (
        False,
        False,
        False,
    )
    assert (usual.read_only_hint, usual.idempotent_hint, usual.open_world_hint) == (
        True,
        True,
        True,
    )
