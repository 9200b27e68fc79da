"""Whatever a server puts into a reply, it is a turn or a failure, and never a crash."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.ask.vendors.test_contract import FILES, REPLIES, vendor_of
from tests.odd_json import list_odd
from webquarry.ask.vendors.base import CallFailure, ModelRequest, ModelVendor, SearchOutcome, Turn
from webquarry.net.models import Reply

NOW = datetime(2026, 11, 17, tzinfo=UTC)


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
def test_reply_with_any_part_replaced_is_a_turn_or_a_failure(name: str) -> None:
    vendor = vendor_of(name)
    files = sorted({file for file in FILES[name].values() if file.endswith(".json")})
    for file in files:
        body = json.loads((REPLIES / file).read_text("utf-8"))
        status = 200 if Path(file).name.startswith(("response", "malformed")) else 429
        for odd in list_odd(body):
            assert_turn_or_failure(vendor, status, odd)
