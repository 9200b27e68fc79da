"""What comes instead of JSON is an error of the kind it is, never "no results"."""

from __future__ import annotations

import pytest

from tests.search.replies import recorded, reply
from webquarry._search.replies import (
    failure,
    json_object,
    quote_words,
    rate_limit_failure,
)
from webquarry.errors import (
    BadInput,
    Challenge,
    ProviderFailure,
    RateLimited,
    SiteRefused,
    WebquarryError,
)
from webquarry.secret import Secret

HTML = {"content-type": "text/html; charset=utf-8"}
BLOCK = b"<!DOCTYPE html><html><title>403</title><body>Access denied by the firewall.</body></html>"
CAPTCHA = (
    b"<html><body>Our systems have detected unusual traffic. "
    b"<div class='g-recaptcha'></div></body></html>"
)


@pytest.mark.parametrize(
    ("body", "status", "kind", "retryable"),
    [
        (BLOCK, 200, ProviderFailure, True),
        (BLOCK, 403, SiteRefused, False),
        (BLOCK, 404, ProviderFailure, False),
        (BLOCK, 414, BadInput, False),
        (BLOCK, 429, RateLimited, True),
        (CAPTCHA, 200, Challenge, False),
        (CAPTCHA, 429, Challenge, False),
        (b"", 200, ProviderFailure, True),
        (recorded("brave/ok_200")[:-200], 200, ProviderFailure, True),
        (b"[" * 100_000, 200, ProviderFailure, True),
        (b"[]", 200, ProviderFailure, True),
        (b"null", 200, ProviderFailure, True),
    ],
)
def test_a_body_without_a_json_object_is_an_error_of_its_kind(
    body: bytes, status: int, kind: type[WebquarryError], retryable: bool
) -> None:
    with pytest.raises(WebquarryError, match=rf"Acorn .*(HTTP {status})") as caught:
        json_object(reply(body, status, HTML if body.startswith(b"<") else None), "Acorn")

    assert type(caught.value) is kind
    assert caught.value.retryable is retryable


def test_quoted_words_are_short_single_line_sentences_without_secrets() -> None:
    Secret("canary-in-the-reply")

    assert quote_words("No plan\n  for canary-in-the-reply") == "No plan for ***."
    assert quote_words("Really?") == "Really?"
    assert len(quote_words("x" * 1000)) == 300
    assert quote_words(None) == quote_words({"a": 1}) == ""


@pytest.mark.parametrize(
    ("status", "kind", "retryable"),
    [
        (400, BadInput, False),
        (403, SiteRefused, False),
        (404, ProviderFailure, False),
        (429, RateLimited, True),
        (500, ProviderFailure, True),
    ],
)
def test_status_without_explanation_is_an_error_of_its_kind(
    status: int, kind: type[WebquarryError], retryable: bool
) -> None:
    error = failure(reply(b"", status), "Acorn", "The words.")

    assert type(error) is kind
    assert error.retryable is retryable
    assert "Acorn" in error.message
    assert error.message.endswith("The words.")


@pytest.mark.parametrize(
    ("header", "at_least", "seconds"),
    [("", None, None), ("7", None, 7), ("7", 10, 10), ("", 10, 10), ("soon", None, None)],
)
def test_a_rate_limit_says_how_long_where_that_is_known(
    header: str, at_least: float | None, seconds: float | None
) -> None:
    error = rate_limit_failure(reply(b"", 429, {"retry-after": header}), "Acorn", at_least=at_least)

    assert error.retry_after_seconds == seconds
    assert f"Wait {seconds or 60:g} seconds" in error.suggested_action
    assert "another provider" in error.suggested_action
