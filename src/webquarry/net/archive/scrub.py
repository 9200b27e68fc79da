"""Removes secrets from an exchange before it is recorded.

Masked are the values of all `Secret`s of this process, and the values of headers, parameters and
fields whose names denote credentials. `build_request_key` applies the same masking, so that a
request with another key, or without one, finds the same response in a recording.
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

_ACCOUNT_PARAMETERS = frozenset({"cx"})  # identify the caller, like a key
_SECRET_HEADER = re.compile(r"(?i)auth|token|secret|cookie|api-?key|password|session|credential")
_FORM = "x-www-form-urlencoded"
_MASK = MASK.encode()
_COOKIE_VALUE = re.compile(rb"^([^=;]*)(=[^;]*)?")
_URL_HEADERS = frozenset({"location", "content-location", "refresh", "link"})
_SECRET_PARAMETER = re.compile(
    rb"(?i)([?&](?:"
    + b"|".join(sorted(re.escape(name).encode() for name in PARAMETERS))
    + rb")=)[^&#\s\"'<>,;]+"
)


def scrub_url(url: httpx2.URL) -> str:
    """Return a URL without credentials and fragment, with masked secret parameters."""
    return _origin_of(url) + scrub_target(url)


def scrub_target(url: httpx2.URL) -> str:
    """Return the masked path and query, as in a request line."""
    masked = get_masker().mask(url.raw_path)
    path, mark, query = masked.decode("ascii").partition("?")
    return path + mark + _mask_fields(query)


def _origin_of(url: httpx2.URL) -> str:
    return f"{url.scheme}://{url.netloc.decode('ascii')}"


def _mask_fields(query: str) -> str:
    """Mask the secret fields of a query or a form."""
    fields: list[str] = []
    for field in query.split("&"):
        name, equals, _ = field.partition("=")
        if equals and unquote_plus(name).lower() in PARAMETERS:
            field = f"{name}={MASK}"
        fields.append(field)
    return "&".join(fields)


def scrub_request_headers(headers: httpx2.Headers) -> RawHeaders:
    """Mask every request header that may be a credential; replay does not need them."""
    masker = get_masker()
    scrubbed: RawHeaders = []
    for name, value in headers.raw:
        is_secret = _SECRET_HEADER.search(name.decode("latin-1"))
        scrubbed.append((name, _MASK if is_secret else masker.mask(value)))
    return scrubbed


def scrub_response_headers(headers: httpx2.Headers) -> RawHeaders:
    """Mask secrets in response headers; cookies keep their names, URLs their parameters."""
    masker = get_masker()
    scrubbed: RawHeaders = []
    for raw_name, raw_value in headers.raw:
        name = raw_name.decode("latin-1").lower()
        value = masker.mask(raw_value)
        if name == "set-cookie":
            value = _COOKIE_VALUE.sub(rb"\1=" + _MASK, value, count=1)
        elif name in HEADERS:
            value = _MASK
        elif name in _URL_HEADERS:
            value = _SECRET_PARAMETER.sub(rb"\1" + _MASK, value)
        scrubbed.append((raw_name, value))
    return scrubbed


def scrub_body(body: bytes, content_type: str) -> bytes:
    """Mask the secrets in the body of a request; in forms and JSON objects also by field name."""
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
    """Return the key of a recorded response: method, URL and body digest, without credentials."""
    path, mark, query = scrub_target(url).partition("?")
    fields: list[str] = []
    for field in query.split("&"):
        name, _, value = field.partition("=")
        if value != MASK and name not in _ACCOUNT_PARAMETERS:
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
    """Return the digest of a scrubbed body without its masked fields."""
    if "json" in content_type.lower():
        value = _parse_json(body)
        if isinstance(value, dict):
            value = {name: item for name, item in value.items() if name.lower() not in PARAMETERS}
        if value is not None:
            body = json.dumps(value, sort_keys=True).encode()
    elif _FORM in content_type.lower():
        fields = [field for field in body.split(b"&") if not field.endswith(b"=" + _MASK)]
        body = b"&".join(fields)
    return hashlib.sha256(body).hexdigest()


def _parse_json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
