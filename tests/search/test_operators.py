"""Operators: words that a search engine takes for commands stay words."""

from __future__ import annotations

import pytest

from webquarry._search.models import Query
from webquarry._search.provider import with_terms, without_commands


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("!w otter", '"!w" otter'),
        ("a !b c", 'a "!b" c'),
        ("a!b c!", "a!b c!"),
        ('"!w otter" !g', '"!w otter" "!g"'),
        ('!"', '"!"'),
    ],
)
def test_word_with_a_leading_command_mark_is_quoted(text: str, sent: str) -> None:
    assert without_commands(text, "!:") == sent


def test_terms_become_a_phrase_and_words_to_leave_out() -> None:
    query = Query("x", exact_terms='pitch "seal" wear', exclude_terms='forum  "shop')

    assert with_terms(query) == 'x "pitch seal wear" -forum -shop'
    assert with_terms(Query("x", exact_terms='"', exclude_terms=" ")) == "x"
