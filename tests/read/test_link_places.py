"""Positions of links in Markdown."""

from __future__ import annotations

from webquarry._read.slices.link_places import find_links, read_plain_target


def test_links_are_found_outside_of_code_and_within_one_paragraph() -> None:
    assert find_links(b"a [b](c) ![d](e)") == [(2, 3, 4, 8), (9, 11, 12, 16)]
    assert find_links(b"`[a](b)` [c](d)") == [(9, 10, 11, 15)]
    assert find_links(b"```\n[a](b)\n```\n[c](d)") == [(15, 16, 17, 21)]
    assert find_links(b"[a\n\nb](c)") == []
    assert find_links(b"[a\nb](c)") == [(0, 1, 4, 8)]


def test_a_target_with_more_than_eight_nested_parentheses_is_no_link() -> None:
    assert len(find_links(b"[a](" + b"(" * 8 + b")" * 9)) == 1
    assert find_links(b"[a](" + b"(" * 9 + b")" * 10) == []


def test_only_a_target_without_title_and_brackets_is_read_without_a_pattern() -> None:
    assert read_plain_target(b"](https://a.example/)") == b"https://a.example/"
    assert read_plain_target(b"[") == read_plain_target(b"![") == b""
    assert read_plain_target(b"](<a b>)") is None
    assert read_plain_target(b'](a "b")') is None
    assert read_plain_target(b"![](a)") is None
