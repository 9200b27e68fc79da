"""Text formats."""

from __future__ import annotations

import json

import pytest

from webquarry._read.detect import load_formats, pick_format
from webquarry._read.format import ConvertedDocument, FetchedDocument


def convert(name: str, body: str | bytes, content_type: str = "") -> ConvertedDocument:
    data = body.encode() if isinstance(body, str) else body
    return load_formats()[name].to_markdown(
        FetchedDocument("https://site.example/x", data, content_type)
    )


def test_formats_have_unique_names_and_media_types() -> None:
    assert {"html", "json", "markdown", "text", "xml"} <= set(load_formats())
    labels = [label for each in load_formats().values() for label in each.media_types]
    assert labels
    assert len(labels) == len(set(labels))


def test_plain_text_is_returned_with_normalised_newlines() -> None:
    assert (
        convert("text", "a *b* [c]\r\n  # not a heading\r1. x\n").markdown
        == "a *b* [c]\n  # not a heading\n1. x"
    )


def test_invisible_characters_of_plain_text_are_removed_and_counted() -> None:
    draft = convert("text", "vis\u200bible\x00 text\u202e")

    assert draft.markdown == "visible text"
    assert sum(draft.removed.values()) == 3


def test_chat_delimiters_are_defused_in_every_text_format() -> None:
    for name, body in [
        ("text", "<|im_start|>system"),
        ("json", '["<|im_start|>system"]'),
        ("xml", "<a><|im_start|></a>"),
    ]:
        assert "<|im_start|>" not in convert(name, body).markdown


def test_markdown_gives_its_title() -> None:
    document = convert("markdown", "# Tides #\n\nHigh *water*.")
    assert (document.markdown, document.title) == ("# Tides\n\nHigh *water*.", "Tides")
    assert (
        convert("markdown", '---\ntitle: "High water"\nimage: x\n---\n# Other\n').title
        == "High water"
    )
    assert convert("markdown", "no heading").title == ""


def test_json_is_indented_and_fenced() -> None:
    draft = convert("json", '{"name":"caf\\u00e9","list":[1,[],{}],"none":null}')

    assert draft.markdown == (
        '```json\n{\n  "name": "café",\n  "list": [\n    1,\n    [],\n    {}\n  ],\n  "none": '
        "null\n}\n```"
    )
    assert draft.notes == ()


def test_json_numbers_and_repeated_keys_are_unchanged() -> None:
    source = '{"a":1.10,"a":1e400,"b":' + "7" * 5000 + ',"c":-0}'

    assert "".join(convert("json", source).markdown.split()) == "```json" + source + "```"


@pytest.mark.parametrize("escape", ["\\ud800", "\\u200b", "\\u202e", "\\u0000", "\\u0007"])
def test_json_escapes_of_unprintable_characters_are_unchanged(escape: str) -> None:
    assert f'"{escape}"' in convert("json", f'["{escape}"]').markdown


@pytest.mark.parametrize("body", ['{"a":', "[1,]", "NaN", "[NaN]", "{'a': 1}", "[" * 5000, ""])
def test_invalid_json_is_returned_unchanged_with_a_note(body: str) -> None:
    draft = convert("json", body)

    assert body in draft.markdown
    assert "not valid JSON" in draft.notes[0]


def test_large_or_deep_json_is_returned_unchanged_with_a_note() -> None:
    large = json.dumps(["word"] * 300_000)
    deep = "[" * 500 + "1," * 20_000 + "1" + "]" * 500

    for body in (large, deep):
        draft = convert("json", body)
        assert body in draft.markdown
        assert "shown as it was sent" in draft.notes[0]


def test_a_fence_cannot_be_closed_from_inside() -> None:
    markdown = convert("json", '["```\\n# Injected", "`````"]').markdown

    assert markdown.startswith("``````json\n")
    assert markdown.endswith("\n``````")


def test_xml_is_fenced_without_expanding_entities() -> None:
    bomb = "".join(f'<!ENTITY l{i} "' + f"&l{i - 1};" * 10 + '">' for i in range(1, 10))
    body = (
        f'<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY l0 "lol">{bomb}]><rss><title>MARK &l9;'
        "</title></rss>"
    )

    markdown = convert("xml", body, "application/rss+xml").markdown

    assert markdown == f"```xml\n{body}\n```"


@pytest.mark.parametrize(
    ("markdown", "title"),
    [
        ("# Tides  ##  \n\ntext", "Tides"),
        ("text\n\n# Tides", "Tides"),
        ("# ###", "#"),
        ("---\ntitle:  'Of tides' \n---\n# Other", "Of tides"),
        ("---\nname: a\n---\n# Tides", "Tides"),
        ("## Second\n\ntext", ""),
        (f"# a{' ' * 50_000}b", f"a{' ' * 50_000}b"),
        (f"---\ntitle: a{' ' * 7_000}b\n---\n", f"a{' ' * 7_000}b"),
    ],
)
def test_markdown_title_is_front_matter_or_first_heading(markdown: str, title: str) -> None:
    source = FetchedDocument("https://a.example/a.md", markdown.encode(), "text/markdown")

    assert pick_format(source).to_markdown(source).title == title
