"""`scrape_page` with a question and a budget: the passages that bear on it, where they stand, and
how to read on.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.tools.pages import PROSE, page
from webquarry.errors import BadInput

ROWS = "".join(f"<tr><td>Quay {n}</td><td>{n} m</td><td>{1900 + n}</td></tr>" for n in range(99))
ALMANAC = (
    "<!doctype html><html lang=en><head><title>An almanac</title></head><body><main><article>"
    f"<h1>An almanac</h1><p>{PROSE * 6}</p>"
    f"<h2>The lock</h2><p>The lock at <a href=/bray>Bray</a> was opened in 1845. {PROSE * 3}</p>"
    f"<p>{PROSE * 5}</p>"
    "<h2>Quays</h2><table><thead><tr><th>Name</th><th>Depth</th><th>Built</th></tr></thead>"
    f"<tbody>{ROWS}</tbody></table>"
    f"<h2>Weather</h2><p>{PROSE * 9}</p>"
    "</article></main></body></html>"
)
LOCK = "When was the lock at Bray opened?"


def ask(question: str = LOCK, **arguments: Any) -> Any:
    return page(ALMANAC).scrape(question=question, **arguments)


def test_only_what_bears_on_the_question_is_given() -> None:
    answer = ask()

    assert "The lock at Bray was opened in 1845." in answer.content
    assert "Quay 50" not in answer.content
    assert answer.truncated is True
    assert answer.total_length == len(page(ALMANAC).scrape().content.encode())
    assert answer.bears_on_question is None
    assert answer.note is None


@pytest.mark.parametrize("max_tokens", [1, 7, 40, 150, 500, 100_000])
def test_the_budget_counts_the_bytes_of_the_content_with_and_without_a_question(
    max_tokens: int,
) -> None:
    session = page(ALMANAC)

    for arguments in ({}, {"question": LOCK}, {"question": LOCK, "links": "list"}, {"mode": "raw"}):
        answer = session.scrape(max_tokens=max_tokens, **arguments)
        assert 0 < len(answer.content.encode()) <= 4 * max_tokens, arguments
        assert answer.estimated_tokens <= max_tokens


def test_every_passage_has_its_section_and_a_cursor_that_reads_on_from_it() -> None:
    session = page(ALMANAC)
    answer = session.scrape(question=LOCK)
    (passage,) = answer.passages or []

    assert passage.section == "An almanac > The lock"
    rest = session.scrape(cursor=passage.cursor).content
    assert rest.startswith("The lock at Bray was opened in 1845.")
    assert "Quay 98" in rest


def test_targets_of_numbered_links_are_listed_below_the_passages() -> None:
    assert ask(links="list").content.endswith("[1]: https://harbor.example/bray\n")


def test_a_page_that_does_not_bear_on_it_says_so_and_gives_a_short_beginning() -> None:
    answer = ask("photosynthesis of ferns", max_tokens=5_000)

    assert answer.bears_on_question is False
    assert answer.note == "Nothing on this page bears on the question."
    assert answer.content.startswith("# An almanac")
    assert answer.estimated_tokens <= 200


def test_a_page_that_fits_is_given_whole() -> None:
    answer = ask(max_tokens=20_000)

    assert answer.content == page(ALMANAC).scrape().content
    assert answer.truncated is False


def test_a_question_can_be_asked_of_one_section() -> None:
    session = page(ALMANAC)
    answer = session.scrape(question="the pilot and the water", section="Weather")
    (passage,) = answer.passages or []

    assert "Quay" not in answer.content
    assert session.scrape(cursor=passage.cursor).content.startswith("The pilot reads")


@pytest.mark.parametrize(
    "other", [{"find": "Quay"}, {"outline": True}, {"cursor": "x"}, {"mode": "raw"}]
)
def test_question_with_another_selection_is_rejected(other: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="question and"):
        ask(**other)


@pytest.mark.parametrize("given", [{"question": "why " * 300}, {"max_tokens": 0}])
def test_a_question_without_end_and_a_budget_of_nothing_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="does not fit"):
        page(ALMANAC).scrape(**given)


def test_the_text_for_a_model_says_where_to_read_on_and_that_nothing_bears_on_it() -> None:
    answer = ask()
    (passage,) = answer.passages

    assert f"Read on from An almanac > The lock: cursor {passage.cursor}" in answer.as_markdown()
    nothing = ask("photosynthesis of ferns").as_markdown()
    assert "Note: Nothing on this page bears on the question." in nothing
