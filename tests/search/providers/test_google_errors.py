"""Google: its errors, by kind and in the promised words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.search.replies import recorded_json, recorded_reply, reply
from webquarry._search.providers.google import Google
from webquarry.clock import FrozenClock
from webquarry.errors import AuthFailure, BadInput, ProviderFailure, RateLimited, WebquarryError
from webquarry.settings import Settings

SENTENCE = (
    "Authentication required: GOOGLE_SEARCH_API_KEY or GOOGLE_SEARCH_ENGINE_ID not found. Set "
    "environment variables "
    "or create ~/.config/ikigai/google-api-key and ~/.config/ikigai/google-engine-id files. Get "
    "credentials from "
    "https://developers.google.com/custom-search"
)
CREDENTIALS = {
    "GOOGLE_SEARCH_API_KEY": "google-key-1234",
    "GOOGLE_SEARCH_ENGINE_ID": "0123456789abcdef0",
}


@pytest.fixture
def google() -> Google:
    return Google.configure(Settings.from_environment({}), CREDENTIALS | {"HOME": "/nonexistent"})


@pytest.mark.parametrize(
    ("name", "kind", "retryable", "wait"),
    [
        ("google/auth_400_key_invalid", AuthFailure, False, None),
        ("google/auth_400_key_invalid_legacy", AuthFailure, False, None),
        ("google/auth_400_bad_argument", AuthFailure, False, None),
        ("google/auth_403_no_access_new_customer", AuthFailure, False, None),
        ("google/rate_limited_403_daily_limit_legacy", RateLimited, False, None),
        ("google/rate_limited_429_daily_quota", RateLimited, False, None),
        ("google/rate_limited_429_per_minute", RateLimited, True, 60),
    ],
)
def test_every_recorded_error_is_of_its_kind(
    google: Google, name: str, kind: type[WebquarryError], retryable: bool, wait: float | None
) -> None:
    with pytest.raises(WebquarryError) as caught:
        google.parse_reply(recorded_reply(name))

    assert type(caught.value) is kind
    assert caught.value.retryable is retryable
    assert caught.value.retry_after_seconds == wait


@pytest.mark.parametrize(
    "name",
    [
        "google/auth_400_key_invalid",
        "google/auth_400_key_invalid_legacy",
        "google/auth_400_bad_argument",
    ],
)
def test_credentials_that_are_not_accepted_give_the_promised_sentence(
    google: Google, name: str
) -> None:
    with pytest.raises(AuthFailure) as caught:
        google.parse_reply(recorded_reply(name))

    assert caught.value.message == SENTENCE
    assert "GOOGLE_SEARCH_ENGINE_ID" in caught.value.suggested_action


def test_an_engine_id_that_google_names_as_the_culprit_is_a_bad_credential(google: Google) -> None:
    problem = {
        "reason": "invalid",
        "message": "Invalid Value",
        "locationType": "parameter",
        "location": "cx",
    }

    with pytest.raises(AuthFailure) as caught:
        google.parse_reply(
            reply({"error": {"code": 400, "message": "Invalid Value", "errors": [problem]}}, 400)
        )

    assert caught.value.message == SENTENCE


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (
            recorded_json("google/auth_403_no_access_new_customer")["error"],
            "does not have the access",
        ),
        (
            {
                "message": "Custom Search API is disabled.",
                "errors": [{"reason": "accessNotConfigured"}],
            },
            "Custom Search API is disabled",
        ),
        (
            {
                "message": "Requests from referer x are blocked.",
                "details": [{"reason": "API_KEY_HTTP_REFERRER_BLOCKED"}],
            },
            "are blocked",
        ),
    ],
)
def test_key_without_access_quotes_googles_message(
    google: Google, problem: dict[str, Any], words: str
) -> None:
    with pytest.raises(AuthFailure, match=words):
        google.parse_reply(reply({"error": problem}, 403))


@pytest.mark.parametrize("change", [{"message": "Quota exceeded."}, {"details": []}])
def test_daily_quota_is_recognised_by_the_text_or_the_name_of_the_limit(
    google: Google, change: dict[str, object]
) -> None:
    body = recorded_json("google/rate_limited_429_daily_quota")
    body["error"] |= change

    with pytest.raises(RateLimited, match="quota for the day"):
        google.parse_reply(reply(body, 429))


@pytest.mark.parametrize("year", [2026, 2027])
@pytest.mark.parametrize(
    "error",
    [
        AuthFailure(SENTENCE, suggested_action="Replace it."),
        BadInput("Google Custom Search failed (HTTP 410). Gone"),
        ProviderFailure("Google Custom Search failed (HTTP 404)."),
        RateLimited("Google asked us to slow down."),
    ],
)
def test_from_2027_on_every_error_names_the_end_and_what_to_use_instead(
    google: Google, error: WebquarryError, year: int
) -> None:
    error = type(error)(error.message, suggested_action=error.suggested_action)
    before = error.message
    google.clock = FrozenClock(datetime(year, 12, 31, tzinfo=UTC))
    with pytest.raises(WebquarryError) as caught, google.explain_errors():
        raise error

    has_ended = year == 2027
    message = caught.value.message
    assert message.startswith(before.removesuffix("."))
    assert ("ended its Custom Search JSON API on 2027-01-01" in message) is has_ended
    assert ("web-search-brave-tool" in message) is has_ended
    assert ("web-search-brave-tool" in caught.value.suggested_action) is has_ended
    assert message.count("2027-01-01") <= 1


def test_the_end_is_the_first_moment_of_2027(google: Google) -> None:
    google.clock = FrozenClock(datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC))
    assert google.current_notice == Google.notice
    google.clock = FrozenClock(datetime(2027, 1, 1, tzinfo=UTC))
    assert "ended" in google.current_notice
