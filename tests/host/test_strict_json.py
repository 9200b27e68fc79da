"""Output of a program as one JSON value, or the reason why not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webquarry.host.strict_json import NotJson, parse_json

REFUSED = {
    b"": "is empty",
    b"hello": "is not JSON: Expecting value at line 1, column 1",
    b'{"a": 1': "is not JSON",
    b'{"a": 1}{"b": 2}': "is not JSON: Extra data at line 1, column 9",
    b'\xef\xbb\xbf{"a": 1}': "is not JSON",
    b"\xff\xfe{\x00}\x00": "is not UTF-8 (byte 0)",
    b'{"a": "\xe9"}': "is not UTF-8 (byte 7)",
    b'{"a": 1, "a": 2}': "holds the key 'a' twice",
    b'{"a": NaN}': "holds NaN",
    b'{"a": 1e999}': "too large",
    b'{"a": ' + b"9" * 5000 + b"}": "too large",
    b'{"a": "\\ud800"}': "half of a surrogate pair",
    b"[" * 4000 + b"]" * 4000: "nested deeper than 64 levels",
    b'{"a":' * 1400 + b"1" + b"}" * 1400: "nested deeper than 64 levels",
    b'{"a": "\x00"}': "is not JSON",
}


@pytest.mark.parametrize("data", REFUSED, ids=lambda data: repr(data[:24]))
def test_anything_but_one_plain_value_is_refused_with_its_reason(data: bytes) -> None:
    with pytest.raises(NotJson) as caught:
        parse_json(data)

    assert REFUSED[data] in str(caught.value)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8")),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner)
        ),
        max_leaves=20,
    )
)
def test_fuzz_what_python_writes_is_read_back(value: Any) -> None:
    assert parse_json(json.dumps(value).encode()) == value


@given(st.binary(max_size=200))
def test_fuzz_any_bytes_are_a_value_or_a_reason(data: bytes) -> None:
    reason = "a value"
    try:
        parse_json(data)
    except NotJson as error:
        reason = str(error)

    assert reason
