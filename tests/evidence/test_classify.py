"""A page is classed by its host and by what it states, always the same way."""

from __future__ import annotations

import pytest

from tests.evidence.pages_at_hand import evidence, linked, meta, with_head

PLAIN = with_head("<title>Tides</title>")


def words(html: str, url: str) -> tuple[str, str, str]:
    found = evidence(html, url)
    return found.source_type, found.authority_tier, found.domain_category


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://pubmed.ncbi.nlm.nih.gov/123/", ("peer_reviewed", "high", "medical")),
        ("https://www.cdc.gov/flu", ("government", "high", "medical")),
        ("https://www.legislation.gov.uk/ukpga", ("government", "high", "legal")),
        ("https://europa.eu/x", ("government", "high", "general")),
        ("https://docs.python.org/3/", ("official_docs", "high", "technical")),
        ("https://docs.harbor.example/api", ("official_docs", "medium", "technical")),
        ("https://harbor.example/docs/tide", ("official_docs", "medium", "technical")),
        ("https://harbor.example/blog/tide", ("blog", "low", "general")),
        ("https://harbor.example/blog", ("unknown", "medium", "general")),
        ("https://stackoverflow.com/q/1", ("forum", "low", "technical")),
        ("https://forum.harbor.example/t/1", ("forum", "low", "general")),
        ("https://bsky.app/profile/x", ("social_media", "low", "general")),
        ("https://www.harbor.ac.uk/x", ("unknown", "medium", "academic")),
        ("https://harbor.example/tide", ("unknown", "medium", "general")),
        ("https://notcdc.gov.evil.example/", ("unknown", "medium", "general")),
        ("https://gov.example/", ("unknown", "medium", "general")),
    ],
)
def test_hosts_and_addresses_have_their_words(url: str, expected: tuple[str, str, str]) -> None:
    assert words(PLAIN, url) == expected


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("NewsArticle", "news_publication"),
        ("BlogPosting", "blog"),
        ("TechArticle", "official_docs"),
        ("ScholarlyArticle", "peer_reviewed"),
        ("Recipe", "unknown"),
    ],
)
def test_an_unknown_host_is_classed_by_what_it_states(kind: str, expected: str) -> None:
    assert words(linked(f'{{"@type":"{kind}"}}'), "https://harbor.example/x")[0] == expected


def test_a_page_cannot_raise_its_own_authority_to_high() -> None:
    html = with_head(
        meta("citation_journal_title", "Tides"), linked('{"@type":"ScholarlyArticle"}')
    )

    assert words(html, "https://harbor.example/x") == ("peer_reviewed", "medium", "academic")


def test_a_preprint_is_not_peer_reviewed_whatever_its_tags_say() -> None:
    html = with_head(
        meta("citation_doi", "10.1101/2020.01.01"), meta("citation_journal_title", "bioRxiv")
    )

    assert words(html, "https://www.biorxiv.org/content/10.1101/2020.01.01v1") == (
        "unknown",
        "medium",
        "academic",
    )


@pytest.mark.parametrize(
    ("generator", "expected"),
    [("MediaWiki 1.43", "wiki"), ("Discourse 3.2", "forum"), ("MkDocs 1.6", "official_docs")],
)
def test_the_software_of_a_page_tells_its_type(generator: str, expected: str) -> None:
    assert (
        words(
            with_head(f'<meta name="generator" content="{generator}">'), "https://harbor.example/x"
        )[0]
        == expected
    )


def test_the_judgement_of_others_counts_for_more_than_the_type() -> None:
    reliable, unreliable = (
        evidence(PLAIN, "https://www.reuters.com/x"),
        evidence(PLAIN, "https://www.infowars.com/x"),
    )

    assert reliable.source_reputation is not None
    assert (reliable.source_reputation.tier, reliable.authority_tier) == ("high", "high")
    assert unreliable.source_reputation is not None
    assert (unreliable.source_reputation.tier, unreliable.authority_tier) == ("low", "low")
