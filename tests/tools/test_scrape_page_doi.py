"""What Crossref says of a paper that is read: retracted or clean, remembered, never in the way of the page."""

from __future__ import annotations

import json
from typing import Any

import httpx2

from tests.net.doubles import FakeWeb
from tests.tools.pages import PROSE, URL, Session, sent

DOI = "10.1234/tides.2024.7"
PAPER = (
    "<html><head><title>Slack water</title>"
    f'<meta name="citation_title" content="Slack water"><meta name="citation_doi" content="{DOI}">'
    '<meta name="citation_journal_title" content="Journal of Tides"><meta name="citation_author" '
    'content="Marsh, Ada">'
    f"</head><body><article><h1>Slack water</h1><p>{PROSE * 20}</p></article></body></html>"
)
CROSSREF = f"https://api.crossref.org/works/{DOI}"
RETRACTED = {
    "message": {
        "updated-by": [
            {
                "type": "retraction",
                "updated": {"date-parts": [[2025, 3, 4]]},
                "DOI": "10.1234/n.1",
                "source": "publisher",
            }
        ]
    }
}


# Retraction


def paper(crossref: httpx2.Response | Exception, **more: Any) -> Session:
    return Session(FakeWeb({URL: [sent(PAPER), sent(PAPER)], CROSSREF: crossref, **more}))


def test_crossref_is_asked_about_the_doi_of_a_paper() -> None:
    answer = paper(sent(json.dumps(RETRACTED), "application/json")).scrape()

    assert answer.detected_doi == DOI
    assert answer.as_dict()["retractionStatus"] == {
        "retracted": True,
        "kind": "retraction",
        "date": "2025-03-04",
        "noticeDoi": "10.1234/n.1",
        "source": "publisher",
    }


def test_a_crossref_that_fails_does_not_fail_the_page_and_it_is_said() -> None:
    answer = paper(httpx2.Response(500)).scrape()

    assert answer.retraction_status is None
    assert answer.meta["webquarry/routing"]["notes"][-1].startswith(
        "Whether the paper was retracted is not known"
    )
