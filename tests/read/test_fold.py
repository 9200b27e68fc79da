"""Plain text and white space, in Python and compiled: the same."""

from __future__ import annotations

import re
import sys
from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webquarry._read.text import fold as plain
from webquarry._read.text.characters import strip_invisible

compiled = pytest.importorskip("webquarry._read.text._fold", reason="it was not built")
PIECES = (
    *" \t\n\f\r\v\x1c\x00\x7fab_[*&]<`~\\é\u00a0…:#;!\u2028\u2029\u3000\u200b²ж😀\U000e0041",
    "word ", "x" * 600, "  ", "**", "&amp;", "&#39;", f"&{'a' * 32};", f"&{'a' * 33};", "\nHuman:",
    "INST]",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES)).map("".join)


@pytest.mark.parametrize("module", [plain, compiled], ids=["plain", "compiled"])
def test_white_space_is_folded_and_what_is_not_plain_is_told(module: object) -> None:
    fold_plain = module.fold_plain  # type: ignore[attr-defined]

    assert fold_plain(" one\n  two\t three ") == "one two three"
    assert fold_plain("one\ntwo") == "one two"
    assert fold_plain("one two") == "one two"
    assert fold_plain(" \n ") == fold_plain("") == ""
    assert fold_plain("caf\u00e9") is None
    assert fold_plain("a\x00b") is None
    assert fold_plain("a\tb") is None  # left to those who know what else a tab may mean


@given(TEXTS)
@example("a\nb")
@example("word \n" * 700)
def test_both_ways_fold_and_escape_the_same(text: str) -> None:
    assert compiled.fold_plain(text) == plain.fold_plain(text)
    for name in ("fold_white", "finish_line", "escape", "write_plain", "write_part"):
        assert getattr(compiled, name)(text) == getattr(plain, name)(text), name
    assert compiled.is_plain_address(text) == plain.is_plain_address(text)
    assert compiled.is_seen(text) == plain.is_seen(text)


def test_an_address_is_plain_by_the_signs_in_it() -> None:
    signs = [chr(code) for code in range(0x180)]

    assert [one for one in signs if re.match(r"[!#-'*-;=?-Z_a-z~]", one)] == [
        one for one in signs if plain.is_plain_address(one)
    ]
    for one in signs:
        assert compiled.is_plain_address(one) == plain.is_plain_address(one)


def test_every_character_that_everybody_sees_is_left_in_the_text() -> None:
    seen = [chr(code) for code in range(sys.maxunicode + 1) if plain.is_seen(chr(code))]
    removed: Counter[str] = Counter()

    assert seen == [chr(code) for code in range(sys.maxunicode + 1) if compiled.is_seen(chr(code))]
    assert strip_invisible("".join(seen), removed) == "".join(seen)
    assert not removed
    assert [one for one in seen if strip_invisible(one, removed) != one] == []
    assert len(seen) > 30_000
    assert not plain.is_seen("a\xad")
    assert not plain.is_seen("\u200b")
    assert not plain.is_seen("a\n")
    assert plain.is_seen("“Größe” – 5\xa0€")
