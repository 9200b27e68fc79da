"""Whatever a server puts into a reply, it is a turn or a failure, and never a crash."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.ask.vendors.test_contract import FILES, REPLIES, vendor_of
from webquarry.ask.model_api.failures import CallFailure
from webquarry.ask.model_api.turn import ModelRequest, SearchOutcome, Turn
from webquarry.ask.model_api.vendor import ModelVendor
from webquarry.net.models import Reply

JUNK: tuple[Any, ...] = (None, 7, -1, True, "x", [], {}, [None], {"x": []})
NOW = datetime(2026, 11, 17, tzinfo=UTC)


def find_places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every part of a JSON value."""
    yield path
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from find_places(inner, (*path, name))
    if isinstance(value, list):
        for number, inner in enumerate(value):
            yield from find_places(inner, (*path, number))


def replace_at(value: Any, path: tuple[Any, ...], junk: Any) -> Any:
    """A copy in which the part at a path is something else."""
    if not path:
        return junk
    changed = copy.deepcopy(value)
    holder = changed
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = junk
    return changed


def assert_turn_or_failure(vendor: ModelVendor, status: int, body: Any) -> None:
    """A reply can be read or is refused; where the model wants to search, there is a next request
    that can be sent.
    """
    content = json.dumps(body).encode()
    reply = Reply("https://x.example/", status, httpx2.Headers(), content, NOW)
    try:
        turn = vendor.parse_reply(reply, "some-model")
    except CallFailure:
        return
    assert isinstance(turn, Turn)
    assert turn.tokens is None or min(turn.tokens.input, turn.tokens.output) >= 0
    if turn.stop == "tool":
        asked = ModelRequest("some-model", 100, "a", offers_search=True)
        outcomes = [SearchOutcome(call, "Found.", False) for call in turn.calls]
        following = vendor.build_next_body(vendor.build_body(asked), turn, outcomes, asked)
        assert json.dumps(following)


@pytest.mark.parametrize("name", ["anthropic", "openai", "gemini", "ollama", "openrouter"])
def test_a_reply_with_any_part_replaced_is_a_turn_or_a_failure(name: str) -> None:
    vendor = vendor_of(name)
    files = sorted({file for file in FILES[name].values() if file.endswith(".json")})
    for file in files:
        body = json.loads((REPLIES / file).read_text("utf-8"))
        status = 200 if Path(file).name.startswith(("response", "malformed")) else 429
        for path in find_places(body):
            for junk in JUNK:
                assert_turn_or_failure(vendor, status, replace_at(body, path, junk))
