"""JSON and XML of replies, and the errors of other replies.

A reply without the expected data (the page of a firewall, a captcha, a truncated body) is an error
of its kind, never "no results". The provider's own words are part of an error only after
`quote_words`, which shortens and redacts them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

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

if TYPE_CHECKING:
    from lxml import etree

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
_SEARCHED = 200_000  # bytes of an HTML page that are searched for these
_OWN_ENTITIES = re.compile(rb"<!DOCTYPE[^>\[]{0,2000}\[|<!ENTITY", re.IGNORECASE)

Part = TypeVar("Part")
Record = TypeVar("Record")


def json_object(reply: Reply, label: str) -> dict[str, Any]:
    """Return the JSON object of a body of any status, or raise the error of another body."""
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
    """Return the error for a body that cannot be parsed."""
    status = reply.status
    page = reply.body[:_SEARCHED].lstrip().lower()
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
    what = "an HTML page" if is_html else "unreadable JSON"
    is_temporary = status < 300 or status >= 500
    return ProviderFailure(
        f"{label} answered with {what if page else 'an empty body'} (HTTP {status}).",
        retryable=is_temporary,
    )


def asks_for_proof(page: bytes) -> bool:
    """Return whether a page without results asks for proof of a human visitor."""
    page = page[:_SEARCHED].lower()
    return any(mark in page for mark in _CHALLENGE_MARKS)


def failure(reply: Reply, label: str, words: str = "") -> WebquarryError:
    """Return the error of a status; `words` are a result of `quote_words`."""
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
    """Return the error for too many requests, with the time to wait if it is known."""
    message = f"{label} asked us to slow down (HTTP {reply.status})."
    if words:
        message = f"{label} asked us to slow down: {words}"
    wait = retry_after_seconds(reply.headers, reply.fetched_at)
    if at_least is not None:
        wait = min(max(wait or 0.0, at_least), LONGEST_WAIT_SECONDS)
    return RateLimited(message, retry_after_seconds=wait)


def quota_failure(label: str, words: str) -> RateLimited:
    """Return the error for an exhausted quota, which is not worth a retry."""
    return RateLimited(
        f"The quota of this {label} key is used up: {words or 'no reason was given.'}",
        retryable=False,
        suggested_action="Wait for the quota to be renewed, raise it, or name another provider.",
    )


def unknown_shape_failure(label: str, form: str = "JSON") -> ProviderFailure:
    """Return the error for an answer without the expected fields."""
    return ProviderFailure(
        f"{label} answered with {form} of an unknown shape (HTTP 200).", retryable=form == "JSON"
    )


def quote_words(text: object, limit: int = 300) -> str:
    """Return the provider's words for an error: one short line without secrets, as a sentence."""
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
    """Return the records of a list. Only an empty list means that nothing was found; another type,
    or a list without any record, is a failure.
    """
    if isinstance(hits, list):
        records = parse_each(objects(hits), parse)
        if records or not hits:
            return records
    raise unknown_shape_failure(label)


def parse_each(parts: Iterable[Part], parse: Callable[[Part], Record | None]) -> list[Record]:
    """Return the records that `parse` returns for the parts, without None."""
    return [record for record in map(parse, parts) if record is not None]


def objects(value: object) -> list[dict[str, Any]]:
    """Return the objects in a JSON array; none for another type."""
    if isinstance(value, list):
        return [member for member in value if isinstance(member, dict)]
    return []


def object_at(parent: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return an object in another; empty if there is none."""
    value = parent.get(name)
    return value if isinstance(value, dict) else {}


def array_at(parent: Mapping[str, Any], name: str) -> list[Any]:
    """Return an array in an object; empty if there is none."""
    value = parent.get(name)
    return value if isinstance(value, list) else []


def text_at(parent: Mapping[str, Any], name: str) -> str:
    """Return a field converted to text; empty if there is none."""
    return str(parent.get(name) or "")


def string_at(parent: Mapping[str, Any], name: str) -> str:
    """Return a field that is a string; empty for another type."""
    value = parent.get(name)
    return value if isinstance(value, str) else ""


def xml_root(reply: Reply, label: str) -> etree._Element:
    """Return the root of an XML body, or raise the error of another body."""
    from lxml import etree

    body = reply.body.strip()
    if _OWN_ENTITIES.search(body):
        raise ProviderFailure(
            f"{label} answered with XML that defines entities of its own.", retryable=False
        )
    try:
        return parse_xml(body)
    except (etree.XMLSyntaxError, ValueError) as error:
        if body.startswith(b"<?xml"):
            raise ProviderFailure(
                f"{label} answered with unreadable XML (HTTP {reply.status})."
            ) from error
        raise unreadable_failure(reply, label) from error


def parse_xml(body: bytes) -> etree._Element:
    """Return the root of XML, without resolving entities; raises XMLSyntaxError or ValueError."""
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    return etree.fromstring(body, parser)


def text_of(element: etree._Element | None) -> str:
    """Return the text of an element on one line."""
    if element is None:
        return ""
    return plain("".join(str(part) for part in element.itertext()))
