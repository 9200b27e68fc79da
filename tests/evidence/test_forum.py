"""A Reddit post says how it was received; other pages do not get to."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.evidence.pages_at_hand import evidence, linked, recorded
from webquarry.evidence.models import ForumSignals

POST = "https://www.reddit.com/r/tides/comments/1/which/"


def signals(url: str = POST, **fields: Any) -> ForumSignals | None:
    post = {"@type": "DiscussionForumPosting", "headline": "Which tide app?"} | fields
    return evidence(linked(json.dumps(post)), url).forum_signals


def counter(action: Any, count: Any) -> dict[str, Any]:
    return {"@type": "InteractionCounter", "interactionType": action, "userInteractionCount": count}


def test_votes_and_comments_are_read_and_those_of_the_author_and_of_replies_are_not() -> None:
    found = evidence(recorded("forum-posting.html"), POST).forum_signals

    assert found is not None
    assert found.model_dump(by_alias=True, exclude_none=True) == {
        "platform": "reddit",
        "upvotes": 27,
        "comments": 2,
        "datePublished": "2026-02-03T10:00:00Z",
        "authorName": "saltmarsh",
    }


@pytest.mark.parametrize(("votes", "noted"), [(19, True), (20, False), (0, True), (-3, True)])
def test_few_votes_earn_a_note(votes: int, noted: bool) -> None:
    found = signals(interactionStatistic=counter("https://schema.org/LikeAction", votes))

    assert found is not None
    assert found.upvotes == votes
    assert (found.credibility_note is not None) is noted


def test_other_hosts_and_pages_without_votes_have_no_signals() -> None:
    votes = counter("LikeAction", 5)

    assert (
        evidence(recorded("forum-posting.html"), "https://boats.example/t/881").forum_signals
        is None
    )
    assert signals("https://reddit.com.evil.example/r/x", interactionStatistic=votes) is None
    assert signals(interactionStatistic=counter("ViewAction", 4120)) is None
    assert signals(interactionStatistic=counter("LikeAction", "many")) is None


def test_the_old_host_and_a_plain_count_are_understood() -> None:
    found = signals("https://old.reddit.com/r/tides/comments/1/", upvoteCount="31", commentCount=4)

    assert found is not None
    assert (found.upvotes, found.comments) == (31, 4)
