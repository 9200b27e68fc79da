"""The DOI of a page is the one that it declares, never one from its references."""

from __future__ import annotations

import pytest

from tests.evidence.pages_at_hand import evidence, linked, meta, page_at, recorded, with_head
from webquarry._search.addresses import normal_doi
from webquarry.evidence.doi import detect_doi
from webquarry.evidence.page.markup import Markup

ARTICLE = "https://estuary-press.example/articles/1"


def detected(html: str = "", url: str = ARTICLE, markdown: str = "") -> str | None:
    """The DOI of a page that is peer-reviewed by its journal tag."""
    head = with_head(meta("citation_journal_title", "Tides"), html)
    return evidence(head, url, page_at(url, markdown=markdown)).detected_doi


@pytest.mark.parametrize(
    "written",
    [
        "10.5555/JCE.2023.0042",
        "doi:10.5555/jce.2023.0042",
        "https://doi.org/10.5555/jce.2023.0042",
        "https://doi.org/10.5555%2Fjce.2023.0042",
        " 10.5555/jce.2023.0042 ",
    ],
)
def test_a_doi_is_one_however_it_is_written(written: str) -> None:
    assert normal_doi(written) == "10.5555/jce.2023.0042"


def test_a_paper_declares_its_doi_in_its_tags() -> None:
    assert (
        evidence(recorded("scholarly-highwire.html"), ARTICLE).detected_doi
        == "10.5555/jce.2023.0042"
    )


def test_a_reference_tag_is_not_the_papers_own_doi() -> None:
    assert (
        detected(
            meta("citation_reference", "citation_title=Base; citation_doi=10.5555/base.2019.7")
        )
        is None
    )
    assert detected(meta("citation_reference", "10.5555/base.2019.7")) is None


@pytest.mark.parametrize(
    "identifier",
    [
        '"https://doi.org/10.5555/x1"',
        '{"@type":"PropertyValue","propertyID":"DOI","value":"10.5555/x1"}',
        '["isbn", "doi:10.5555/x1"]',
    ],
)
def test_json_ld_declares_it_as_an_identifier(identifier: str) -> None:
    assert (
        detected(linked(f'{{"@type":"ScholarlyArticle","identifier":{identifier}}}'))
        == "10.5555/x1"
    )


@pytest.mark.parametrize(
    "path",
    [
        "/doi/10.5555/x.1",
        "/doi/full/10.5555/x.1",
        "/doi/10.5555/x.1/full",
        "/content/10.5555%2Fx.1.pdf",
        "/doi/10.5555/X.1?a=10.1234/y",
    ],
)
def test_the_address_declares_it(path: str) -> None:
    assert detected(url=f"https://estuary-press.example{path}") == "10.5555/x.1"


@pytest.mark.parametrize(
    "markdown",
    [
        "# Tides\n\nDOI: 10.5555/x.1\n\nText",
        "# Tides\n\nhttps://doi.org/10.5555/x.1.\n",
        "**doi** 10.5555/x.1",
        "[https://doi.org/10.5555/x.1](https://doi.org/10.5555/x.1)",
        "(doi:10.5555/x.1) Published",
    ],
)
def test_the_first_lines_declare_it(markdown: str) -> None:
    assert detected(markdown=markdown) == "10.5555/x.1"


@pytest.mark.parametrize(
    "markdown",
    [
        "# Tides\n\nText.\n\n## References\n\n1. Base. https://doi.org/10.5555/base.1",
        "# Tides\n\nText.\n\nREFERENCES\n\nBase. doi:10.5555/base.1",
        "doi:10.5555/a and doi:10.5555/b",
        "As shown in 10.5555/base.1, tides turn.",
        "x" * 3000 + "\n\ndoi:10.5555/late.1",
    ],
)
def test_references_and_doubtful_mentions_declare_nothing(markdown: str) -> None:
    assert detected(markdown=markdown) is None


def test_a_bracket_in_a_doi_stays_and_one_around_it_goes() -> None:
    assert (
        detect_doi(Markup(""), "(https://doi.org/10.1016/S0140-6736(97)11096-0)")
        == "10.1016/s0140-6736(97)11096-0"
    )
