"""The MCP servers answer as recorded in `tests/golden_calls/`."""

from __future__ import annotations

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


def test_order_of_keys_matters_in_structured_content_only() -> None:
    first = {"result": {"structuredContent": {"b": 1, "a": 2}, "isError": False}}
    second = {"result": {"isError": False, "structuredContent": {"b": 1, "a": 2}}}
    third = {"result": {"isError": False, "structuredContent": {"a": 2, "b": 1}}}

    texts = [str(golden_calls.normalize(message)) for message in (first, second, third)]

    assert texts[0] == texts[1]
    assert texts[0] != texts[2]
