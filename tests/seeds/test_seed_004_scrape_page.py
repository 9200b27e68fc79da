"""Seed 004, row by row: `scrape_page`. Each test is named after the field, the mode or the rule it
stands for.
"""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.net.doubles import FakeWeb
from tests.read.sites.recorded_sites import recorded
from tests.search.engines import Engines, called
from tests.seeds.seed_004 import SEED, check_as_in_table, rows_of
from tests.tools.pages import ARTICLE, PROSE, URL, Session, page, sent
from webquarry.errors import BadInput, WebquarryError
from webquarry.evidence.models import Metadata, RetractionStatus
from webquarry.tools import load
from webquarry.tools.research.scrape_page import ScrapeOutput

SECTION = SEED.partition("## Tool 2: `scrape_page`")[2]
ROWS = rows_of(SECTION)
STRUCT = SECTION.partition("type ScrapeOutput struct {")[2].partition(" } type ")[0]
FIELDS = dict(
    re.findall(r'`json:"(\w+)((?:,omitempty)?)"`', STRUCT)
)  # name -> whether it may be absent
# Optional inputs of ours.
BEYOND = {
    "outline", "section", "find", "cursor", "links", "citation_style", "structured", "question",
    "max_tokens", "fresh", "render", "unchanged",
}  # fmt: skip
OUR_FIELDS = {
    "sourceReputation", "encoding", "totalLength", "nextCursor", "matches", "outline",
    "linksLeftOut", "extractionNote", "leftOut", "whole",
    "passages", "bearsOnQuestion", "note", "unchangedSinceStep", "tokensSaved",
}  # fmt: skip
TOOL = load("research", "scrape_page")
SCHEMA = TOOL.parameters
REDDIT = "https://www.reddit.com/r/sailing/comments/1abcde/reading_a_tide_table/"
PAPER = (
    '<html><head><title>Slack water</title><meta name="citation_title" content="Slack water">'
    '<meta name="citation_doi" content="10.1234/tides.7"><meta name="citation_journal_title" '
    'content="J. Tides">'
    f"</head><body><article><h1>Slack water</h1><p>{PROSE * 20}</p></article></body></html>"
)
LONG = (
    "<article><h1>Long</h1>"
    + "".join(f"<p>{number} {PROSE * 5}</p>" for number in range(200))
    + "</article>"
)


def scrape(
    body: str | bytes = ARTICLE, content_type: str = "text/html; charset=utf-8", **arguments: Any
) -> dict[str, Any]:
    return page(body, content_type).scrape(**arguments).as_dict()


# Input


def test_input_fields_are_those_of_the_table_in_its_order_and_ours_behind_them() -> None:
    assert list(ROWS) == ["url", "mode", "max_length", "sessionId"]
    assert list(SCHEMA["properties"])[: len(ROWS)] == list(ROWS)
    assert set(SCHEMA["properties"]) - set(ROWS) == BEYOND
    assert SCHEMA["required"] == ["url"]


@pytest.mark.parametrize("field", ROWS)
def test_input_type_requirement_and_default(field: str) -> None:
    check_as_in_table(ROWS[field], SCHEMA)


@pytest.mark.parametrize(
    "url",
    ["ftp://harbor.example/x", "file:///etc/hosts", "harbor", "https://", "javascript:alert(1)"],
)
def test_input_url_is_a_valid_http_or_https_url(url: str) -> None:
    with pytest.raises(WebquarryError) as caught:
        page().scrape(url)

    assert caught.value.kind in {"blocked", "bad_input"}


def test_input_mode_is_full_preview_or_raw_and_whole_is_ours() -> None:
    assert SCHEMA["properties"]["mode"]["enum"] == ["full", "preview", "raw", "whole"]


def test_input_max_length_counts_bytes_and_is_capped_at_5_000_000() -> None:
    assert scrape("é" * 30, "text/plain; charset=utf-8", max_length=11)["content"] == "é" * 5
    huge = "a" * 5_000_100
    for mode in ("full", "raw"):
        answer = scrape(huge, "text/plain", mode=mode, max_length=9_000_000)
        assert (answer["contentLength"], answer["truncated"]) == (5_000_000, True)


def test_input_max_length_is_50_000_by_default() -> None:
    answer = scrape(LONG)

    assert answer["truncated"] is True
    assert 45_000 < answer["contentLength"] <= 50_000


