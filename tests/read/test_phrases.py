"""Phrases of the data file and their matcher."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from webquarry._read.outcome.phrases import Phrases, load, phrases


def topics(section: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """Names of the tables whose values are phrases."""
    for name, value in section.items():
        if isinstance(value, dict) and all(isinstance(one, str) for one in value.values()):
            yield prefix + name
        elif isinstance(value, dict):
            yield from topics(value, f"{prefix}{name}.")


@pytest.mark.parametrize(
    ("phrase", "matching", "other"),
    [
        ("log/sign in", "Please SIGN-IN now", "assign in"),
        ("subscri*", "a subscription", "unsubscribe"),
        ("please? wait here", "wait, here", "wait for her"),
        ("read (the rest | on)", "read the rest", "read the end"),
        ("a _ c", "a b c", "a c"),
        ("page # of #", "Page 1 of 1,312", "page one of two"),
        ("ray id ##", "Ray ID 7c2e", "ray id none"),
        ("to ...2 read", "to now read", "to one two three read"),
        ("to ... read", "to one two three read", "to stop. Read"),
        ("to .... read", "to stop. Read", "to stop\nread"),
        ("^ login $", "text\n** Login! **", "a login"),
        (". log in", "Stop! Log in", "never log in"),
        ("^ site -- login", "Site | Login", "site login"),
        ("don't", "Don\u2019t", "dont"),
        ("不是机器人", "我不是 机器人", "不是人"),
        ("straße", "STRASSE", "strand"),
    ],
)
def test_syntax_of_phrases(phrase: str, matching: str, other: str) -> None:
    found = Phrases([phrase])

    assert found.match(matching)
    assert not found.match(other)


def test_lists_are_inserted_and_exceptions_exclude() -> None:
    found = Phrases(["thing: article/story\nread the {thing}\n! {thing} comments"])

    assert found.match("read the story")
    assert not found.match("read the story comments")


def test_every_topic_of_the_data_file_compiles() -> None:
    names = list(topics(load()))

    assert len(names) > 25
    for name in names:
        if name != "walls.headers":
            phrases(name)
