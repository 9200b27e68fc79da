"""Google: its errors, by kind and in the promised words."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.search.replies import recorded_json, recorded_reply, reply
from webquarry._search.providers.google import Google
from webquarry.clock import FrozenClock
from webquarry.errors import AuthFailure, ProviderFailure, RateLimited, WebquarryError
from webquarry.settings import Settings

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


@pytest.mark.parametrize("change", [{"message": "Quota exceeded."}, {"details": []}])
def test_daily_quota_is_recognised_by_the_text_or_the_name_of_the_limit(
    google: Google, change: dict[str, object]
) -> None:
    body = recorded_json("google/rate_limited_429_daily_quota")
    body["error"] |= change

    with pytest.raises(RateLimited, match="is used up"):
        google.parse_reply(reply(body, 429))


@pytest.mark.parametrize("year", [2026, 2027])
def test_errors_from_2027_on_name_the_end_of_the_service(google: Google, year: int) -> None:
    google.clock = FrozenClock(datetime(year, 12, 31, tzinfo=UTC))
    with pytest.raises(WebquarryError) as caught, google.explain_errors():
        raise ProviderFailure("Google Custom Search failed (HTTP 404).")

    assert ("ended its Custom Search JSON API" in caught.value.message) is (year == 2027)
    assert ("web-search-brave-tool" in caught.value.message) is (year == 2027)