def test_input_max_length_is_forced_to_5000_in_preview_mode() -> None:
    for length in (100, 5_000_000):
        answer = scrape(LONG, mode="preview", max_length=length)
        assert 4_000 < answer["contentLength"] <= 5_000


def test_input_max_length_applies_to_the_fetched_bytes_in_raw_mode() -> None:
    body = b"\x89PNG\r\n\x1a\n" + bytes(500)
    answer = scrape(body, "image/png", mode="raw", max_length=10)

    assert base64.b64decode(answer["content"]) == body[:10]


def test_input_session_id_links_to_a_session(tmp_path: Path) -> None:
    environ = {"WEBQUARRY_STATE_FOLDER": str(tmp_path)}
    begun = called(
        Engines(), "sequential_search", environ, searchStep="tides", stepNumber=1
    ).as_dict()
    session = {"sessionId": begun["sessionId"]}

    read = Session(page().web, environ=environ).scrape(**session).as_dict()

    assert read["content"] == scrape()["content"]
    linked = called(Engines(), "get_research_session", environ, **session).as_dict()["sources"]
    assert [source["url"] for source in linked] == [read["url"]]


# Modes


def test_mode_full_is_cleaned_readable_text() -> None:
    answer = scrape()

    assert "## Part 1\n\nThe pilot reads" in answer["content"]
    assert "<" not in answer["content"]
    assert "About" not in answer["content"]


def test_mode_preview_is_the_first_5000_bytes_of_it() -> None:
    session = page(LONG)

    preview = session.scrape(mode="preview").content
    assert session.scrape().content.startswith(preview)


def test_mode_raw_is_verbatim_and_unsanitized() -> None:
    assert scrape(mode="raw")["content"] == ARTICLE


# Output


def test_output_has_the_fields_of_the_seed_and_no_others() -> None:
    wire = set(ScrapeOutput.__struct_encode_fields__)

    assert len(FIELDS) == 20
    assert wire - set(FIELDS) == OUR_FIELDS
    assert set(FIELDS) - wire == set()
    always = {name for name, optional in FIELDS.items() if not optional}
    assert always <= set(scrape())
    assert always <= set(scrape(mode="raw"))


def test_output_fields_beyond_the_seed_are_absent_from_an_ordinary_answer() -> None:
    assert set(scrape()) - set(FIELDS) == set()


def test_output_url_is_the_page_that_answered() -> None:
    web = FakeWeb(
        {
            URL: httpx2.Response(301, headers={"Location": "/moved"}),
            "https://harbor.example/moved": sent(ARTICLE),
        }
    )

    assert scrape()["url"] == URL
    assert Session(web).scrape().url == "https://harbor.example/moved"


def test_output_content_is_the_text() -> None:
    assert PROSE.strip() in scrape()["content"]


@pytest.mark.parametrize(
    ("body", "header", "expected"),
    [
        (ARTICLE, "text/html", "html"),
        ("# Tides\n\nWords.", "text/markdown", "markdown"),
        ("Words.", "text/plain", "text"),
        ('{"a": 1}', "application/json", "json"),
    ],
)
def test_output_content_type_is_the_format(body: str, header: str, expected: str) -> None:
    assert scrape(body, header)["contentType"] == expected


def test_output_content_type_is_youtube_for_a_video() -> None:
    video = "https://www.youtube.com/watch?v=abcDEF12345"

    def tube(request: httpx2.Request) -> httpx2.Response:
        names = {"/youtubei/v1/player": "player-ok.json", "/api/timedtext": "captions.json3.json"}
        return recorded(f"youtube/{names[request.url.path]}")

    class Tube(FakeWeb):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            return httpx2.Response(404) if request.url.path == "/watch" else tube(request)

    answer = Session(Tube({})).scrape(video).as_dict()
    assert (answer["contentType"], answer["metadata"]["title"]) == (
        "youtube",
        "Reading a tide table",
    )
    assert "**0:00** welcome back" in answer["content"]


def test_output_hacker_news_threads_are_read_natively() -> None:
    web = FakeWeb(
        {"https://hn.algolia.com/api/v1/items/40000001": recorded("hackernews/algolia-item.json")}
    )

    answer = Session(web).scrape("https://news.ycombinator.com/item?id=40000001").as_dict()
    assert "**saltmarsh**" in answer["content"]
    assert answer["sourceType"] == "forum"
    assert "extractedBy" not in answer


