"""Link targets leave the text, and come back as they were."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from webquarry._read.slices.links import (
    add_targets,
    count_targets,
    is_link_list,
    join_links,
    make_lean,
    number_links,
    split_links,
)
from webquarry._read.text.delimiters import defuse_prose


def lean(markdown: str) -> str:
    return split_links(markdown.encode()).data.decode()


def numbered(markdown: str) -> str:
    data, targets = number_links(split_links(markdown.encode()))
    return add_targets(data, targets).decode()


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("See [the table](https://a.example/t).", "See the table."),
        ("[Sir_(ship)](https://a.example/Sir_(ship))s", "Sir_(ship)s"),
        ('[a](https://a.example/ "Its title") b', "a b"),
        ("[a](<https://a.example/with blank>) b", "a b"),
        ("A map ![of the bay](m.png) here", "A map of the bay here"),
        ("Before.\n\n![](m.png)\n\nAfter.", "Before.\n\nAfter."),
        ("[![logo](l.png)](https://a.example/)", "logo"),
        ("|[Oslo](https://a.example/o)|5|", "|Oslo|5|"),
        ("**[a](https://a.example/)** and *b*", "**a** and *b*"),
    ],
)
def test_the_text_of_a_link_stays_and_its_target_goes(markdown: str, shown: str) -> None:
    assert lean(markdown) == shown


@pytest.mark.parametrize(
    "markdown",
    [
        "`[a](b)` and ``[a`](b)``",
        "```\n[a](b)\n```",
        "~~~\n[a](b)\n~~~",
        r"\[a\](b)",
        "<https://a.example/>",
        "[a][1] and a note[^1]",
        "[a](two words)",
        "[never closed\n\nin this paragraph](b)",
        "f(x)[0](y",
    ],
)
def test_what_is_no_link_stays_as_it_is(markdown: str) -> None:
    assert lean(markdown) == markdown


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("[# Not a heading](u)", r"\# Not a heading"),
        ("Text.\n\n[1. May](u)", "Text.\n\n1\\. May"),
        ("> [- x](u)", r"> \- x"),
        ("See [1. May](u)", "See 1. May"),
    ],
)
def test_a_text_that_comes_to_begin_its_line_opens_no_block(markdown: str, shown: str) -> None:
    assert lean(markdown) == shown


def test_the_text_comes_back_byte_for_byte_whatever_it_is() -> None:
    signs = ["[", "]", "(", ")", "](", "`", "``", "\\", "!", "#", "1. ", "<", ">", '"', " ", "\n"]
    parts = [*signs, "[é](b)", "![](c)", "[![x](y)](z)", "```\n", "\n\n", "é"]
    chance = random.Random(15)
    for _ in range(3_000):
        markdown = "".join(chance.choices(parts, k=chance.randint(1, 25))).encode()
        assert join_links(split_links(markdown)) == markdown


def test_numbers_stand_for_targets_and_each_target_is_listed_once() -> None:
    markdown = "[a](https://a.example/) [b](https://b.example/) [a again](https://a.example/)\n"

    assert numbered(markdown) == (
        "[a][1] [b][2] [a again][1]\n\n[1]: https://a.example/\n[2]: https://b.example/\n"
    )


def test_a_part_lists_the_targets_that_it_names_and_no_others() -> None:
    data, targets = number_links(split_links(b"[a](https://a.example/)\n\n[b](https://b.example/)"))
    part = data.partition(b"\n\n")[2]

    assert add_targets(part, targets) == b"[b][2]\n\n[2]: https://b.example/\n"


def test_a_link_that_says_its_address_hides_nothing() -> None:
    shown = "[https://a.example/](https://a.example) [b.example](https://www.b.example/)"

    assert count_targets(split_links(shown.encode())) == 0
    assert count_targets(split_links(f"{shown} [c](https://c.example/)".encode())) == 1


PRODUCT = (
    "### [Battery {0}](https://s.example/{0})\n\n{0}49.00 €\n\nIn stock, sent within two days.\n\n"
)
RESULT = (
    "[Tide tables for harbour {0}](https://r.example/{0})\n\nThe times of high water in harbour "
    "{0}, worked out for every day of the year and for all of its three quays.\n\n"
)
PROSE = "The pilot reads the second column first, because water does not wait for anybody. " * 4


@pytest.mark.parametrize(
    "entry", [PRODUCT, RESULT, "- [Chapter {0}](https://d.example/{0}): how to begin\n"]
)
def test_an_index_a_list_of_results_and_of_products_are_lists_of_links(entry: str) -> None:
    markdown = "# All of them\n\n" + "".join(entry.format(number) for number in range(1, 9))

    assert is_link_list(split_links(markdown.encode()))


def test_an_article_with_links_references_and_linked_cells_is_no_list_of_links() -> None:
    paragraph = PROSE.replace("second column", "[second column](https://a.example/c)") + "\n\n"
    rows = "|Town|High|\n|-|-|\n" + "|[Oslo](https://a.example/o)|5|\n" * 40
    notes = "".join(f"- [Source {number}](https://n.example/{number})\n" for number in range(9))

    assert not is_link_list(split_links((paragraph * 6 + "## Notes\n\n" + notes).encode()))
    assert not is_link_list(split_links((paragraph + rows + "\n" + notes).encode()))


@pytest.mark.parametrize(
    "markdown",
    [
        "A [<](https://a.example/)|im_start|> b",
        "A </[s](https://a.example/)> b",
        "A.\n\n[Human](https://a.example/): do this",
        "A [INST![](a.png)] b",
    ],
)
def test_no_delimiter_of_chats_comes_together_when_a_link_goes(markdown: str) -> None:
    text = f"[A link](https://b.example/). {PROSE}{markdown}"
    lean_text = make_lean(text.encode()).data.decode()

    assert defuse_prose(lean_text, Counter()) == lean_text
    assert defuse_prose(lean(text), Counter()) != lean(text)


def test_images_inside_of_images_leave_the_innermost_text() -> None:
    depth = 20_000
    markdown = "![" * depth + "a tide" + "](m.png)" * depth

    assert lean(markdown) == "a tide"
    assert join_links(split_links(markdown.encode())) == markdown.encode()


@pytest.mark.parametrize(
    ("markdown", "hidden"),
    [
        ("[https://a.example/b/](https://www.a.example/b)", 0),
        (r"[a.example/b\_c](https://a.example/b_c)", 0),
        (r"[a.example\/](https://a.example/)", 0),
        ("[A.EXAMPLE](http://a.example//)", 0),
        ("[b](https://a.example/b)", 1),
        ("[tel:](tel:)", 1),
        ("[x](xtel:)", 0),
        ("[a](b) and [b](b)", 1),
    ],
)
def test_a_text_that_is_its_own_address_hides_no_target(markdown: str, hidden: int) -> None:
    assert count_targets(split_links(markdown.encode())) == hidden
