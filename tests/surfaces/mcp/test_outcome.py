"""What came of a call is written once: the text that repeats the structured content is the same
JSON, escaped.
"""

from __future__ import annotations

import json
import os

from hypothesis import given
from hypothesis import strategies as st

from webquarry.surfaces.mcp.outcome import CallOutcome, build_text
from webquarry.surfaces.mcp.text import as_json
from webquarry.surfaces.mcp.wire.descriptors import write_at_once

TEXTS = st.text(st.characters(codec="utf-8"))


@given(TEXTS)
def test_a_text_that_repeats_the_answer_is_written_as_any_other(text: str) -> None:
    data = {"content": text, text: [text, None, 1.5]}
    whole = as_json(data)
    outcome = CallOutcome([], data, whole.encode())
    other = CallOutcome([build_text("".join(list(whole)))], data)

    assert outcome.encode() == other.encode()
    assert json.loads(outcome.encode())["content"][0]["text"] == whole


def test_an_answer_that_is_larger_than_a_pipe_fills_it_at_once() -> None:
    reading, writing = os.pipe()
    try:
        left = write_at_once(writing, b"x" * 1_000_000)
        taken = 1_000_000 - len(left)
        assert taken > 0
        assert len(os.read(reading, 1_000_000)) == taken
    finally:
        os.close(reading)
        os.close(writing)
