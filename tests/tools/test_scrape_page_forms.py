"""`scrape_page` gives a page in the form that is asked for: its links, its citation, its structured
data.
"""

from __future__ import annotations

import json

import pytest

from tests.tools.pages import ARTICLE, PROSE, URL, page

LINKED = ARTICLE.replace(
    "<h2>Part 2</h2>",
    '<h2>Part 2</h2><p>Two <a href="/almanac?year=2026">almanacs</a> and '
    '<a href="https://tables.example/">tables</a> agree with <a href="/almanac?year=2026">them'
    f"</a>. {PROSE}</p>",
)
ALMANAC = "https://harbor.example/almanac?year=2026"
PRODUCT = {
    "@type": "Product",
    "description": "A long description. " * 40,
    "offers": {"@type": "Offer", "price": "12.50", "priceCurrency": "EUR"},
}


def test_link_targets_are_left_out_and_counted() -> None:
    answer = page(LINKED).scrape()

    assert "Two almanacs and tables agree with them." in answer.content
    assert ALMANAC not in answer.content
    assert answer.links_left_out == 3


def test_targets_are_listed_once_by_number_at_the_end_if_asked_for() -> None:
    answer = page(LINKED).scrape(links="list")

    assert "Two [almanacs][1] and [tables][2] agree with [them][1]." in answer.content
    assert answer.content.endswith(f"\n\n[1]: {ALMANAC}\n[2]: https://tables.example/\n")
    assert answer.links_left_out is None


def test_a_page_that_is_a_list_of_links_keeps_their_targets() -> None:
    entries = "".join(
        f'<li><h3><a href="/b/{number}">Battery {number} for boats</a></h3>'
        f"<p>A cell of {number} kWh for the quay, sent within two days.</p></li>"
        for number in range(1, 20)
    )
    session = page(f"<title>Batteries</title><main><h1>Batteries</h1><ul>{entries}</ul></main>")
    answer = session.scrape()

    assert "[Battery 7 for boats](https://harbor.example/b/7)" in answer.content
    assert answer.links_left_out is None
    assert "[Battery 7 for boats][7]" in session.scrape(links="list").content


@pytest.mark.parametrize(
    ("style", "key", "beginning"),
    [
        ("apa", "apa", "Marsh, A. (n.d.)."),
        ("mla", "mla", "Marsh, Ada."),
        ("bibtex", "bibtex", "@"),
        ("ris", "ris", "TY  - "),
        ("csl-json", "cslJson", '{"id"'),
    ],
)
def test_the_citation_has_the_one_form_that_is_asked_for(
    style: str, key: str, beginning: str
) -> None:
    session = page()
    citation = session.scrape(citation_style=style).as_dict()["citation"]

    assert list(citation["formatted"]) == [key]
    reference = citation["formatted"][key]
    text = reference if isinstance(reference, str) else json.dumps(reference)
    assert text.startswith(beginning)
    assert citation["metadata"]["title"] == "Reading a tide table"


def test_a_session_gets_the_whole_reference_whatever_form_is_asked_for() -> None:
    (apa,) = page().scrape().sources()
    (mla,) = page().scrape(citation_style="mla").sources()

    assert apa.csl == mla.csl
    assert apa.csl is not None
    assert (apa.csl["URL"], apa.csl["author"]) == (URL, [{"family": "Marsh", "given": "Ada"}])


def test_structured_data_is_short_unless_it_is_asked_for_whole() -> None:
    script = f'<script type="application/ld+json">{json.dumps(PRODUCT)}</script>'
    session = page(ARTICLE.replace("<head>", f"<head>{script}"))

    short = session.scrape().as_dict()["structuredData"]
    whole = session.scrape(structured=True).as_dict()["structuredData"]

    assert short == {"more": True}
    assert whole["jsonLd"] == [PRODUCT]
    assert whole["openGraph"] == {"og:type": "article"}
    assert "more" not in whole
