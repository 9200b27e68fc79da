"""Words wrap with a hanging indent at any width, and addresses are links that command nothing."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.text import Text

from tests.cli.test_app import without_colours
from webquarry.cli.layout import (
    link,
    link_target,
    link_urls,
    print_command,
    print_hanging,
    write_date,
    write_moment,
)

WORDS = "the quick brown fox jumps over the lazy dog " * 5
WIDE = "潮流発電と蓄電のしくみを説明するページです。" * 5


def terminal(width: int) -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=width, highlight=False)


def written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [30, 60, 120])
@pytest.mark.parametrize("words", [WORDS, WIDE, "https://a.example/" + "long" * 60])
def test_what_wraps_goes_on_below_where_it_began(width: int, words: str) -> None:
    console = terminal(width)
    print_hanging(console, " 1. ", Text(words))
    first, *rest = without_colours(written(console)).splitlines()

    assert first.startswith(" 1. ")
    assert rest
    assert all(line.startswith("    ") and not line.startswith("     ") for line in rest)
    assert all(Text(line).cell_len <= width for line in (first, *rest))
    joined = "".join([first.removeprefix(" 1. "), *(line.strip() for line in rest)])
    assert joined.replace(" ", "") == words.replace(" ", "")


def test_a_lead_that_leaves_no_room_stands_alone() -> None:
    console = terminal(40)
    print_hanging(console, "a name that is very long indeed  ", Text(WORDS))

    first, second, *_ = written(console).splitlines()
    assert first.strip() == "a name that is very long indeed"
    assert second.startswith("  the quick")


def test_a_lead_keeps_its_style_to_itself() -> None:
    console = terminal(60)
    print_hanging(console, Text("Error: ", "bold red"), Text("it failed"))

    assert written(console).endswith("\x1b[0mit failed\n")


def test_a_pipe_has_no_width() -> None:
    console = Console(file=io.StringIO(), highlight=False, width=60)
    print_hanging(console, "1. ", Text(WORDS))

    assert written(console).count("\n") == 1


@pytest.mark.parametrize("width", [40, 60, 120])
def test_a_command_that_is_cut_can_still_be_copied(width: int) -> None:
    words = ["webquarry", "read", "https://a.example/b/c", "--cursor", "abcdefghijk", "--whole"]
    console = terminal(width)
    print_command(console, "Cut: ", words, "dim")
    lines = without_colours(written(console)).splitlines()

    assert all(len(line) <= width for line in lines)
    assert all(line.endswith(" \\") for line in lines[:-1])
    assert " ".join("\n".join(lines).replace("\\\n", "").split()) == f"Cut: {' '.join(words)}"


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


def test_an_address_is_a_link_to_itself() -> None:
    console = terminal(60)
    console.print(link("https://a.example/"))

    assert ";https://a.example/\x1b\\" in written(console)


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


@pytest.mark.parametrize(
    ("date", "words"),
    [
        ("2026-09-14T06:00:00+01:00", "14 September 2026"),
        ("2026-07-02", "2 July 2026"),
        ("2026-07", "July 2026"),
        ("2026", "2026"),
        ("2026-13-01", "2026-13-01"),
        ("20260702", "20260702"),
        ("last week", "last week"),
    ],
)
def test_a_date_is_written_as_a_person_writes_it(date: str, words: str) -> None:
    assert write_date(date) == words


def test_a_moment_has_its_time_and_its_zone() -> None:
    assert write_moment("2026-11-10T10:00:00+01:00") == "10 November 2026, 09:00 UTC"
    assert write_moment("2026-11-10T09:00:00Z") == "10 November 2026, 09:00 UTC"
    assert write_moment("soon") == "soon"
