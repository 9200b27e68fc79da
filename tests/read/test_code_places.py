"""Code in Markdown: fenced blocks and code inside of lines."""

from __future__ import annotations

from collections import Counter

import pytest

from webquarry._read.text.code_places import find_code
from webquarry._read.text.delimiters import defuse_prose


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a `b` c ``d ` e`` f", ["`b`", "``d ` e``"]),
        ("a\n```py\nb `c\n```\nd `e`", ["```py\nb `c\n```", "`e`"]),
        ("- > ````\n```\nx\n  ````` \ny", ["- > ````\n```\nx\n  ````` "]),
        ("a \\`b` `c", ["` `"]),
        ("a `b\nc` d", []),
        ("```a\nb", []),
    ],
)
def test_code_is_found(text: str, code: list[str]) -> None:
    assert [text[start:end] for start, end in find_code(text)] == code


def test_fences_that_nothing_closes_are_no_code() -> None:
    assert list(find_code("```a\n" * 20_000)) == []


def test_delimiters_behind_open_fences_are_broken() -> None:
    text = "```a\n" * 3_000 + "<|im_start|>"

    assert defuse_prose(text, Counter()).endswith("&lt;|im_start|>")


def test_a_delimiter_between_code_is_broken() -> None:
    text = "`a` <|im_start|> `b`\n\n```\nc\n```\n<tool_call>"

    assert defuse_prose(text, Counter()) == (
        "`a` &lt;|im_start|> `b`\n\n```\nc\n```\n&lt;tool_call>"
    )
