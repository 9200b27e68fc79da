"""One call gives all that can be said for quoting and weighing a page."""

from __future__ import annotations

import pytest

from tests.evidence.pages_at_hand import evidence, linked, meta, page_at, recorded, with_head


def test_a_paper_is_cited_as_an_article_of_its_journal() -> None:
    found = evidence(
        recorded("scholarly-highwire.html"), "https://estuary-press.example/articles/1"
    ).citation

    assert found.formatted.apa == (
        "Okafor, A., & Lindqvist, P. J. (2023). Tidal energy yields in shallow estuaries. "
        "Journal of Coastal Engineering,"
        " 12(3), 201–219. https://doi.org/10.5555/jce.2023.0042"
    )
    assert found.formatted.mla.endswith(
        "vol. 12, no. 3, 5 Apr. 2023, pp. 201–19, https://doi.org/10.5555/jce.2023.0042."
    )
    assert found.formatted.bibtex.startswith("@article{okafor2023tidal,")
    assert found.formatted.ris.startswith("TY  - JOUR\r\n")
    assert found.formatted.csl_json["type"] == "article-journal"


def test_a_page_about_which_nothing_is_known_is_cited_by_its_address() -> None:
    found = evidence(None, "https://www.harbor.example/tide/", page_at(content_type="text"))

    assert found.citation.model_dump(by_alias=True) == {
        "url": "https://www.harbor.example/tide/",
        "accessedDate": "2026-11-15",
        "metadata": {
            "title": "harbor.example/tide",
            "author": "",
            "site": "harbor.example",
            "date": "n.d.",
        },
        "formatted": {
            "apa": "harbor.example/tide. (n.d.). harbor.example. https://www.harbor.example/tide/",
            "mla": "“harbor.example/tide.” harbor.example, https://www.harbor.example/tide/. "
            "Accessed 15 Nov. 2026.",
            "bibtex": found.citation.formatted.bibtex,
            "ris": found.citation.formatted.ris,
            "cslJson": {
                "id": "harborndharbor",
                "type": "webpage",
                "title": "harbor.example/tide",
                "container-title": "harbor.example",
                "URL": "https://www.harbor.example/tide/",
                "accessed": {"date-parts": [[2026, 11, 15]]},
            },
        },
    }
    assert found.metadata is None
    assert "Accessed: 2026-11-15" in found.citation.formatted.bibtex
    assert "Y2  - 2026/11/15/" in found.citation.formatted.ris


def test_a_preprint_is_cited_by_its_number_and_server() -> None:
    html = with_head(
        meta("citation_title", "Estimating tidal energy yield"),
        meta("citation_author", "Okafor, Amara"),
        meta("citation_date", "2022/09/01"),
        meta("citation_arxiv_id", "2209.00042"),
        meta("citation_doi", "10.48550/arXiv.2209.00042"),
        meta("og:site_name", "arXiv.org"),
    )
    found = evidence(html, "https://arxiv.org/abs/2209.00042")

    assert found.citation.formatted.apa == (
        "Okafor, A. (2022). Estimating tidal energy yield (arXiv:2209.00042). arXiv.org."
        " https://doi.org/10.48550/arxiv.2209.00042"
    )
    assert found.detected_doi is None


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("https://www.youtube.com/watch?v=abc", "motion_picture"),
        ("https://www.reddit.com/r/tides/comments/1/", "post"),
        ("https://tides.substack.com/p/x", "post-weblog"),
        ("https://harbor.example/tide", "webpage"),
    ],
)
def test_kind_of_work_depends_on_the_source(url: str, kind: str) -> None:
    assert evidence("<title>Tides</title>", url).citation.formatted.csl_json["type"] == kind


def test_the_journal_is_found_up_the_chain_of_parts() -> None:
    html = linked(
        '{"@type":"ScholarlyArticle","headline":"Tides","isPartOf":{"@type":"PublicationIssue","isPartOf":'
        '[{"@type":"PublicationVolume","isPartOf":{"@type":"Periodical","name":"Journal of '
        'Tides"}}]}}'
    )

    assert evidence(html).citation.formatted.csl_json["container-title"] == "Journal of Tides"


def test_hostile_markup_is_bounded() -> None:
    html = with_head(
        meta("og:title", "x" * 100_000),
        *[meta("citation_author", f"A{n} B{n}") for n in range(5_000)],
    )
    found = evidence(html, "https://harbor.example/" + "y" * 5_000)

    assert found.metadata is not None
    assert len(found.metadata["title"]) <= 1_000
    assert found.metadata["author"].endswith("A19 B19, et al.")
    assert found.citation.formatted.csl_json["author"][100:] == [{"literal": "et al."}]
    assert " and others}" in found.citation.formatted.bibtex
    assert ", . . . A4999 B4999. (n.d.)." in found.citation.formatted.apa
