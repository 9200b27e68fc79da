"""A provider's reply -> the JSON object in it.

What came instead of JSON (a firewall's page, a captcha, half an answer) becomes an error of the
kind it is, never "no results". The text of errors is the provider's own only after `quote_words`,
which shortens it and takes secrets out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from webquarry._search.text import plain
from webquarry.errors import (
    LONGEST_WAIT_SECONDS,
    BadInput,
    Challenge,
    ProviderFailure,
    RateLimited,
    SiteRefused,
    WebquarryError,
)
from webquarry.net.failures import retry_after_seconds
from webquarry.net.models import Reply
from webquarry.secret import redact

_CHALLENGE_MARKS = (
    b"captcha",
    b"cf-chl",
    b"challenge-platform",
    b"unusual traffic",
    b"are you a robot",
    b"you are human",  # "verify that ...", and so on
    b"you are a human",
    b"checking your browser",
    b"_incapsula_resource",
    b"bots use duckduckgo too",
)
_LOOKED_AT = 200_000  # bytes of an HTML page that are searched for the marks of a challenge

Part = TypeVar("Part")
Record = TypeVar("Record")


def json_object(reply: Reply, label: str) -> dict[str, Any]:
    """The JSON object of the body, whatever the status says; raises what the body is otherwise."""
    try:
        found = json.loads(reply.body)
    except (ValueError, RecursionError) as error:
        raise unreadable_failure(reply, label) from error
    if not isinstance(found, dict):
        raise ProviderFailure(
            f"{label} answered with JSON of an unknown shape (HTTP {reply.status})."
        )
    return found


def unreadable_failure(reply: Reply, label: str) -> WebquarryError:
    """The error that a body without readable JSON stands for."""
    status = reply.status
    page = reply.body[:_LOOKED_AT].lstrip().lower()
    is_html = page.startswith((b"<!doctype html", b"<html")) or reply.content_type == "text/html"
    if is_html and asks_for_proof(page):
        return Challenge(f"{label} answered with a captcha page (HTTP {status}).")
    if status == 429:
        return rate_limit_failure(reply, label)
    if status in (403, 451):
        return SiteRefused(
            f"{label} refused the request before it reached the search (HTTP {status})."
        )
    if status in (413, 414, 431):
        return BadInput(f"{label} finds the query too long (HTTP {status}).")
    if not page:
        what = "an empty body"
    elif is_html:
        what = "an HTML page"
    else:
        what = "unreadable JSON"
    is_passing = status < 300 or status >= 500
    return ProviderFailure(f"{label} answered with {what} (HTTP {status}).", retryable=is_passing)


def asks_for_proof(page: bytes) -> bool:
    """Whether a page in which no results were found is one that asks for proof that a person is
    there.
    """
    page = page[:_LOOKED_AT].lower()
    return any(mark in page for mark in _CHALLENGE_MARKS)


def failure(reply: Reply, label: str, words: str = "") -> WebquarryError:
    """The error that a status stands for where the provider's own codes do not say more; `words`
    are the provider's, as `quote_words` gives them.
    """
    status = reply.status
    reason = words or f"HTTP {status}."
    if status == 429:
        return rate_limit_failure(reply, label, words)
    if status in (400, 413, 414, 422, 431):
        return BadInput(f"{label} did not accept the request: {reason}")
    if status in (403, 451):
        return SiteRefused(f"{label} refused the request: {reason}")
    message = f"{label} failed (HTTP {status}). {words}".rstrip()
    return ProviderFailure(message, retryable=status >= 500)


def rate_limit_failure(
    reply: Reply, label: str, words: str = "", *, at_least: float | None = None
) -> RateLimited:
    """The error for a provider that is asked too often; it says how long to wait where the provider
    does.
    """
    message = f"{label} asked us to slow down (HTTP {reply.status})."
    if words:
        message = f"{label} asked us to slow down: {words}"
    wait = retry_after_seconds(reply.headers, reply.fetched_at)
    if at_least is not None:
        wait = min(max(wait or 0.0, at_least), LONGEST_WAIT_SECONDS)
    return RateLimited(message, retry_after_seconds=wait)


def quota_failure(label: str, words: str) -> RateLimited:
    """The error for a quota or a credit that is used up: waiting a minute does not help."""
    return RateLimited(
        f"The quota of this {label} key is used up: {words or 'no reason was given.'}",
        retryable=False,
        suggested_action="Wait for the quota to be renewed, raise it, or name another provider.",
    )


def quote_words(text: object, limit: int = 300) -> str:
    """A provider's own words as an error may repeat them: one line, short, no secrets, ending as a
    sentence.
    """
    if not isinstance(text, str):
        return ""
    words = redact(plain(text))
    if len(words) > limit:
        words = words[: limit - 3] + "..."
    if words.endswith((".", "!", "?")) or not words:
        return words
    return words + "."


def parse_hits(
    hits: object, parse: Callable[[dict[str, Any]], Record | None], label: str
) -> list[Record]:
    """The records of the list that an answer must hold. Only an empty list says that nothing was
    found: what is no list, or has members of which none is a record, is a failure of the provider.
    """
    if isinstance(hits, list):
        records = parse_each(objects(hits), parse)
        if records or not hits:
            return records
    raise unknown_shape_failure(label)


def unknown_shape_failure(label: str) -> ProviderFailure:
    """The error for an answer that is not built as this provider's answers are."""
    return ProviderFailure(f"{label} answered with JSON of an unknown shape (HTTP 200).")


def objects(value: object) -> list[dict[str, Any]]:
    """The objects of a JSON array; what is no array holds none, and other members are passed
    over.
    """
    if isinstance(value, list):
        return [member for member in value if isinstance(member, dict)]
    return []


def object_at(parent: Mapping[str, Any], name: str) -> dict[str, Any]:
    """An object inside another; empty where there is none."""
    value = parent.get(name)
    if isinstance(value, dict):
        return value
    return {}


def text_at(parent: Mapping[str, Any], name: str) -> str:
    """A field as text; empty where there is none, or nothing in it."""
    return str(parent.get(name) or "")


def array_at(parent: Mapping[str, Any], name: str) -> list[Any]:
    """An array inside an object; empty where there is none."""
    value = parent.get(name)
    if isinstance(value, list):
        return value
    return []


def parse_each(parts: Iterable[Part], parse: Callable[[Part], Record | None]) -> list[Record]:
    """The records that `parse` makes of the parts of a reply; a part without one is passed over."""
    records = []
    for part in parts:
        record = parse(part)
        if record is not None:
            records.append(record)
    return records


def optional_text(value: object) -> str:
    """A text field that may be absent; another type than text is a ValueError."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"text was due, {type(value).__name__} came")
    return value