@pytest.mark.parametrize("header", ["text/html; charset=UTF-8", "Application/X-Odd", ""])
def test_output_content_type_is_the_servers_header_in_raw_mode(header: str) -> None:
    assert scrape(ARTICLE, header, mode="raw")["contentType"] == header


def test_output_trust_is_always_the_boundary_marker() -> None:
    for mode in ("full", "preview", "raw"):
        assert scrape(mode=mode)["trust"] == "untrusted-external-content"


def test_output_content_length_is_that_of_the_content_in_bytes() -> None:
    answer = scrape("é" * 100, "text/plain; charset=utf-8")

    assert answer["contentLength"] == 200


def test_output_truncated_says_whether_it_was_cut() -> None:
    assert scrape()["truncated"] is False
    assert scrape(max_length=1_000)["truncated"] is True
    assert scrape(mode="raw", max_length=1_000)["truncated"] is True


def test_output_estimated_tokens_is_a_quarter_of_the_length() -> None:
    answer = scrape()

    assert answer["estimatedTokens"] == answer["contentLength"] // 4


@pytest.mark.parametrize(
    ("length", "category"),
    [
        (4_999, "small"),
        (5_000, "medium"),
        (19_999, "medium"),
        (20_000, "large"),
        (49_999, "large"),
        (50_000, "very_large"),
    ],
)
def test_output_size_category(length: int, category: str) -> None:
    assert scrape("a" * length, "text/plain")["sizeCategory"] == category


@pytest.mark.parametrize("mode", ["full", "preview", "raw"])
@pytest.mark.parametrize("body", [ARTICLE, "Words without a title."])
def test_output_citation_is_always_present(mode: str, body: str) -> None:
    citation = scrape(body, mode=mode)["citation"]
    other = scrape(body, mode=mode, citation_style="mla")["citation"]

    assert citation["url"] == other["url"] == URL
    assert URL in citation["formatted"]["apa"]
    assert URL in other["formatted"]["mla"]


def test_output_raw_is_true_in_raw_mode_and_omitted_otherwise() -> None:
    assert scrape(mode="raw")["raw"] is True
    assert "raw" not in scrape()
    assert "raw" not in scrape(mode="preview")


def test_output_extracted_by_names_the_tier_and_is_omitted_when_unknown() -> None:
    assert scrape()["extractedBy"] == "html"
    assert scrape("# Tides\n\nWords.", "text/markdown")["extractedBy"] == "markdown"
    assert "extractedBy" not in scrape("Words.", "text/plain")
    assert "extractedBy" not in scrape(mode="raw")


def test_output_extraction_quality_is_complete_or_partial_and_omitted_in_raw_mode() -> None:
    assert scrape()["extractionQuality"] == "complete"
    assert scrape("<title>x</title><p>Open on Sundays.")["extractionQuality"] == "partial"
    assert "extractionQuality" not in scrape(mode="raw")


def test_output_metadata_has_title_and_author_and_is_there_only_with_a_title() -> None:
    for mode in ("full", "preview"):
        found = scrape(mode=mode)["metadata"]
        assert (found["title"], found["author"]) == ("Reading a tide table", "Ada Marsh")
    assert "metadata" not in scrape(f"<p>{PROSE * 3}")
    assert "metadata" not in scrape(mode="raw")
    assert Metadata.__struct_fields__[:2] == ("title", "author")


def test_output_structured_data_is_there_only_when_found_and_on_html_pages() -> None:
    block = {"@type": "Article", "headline": "Reading a tide table"}
    body = ARTICLE.replace(
        "<head>", f'<head><script type="application/ld+json">{json.dumps(block)}</script>'
    )
    for mode in ("full", "preview"):
        for whole in (False, True):
            answer = scrape(body, mode=mode, structured=whole)
            assert answer["structuredData"]["jsonLd"] == [block]
    assert "structuredData" not in scrape(body, mode="raw")
    assert "structuredData" not in scrape(f"<p>{PROSE * 9}")
    assert "structuredData" not in scrape("# x", "text/markdown")


