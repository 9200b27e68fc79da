"""One JSON object, strictly read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webquarry.errors import BadInput
from webquarry.executable import MAX_BYTES, parse_arguments


def test_an_object_is_read_as_it_is() -> None:
    assert parse_arguments('{"query": "Größe 🦦", "n": [1, 2.5, null, true]}'.encode()) == {
        "query": "Größe 🦦",
        "n": [1, 2.5, None, True],
    }


def test_the_largest_input_is_taken_and_one_byte_more_is_not() -> None:
    largest = b'{"query": "x"}'.ljust(MAX_BYTES)

    assert parse_arguments(largest) == {"query": "x"}
    with pytest.raises(BadInput, match="larger than"):
        parse_arguments(largest + b" ")


@given(
    st.binary(max_size=60)
    | st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass"))
)
def test_fuzz_any_bytes_are_an_object_or_bad_input(data: bytes) -> None:
    try:
        found = parse_arguments(data)
    except BadInput as error:
        assert "\n" not in error.message  # noqa: PT017 - both ways out are right
    else:
        assert found == json.loads(data)
