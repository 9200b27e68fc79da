"""The MCP servers answer as recorded in `tests/golden_calls/`."""

from __future__ import annotations

from typing import Any

import pytest
from scripts.mcp_clients.messages import PROFILES

from scripts import golden_calls


@pytest.mark.slow
@pytest.mark.parametrize("profile", PROFILES)
def test_answers_are_equal_to_the_recorded_ones(profile: str) -> None:
    difference = golden_calls.compare(profile)

    if difference:
        pytest.fail(
            f"{difference}\n\nIf this is intended: make golden WRITE=--write", pytrace=False
        )


def test_difference_names_message_field_and_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = golden_calls.load("apps")
    changed = golden_calls.load("apps")
    changed["initialize"]["result.serverInfo"]["all"] = {"name": "other"}
    del changed["initialize"]["result.protocolVersion"]

    def answer(table: Any) -> str:
        monkeypatch.setattr(golden_calls, "record", lambda name: table)
        return golden_calls.compare("apps")

    assert answer(recorded) == ""
    difference = answer(changed).splitlines()
    assert "== apps: initialize: result.serverInfo" in difference
    assert '+  "name": "other"' in difference
    assert "== apps: initialize: result.protocolVersion" in difference
    assert not [line for line in difference if "show_research" in line]


def test_order_of_keys_matters_in_structured_content_only() -> None:
    first = {"result": {"structuredContent": {"b": 1, "a": 2}, "isError": False}}
    second = {"result": {"isError": False, "structuredContent": {"b": 1, "a": 2}}}
    third = {"result": {"isError": False, "structuredContent": {"a": 2, "b": 1}}}

    texts = [str(golden_calls.normalize(message)) for message in (first, second, third)]

    assert texts[0] == texts[1]
    assert texts[0] != texts[2]
