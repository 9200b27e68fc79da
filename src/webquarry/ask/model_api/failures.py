"""A call without an answer: statuses, headers and the vendor's words in, one `CallFailure` out.

The words are told to people and never looked at; what decides is the status, the type, the headers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx2

from webquarry.ask.models import ReplyError
from webquarry.errors import LONGEST_WAIT_SECONDS
from webquarry.net.failures import retry_after_seconds
from webquarry.net.models import Reply
from webquarry.secret import redact

MOST_WORDS = 300  # characters of the vendor's own words in one of our messages
_UNASKED_PAUSE_SECONDS = 1.0  # where the vendor wants a pause and names none
_LASTING = {400: "bad_request", 402: "billing", 403: "forbidden", 413: "too_large"}
_PASSING = (408, 409, 425)
# 6m0s, 59.1s, 120ms: at most some units, so that the pattern stays linear.
_DURATION = re.compile(r"(?:(\d{1,6})h)?(?:(\d{1,6})m(?!s))?(?:(\d{1,9}(?:\.\d{1,9})?)(ms|s))?")


@dataclass
class CallFailure(Exception):
    """A call without an answer. `retry_after` is what the vendor asked for; `billed` says that it
    may have cost; `is_throttling` that the vendor has too much to do, so that everybody waits.
    """

    error: ReplyError
    status: int | None = None
    retry_after: float | None = None
    billed: bool = False
    is_throttling: bool = False

    @property
    def is_late(self) -> bool:
        """No answer came in time."""
        return self.error.code == "timeout"


def build_late_failure(seconds: float) -> CallFailure:
    """The model was asked, and did not answer in so many seconds."""
    message = (
        f"The model did not answer within {seconds:.0f} seconds. The call may have been billed, so "
        "it was not repeated; ask again, or for a shorter answer (max_tokens)."
    )
    return CallFailure(ReplyError("timeout", message, True), billed=True)


def build_malformed_failure(what: str) -> CallFailure:
    """A success that holds no answer; it was perhaps paid for."""
    message = f"The model's provider answered with something that is no {what}."
    return CallFailure(ReplyError("bad_answer", message), billed=True)


def build_key_failure(label: str, words: str, status: int) -> CallFailure:
    """The vendor did not accept the key."""
    message = f"{label} did not accept the key: {words}"
    return CallFailure(ReplyError("auth", message), status)


def build_gone_failure(model: str, advice: str) -> CallFailure:
    """The vendor does not know the model."""
    message = f"The model {redact(model)!r} is not to be had: {advice}"
    return CallFailure(ReplyError("model_gone", message), 404)


def build_missing_api_failure(url: str, api: str, variables: Sequence[str]) -> CallFailure:
    """Something else answers at the address, which one of these variables may have named."""
    host = httpx2.URL(url).host
    named = " or ".join(variables)
    message = f"There is no {api} at {host} (HTTP 404); {named} may be wrong."
    return CallFailure(ReplyError("no_api", message), 404)


def build_quota_failure(words: str, status: int) -> CallFailure:
    """What the account may use is used up; waiting does not help."""
    message = f"The account's quota at the model's provider is used up: {words}"
    return CallFailure(ReplyError("quota", message), status)


def build_throttle_failure(
    words: str, status: int, wait: float | None, should_retry: str | None
) -> CallFailure:
    """The vendor has too much to do; without a time to come back, the pauses are ours."""
    code = "rate_limited" if status == 429 else "overloaded"
    message = f"The model's provider asked us to slow down: {words}"
    error = ReplyError(code, message, should_retry != "false")
    return CallFailure(error, status, wait, is_throttling=True)


def build_limit_failure(words: str, wait: float | None, should_retry: str | None) -> CallFailure:
    """A 429 of a vendor that always names a time to come back, unless it is the account's own cap
    and there is no use in waiting.
    """
    retryable = should_retry != "false" and (wait is not None or should_retry == "true")
    message = f"The model's provider asked us to slow down: {words}"
    if not retryable:
        message += (
            " It named no time to come back, as it does when a limit of the account is used up."
        )
    if not wait:
        wait = _UNASKED_PAUSE_SECONDS if retryable else None
    error = ReplyError("rate_limited", message, retryable)
    return CallFailure(error, 429, wait, is_throttling=True)


def build_status_failure(
    words: str, status: int, wait: float | None, should_retry: str | None
) -> CallFailure:
    """The failure that any other status stands for; the vendor's word on retries goes first."""
    passes = should_retry == "true"
    if should_retry not in ("true", "false"):
        passes = status in _PASSING or status >= 500
    code = "bad_request"
    if status in _LASTING:
        code = _LASTING[status]
    elif passes or status >= 500:
        code = "server_error"
    message = f"The model's provider answered HTTP {status}: {words}"
    return CallFailure(ReplyError(code, message, passes), status, wait)


def parse_json(reply: Reply) -> Any:
    """What the body says; None when it is no JSON."""
    try:
        return json.loads(reply.body)
    except (ValueError, RecursionError):
        return None


def read_error(body: Any) -> dict[str, Any]:
    """The `error` of a body; one that is a bare text becomes its message."""
    error = body.get("error") if isinstance(body, dict) else None
    if isinstance(error, str):
        return {"message": error}
    return error if isinstance(error, dict) else {}


def clean_words(*candidates: Any) -> str:
    """The first of these that is a text, as one short line without secrets."""
    for candidate in candidates:
        if isinstance(candidate, str) and candidate.strip():
            return redact(" ".join(candidate.split()))[:MOST_WORDS]
    return "no reason was given"


def read_wait(reply: Reply) -> float | None:
    """Seconds that the usual headers ask for: `retry-after-ms`, then `retry-after`."""
    value = reply.headers.get("retry-after-ms", "")
    if value.isascii() and value.isdigit() and len(value) < 10:
        return min(int(value) / 1000, LONGEST_WAIT_SECONDS)
    return retry_after_seconds(reply.headers, reply.fetched_at)


def read_reset_wait(headers: httpx2.Headers) -> float | None:
    """The longer of the times after which requests and tokens are free again."""
    waits = []
    for what in ("requests", "tokens"):
        seconds = parse_duration(headers.get(f"x-ratelimit-reset-{what}", ""))
        if seconds is not None:
            waits.append(seconds)
    return max(waits, default=None)


def parse_duration(text: Any) -> float | None:
    """Seconds of a duration such as `6m0s`, `59.1s` or `120ms`; None for anything else."""
    if not isinstance(text, str) or not text.strip() or not text.isascii():
        return None
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        return None
    hours, minutes, amount, unit = found.groups()
    seconds = float(amount or 0)
    if unit == "ms":
        seconds /= 1000
    seconds += int(hours or 0) * 3600 + int(minutes or 0) * 60
    return min(seconds, LONGEST_WAIT_SECONDS)
