"""Wikipedia: the language picks the wiki, errors come with 200, and an edit is no publication."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.search.replies import recorded_reply, reply
from webquarry._search.models import Query
from webquarry._search.providers.mediawiki import MediaWiki
from webquarry.errors import BadInput, RateLimited, SiteRefused
from webquarry.settings import Settings


@pytest.fixture
def mediawiki() -> MediaWiki:
    return MediaWiki.configure(Settings.from_environment({}), {})


def test_the_request_is_the_documented_one(mediawiki: MediaWiki) -> None:
    request = mediawiki.build_request(
        Query("tidal turbine", exact_terms="pitch seal", exclude_terms="wind")
    )

    assert request.url.copy_with(query=None) == "https://en.wikipedia.org/w/api.php"
    assert dict(request.url.params) == {
        "action": "query",
        "list": "search",
        "srsearch": 'tidal turbine "pitch seal" -wind',
        "srlimit": "10",
        "sroffset": "0",
        "srnamespace": "0",
        "srprop": "snippet",
        "format": "json",
        "formatversion": "2",
    }


@pytest.mark.parametrize(
    ("language", "host", "applied"),
    [
        ("de", "de.wikipedia.org", True),
        (None, "en.wikipedia.org", False),
        ("evil.example/", "en.wikipedia.org", False),
        ("DE", "en.wikipedia.org", False),
    ],
)
def test_the_language_picks_the_wiki_and_nothing_else_can(
    mediawiki: MediaWiki, language: str | None, host: str, applied: bool
) -> None:
    query = Query("x", language=language)

    assert mediawiki.build_request(query).url.host == host
    assert ("language" in mediawiki.applied(query)) is applied


def test_a_wiki_of_the_users_own_is_asked_in_its_one_language() -> None:
    provider = MediaWiki.configure(
        Settings.from_environment({"WEBQUARRY_MEDIAWIKI_URL": "http://127.0.0.1:9"}), {}
    )
    query = Query("x", language="de")

    assert str(provider.build_request(query).url).startswith("http://127.0.0.1:9/w/api.php?")
    assert "language" not in provider.applied(query)


def test_a_recorded_reply_becomes_results_without_the_dates_of_edits(mediawiki: MediaWiki) -> None:
    answered = replace(
        recorded_reply("mediawiki/ok_200"), url="https://de.wikipedia.org/w/api.php?action=query"
    )
    batch = mediawiki.parse_reply(answered)

    assert [(hit.title, hit.url, hit.snippet, hit.published) for hit in batch.results] == [
        (
            "Tidal stream generator",
            "https://de.wikipedia.org/wiki/Tidal_stream_generator",
            "A tidal stream generator, or turbine, is a machine & more",
            None,
        ),
        (
            "Lip seal (engineering)",
            "https://de.wikipedia.org/wiki/Lip_seal_(engineering)",
            "Ring for shafts",
            None,
        ),
    ]


def test_an_error_with_http_200_is_an_error(mediawiki: MediaWiki) -> None:
    with pytest.raises(RateLimited, match=r"6\.2 seconds lagged") as caught:
        mediawiki.parse_reply(
            recorded_reply("mediawiki/rate_limited_200_maxlag", {"retry-after": "5"})
        )
    assert caught.value.retry_after_seconds == 5
    with pytest.raises(BadInput, match="must be set"):
        mediawiki.parse_reply(recorded_reply("mediawiki/bad_input_200_missingparam"))


def test_a_refusal_says_that_a_user_agent_with_an_address_helps(mediawiki: MediaWiki) -> None:
    with pytest.raises(SiteRefused) as caught:
        mediawiki.parse_reply(reply(b"Please set a user-agent and respect our robot policy.", 403))

    assert "WEBQUARRY_USER_AGENT" in caught.value.suggested_action
