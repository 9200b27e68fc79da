from __future__ import annotations

from datetime import UTC, datetime

import httpx2
import pytest

from webquarry.errors import (
    AuthFailure,
    NetworkFailure,
    NotFound,
    RateLimited,
    SiteRefused,
    WebquarryError,
)
from webquarry.net.failures import raise_for_status, retry_after_seconds
from webquarry.net.models import Reply

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def reply(status: int, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(
        "https://site.example/page?token=hush-hush", status, httpx2.Headers(named), b"", NOW
    )


def raised(status: int) -> WebquarryError | None:
    try:
        raise_for_status(reply(status))
    except WebquarryError as error:
        return error
    return None


@pytest.mark.parametrize("status", [200, 204])
def test_a_success_passes(status: int) -> None:
    assert raised(status) is None


@pytest.mark.parametrize(
    ("status", "kind", "retryable"),
    [
        (304, NetworkFailure, False),
        (401, SiteRefused, False),
        (403, SiteRefused, False),
        (404, NotFound, False),
        (407, AuthFailure, False),
        (408, NetworkFailure, True),
        (410, NotFound, False),
        (429, RateLimited, True),
        (500, NetworkFailure, True),
        (501, NetworkFailure, False),
        (503, NetworkFailure, True),
        (999, SiteRefused, False),
    ],
)
def test_every_other_status_is_its_own_error(
    status: int, kind: type[WebquarryError], retryable: bool
) -> None:
    with pytest.raises(kind) as caught:
        raise_for_status(reply(status))

    assert type(caught.value) is kind
    assert caught.value.retryable is retryable
    assert str(status) in caught.value.message
    assert "hush" not in caught.value.message


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120),
        ("1.5", 1.5),
        ("Sun, 01 Mar 2026 12:00:30 GMT", 30),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0),
        ("999999999", 3600),
        ("", None),
        ("soon", None),
        ("Sun, 99 Mar 2026 12:00:30 GMT", None),
    ],
)
def test_retry_after_is_a_number_of_seconds_or_a_date(value: str, seconds: float | None) -> None:
    headers = httpx2.Headers([(b"Retry-After", value.encode())])

    assert retry_after_seconds(headers, NOW) == seconds
