"""Quotes, numbers and references are found in a draft with their lines and their sources."""

from __future__ import annotations

import pytest

from tests.read.formats.office_writer import docx, paragraph
from webquarry.verify.drafts import find_claims, find_quotations, read_claims

A = "https://a.example/report"


@pytest.mark.parametrize(
    "written",
    [
        'He said "the port was built in winter" today.',
        "He said “the port was built in winter” today.",
        "Er sagte „the port was built in winter“ heute.",
        "Il dit « the port was built in winter » hier.",
        "Er sagte »the port was built in winter« heute.",
        "He said ‘the port was built in winter’ today.",
        "彼は「the port was built in winter」と言った。",
        'In a 5" pipe: “the port was built in winter” today.',
    ],
)
def test_quotation_marks_of_any_language_are_seen(written: str) -> None:
    ((start, end),) = find_quotations(written)

    assert written[start:end].strip() == "the port was built in winter"


def test_an_apostrophe_closes_nothing_and_an_inner_quote_is_part_of_the_outer() -> None:
    written = "She said ‘the dogs don’t like “old” ports’ and “he called it ‘fine’ at last”."

    found = [written[start:end] for start, end in find_quotations(written)]

    assert found == ["the dogs don’t like “old” ports", "he called it ‘fine’ at last"]


@pytest.mark.parametrize(
    "written",
    [
        f'"The port was built in winter" ([report]({A})).',
        f'As [the report]({A}) says, "the port was built in winter".',
        f'"The port was built in winter." ({A})',
        '"The port was built in winter."[^1] Another sentence.',
        '"The port was built in winter" [1].',
        f"> The port was built in winter\n> — [Report]({A})",
        f"> The port was built in winter\n\n— Report, {A}",
    ],
)
def test_quote_has_the_source_next_to_it(written: str) -> None:
    draft = f"{written}\n\n[^1]: Report. {A}.\n\n## References\n\n1. Report. {A}\n"

    (quote,) = find_claims(draft).quotes

    assert quote.source == A
    assert quote.text.lower().startswith("the port was built in winter")


def test_lines_are_those_of_the_file_and_code_is_no_text() -> None:
    draft = (
        'One.\n\n```\n"this is code and no quotation"\n```\n\nTwo\n"the port was built in winter".'
    )

    (quote,) = find_claims(draft).quotes

    assert quote.line == 8


def test_numbers_count_where_a_source_is_cited() -> None:
    draft = (
        f"In 2024 it grew by 12.5% to 1,234 boats, says [the report]({A}), Table 3. "
        "It may reach 5,000 boats."
    )

    assert [number.mention.text for number in find_claims(draft).numbers] == ["12.5%", "1,234"]


def test_references_are_those_of_the_list_and_the_notes() -> None:
    draft = (
        "Text.[^n]\n\n[^n]: A note. https://n.example/\n\n## References\n\n- Smith (2020). Ports.\n"
        "- Doe (2021). Tides\n  and ports.\n\n## Appendix\n\nNo reference.\n"
    )

    found = [(one.line, one.text) for one in find_claims(draft).references]

    assert found == [
        (3, "A note. https://n.example/"),
        (7, "Smith (2020). Ports."),
        (8, "Doe (2021). Tides and ports."),
    ]


def test_a_work_that_the_text_names_by_its_number_is_a_reference_once() -> None:
    draft = (
        "Seen before [(Doe)](https://doi.org/10.5555/tide.1), again in doi:10.5555/tide.2, in\n"
        "arXiv:2101.00001v2 with 12 ports and doi:10.5555/tide.2 (PMID: 1234567).\n\n"
        "See https://n.example/ too.\n\n"
        "## References\n\n1. Doe (2021). Tides. https://doi.org/10.5555/tide.1\n"
    )

    claims = find_claims(draft)

    assert [(one.line, one.text) for one in claims.references] == [
        (8, "Doe (2021). Tides. https://doi.org/10.5555/tide.1"),
        (1, "https://doi.org/10.5555/tide.2"),
        (2, "https://arxiv.org/abs/2101.00001v2"),
        (2, "https://pubmed.ncbi.nlm.nih.gov/1234567/"),
    ]
    assert [one.mention.text for one in claims.numbers] == ["12"]  # the number of a work is none


def test_a_file_of_references_is_one_list() -> None:
    claims = read_claims("works.bib", b"@article{a, title={Ports}}\n")

    assert [one.text for one in claims.references] == ["@article{a, title={Ports}}\n"]


def test_html_is_read_as_it_is_seen_and_has_the_lines_of_its_file() -> None:
    page = f"<p>One.</p>\n\n<p>“the port was built in winter” <a href='{A}'>r</a></p>".encode()

    (quote,) = read_claims("draft.html", page).quotes

    assert (quote.text, quote.line, quote.source) == ("the port was built in winter", 3, A)


def test_a_word_document_is_read() -> None:
    draft = docx(paragraph("He wrote “the port was built in winter” once."))

    (quote,) = read_claims("draft.docx", draft).quotes

    assert quote.text == "the port was built in winter"
