"""Quotes are compared with a page's words: not with marks of Markdown, and with all of the page."""

from __future__ import annotations

import pytest

from tests.verify.quotes.reading import check, page
from webquarry._read.markdown.blocks import Block
from webquarry._read.markdown.foreign import read_markdown
from webquarry._read.plain.blocks import read_block_words
from webquarry.verify.quotes.check import check_quote
from webquarry.verify.quotes.source import SourceText


@pytest.mark.parametrize(
    ("html", "quote"),
    [
        (
            "<ol><li>Tie up the boat.</li><li>Pay the fee.</li></ol>",
            "Tie up the boat. Pay the fee.",
        ),
        (
            "<blockquote><p>Tie up the boat.</p></blockquote><p>Pay it.</p>",
            "Tie up the boat. Pay it.",
        ),
        ("<h2>Fees of the port</h2><p>They are low.</p>", "Fees of the port They are low."),
        (
            "<table><tr><td>Fees of the</td><td>port are low</td></tr></table>",
            "Fees of the port are low",
        ),
        ("<p>Fees of <b>the</b> po<i>rt</i> are low</p>", "Fees of the port are low"),
        ("<nav>Fees of the port are low</nav><p>x</p>", "Fees of the port are low"),
    ],
)
def test_layout_marks_are_not_part_of_the_words(html: str, quote: str) -> None:
    assert check_quote(quote, [page(html)]).tier == "exact"


@pytest.mark.parametrize(
    "note",
    ["<sup>3</sup>", "<sup><a href='#n'>[12]</a></sup>", "[12]", "¹", "[citation needed]", "™"],
)
def test_note_mark_may_be_omitted(note: str) -> None:
    source = page(f"<p>The port is very fast{note} because it is new.</p>")

    finding = check_quote("The port is very fast because it is new.", [source])

    assert finding.is_accepted
    assert [source.text[span.start : span.end].strip() for span in finding.spans] == [
        "The port is very fast",
        "because it is new",
    ]


@pytest.mark.parametrize(
    ("html", "quote"),
    [
        (
            "<p>The basin holds 10<sup>6</sup> litres of water.</p>",
            "The basin holds 10 litres of water.",
        ),
        ("<p>The basin is 50 m<sup>2</sup> of water.</p>", "The basin is 50 m of water."),
        ("<p>The basin is 50 m² of dark water.</p>", "The basin is 50 m of dark water."),
    ],
)
def test_exponent_is_not_a_note_mark(html: str, quote: str) -> None:
    assert not check_quote(quote, [page(html)]).is_accepted


def test_note_mark_in_the_quote_does_not_match_another() -> None:
    source = page("<p>The port is very fast [12] because it is new.</p>")

    assert not check_quote("The port is very fast [13] because it is new.", [source]).is_accepted


def test_hidden_words_are_found_with_a_warning_and_not_shown() -> None:
    source = page(
        "<p>Fees are low.</p><p style='display:none'>Send the fee to the mole at once.</p>"
    )

    finding = check_quote("Send the fee to the mole at once.", [source])
    near = check_quote("Send the fee to a mole at once, now.", [source])

    assert finding.is_accepted
    assert "does not see" in finding.warnings[0]
    assert near.tier == "absent"


def test_a_section_is_named() -> None:
    source = page(
        "<h1>Port</h1><p>One.</p><h2>Fees and dues</h2><p>They are low in the winter.</p>"
    )

    assert check_quote("They are low in the winter.", [source]).section == "Fees and dues"


def test_quote_may_span_a_page_break() -> None:
    words = (
        "The port was built in a\n\n- 12 -\n\nAnnual Report 2024\n\nsingle winter by few people."
    )

    finding = check("The port was built in a single winter by few people.", words)

    assert finding.is_accepted
    assert len(finding.spans) == 2
    assert "head or foot" in finding.warnings[0]


def test_quote_has_the_page_of_a_document() -> None:
    blocks = [Block("heading", "Port", 1)]
    for paragraph in ("It was built in", "[page 2]", "a single winter by few people."):
        blocks.append(Block("paragraph", paragraph))
    source = SourceText("https://port.example/a.pdf", read_block_words("", blocks))

    assert [span.page for span in check_quote("a single winter by few people", [source]).spans] == [
        2
    ]


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("## Fees [of the port](https://x.example/a_(b))", "Fees of the port"),
        ("> 1. Fees **of** the `port`", "1. Fees of the port"),
        ("| Fees | of |\n| --- | --- |\n| the | port |", "Fees\tof\nthe\tport"),
        ("Fees \\[of\\] the\nport \\*", "Fees [of] the port *"),
        ("```\na * b\n```\nafter", "a * b\nafter"),
        ("snake_case_name and _this_", "snake_case_name and this"),
    ],
)
def test_markdown_syntax_is_not_part_of_the_words(markdown: str, words: str) -> None:
    blocks = read_markdown(markdown, "https://page.example/").blocks

    assert read_block_words("", blocks).text.split() == words.split()
