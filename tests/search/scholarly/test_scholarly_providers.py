"""What is particular to one index: how it is asked, and what its replies mean."""

from __future__ import annotations

import pytest

from tests.search.scholarly.replies import body_of, reply
from tests.search.scholarly.test_scholarly_contract import BY_NAME, configured, papers_in
from webquarry._search.scholarly.models import Notice, PaperQuery
from webquarry._search.scholarly.text import abstract_from_markup, from_markup
from webquarry.errors import ProviderFailure, RateLimited


def sent(name: str, query: PaperQuery, contact: str | None = None) -> dict[str, str]:
    return dict(configured(BY_NAME[name], contact=contact).build_request(query).url.params)


# arXiv


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("tidal energy", "all:tidal AND all:energy"),
        ('"tidal energy" storage', 'all:"tidal energy" AND all:storage'),
        ("the storage of energy", "all:storage AND all:energy"),
        ("self-attention", 'all:"self attention"'),
        ("au:smith (x)", 'all:"au smith" AND all:x'),
        ("of the", "all:of AND all:the"),
    ],
)
def test_arxiv_wants_every_word_and_its_operators_are_not_ours_to_use(
    text: str, asked: str
) -> None:
    assert sent("arxiv", PaperQuery(text))["search_query"] == asked


def test_a_withdrawn_preprint_says_so() -> None:
    (paper,) = papers_in("arxiv/ok_200_withdrawn.xml")

    assert paper.notices == (Notice("withdrawal", source="arxiv", preprint=True),)
    assert not any(paper.notices for paper in papers_in("arxiv/ok_200.xml"))


def test_an_empty_page_where_there_should_be_results_is_a_failure_and_not_nothing() -> None:
    page = body_of("arxiv/empty_200.xml").replace(
        b"<opensearch:totalResults>0<", b"<opensearch:totalResults>77<"
    )

    with pytest.raises(ProviderFailure, match="although it has results"):
        papers_in("arxiv/empty_200.xml", page)


@pytest.mark.parametrize("name", ["arxiv/ok_200.xml", "pubmed/ok_200.xml"])
@pytest.mark.parametrize(
    "declared",
    [
        '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;&a;">]>',
    ],
)
def test_xml_with_entities_of_its_own_is_refused(name: str, declared: str) -> None:
    head, _, rest = body_of(name).partition(b"?>")
    rest = rest.partition(b'dtd">')[2] or rest

    with pytest.raises(ProviderFailure, match="entities"):
        papers_in(name, head + b"?>" + declared.encode() + rest)


# PubMed


def test_pubmed_is_asked_for_identifiers_and_then_for_their_records() -> None:
    provider = configured(BY_NAME["pubmed"])
    first = reply("pubmed/step_200_esearch.json")
    further = provider.next_request(first)

    assert further is not None
    assert further.url.path == "/entrez/eutils/efetch.fcgi"
    assert further.url.params["id"] == "39000001,38000002"
    assert provider.next_request(reply("pubmed/empty_200.json")) is None


def test_pubmeds_records_come_in_the_order_in_which_they_were_found() -> None:
    record = body_of("pubmed/ok_200.xml")
    start, end = record.index(b"<PubmedArticle>"), record.index(b"</PubmedArticleSet>")
    other = (
        record[start:end].replace(b"38000002", b"39000001").replace(b"bio.2018.114", b"bio.2024.12")
    )
    both = reply("pubmed/ok_200.xml", record[:end] + other + record[end:])
    asked = type(both)(
        "https://x.example/efetch.fcgi?id=39000001,38000002",
        200,
        both.headers,
        both.body,
        both.fetched_at,
    )

    assert [paper.pmid for paper in configured(BY_NAME["pubmed"]).parse_reply(asked)] == [
        "39000001",
        "38000002",
    ]


def test_pubmed_tells_of_a_retraction_with_the_doi_of_the_notice() -> None:
    (paper,) = papers_in("pubmed/ok_200.xml")

    assert Notice("retraction", doi="10.5555/bio.2021.009", source="pubmed") in paper.notices
    assert Notice("expression_of_concern", source="pubmed") in paper.notices
    assert len(paper.notices) == 2


def test_a_structured_abstract_keeps_its_labels() -> None:
    (paper,) = papers_in("pubmed/ok_200.xml")

    assert (
        paper.abstract
        == "BACKGROUND: Nerve repair is slow. RESULTS: Growth rose by 30% (P < 0.05) at 450 nm."
    )
    assert (paper.published, paper.year, paper.journal) == (
        "2018-01-19",
        2018,
        "Annals of regrowth",
    )
    assert [one.written for one in paper.authors] == ["Rana M Haddad", "BLUE Group"]


# The others


def test_openalex_gets_neither_signs_it_refuses_nor_an_address_it_ignores() -> None:
    asked = sent(
        "openalex",
        PaperQuery("!tides | waves", year_to=2020, open_access=True),
        contact="me@example.org",
    )

    assert asked["search"] == "tides waves"
    assert asked["filter"] == "to_publication_date:2020-12-31,open_access.is_oa:true"
    assert "mailto" not in asked


def test_a_budget_that_is_used_up_is_asked_for_again_in_an_hour_at_most() -> None:
    with pytest.raises(RateLimited) as caught:
        papers_in("openalex/rate_limited_429_budget.json", environ={})

    assert caught.value.retry_after_seconds == 3600  # it says 53217
    assert "OPENALEX_API_KEY" in caught.value.suggested_action


def test_crossref_jats_becomes_text_with_its_notices() -> None:
    papers = papers_in("crossref/ok_200_notices.json")

    assert papers[0].abstract.startswith("Tidal turbines were measured")
    assert [notice.type for notice in papers[0].notices] == [
        "retraction",
        "retraction",
        "expression_of_concern",
    ]
    assert [one.type for one in papers[2].notices] == ["retraction", "reinstatement"]
    assert papers[3].notices == ()  # the notice itself, which speaks of another paper
    assert [paper.title for paper in papers_in("crossref/ok_200.json")][1] == (
        "Modelling & measuring tidal currents: a Zostera case"
    )


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("A <i>b</i> &amp; H<sub>2</sub>O", "A b & H2O"),
        ("x <y and z> w, a < b", "x <y and z> w, a < b"),
        ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
        (7, ""),
    ],
)
def test_markup_leaves_a_title_and_text_that_only_looks_like_it_stays(
    markup: object, text: str
) -> None:
    assert from_markup(markup) == text


def test_an_abstract_keeps_the_headings_of_its_parts_and_drops_a_formula_in_tex() -> None:
    jats = (
        "<jats:title>Abstract</jats:title><jats:sec><jats:title>Aims:</jats:title><jats:p>To see "
        "<jats:inline-formula><jats:alternatives>"
        "<jats:tex-math>\\documentclass{x}$$a$$</jats:tex-math>"
        "<mml:math><mml:mi>a</mml:mi></mml:math></jats:alternatives>"
        "</jats:inline-formula>.</jats:p></jats:sec>"
    )

    assert abstract_from_markup(jats) == "Aims: To see a."
    assert len(abstract_from_markup("<p>" + "word " * 10_000)) <= 10_000
