"""The conditions of `@media`: when a rule applies."""

from __future__ import annotations

import pytest

from webquarry._read.style.conditions import ALWAYS, NEVER, SOMETIMES, UNSURE, judge_media


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ALWAYS),
        ("screen", ALWAYS),
        ("only screen", ALWAYS),
        ("print", NEVER),
        ("not screen", NEVER),
        ("not print", ALWAYS),
        ("not screen and (min-width: 600px)", SOMETIMES),
        ("print, screen", ALWAYS),
        ("(min-width: 20em)", ALWAYS),
        ("(20em <= width <= 9000px)", ALWAYS),
        ("(width < 1px)", NEVER),
        ("(max-width: 700px) and (orientation: portrait)", SOMETIMES),
        ("(unknown-thing)", NEVER),
        ("(color) and (" * 500, UNSURE),
    ],
)
def test_a_condition_holds_always_sometimes_or_never(query: str, expected: int) -> None:
    assert judge_media(query) == expected
