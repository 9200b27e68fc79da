"""Where links stand in a text, in Python and compiled: the same."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webquarry._read.slices import link_places as plain

compiled = pytest.importorskip("webquarry._read.slices._link_places", reason="it was not built")
PIECES = (
    *(b"[", b"]", b"(", b")", b"](", b"!", b"![", b"[a](b)", b'[x](y "t")', b"[x](<a b>)"),
    *(b"`", b"``", b"```", b"````", b"~~~", b"~~~~", b"\n", b"\n\n", b" ", b"\t", b"\r", b"\x0b"),
    *(b"\\", b"<", b">", b'"', b"'", b"- ", b"1. ", b"1234567890. ", b"> ", b"((((((((", b"a"),
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=60).map(b"".join)


@pytest.mark.parametrize("module", [plain, compiled], ids=["plain", "compiled"])
def test_links_are_found_outside_of_code_and_within_one_paragraph(module: object) -> None:
    find_links = module.find_links  # type: ignore[attr-defined]

    assert find_links(b"a [b](c) ![d](e)") == [(2, 3, 4, 8), (9, 11, 12, 16)]
    assert find_links(b"`[a](b)` [c](d)") == [(9, 10, 11, 15)]
    assert find_links(b"```\n[a](b)\n```\n[c](d)") == [(15, 16, 17, 21)]
    assert find_links(b"[a\n\nb](c)") == []
    assert find_links(b"[a\nb](c)") == [(0, 1, 4, 8)]


@given(TEXTS)
@example(b"[a](<" + b"x" * 5000 + b">)")
@example(b"[a](<" + b"x" * 5001 + b">)")
@example(b"[a](x '" + b"y" * 500 + b"')")
@example(b"[a](x '" + b"y" * 501 + b"')")
@example(b"[a](" + b"(" * 8 + b")" * 9)
@example(b"[a](" + b"(" * 9 + b")" * 10)
@example(b"\\``[a](b)` ``[c](d)``")
@example(b"~~~\n~~~ a\n[a](b)\n~~~~ \n[c](d)")
def test_both_ways_find_the_same_links(text: bytes) -> None:
    assert compiled.find_links(text) == plain.find_links(text)
    for piece in (text, b"](" + text + b")"):
        assert compiled.read_plain_target(piece) == plain.read_plain_target(piece)


@pytest.mark.parametrize("module", [plain, compiled], ids=["plain", "compiled"])
def test_the_address_of_a_plain_target_is_read_and_others_are_left_to_a_pattern(
    module: object,
) -> None:
    read = module.read_plain_target  # type: ignore[attr-defined]

    assert read(b"](https://a.example/)") == b"https://a.example/"
    assert read(b"[") == read(b"![") == b""
    assert read(b"](<a b>)") is read(b'](a "b")') is read(b"![](a)") is None
