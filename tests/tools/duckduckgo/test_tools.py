"""The two tools against a DuckDuckGo on 127.0.0.1."""

from __future__ import annotations

import pytest

from tests.duckduckgo_site import DuckDuckGoSite, Said, as_recorded, many
from tests.search.replies import recorded
from tests.tools.duckduckgo.calls import (
    ANOMALY,
    challenge_everywhere,
    look_up,
    search,
)
from webquarry.errors import Challenge, RateLimited, WebquarryError

# --- web_search
# --------------------------------------------------------------------------------------------------


def test_the_results_of_the_page_come_without_its_advertisements() -> None:
    with DuckDuckGoSite() as site:
        text = search(site, max_results=3)

    assert text == (
        '## Web Search Results for "seal wear"\n\n'
        "### 1. Seal wear in tidal turbines - Example Marine\n"
        "**URL:** https://www.example-marine.org/seal-wear?site=a&lang=en\n"
        "Notes from three retrievals: seal lips lost 0.4 mm & springs were fine. It's cheaper to "
        "swap early.\n\n---\n\n"
        "### 2. Pitch seals dataset\n"
        "**URL:** https://data.example.edu/pitch-seals/\n"
        "312 failure records, CC-BY.\n\n---\n\n"
        "### 3. Étanchéité : joints\n"
        "**URL:** https://forum.example.net/t/%C3%A9tanch%C3%A9it%C3%A9/88\n"
        "Fil de discussion.\n\n---\n\n"
        "_Source: DuckDuckGo (3 results)_"
    )
    assert [asked.way for asked in site.asked] == ["html"]
    assert site.asked[0].fields["q"] == "seal wear"


def test_thirty_results_come_from_further_pages_asked_for_with_the_token_of_the_first() -> None:
    with DuckDuckGoSite(many(60)) as site:
        text = search(site, max_results=30)

    assert text.count("\n### ") == 30
    assert "### 30. Result 30\n**URL:** https://site30.example/\nText 30.\n" in text
    assert text.endswith("_Source: DuckDuckGo (30 results)_")
    assert [asked.fields.get("s", "0") for asked in site.asked] == ["0", "10", "25"]
    assert all(asked.fields["vqd"] == "4-1" for asked in site.asked[1:])


def test_a_challenge_on_the_first_page_is_answered_by_the_second_way() -> None:
    with DuckDuckGoSite(
        lambda asked: ANOMALY if asked.way == "html" else as_recorded(asked)
    ) as site:
        text = search(site, max_results=3)

    assert [asked.way for asked in site.asked] == ["html", "lite"]
    assert text.endswith("_Source: DuckDuckGo (3 results)_")


def test_a_challenge_is_an_error_that_says_how_long_to_wait_and_names_no_other_provider() -> None:
    with DuckDuckGoSite(challenge_everywhere) as site, pytest.raises(Challenge) as caught:
        search(site)

    assert (
        caught.value.message
        == "DuckDuckGo takes us for a robot and wants a challenge solved (HTTP 202)."
    )
    assert (
        caught.value.suggested_action
        == "Wait 300 seconds and try again; asking earlier only prolongs it."
    )


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (b"", "network"),
        (b"<html><body>Another page</body></html>", "network"),
        (Said(b"", 500), "network"),
        (Said(b"", 429), "rate_limited"),
        (Said(b"", 403), "blocked"),
    ],
)
def test_whatever_is_no_page_of_results_is_an_error(said: Said | bytes, kind: str) -> None:
    with DuckDuckGoSite(lambda _: said) as site, pytest.raises(WebquarryError) as caught:
        search(site)

    assert caught.value.kind == kind
    assert "provider" not in caught.value.suggested_action


# --- instant_answer
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "article",
            "### Abstract\nA sample language is a made-up programming language used in these "
            "fixtures.\n\n"
            "**Source:** Wikipedia\n**URL:** https://en.wikipedia.org/wiki/Sample_language\n\n"
            "### Related Topics\n- **Sample compiler** - Reference compiler.\n- **Programming "
            "languages** - Category.",
        ),
        (
            "answer_string",
            "### Answer\n5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8",
        ),
        (
            "definition",
            "### Definition\nbarge definition: a long boat with a flat bottom.\n\n"
            "**Source:** Sample Dictionary\n**URL:** https://dictionary.example/barge",
        ),
        (
            "disambiguation",
            "### Related Topics\n- **Mercury (planet)** - The first planet from the Sun.\n"
            "- **Mercury (element)** - A chemical element.\n\n"
            "#### Companies\n- **Mercury Marine** - A maker of outboard motors.\n- **Mercury "
            "Records** - A record label.\n\n"
            "#### See also\n- **Mercury Category**",
        ),
        ("no_answer", "No instant answer available for this query."),
        ("answer_object", "No instant answer available for this query."),
        ("redirect_bang", "No instant answer available for this query."),
    ],
)
def test_a_recorded_reply_becomes_the_sections_it_has_something_for(name: str, said: str) -> None:
    with DuckDuckGoSite(recorded(f"instant/{name}")) as site:
        text = look_up(site, "sample")

    assert (
        text
        == f'## Instant Answer for "sample"\n\n{said}\n\n_Source: DuckDuckGo Instant Answer API_'
    )
    assert [(asked.way, asked.fields["q"], asked.fields["format"]) for asked in site.asked] == [
        ("api", "sample", "json")
    ]


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (Said(b"", 202), RateLimited),
        (b"<html></html>", WebquarryError),
        (b"{}", WebquarryError),
        (b"", WebquarryError),
    ],
)
def test_whatever_is_no_instant_answer_is_an_error_and_not_an_empty_one(
    said: Said | bytes, kind: type[Exception]
) -> None:
    with DuckDuckGoSite(lambda _: said) as site, pytest.raises(kind):
        look_up(site)
