"""What of an exchange may be written down: secrets leave its URL, its headers and its bodies.

Two kinds are taken out: the values of every `Secret` of this process, wherever they stand, and
whatever a header, parameter or field carries whose name says that it is a credential. The same
scrubbing makes `build_request_key`, so that a request with another key, or with none, finds the
same answer in a recording.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any
from urllib.parse import unquote_plus

import httpx2

from webquarry.secret import HEADERS, MASK, PARAMETERS, get_masker

RawHeaders = list[tuple[bytes, bytes]]
RequestKey = tuple[str, str, str]

_ACCOUNT = frozenset({"cx"})  # says who asks, as a key does, and is no part of the question
_SECRET_HEADER = re.compile(r"(?i)auth|token|secret|cookie|api-?key|password|session|credential")
_FORM = "x-www-form-urlencoded"
_COOKIE_START = re.compile(rb"^([^=;]*)(=[^;]*)?")
_URL_HEADERS = frozenset({"location", "content-location", "refresh", "link"})
_SECRET_PARAMETER = re.compile(
    rb"(?i)([?&](?:"
    + b"|".join(sorted(re.escape(name).encode() for name in PARAMETERS))
    + rb")=)[^&#\s\"'<>,;]+"
)


def scrub_url(url: httpx2.URL) -> str:
    """The address without user name, password and fragment, its secret parameters masked."""
    return _origin_of(url) + scrub_target(url)


def scrub_target(url: httpx2.URL) -> str:
    """Path and query as the request line has them, masked."""
    masked = get_masker().mask(url.raw_path)
    path, mark, query = masked.decode("ascii").partition("?")
    return path + mark + _mask_fields(query)


def _origin_of(url: httpx2.URL) -> str:
    netloc = url.netloc.decode("ascii")
    return f"{url.scheme}://{netloc}"


def _mask_fields(query: str) -> str:
    """A query or a form with the values of its secret fields masked."""
    fields: list[str] = []
    for field in query.split("&"):
        name, equals, _ = field.partition("=")
        if equals and unquote_plus(name).lower() in PARAMETERS:
            field = f"{name}={MASK}"
        fields.append(field)
    return "&".join(fields)


def scrub_request_headers(headers: httpx2.Headers) -> RawHeaders:
    """A request header is never needed for replay, so any that may be a credential is masked."""
    known = get_masker()
    scrubbed: RawHeaders = []
    for name, value in headers.raw:
        if _SECRET_HEADER.search(name.decode("latin-1")):
            scrubbed.append((name, MASK.encode()))
        else:
            scrubbed.append((name, known.mask(value)))
    return scrubbed


def scrub_response_headers(headers: httpx2.Headers) -> RawHeaders:
    """Of a cookie the name and the attributes stay; a redirect keeps its address, secret parameters
    masked.
    """
    known = get_masker()
    scrubbed: RawHeaders = []
    for raw_name, raw_value in headers.raw:
        name = raw_name.decode("latin-1").lower()
        value = known.mask(raw_value)
        if name == "set-cookie":
            value = _COOKIE_START.sub(rb"\1=" + MASK.encode(), value, count=1)
        elif name in HEADERS:
            value = MASK.encode()
        elif name in _URL_HEADERS:
            value = _SECRET_PARAMETER.sub(rb"\1" + MASK.encode(), value)
        scrubbed.append((raw_name, value))
    return scrubbed


def scrub_body(body: bytes, content_type: str) -> bytes:
    """A request's body with its secrets masked; a form or a JSON object also by the names of its
    fields.
    """
    body = get_masker().mask(body)
    if "json" in content_type.lower():
        value = _parse_json(body)
        if not isinstance(value, dict):
            return body
        secret_names = [name for name in value if name.lower() in PARAMETERS]
        masked = value | dict.fromkeys(secret_names, MASK)
        if masked == value:
            return body
        return json.dumps(masked, ensure_ascii=False).encode()
    if _FORM in content_type.lower():
        return _mask_fields(body.decode("latin-1")).encode("latin-1")
    return body


def build_request_key(method: str, url: httpx2.URL, body: bytes, content_type: str) -> RequestKey:
    """What a recorded answer is found by: method, address and body, credentials left out of all
    three.
    """
    path, mark, query = scrub_target(url).partition("?")
    fields: list[str] = []
    for field in query.split("&"):
        name, _, value = field.partition("=")
        says_who_asks = value == MASK or name in _ACCOUNT
        if not says_who_asks:
            fields.append(field)
    kept_query = "&".join(fields)
    address = f"{_origin_of(url)}{path}"
    if kept_query or not query:
        address += mark + kept_query
    digest = ""
    if body:
        digest = _digest_body(scrub_body(body, content_type), content_type)
    return method.upper(), address, digest


def _digest_body(body: bytes, content_type: str) -> str:
    """The digest of a scrubbed body without the fields that were masked in it."""
    if "json" in content_type.lower():
        value = _parse_json(body)
        if isinstance(value, dict):
            value = {name: item for name, item in value.items() if name.lower() not in PARAMETERS}
        if value is not None:
            body = json.dumps(value, sort_keys=True).encode()
    elif _FORM in content_type.lower():
        masked_end = b"=" + MASK.encode()
        fields = [field for field in body.split(b"&") if not field.endswith(masked_end)]
        body = b"&".join(fields)
    return hashlib.sha256(body).hexdigest()


def _parse_json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
