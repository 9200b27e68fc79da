"""Blocks that come along because others that stand as they do are kept."""

from __future__ import annotations

import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import Flow, build_flow
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.rules.siblings import add_siblings


def flow(body: str) -> Flow:
    return build_flow(parse_html(f"<body>{body}</body>"))


def judge(*values: float) -> Chances:
    return Chances(values, values)


def write_posts(*authors: str, name: str = "by") -> str:
    posts = [f"<div class=post><p class={name}>{author}</p></div>" for author in authors]
    return "".join(posts)


def test_the_author_of_the_last_post_is_kept_where_those_of_the_others_are() -> None:
    found = flow(write_posts("Ada", "Bo", "Cy"))

    assert add_siblings(found, judge(0.9, 0.9, 0.4), [0, 1]) == [0, 1, 2]


def test_where_most_are_left_out_all_stay_as_they_are() -> None:
    found = flow(write_posts("Ada", "Bo", "Cy", "Di"))

    assert add_siblings(found, judge(0.9, 0.9, 0.4, 0.4), [0, 1]) == [0, 1]


@pytest.mark.parametrize(
    "last",
    [
        write_posts("Di", name="ad"),
        f"<div class=related>{write_posts('Di')}</div>",
        write_posts("Di").replace("class=by", "class=by hidden"),
        f"<aside>{write_posts('Di')}</aside>",
    ],
)
def test_what_stands_elsewhere_or_is_hidden_does_not_come_along(last: str) -> None:
    found = flow(write_posts("Ada", "Bo", "Cy") + last)

    assert add_siblings(found, judge(0.9, 0.9, 0.9, 0.4), [0, 1, 2]) == [0, 1, 2]


def test_a_most_unlikely_one_stays_out() -> None:
    found = flow(write_posts("Ada", "Bo", "Cy"))

    assert add_siblings(found, judge(0.9, 0.9, 0.1), [0, 1]) == [0, 1]


def test_blocks_without_a_class_are_not_told_apart_by_where_they_stand() -> None:
    found = flow("<ul><li>One<li>Two<li>Three</ul>")

    assert add_siblings(found, judge(0.9, 0.9, 0.4), [0, 1]) == [0, 1]


def test_a_linked_value_is_kept_where_the_others_are() -> None:
    rows = "<div class=row>Writer Pavel Dorn</div><div class=row>Released 14 March</div>"
    linked = "<div class=row>Director <a href=/n/1>Ines Okafor</a></div>"
    found = flow(f"<div class=facts>{rows}{linked}</div>")

    assert add_siblings(found, judge(0.9, 0.9, 0.4), [0, 1]) == [0, 1, 2]


def test_a_row_that_is_nothing_but_a_link_stays_out() -> None:
    rows = "<div class=row>Writer Pavel Dorn</div><div class=row>Released 14 March</div>"
    found = flow(f"<div class=facts>{rows}<div class=row><a href=/all>All facts</a></div></div>")

    assert add_siblings(found, judge(0.9, 0.9, 0.4), [0, 1]) == [0, 1]
