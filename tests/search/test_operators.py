"""Operators: words that a search engine takes for commands stay words."""

from __future__ import annotations

import pytest

from webquarry._search.models import Query
from webquarry._search.provider import with_sites, with_terms, without_commands


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("plain words", "plain words"),
        ("!w otter", '"!w" otter'),
        ("a !b c", 'a "!b" c'),
        ("a!b c!", "a!b c!"),
        (":de x", '":de" x'),
        ('"!w otter" !g', '"!w otter" "!g"'),
        ('!"', '"!"'),
        ('an " open !w', 'an " open "!w"'),
    ],
)
def test_a_word_that_begins_with_a_mark_is_put_into_quotation_marks(text: str, sent: str) -> None:
    assert without_commands(text, "!:") == sent


def test_terms_become_a_phrase_and_words_to_leave_out() -> None:
    query = Query("x", exact_terms='pitch "seal" wear', exclude_terms='forum  "shop')

    assert with_terms(query) == 'x "pitch seal wear" -forum -shop'
    assert with_terms(Query("x", exact_terms='"', exclude_terms=" ")) == "x"


def test_a_choice_of_domains_goes_out_whole_or_not_at_all() -> None:
    assert (
        with_sites("x", ["a.org", "b.org"], ["c.org"], lambda text: True)
        == "x site:a.org OR site:b.org -site:c.org"
    )
    assert (
        with_sites("x", ["a.org", "b.org"], ["c.org"], lambda text: len(text) < 20)
        == "x -site:c.org"
    )
