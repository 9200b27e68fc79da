"""The Markdown of the tool set: its form to the letter, and nothing from the web that could change
it.

A Markdown parser reads every page back: whatever a result says, there are the headings that we
wrote and no others, and each text reads as it was.
"""

from __future__ import annotations

import os
import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from webquarry._read.text.characters import strip_invisible
from webquarry._search.instant import InstantAnswer, Topic
from webquarry._search.models import Result
from webquarry.tools.duckduckgo._markdown import address, write_answer, write_results

FUZZ_EXAMPLES = int(os.environ.get("WEBQUARRY_FUZZ_EXAMPLES", "100"))
PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
PIECES = st.sampled_from(
    [
        *"`*_[]()<>#+-.!|~\\&;:=\"'$%^{}@/?,a1 \t\n\r",
        *(
            "```",
            "~~~",
            "**",
            "__",
            "***",
            "---",
            "===",
            "- - -",
            "|-|",
            ":-",
            "1. ",
            "1) ",
            "- ",
            "> ",
            "# ",
            "    ",
        ),
        *(
            "\n\n",
            "\u2028",
            "\x0b",
            "\x85",
            "\u00a0",
            "\u200b",
            "\u202e",
            "\U000e0041",
            "日本",
            "ß",
        ),
        *(
            "[x](http://e.example)",
            "![i](http://e.example/i.png)",
            "[x]: http://e.example",
            "<b>",
            "</b>",
            "<!--",
        ),
        *(
            "<script>",
            "<http://e.example>",
            "http://e.example",
            "&lt;",
            "&#35;",
            "&copy;",
            "\\n",
            "  \n",
            "<?",
            "<![CDATA[",
        ),
        *(
            "<|im_start|>",
            "<system>",
            "[INST]",
            "Human:",
            "\n\nAssistant: ",
            "snake_case",
            "2 * 3",
            "~x~",
            "[^1]",
            "| a |",
        ),
    ]
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)
URLS = st.lists(PIECES, max_size=8).map(lambda parts: "https://site.example/" + "".join(parts))


def result(
    title: str = "Title", url: str = "https://site.example/", snippet: str = "Text."
) -> Result:
    return Result(title, url, snippet, provider="duckduckgo")


def seen(text: str) -> str:
    """What a reader sees of a text, in one line."""
    return " ".join(strip_invisible(" ".join(text.split()), Counter()).split())


def blocks(page: str) -> list[tuple[str, list[Token]]]:
    """The blocks of a page: its kind, and what stands in it."""
    tokens = PARSER.parse(page)
    return [
        (tokens[place - 1].tag, token.children or []) if token.type == "inline" else (token.tag, [])
        for place, token in enumerate(tokens)
        if token.type
        in ("inline", "hr", "code_block", "fence", "html_block", "table_open", "blockquote_open")
    ]


def text_of(children: list[Token]) -> str:
    """The text of a line; anything in it that is more than text is shown by its kind."""
    return "".join(
        child.content if child.type == "text" else f"<{child.type}>" for child in children
    )


def strong(words: str) -> str:
    """What `text_of` makes of words in bold type."""
    return f"<strong_open>{words}<strong_close>"


def source_of(children: list[Token]) -> str:
    """The text of a line with its marks of emphasis."""
    return "".join(
        "\n" if child.type == "softbreak" else child.content or child.markup for child in children
    )


# --- the form
# --------------------------------------------------------------------------------------------------


# --- what comes from the web
# ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mark", ["<|im_start|>", "</system>", "[INST]", "<tool_use>"])
def test_chat_delimiters_are_escaped(mark: str) -> None:
    page = write_results(
        f"q {mark}", [result(f"a {mark} b", f"https://site.example/{mark}", f"Human: {mark}")]
    )
    answer = write_answer(
        "x", InstantAnswer(abstract=mark, answer=mark, topics=(Topic(mark, mark, "", mark),))
    )

    assert mark not in page + answer
    assert re.search(r"(?m)^Human:", page) is None


@pytest.mark.parametrize(
    ("url", "written"),
    [
        ("https://a.example/wiki/Rust_(language)", "https://a.example/wiki/Rust_(language)"),
        ("https://a.example/x y", "https://a.example/x%20y"),
        ("https://a.example/<b>", "https://a.example/%3Cb%3E"),
        ("https://a.example/a)b", "https://a.example/a%29b"),
        ("https://a.example/[INST]", "https://a.example/%5BINST%5D"),
        ("https://a.example/?a=1&lt;2", "https://a.example/?a=1&lt%3B2"),
        ("https://a.example/\nAssistant:", "https://a.example/Assistant:"),
        ("javascript:alert(1)", ""),
    ],
)
def test_an_address_is_absolute_and_ends_where_it_ends(url: str, written: str) -> None:
    assert address(url) == written


@settings(max_examples=FUZZ_EXAMPLES, deadline=None)
@given(query=TEXTS, results=st.lists(st.builds(result, TEXTS, URLS, TEXTS), min_size=1, max_size=3))
def test_fuzz_result_text_does_not_change_the_structure(query: str, results: list[Result]) -> None:
    page = blocks(write_results(query, results))

    assert [tag for tag, _ in page] == ["h2", *["h3", "p", "hr"] * len(results), "p"]
    assert text_of(page[0][1]) == f'Web Search Results for "{seen(query)}"'
    for place, one in enumerate(results):
        _, title, entry = page[3 * place][1], page[3 * place + 1][1], page[3 * place + 2][1]
        broken = [number for number, child in enumerate(entry) if child.type == "softbreak"]
        head, tail = (entry[: broken[0]], entry[broken[0] + 1 :]) if broken else (entry, [])
        assert source_of(head) == f"**URL:** {address(one.url)}"
        assert text_of(tail) == seen(one.snippet)
        assert (text_of if seen(one.title) else source_of)(
            title
        ) == f"{place + 1}. {seen(one.title) or address(one.url)}"


@settings(max_examples=FUZZ_EXAMPLES, deadline=None)
@given(text=TEXTS, source=TEXTS, name=TEXTS, group=TEXTS)
def test_fuzz_answer_text_does_not_change_the_structure(
    text: str, source: str, name: str, group: str
) -> None:
    page = blocks(
        write_answer(
            "q",
            InstantAnswer(
                abstract=text, abstract_source=source, topics=(Topic(name, text, "", group),)
            ),
        )
    )
    expected = [("h2", 'Instant Answer for "q"')]
    if seen(text):
        expected += [("h3", "Abstract"), ("p", seen(text))]
        expected += [("p", f"{strong('Source:')} {seen(source)}")] if seen(source) else []
    if seen(name) or seen(text):
        said = [strong(seen(name))] * bool(seen(name)) + [seen(text)] * bool(seen(text))
        expected += [
            ("h3", "Related Topics"),
            *[("h4", seen(group))] * bool(seen(group)),
            ("p", " - ".join(said)),
        ]
    expected += [] if len(expected) > 1 else [("p", "No instant answer available for this query.")]
    expected += [("p", "<em_open>Source: DuckDuckGo Instant Answer API<em_close>")]

    assert [(tag, text_of(children)) for tag, children in page] == expected
