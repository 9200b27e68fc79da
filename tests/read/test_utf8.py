"""Checks of bytes: valid UTF-8 and control characters."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from webquarry._read.encoding.utf8 import count_controls, is_utf8


def can_be_decoded(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


@given(st.one_of(st.binary(max_size=40), st.text().map(str.encode)))
@example(b"")
@example(b"a" * 16_383 + "é".encode() + b"b" * 20_000)
@example(b"a" * 16_383 + b"\xc3")
@example(b"\xed\xa0\x80")
def test_bytes_are_utf8_if_they_can_be_decoded(body: bytes) -> None:
    assert is_utf8(body) == can_be_decoded(body)


@given(st.binary(max_size=80))
@example(bytes(range(256)))
def test_control_characters_other_than_whitespace_and_escape_are_counted(body: bytes) -> None:
    controls = [byte for byte in body if byte < 32 and byte not in b"\t\n\f\r\x1b"]

    assert count_controls(body) == len(controls)
