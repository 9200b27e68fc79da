"""JSON as it is kept: the same as the standard library writes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webquarry._read.json_text import write_json

SINGLE = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(
    SINGLE, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=10
)


@given(VALUES)
def test_a_value_is_written_as_the_standard_library_does(value: Any) -> None:
    assert write_json(value) == json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def test_half_a_character_becomes_a_question_mark() -> None:
    assert write_json(["\ud800"]) == b'["?"]'


def test_what_json_has_not_is_refused() -> None:
    with pytest.raises(TypeError):
        write_json({"a": {1}})
