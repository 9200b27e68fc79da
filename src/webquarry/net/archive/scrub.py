"""What of an exchange may be written down: secrets leave its URL, its headers and its bodies.

Two kinds are taken out: the values of every `Secret` of this process, wherever they stand, and
whatever a header, parameter or field carries whose name says that it is a credential. The same
scrubbing makes `request_key`, so that a request with another key, or with none, finds the same
answer in a recording.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any
from urllib.parse import unquote_plus

import httpx2

from webquarry.secret import HEADERS, MASK, PARAMETERS, list_known_values

RawHeaders = list[tuple[bytes, bytes]]
RequestKey = tuple[str, str, str]

_ACCOUNT = frozenset({"cx"})  # says who asks, as a key does, and is no part of the question
_SECRET_HEADER = re.compile(r"(?i)auth|token|secret|cookie|api-?key|password|session|credential")
_ESCAPE = re.compile(r"%[0-9A-F]{2}")
_SECRET_PARAMETER = re.compile(
    rb"(?i)([?&](?:"
    + b"|".join(sorted(re.escape(name).encode() for name in PARAMETERS))
    + rb")=)[^&#\s\"'<>,;]+"
)


class Masker:
    """Finds the known secrets in bytes, also in the spellings that JSON and HTML give them."""

    def __init__(self, known: Iterable[str]) -> None:
        spellings = {spelling.encode() for value in known for spelling in _spellings(value)}
        ordered = sorted(spellings, key=lambda value: (-len(value), value))
        self.longest = len(ordered[0]) if ordered else 0
        self._pattern = re.compile(b"|".join(map(re.escape, ordered))) if ordered else None

    def __bool__(self) -> bool:
        return self._pattern is not None

    def mask(self, data: bytes) -> bytes:
        return self._pattern.sub(MASK.encode(), data) if self._pattern else data

    def mask_stream(self, chunks: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
        """Each piece of a body, as it was and masked; a secret that lies across two chunks is found
        too.
        """
        rest = b""
        for chunk in chunks:
            data = rest + chunk
            end = self._safe_end(data)
            yield data[:end], self.mask(data[:end])
            rest = data[end:]
        yield rest, self.mask(rest)

    def _safe_end(self, data: bytes) -> int:
        """Up to where it can be masked already; behind it a secret may begin that ends in the next
        chunk.
        """
        end = max(0, len(data) - self.longest + 1)
        for found in self._pattern.finditer(data) if self._pattern else ():
            if found.start() < end < found.end():
                return found.end()
        return end


def masker() -> Masker:
    """A masker for the secrets that this process knows now."""
    return _masker(list_known_values())


@lru_cache(maxsize=4)
def _masker(known: frozenset[str]) -> Masker:
    return Masker(known)


def _spellings(value: str) -> set[str]:
    lower = _ESCAPE.sub(lambda found: found[0].lower(), value)
    return {value, lower, html.escape(value), value.replace("/", "\\/"), json.dumps(value)[1:-1]}


def scrub_url(url: httpx2.URL) -> str:
    """The address without user name, password and fragment, its secret parameters masked."""
    return f"{_origin(url)}{scrub_target(url)}"


def scrub_target(url: httpx2.URL) -> str:
    """Path and query as the request line has them, masked."""
    path, mark, query = masker().mask(url.raw_path).decode("ascii").partition("?")
    return (
        path
        + mark
        + "&".join(
            _mask_field(part) if _is_secret_field(part) else part for part in query.split("&")
        )
    )


def _origin(url: httpx2.URL) -> str:
    return f"{url.scheme}://{url.netloc.decode('ascii')}"


def _is_secret_field(part: str) -> bool:
    name, equals, _ = part.partition("=")
    return bool(equals) and unquote_plus(name).lower() in PARAMETERS


def _mask_field(part: str) -> str:
    return f"{part.partition('=')[0]}={MASK}"


def scrub_request_headers(headers: httpx2.Headers) -> RawHeaders:
    """A request header is never needed for replay, so any that may be a credential is masked."""
    known = masker()
    return [
        (
            name,
            MASK.encode() if _SECRET_HEADER.search(name.decode("latin-1")) else known.mask(value),
        )
        for name, value in headers.raw
    ]


def scrub_response_headers(headers: httpx2.Headers) -> RawHeaders:
    """Of a cookie the name and the attributes stay; a redirect keeps its address, secret parameters
    masked.
    """
    return [
        (name, _scrub_response_header(name.decode("latin-1").lower(), value))
        for name, value in headers.raw
    ]


def _scrub_response_header(name: str, value: bytes) -> bytes:
    value = masker().mask(value)
    if name == "set-cookie":
        return re.sub(rb"^([^=;]*)(=[^;]*)?", rb"\1=" + MASK.encode(), value, count=1)
    if name in HEADERS:
        return MASK.encode()
    if name in {"location", "content-location", "refresh", "link"}:
        return _SECRET_PARAMETER.sub(rb"\1" + MASK.encode(), value)
    return value


def scrub_body(body: bytes, content_type: str) -> bytes:
    """A request's body with its secrets masked; a form or a JSON object also by the names of its
    fields.
    """
    body = masker().mask(body)
    if "json" in content_type.lower():
        value = _json(body)
        masked = _without_secrets(value, MASK)
        return body if masked == value else json.dumps(masked, ensure_ascii=False).encode()
    if "x-www-form-urlencoded" in content_type.lower():
        parts = body.decode("latin-1").split("&")
        return "&".join(
            _mask_field(part) if _is_secret_field(part) else part for part in parts
        ).encode("latin-1")
    return body


def request_key(method: str, url: httpx2.URL, body: bytes, content_type: str) -> RequestKey:
    """What a recorded answer is found by: method, address and body, credentials left out of all
    three.
    """
    path, mark, query = scrub_target(url).partition("?")
    kept = "&".join(part for part in query.split("&") if not _says_who_asks(part))
    address = f"{_origin(url)}{path}{mark if kept or not query else ''}{kept}"
    return method.upper(), address, _body_digest(body, content_type) if body else ""


def _says_who_asks(part: str) -> bool:
    name, _, value = part.partition("=")
    return value == MASK or name in _ACCOUNT


def _body_digest(body: bytes, content_type: str) -> str:
    body = scrub_body(body, content_type)
    if "json" in content_type.lower():
        value = _without_secrets(_json(body), None)
        body = body if value is None else json.dumps(value, sort_keys=True).encode()
    elif "x-www-form-urlencoded" in content_type.lower():
        body = b"&".join(
            part for part in body.split(b"&") if not part.endswith(b"=" + MASK.encode())
        )
    return hashlib.sha256(body).hexdigest()


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _without_secrets(value: Any, mask: str | None) -> Any:
    """An object with its secret fields masked, or left out when there is no mask; anything else as
    it is.
    """
    if not isinstance(value, dict):
        return value
    kept = {name: item for name, item in value.items() if mask or name.lower() not in PARAMETERS}
    return {name: mask if name.lower() in PARAMETERS else item for name, item in kept.items()}
