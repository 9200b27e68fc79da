"""Instant answers: what DuckDuckGo knows at once, whatever type it gives its fields."""

from __future__ import annotations

from typing import Any

import pytest

from tests.search.replies import recorded, recorded_json, reply
from webquarry._search.instant import InstantAnswer, Topic, build_request, parse_reply
from webquarry.errors import (
    Challenge,
    ProviderFailure,
    RateLimited,
    SiteRefused,
    WebquarryError,
)

SCRIPT = {"content-type": "application/x-javascript"}  # as DuckDuckGo names its JSON


def answer(name: str) -> InstantAnswer:
    return parse_reply(reply(recorded(f"instant/{name}"), headers=SCRIPT))


def with_fields(**fields: Any) -> InstantAnswer:
    return parse_reply(reply(recorded_json("instant/no_answer") | fields))


def test_the_request_is_the_documented_one() -> None:
    request = build_request("tidal turbine")

    assert request.method == "GET"
    assert str(request.url.copy_with(query=None)) == "https://api.duckduckgo.com/"
    assert dict(request.url.params) == {
        "q": "tidal turbine",
        "format": "json",
        "no_html": "1",
        "no_redirect": "1",
        "t": "webquarry",
    }


def test_an_article_has_an_abstract_with_its_source() -> None:
    found = answer("article")

    assert found == InstantAnswer(
        heading="Sample (programming language)",
        abstract="A sample language is a made-up programming language used in these fixtures.",
        abstract_source="Wikipedia",
        abstract_url="https://en.wikipedia.org/wiki/Sample_language",
        topics=(
            Topic(
                "Sample compiler", "Reference compiler.", "https://duckduckgo.com/Sample_compiler"
            ),
            Topic(
                "Programming languages",
                "Category.",
                "https://duckduckgo.com/c/Programming_languages",
            ),
        ),
        results=(Topic("Official site", "", "https://sample.example/"),),
        entity="programming language",
        image="https://duckduckgo.com/i/0a1b2c3d.png",
        facts=(
            ("Developer", "Example Foundation"),
            ("First appeared", "2009"),
            ("Website", "[https://sample.example]"),
            ("GitHub profile", "example/sample"),
        ),
    )
    assert not found.is_empty


def test_topics_come_flat_and_in_groups() -> None:
    found = answer("disambiguation")

    assert [(topic.group, topic.name, topic.text) for topic in found.topics] == [
        ("", "Mercury (planet)", "The first planet from the Sun."),
        ("", "Mercury (element)", "A chemical element."),
        ("Companies", "Mercury Marine", "A maker of outboard motors."),
        ("Companies", "Mercury Records", "A record label."),
        ("See also", "Mercury Category", ""),
    ]
    assert (found.abstract, found.abstract_url) == ("", "https://en.wikipedia.org/wiki/Mercury")
    assert not found.is_empty


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("x", "x"),
        (42, "42"),
        ({"result": "4"}, "4"),
        ({}, ""),
        (True, ""),
    ],
)
def test_an_answer_may_be_of_any_type(value: object, said: str) -> None:
    found = with_fields(Answer=value)

    assert (found.answer, found.is_empty) == (said, not said)


@pytest.mark.parametrize(
    ("row", "topic"),
    [
        (
            {"Text": "Cargo - The package manager", "FirstURL": "/Cargo"},
            ("Cargo", "The package manager", "/Cargo"),
        ),
        ({"Text": "A & B one", "Result": '<a href="/x">A &amp; B</a> one'}, ("A & B", "one", None)),
        ({"Text": "https://a.example/ broken anchor"}, None),
        ({"Text": 5}, None),
    ],
)
def test_topic_has_a_name_and_a_description(
    row: dict[str, Any], topic: tuple[str, str, str | None] | None
) -> None:
    found = with_fields(RelatedTopics=[row]).topics

    expected = (
        []
        if topic is None
        else [(*topic[:2], f"https://duckduckgo.com{topic[2]}" if topic[2] else "")]
    )
    assert [(one.name, one.text, one.url) for one in found] == expected


@pytest.mark.parametrize(
    ("body", "status", "kind", "retryable"),
    [
        (b"", 202, RateLimited, True),
        (b"", 403, SiteRefused, False),
        (b"", 429, RateLimited, True),
        (b"", 500, ProviderFailure, True),
        (b"callback({})", 200, ProviderFailure, True),
        (b"<html>captcha</html>", 200, Challenge, False),
        (b'{"error": "no"}', 200, ProviderFailure, True),
    ],
)
def test_whatever_is_no_answer_is_an_error_of_its_kind(
    body: bytes, status: int, kind: type[WebquarryError], retryable: bool
) -> None:
    with pytest.raises(WebquarryError) as caught:
        parse_reply(reply(body, status, SCRIPT))

    assert type(caught.value) is kind
    assert caught.value.retryable is retryable
