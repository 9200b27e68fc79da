"""Wrapping, links, Markdown, the pager and the spinner of the command line."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text

from tests.cli.test_app import RECORDED, on_terminal, run_apart, without_colours
from webquarry.cli.output import Output
from webquarry.cli.render import link_urls, show_markdown
from webquarry.terminal import link_target

PAGE = "https://tidelines.example/2026/09/storing-the-tide"
WORDS = "the quick brown fox jumps over the lazy dog " * 5
WIDE = "潮流発電と蓄電のしくみを説明するページです。" * 5


def terminal(width: int) -> Output:
    console = Console(file=io.StringIO(), force_terminal=True, width=width, highlight=False)
    return Output(False, console)


def written(output: Output) -> str:
    assert isinstance(output.console.file, io.StringIO)
    return output.console.file.getvalue()


@pytest.mark.parametrize("width", [30, 120])
@pytest.mark.parametrize("words", [WORDS, WIDE, "https://a.example/" + "long" * 60])
def test_wrapped_lines_have_a_hanging_indent(width: int, words: str) -> None:
    output = terminal(width)
    output.print(words, " 1. ")
    first, *rest = without_colours(written(output)).splitlines()

    assert first.startswith(" 1. ")
    assert rest
    assert all(line.startswith("    ") and not line.startswith("     ") for line in rest)
    assert all(Text(line).cell_len <= width for line in (first, *rest))
    joined = "".join([first.removeprefix(" 1. "), *(line.strip() for line in rest)])
    assert joined.replace(" ", "") == words.replace(" ", "")


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://a.example/b?c=d#e", "https://a.example/b?c=d#e"),
        ("https://a.example/ü x", "https://a.example/%C3%BC%20x"),
        ("https://a.example/\x1b\\\x07", "https://a.example/%1B%5C%07"),
        ("javascript:alert(1)", None),
        ("file:///etc/passwd", None),
    ],
)
def test_only_web_addresses_are_links_and_no_sign_in_them_ends_the_sequence(
    url: str, target: str | None
) -> None:
    assert link_target(url) == target


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("See https://a.example/b.", "https://a.example/b"),
        ("(at https://a.example/b)", "https://a.example/b"),
        ("https://a.example/b_(c)", "https://a.example/b_(c)"),
        ("https://a.example/b, and", "https://a.example/b"),
    ],
)
def test_addresses_in_a_sentence_are_links_without_its_punctuation(text: str, url: str) -> None:
    (span,) = link_urls(text).spans

    assert text[span.start : span.end] == url


@pytest.fixture
def pager(tmp_path: Path) -> str:
    """A pager that says how many lines it was given."""
    script = tmp_path / "pager"
    script.write_text('#!/bin/sh\necho "PAGED $(wc -l) LESS=$LESS"\n')
    script.chmod(0o755)
    return str(script)


def test_text_that_is_longer_than_the_screen_is_paged(pager: str) -> None:
    seen = on_terminal("read", PAGE, **RECORDED, PAGER=pager, LINES="24")

    assert re.search(r"PAGED +\d{2,} LESS=FRX", seen)
    assert "Storing the tide" not in seen


@pytest.mark.parametrize(("flags", "term"), [(["--no-pager"], "xterm"), ([], "dumb")])
def test_text_is_written_without_a_pager(pager: str, flags: list[str], term: str) -> None:
    seen = on_terminal("read", PAGE, *flags, **RECORDED, PAGER=pager, TERM=term)

    assert "PAGED" not in seen
    assert "Storing the tide" in seen


def test_pipe_gets_no_pager_and_no_progress(pager: str) -> None:
    done = run_apart("read", PAGE, "--text", **RECORDED, PAGER=pager, LINES="5")

    assert b"PAGED" not in done.stdout
    assert b"Storing the tide" in done.stdout
    assert done.stderr == b""


@pytest.mark.slow
def test_progress_line_is_erased_at_the_end() -> None:
    seen = on_terminal("read", PAGE, **RECORDED)

    assert "fetching the page ..." in seen
    assert "fetching the page" not in without_colours(seen)
    assert "Storing the tide" in without_colours(seen)
    assert "..." not in on_terminal("read", PAGE, **RECORDED, TERM="dumb").partition("Storing")[0]


def test_entities_and_html_in_a_page_stay_text() -> None:
    """A renderer would turn `&#x202e;` back into the sign that was taken out."""
    output = terminal(60)
    hostile = "a&#27;[31m b&#x202e;c <b>d</b> [e](javascript:f) `g&#27;` [h](https://i.example/ü)"
    show_markdown(output, hostile)
    seen = without_colours(written(output))

    assert "\x1b" not in seen
    assert "\u202e" not in seen
    assert "<b>d</b>" in seen


def test_deeply_nested_markdown_is_shown() -> None:
    output = terminal(60)
    show_markdown(output, "".join(f"{'  ' * depth}- deep {depth}\n" for depth in range(60)))

    assert "deep" in written(output)