def test_output_forum_signals_are_there_for_reddit_posts_only() -> None:
    post = {
        "@context": "https://schema.org",
        "@type": "DiscussionForumPosting",
        "headline": "Reading a tide table",
        "datePublished": "2024-05-02T09:00:00Z",
        "author": {"@type": "Person", "name": "tidewatch"},
        "interactionStatistic": [
            {
                "@type": "InteractionCounter",
                "interactionType": "https://schema.org/LikeAction",
                "userInteractionCount": 41,
            },
            {
                "@type": "InteractionCounter",
                "interactionType": "https://schema.org/CommentAction",
                "userInteractionCount": 7,
            },
        ],
    }
    body = ARTICLE.replace(
        "<head>", f'<head><script type="application/ld+json">{json.dumps(post)}</script>'
    )

    signals = Session(FakeWeb({REDDIT: sent(body)})).scrape(REDDIT).as_dict()["forumSignals"]

    assert (signals["platform"], signals["upvotes"], signals["comments"]) == ("reddit", 41, 7)
    assert "forumSignals" not in scrape(body)


def test_output_source_type_is_a_word_of_the_seed() -> None:
    words = re.search(r"classification \(#62\): ([\w|]+)", SECTION)

    assert words is not None
    assert scrape()["sourceType"] in words[1].split("|")
    assert scrape(PAPER)["sourceType"] == "peer_reviewed"


def test_output_authority_tier_is_high_medium_or_low() -> None:
    assert scrape()["authorityTier"] in {"high", "medium", "low"}
    nature = "https://www.nature.com/articles/x"
    assert Session(FakeWeb({nature: sent(PAPER)})).scrape(nature).authority_tier == "high"


def test_output_domain_category_is_a_word_of_the_seed() -> None:
    words = re.search(r"subject area: ([\w|]+)", SECTION)

    assert words is not None
    assert scrape()["domainCategory"] in words[1].split("|")


def test_output_source_reputation_is_there_for_known_hosts() -> None:
    known = "https://www.nature.com/articles/x"

    assert (
        Session(FakeWeb({known: sent(ARTICLE)})).scrape(known).as_dict()["sourceReputation"]["tier"]
        == "high"
    )
    assert "sourceReputation" not in scrape()


def test_output_detected_doi_is_there_on_peer_reviewed_pages_only() -> None:
    assert scrape(PAPER)["detectedDoi"] == "10.1234/tides.7"
    assert "detectedDoi" not in scrape(
        ARTICLE.replace("</article>", "<p>See doi:10.1234/other.1</p></article>")
    )


def test_output_retraction_status_is_what_crossref_says_and_omitted_when_clean_or_unresolved() -> (
    None
):
    notice = {
        "type": "retraction",
        "updated": {"date-parts": [[2025, 3, 4]]},
        "DOI": "10.1/n",
        "source": "publisher",
    }
    crossref = "https://api.crossref.org/works/10.1234/tides.7"

    def status(reply: httpx2.Response) -> object:
        return (
            Session(FakeWeb({URL: sent(PAPER), crossref: reply}))
            .scrape()
            .as_dict()
            .get("retractionStatus")
        )

    found = status(sent(json.dumps({"message": {"updated-by": [notice]}}), "application/json"))
    assert isinstance(found, dict)
    assert (found["retracted"], found["kind"], found["date"]) == (True, "retraction", "2025-03-04")
    assert status(sent(json.dumps({"message": {}}), "application/json")) is None
    assert status(httpx2.Response(404)) is None
    assert status(httpx2.Response(500)) is None
    struct = SECTION.partition("type RetractionStatus struct {")[2].partition(" } type ")[0]
    names = re.findall(r'`json:"(\w+)', struct)
    assert list(RetractionStatus.__struct_encode_fields__) == names


# Cache


def test_cache_key_is_url_mode_and_max_length_so_no_small_answer_serves_a_larger_request() -> None:
    session = page(LONG)
    small = session.scrape(max_length=1_000)
    large = session.scrape(max_length=20_000)

    assert small.content_length <= 1_000 < large.content_length
    assert session.scrape(mode="raw", max_length=5_000_000).content == LONG


def test_cache_is_good_for_one_hour() -> None:
    session = Session(FakeWeb({URL: [sent(ARTICLE), sent(ARTICLE)]}))
    session.scrape()
    session.clock.seconds += 3_599
    session.scrape()
    assert session.web.asked() == [URL]
    session.clock.seconds += 2
    session.scrape()
    assert session.web.asked() == [URL, URL]


# Errors


def test_an_unknown_argument_is_bad_input() -> None:
    with pytest.raises(BadInput, match="'depth' is unknown"):
        scrape(depth=1)
