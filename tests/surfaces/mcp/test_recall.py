"""The same call again: answered from what was written, as long as the cache keeps what it was made
of.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.surfaces.mcp.test_calling import Movable, kit_with
from webquarry.cache.base import EntrySource
from webquarry.cache.cache import Made
from webquarry.caller import serving
from webquarry.surfaces.mcp.calling import CallOptions, recall, run_tool
from webquarry.surfaces.mcp.outcome import CallOutcome
from webquarry.tool import Tool, load
from webquarry.toolkit import Toolkit

SEARCH = {"query": "tidal energy storage", "num_results": 3}
OPTIONS = CallOptions()


def without_age(outcome: CallOutcome) -> dict[str, Any]:
    result = outcome.as_result().model_dump(by_alias=True)
    del result["_meta"]["webquarry/cache"]
    result["_meta"]["webquarry/routing"]["latencyMs"] = 0
    return result


def call_twice(
    arguments: dict[str, Any], between: Callable[[Toolkit], Awaitable[None]] | None = None
) -> tuple[CallOutcome, CallOutcome | None]:
    """A search, and what is known of it afterwards without making it again."""

    async def run() -> tuple[CallOutcome, CallOutcome | None]:
        kit = kit_with()
        tool = load("research", "web_search")
        first = await run_tool(tool, kit, arguments, OPTIONS)
        await asyncio.sleep(0)  # it is kept once it has left
        if between is not None:
            await between(kit)
        second = recall(tool, kit, arguments, OPTIONS)
        await kit.aclose()
        return first, second

    return asyncio.run(run())


def test_a_search_that_was_answered_is_answered_again_in_the_same_bytes() -> None:
    first, second = call_twice(SEARCH)

    assert second is not None
    assert second.content_bytes == first.content_bytes
    assert without_age(second) == without_age(first)


def test_what_is_repeated_says_how_old_it_is() -> None:
    async def grow_old(kit: Toolkit) -> None:
        assert isinstance(kit.clock, Movable)
        kit.clock.ahead = timedelta(seconds=40)

    first, second = call_twice(SEARCH, grow_old)

    assert first.meta is not None
    assert second is not None
    assert second.meta is not None
    most = first.meta["webquarry/cache"]["maxAgeSeconds"]
    assert first.meta["webquarry/cache"]["cached"] is False
    assert second.meta["webquarry/cache"] == {
        "cached": True,
        "ageSeconds": 40,
        "maxAgeSeconds": most,
        "freshness": "fresh",
    }


async def forget(kit: Toolkit) -> None:
    await kit.cache.clear()


async def expire(kit: Toolkit) -> None:
    assert isinstance(kit.clock, Movable)
    kit.clock.ahead = timedelta(days=400)


async def go_back_in_time(kit: Toolkit) -> None:
    assert isinstance(kit.clock, Movable)
    kit.clock.ahead = timedelta(days=-1)


@pytest.mark.parametrize("between", [forget, expire, go_back_in_time])
def test_nothing_is_repeated_that_the_cache_has_not(
    between: Callable[[Toolkit], Awaitable[None]],
) -> None:
    assert call_twice(SEARCH, between)[1] is None


@pytest.mark.parametrize("more", [{"fresh": True}, {"sessionId": "no such session"}])
def test_a_call_that_must_be_made_is_made(more: dict[str, Any]) -> None:
    assert call_twice(SEARCH | more)[1] is None


def test_what_nobody_found_is_looked_for_again_with_todays_hints() -> None:
    first, second = call_twice({"query": "qqqq", "provider": "duckduckgo"})

    assert b'"resultCount":0' in first.content_bytes or first.is_error
    assert second is None


def test_another_caller_another_text_and_other_arguments_are_other_calls() -> None:
    async def run() -> list[bool]:
        kit = kit_with()
        tool = load("research", "web_search")
        await run_tool(tool, kit, SEARCH, OPTIONS)
        await asyncio.sleep(0)
        with serving("somebody else"):
            others = [recall(tool, kit, SEARCH, OPTIONS)]
        others.append(recall(tool, kit, SEARCH, CallOptions(text="markdown")))
        others.append(recall(tool, kit, SEARCH | {"num_results": 4}, OPTIONS))
        known = recall(tool, kit, SEARCH, OPTIONS)
        await kit.aclose()
        return [outcome is None for outcome in (*others, known)]

    assert asyncio.run(run()) == [True, True, True, False]


def test_an_entry_that_was_made_anew_makes_the_answer_anew() -> None:
    async def replace_entry(kit: Toolkit) -> None:
        (answer,) = kit.written._answers.values()
        await kit.cache.put(answer.source.key, Made(b"another", 100))

    assert call_twice(SEARCH, replace_entry)[1] is None


def test_answers_are_kept_up_to_so_many_bytes() -> None:
    from webquarry.cache.written import WrittenAnswer, WrittenAnswers

    async def run() -> tuple[list[bool], int]:
        kit = kit_with()
        await kit.cache.put("key", Made(b"value", 100))
        written = WrittenAnswers(lambda: kit.cache, most_bytes=100)
        source = EntrySource("key", b"value")
        for name in ("a", "b", "c"):
            written.keep(name, WrittenAnswer(source, b"x" * 40, {}))
        written.keep("too large", WrittenAnswer(source, b"x" * 96, {}))
        kept = [written.find(name) is not None for name in ("a", "b", "c", "too large")]
        await kit.aclose()
        return kept, written._bytes

    assert asyncio.run(run()) == ([False, True, True, False], 90)


def test_no_cache_no_repetition() -> None:
    async def run() -> CallOutcome | None:
        kit = kit_with(cache=False)
        tool: Tool = load("research", "web_search")
        await run_tool(tool, kit, SEARCH, OPTIONS)
        await asyncio.sleep(0)
        known = recall(tool, kit, SEARCH, OPTIONS)
        await kit.aclose()
        return known

    assert asyncio.run(run()) is None
