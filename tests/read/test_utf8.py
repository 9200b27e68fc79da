"""Whether bytes are UTF-8, told in Python and compiled: the same."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webquarry._read.encoding import utf8 as plain

compiled = pytest.importorskip("webquarry._read.encoding._utf8", reason="it was not built")
CODES = (0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xD800, 0xDFFF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF)
PIECES = (
    *(chr(code).encode("utf-8", "surrogatepass") for code in CODES),
    *(bytes([byte]) for byte in (0x41, 0x80, 0xBF, 0xC0, 0xC1, 0xC3, 0xE0, 0xED, 0xF0, 0xF4, 0xF5)),
    b"\x00" * 9,
    b"plain text",
    b"\xf4\x90\x80\x80",
    b"\xe0\x9f\xbf",
    b"\xf0\x8f\xbf\xbf",
)


@given(st.one_of(st.binary(max_size=40), st.lists(st.sampled_from(PIECES)).map(b"".join)))
@example(b"")
@example(b"a" * 16_383 + "é".encode() + b"b" * 20_000)
@example(b"a" * 16_383 + b"\xc3")
def test_both_ways_tell_the_same(body: bytes) -> None:
    assert compiled.is_utf8(body) == plain.is_utf8(body)


@given(st.binary(max_size=80))
@example(bytes(range(256)))
def test_both_ways_count_the_same_control_characters(body: bytes) -> None:
    controls = [byte for byte in body if byte < 32 and byte not in b"\t\n\f\r\x1b"]

    assert compiled.count_controls(body) == plain.count_controls(body) == len(controls)


@pytest.mark.parametrize("lead", range(0x80, 0x100))
def test_both_ways_tell_the_same_of_every_beginning(lead: int) -> None:
    for second in range(0x100):
        for rest in (b"", b"\x80", b"\xbf\x80", b"\x80A"):
            body = bytes([lead, second]) + rest
            assert compiled.is_utf8(body) == plain.is_utf8(body), body
