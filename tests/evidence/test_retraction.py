"""Crossref's record of a paper says whether it was retracted or corrected."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.evidence.pages_at_hand import ACCESSED
from webquarry.errors import ProviderFailure, RateLimited
from webquarry.evidence.models import RetractionStatus
from webquarry.evidence.trust.retraction import build_request, parse_reply
from webquarry.net.models import Reply
from webquarry.settings import Settings

FOLDER = Path(__file__).parent / "crossref"


def reply(body: bytes, status: int = 200, content_type: str = "application/json") -> Reply:
    return Reply(
        "https://api.crossref.org/x",
        status,
        httpx2.Headers({"content-type": content_type}),
        body,
        ACCESSED,
    )


def recorded(name: str) -> RetractionStatus | None:
    return parse_reply(reply((FOLDER / name).read_bytes()))


def status_of(*notices: dict[str, Any]) -> RetractionStatus | None:
    return parse_reply(
        reply(json.dumps({"message": {"DOI": "10.5555/x", "updated-by": notices}}).encode())
    )


def notice(
    kind: str, *date: int, source: str = "publisher", doi: str = "10.5555/n"
) -> dict[str, Any]:
    return {"type": kind, "DOI": doi, "source": source, "updated": {"date-parts": [list(date)]}}


def test_a_retracted_paper_is_retracted_with_its_notice() -> None:
    found = recorded("work-retracted.json")

    assert found is not None
    assert found.model_dump(by_alias=True, exclude_none=True) == {
        "retracted": True,
        "kind": "retraction",
        "date": "2021-03-15",
        "noticeDoi": "10.5555/bio.2021.009",
        "source": "publisher",
    }


@pytest.mark.parametrize(
    "name", ["work-clean.json", "notice-update-to.json", "work-reinstated.json"]
)
def test_a_clean_paper_a_notice_and_a_reinstated_paper_have_no_status(name: str) -> None:
    assert recorded(name) is None


@pytest.mark.parametrize(
    ("kind", "retracted", "word"),
    [
        ("retraction", True, "retraction"),
        ("Withdrawal", True, "retraction"),
        ("removal", True, "retraction"),
        ("partial-retraction", False, "retraction"),
        ("expression of concern", False, "expression_of_concern"),
        ("corrigendum", False, "correction"),
        ("erratum", False, "correction"),
        ("addendum", False, "correction"),
    ],
)
def test_each_kind_of_notice_has_its_word(kind: str, retracted: bool, word: str) -> None:
    found = status_of(notice(kind, 2020, 1, 2, source="retraction-watch"))

    assert found is not None
    assert (found.retracted, found.kind, found.source) == (retracted, word, "retraction-watch")


def test_the_gravest_notice_counts_whatever_came_last() -> None:
    found = status_of(
        notice("retraction", 2020),
        notice("correction", 2024),
        notice("expression_of_concern", 2025),
    )

    assert found is not None
    assert (found.kind, found.date) == ("retraction", None)


def test_a_notice_without_a_date_counts() -> None:
    found = status_of(
        {"type": "retraction", "DOI": None, "source": 3, "updated": {"date-parts": [[None]]}}
    )

    assert found is not None
    assert (found.retracted, found.date, found.notice_doi, found.source) == (True, None, None, None)


def test_a_paper_that_crossref_does_not_know_has_no_status() -> None:
    assert parse_reply(reply((FOLDER / "error-404.txt").read_bytes(), 404, "text/plain")) is None


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (429, b"", RateLimited),
        (503, b"<html>", ProviderFailure),
        (200, b"<html>", ProviderFailure),
        (200, b"[]", ProviderFailure),
    ],
)
def test_failed_responses_raise(status: int, body: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        parse_reply(reply(body, status))


def test_request_names_only_the_paper() -> None:
    request = build_request("10.1016/s0140-6736(97)11096-0;<2>#x?y", Settings())

    assert (
        str(request.url)
        == "https://api.crossref.org/works/10.1016/s0140-6736%2897%2911096-0%3B%3C2%3E%23x%3Fy"
    )
    assert "user-agent" not in request.headers


def test_contact_is_sent_with_the_request() -> None:
    request = build_request("10.5555/x", Settings(contact="ada+tides@example.org"))

    assert request.url.params["mailto"] == "ada+tides@example.org"
    assert request.headers["user-agent"].endswith("(mailto:ada+tides@example.org)")
