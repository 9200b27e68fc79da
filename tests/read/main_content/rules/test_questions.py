"""Questions come along with the answers that are kept behind them."""

from __future__ import annotations

import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import Flow, build_flow
from webquarry._read.main_content.rules.wording.questions import add_questions

QUESTIONS = ("Is parking free?", "Are dogs welcome?", "When is check-in?")
ANSWERS = [1, 3, 5]


def flow(*questions: str) -> Flow:
    """A page with answers behind questions, each in a link that leads nowhere."""
    written = [
        f"<div><a tabindex=0>{one}</a></div><p>From noon on, at no cost.</p>" for one in questions
    ]
    return build_flow(parse_html("<body>" + "".join(written)))


def test_the_questions_of_kept_answers_come_along() -> None:
    assert add_questions(flow(*QUESTIONS), ANSWERS) == [0, 1, 2, 3, 4, 5]


def test_a_question_joins_those_that_are_kept() -> None:
    assert add_questions(flow(*QUESTIONS), [0, 1, 3, 4, 5]) == [0, 1, 2, 3, 4, 5]


def test_a_question_without_an_answer_stays_out() -> None:
    assert add_questions(flow(*QUESTIONS, "Where is it?"), ANSWERS) == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "questions",
    [
        QUESTIONS[:2],
        tuple(one.rstrip("?") for one in QUESTIONS),
        tuple(f"<h1>{one}</h1>" for one in QUESTIONS),
        tuple(f"<a href=/>Home</a> / <a href=/f>Hotel</a> / {one}" for one in QUESTIONS),
        tuple(f"{'very ' * 80}{one}" for one in QUESTIONS),
    ],
    ids=["few", "labels", "titles", "rows-of-links", "long"],
)
def test_what_only_looks_like_a_question_stays_out(questions: tuple[str, ...]) -> None:
    found = flow(*questions)
    kept = ANSWERS[: len(questions)]

    assert add_questions(found, kept) == kept
