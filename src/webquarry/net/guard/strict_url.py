"""One strict reading of a URL.

A text comes in, from a person, a model or a redirect; out goes the URL that is requested, or
`Refused`. Nothing parses the text a second time: the URL that goes out is put together anew from
parts that have only one reading, with path and query percent-encoded as browsers do it and without
the fragment, which is never sent.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import quote

import httpx2

from webquarry.errors import Refused
from webquarry.net.guard.hosts import read_host
from webquarry.net.guard.plain_url import PlainURL, UrlStart

MAX_LENGTH = 16_384  # both as written and as sent; servers rarely take more than 8,192

# The ports of the Fetch standard that belong to other protocols, some of which can be talked to
# through HTTP.
BAD_PORTS = frozenset((
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
    102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389,
    427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636,
    989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665,
    6666, 6667, 6668, 6669, 6679, 6697, 10080,
))  # fmt: skip

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{0,30}):")
_PARTS = re.compile(r"([Hh][Tt][Tt][Pp][Ss]?)://([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#.*)?")
_PORT = re.compile(r"[0-9]{1,5}")
_PATH_SAFE = "!$%&'()*+,/:;=@[]|"
_PLAIN_PATH = re.compile(r"/[A-Za-z0-9_.~!$%&'()*+,/:;=@\[\]|-]*")  # has nothing to encode
_QUERY_SAFE = "!$%&()*+,/:;=?@[]^`{|}"
# Has nothing to encode and no fragment; its host and port are still to be read.
_PLAIN = re.compile(
    r"(https?)://([A-Za-z0-9._-]+(?::[0-9]{1,5})?)"
    r"((/[A-Za-z0-9_.~!$%&'()*+,/:;=@\[\]|-]*)(?:\?[A-Za-z0-9_.~!$%&()*+,/:;=?@\[\]^`{|}-]*)?)"
)
_STRAY_PERCENT = re.compile("%(?![0-9A-Fa-f]{2})")  # httpx2 encodes it


@lru_cache(256)  # each hop is read by the client, and again by the transport that goes there
def read_url(text: str) -> httpx2.URL:
    """The URL to request; `Refused` for anything that is not a plain http or https URL. Never
    another exception.
    """
    return _read_plain(text) or parse_url(text)


def _read_plain(text: str) -> PlainURL | None:
    """A URL in the usual spelling; None for any other, which may be refused."""
    if len(text) > MAX_LENGTH:
        return None
    plain = _PLAIN.fullmatch(text)
    if plain is None:
        return None
    scheme, authority, target, path = plain.groups()
    if "/." in path or "/%2" in path:  # steps that may have to be taken
        return None
    if "%" in target and _STRAY_PERCENT.search(target):
        return None
    return PlainURL(_read_start(scheme, authority), path, target)


@lru_cache(256)  # pages come from few hosts
def _read_start(scheme: str, authority: str) -> UrlStart:
    """What the URLs of a host begin with. Raises Refused."""
    host, port = _read_authority(authority)
    origin = f"{scheme}://{host}"
    if port is not None:
        origin += f":{port}"
    try:
        return UrlStart.of(origin)
    except (httpx2.InvalidURL, ValueError):
        raise _build_name_refusal() from None


def parse_url(text: str) -> httpx2.URL:
    """The same for any spelling, by httpx2."""
    _check_characters(text)
    parts = _PARTS.fullmatch(text)
    if parts is None:
        raise _build_refusal(_describe_scheme_fault(text))
    scheme = parts[1].lower()
    authority, path, query = parts[2], parts[3], parts[4]
    host, port = _read_authority(authority)
    origin = f"{scheme}://{host}"
    if ":" in host:  # an IPv6 address
        origin = f"{scheme}://[{host}]"
    if port is not None:
        origin += f":{port}"
    target = _encode_path(path)
    if query is not None:
        target += "?" + quote(query, safe=_QUERY_SAFE)
    if len(origin + target) > MAX_LENGTH:
        raise _build_refusal(
            f"The URL is longer than {MAX_LENGTH:,} characters once it is percent-encoded."
        )
    try:
        url = httpx2.URL(origin + target)
        # httpx2 decodes it when asked, and cannot for a few mixtures of international and odd
        # labels
        _ = url.host
    except (httpx2.InvalidURL, ValueError):
        raise _build_name_refusal() from None
    return url


def port_of(url: httpx2.URL) -> int:
    """The port that an http or https URL leads to."""
    if url.port:
        return url.port
    if url.scheme == "https":
        return 443
    return 80


def _check_characters(text: str) -> None:
    if len(text) > MAX_LENGTH:
        raise _build_refusal(f"The URL is longer than {MAX_LENGTH:,} characters.")
    if _CONTROL.search(text):
        raise _build_refusal("The URL holds a control character.")
    if "\\" in text:
        raise _build_refusal(
            "The URL holds a backslash, which programs read differently; written as %5C it is "
            "allowed."
        )
    if text != text.strip():
        raise _build_refusal("The URL begins or ends with a blank.")


def _describe_scheme_fault(text: str) -> str:
    scheme = _SCHEME.match(text)
    if scheme is None:
        return "The URL does not begin with http:// or https://."
    if scheme[1].lower() in ("http", "https"):
        return "The URL does not have exactly two slashes after its scheme."
    return f"The scheme {scheme[1].lower()!r} is not http or https."


@lru_cache(256)  # pages come from few hosts
def _read_authority(authority: str) -> tuple[str, int | None]:
    """Host and port; a user name in front of the host is refused and not repeated, as it may be a
    secret.
    """
    if "@" in authority:
        raise _build_refusal("The URL holds a user name or an @ before its host.")
    if authority.startswith("["):
        host, bracket, rest = authority.partition("]")
        host += bracket
        if rest and not rest.startswith(":"):
            raise _build_refusal("The URL has something between its IPv6 address and its port.")
        port = rest[1:]
    else:
        host, _, port = authority.partition(":")
    host = read_host(host)
    if not port:
        return host, None
    if not _PORT.fullmatch(port) or int(port) > 65_535:
        raise _build_refusal("The port of the URL is not a number from 1 to 65535.")
    if int(port) in BAD_PORTS:
        raise _build_refusal(
            f"The port {int(port)} belongs to another protocol than HTTP, so browsers and we "
            "refuse it."
        )
    return host, int(port)


def _encode_path(path: str) -> str:
    """The path as it is sent."""
    has_dots = "/." in path or "/%2" in path
    if not has_dots and _PLAIN_PATH.fullmatch(path):
        return path
    return quote(_resolve_dots(path), safe=_PATH_SAFE)


def _resolve_dots(path: str) -> str:
    """The path with its . and .. steps taken, also where they are written as %2e."""
    kept: list[str] = []
    steps = path.split("/")[1:]
    for place, step in enumerate(steps, start=1):
        plain = step.lower().replace("%2e", ".")
        if plain == ".." and kept:
            kept.pop()
        if plain not in (".", ".."):
            kept.append(step)
        elif place == len(steps):
            kept.append("")
    return "/" + "/".join(kept)


def _build_name_refusal() -> Refused:
    return _build_refusal("The host of the URL is not a valid international name.")


def _build_refusal(sentence: str) -> Refused:
    return Refused(
        sentence, suggested_action="Use a URL of the form https://host/path, with a public host."
    )
