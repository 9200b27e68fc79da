"""Link targets leave the text, and come back as they were."""

from __future__ import annotations

import pytest

from tests.read.written import written
from webquarry._read.slices.text import add_targets


def lean(markdown: str) -> str:
    return written(markdown).data.decode()


def numbered(markdown: str) -> str:
    text, targets = written(markdown).show_links("list")
    return text.with_targets(targets).data.decode()


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("See [the table](https://a.example/t).", "See the table."),
        ("[Sir (ship)](https://a.example/Sir_(ship))s", "Sir (ship)s"),
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


@pytest.mark.parametrize("markdown", ["`[a](b)` and ``[a`](b)``", "```\n[a](b)\n```", r"\[a\](b)"])
def test_text_that_is_no_link_is_unchanged(markdown: str) -> None:
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
def test_link_text_at_a_line_start_opens_no_block(markdown: str, shown: str) -> None:
    assert lean(markdown) == shown


def test_link_targets_are_numbered_once() -> None:
    markdown = "[a](https://a.example/) [b](https://b.example/) [a again](https://a.example/)\n"

    assert numbered(markdown) == (
        "[a][1] [b][2] [a again][1]\n\n[1]: https://a.example/\n[2]: https://b.example/\n"
    )


def test_a_part_lists_the_targets_that_it_names_and_no_others() -> None:
    text, targets = written("[a](https://a.example/)\n\n[b](https://b.example/)").show_links("list")
    part = text.data.partition(b"\n\n")[2]

    assert add_targets(part, targets) == b"[b][2]\n\n[2]: https://b.example/\n"


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

    assert written(markdown).is_link_list()


def test_an_article_with_links_references_and_linked_cells_is_no_list_of_links() -> None:
    paragraph = PROSE.replace("second column", "[second column](https://a.example/c)") + "\n\n"
    rows = "|Town|High|\n|-|-|\n" + "|[Oslo](https://a.example/o)|5|\n" * 40
    notes = "".join(f"- [Source {number}](https://n.example/{number})\n" for number in range(9))

    assert not written(paragraph * 6 + "## Notes\n\n" + notes).is_link_list()
    assert not written(paragraph + rows + "\n" + notes).is_link_list()


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
        ("[a](b) and [b](https://page.example/b)", 2),
    ],
)
def test_a_text_that_is_its_own_address_hides_no_target(markdown: str, hidden: int) -> None:
    assert written(markdown).count_targets() == hidden
