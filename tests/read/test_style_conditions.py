"""The conditions of `@media`: when a rule applies."""

from __future__ import annotations

import pytest

from webquarry._read.style.conditions import ALWAYS, NEVER, SOMETIMES, judge_media


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ALWAYS),
        ("screen", ALWAYS),
        ("only screen", ALWAYS),
        ("print", NEVER),
        ("not screen", NEVER),
        ("only not screen", NEVER),
        ("not print", ALWAYS),
        ("not screen and (min-width: 600px)", SOMETIMES),
        ("print, screen", ALWAYS),
    ],
)
def test_a_condition_holds_always_sometimes_or_never(query: str, expected: int) -> None:
    assert judge_media(query) == expected


def test_any_number_of_modifiers_is_read() -> None:
    assert judge_media("not " * 100_000 + "screen") == ALWAYS
    assert judge_media("only not " * 100_001 + "screen") == NEVER
