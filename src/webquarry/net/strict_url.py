"""Strict URL parser.

`read_url` returns the URL to request or raises `Refused`. The result is rebuilt from parts that
have a single interpretation: an ASCII host, path and query percent-encoded as browsers do, no
fragment. It is stricter than a browser: spellings that programs interpret differently (0x7f.1, %31
in a host, zero-width characters) are refused, not repaired.
"""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import AddressValueError, IPv6Address
from urllib.parse import quote

import httpx2
import idna

from webquarry.errors import Refused

MAX_LENGTH = 16_384  # as written and as sent; servers rarely accept more than 8,192

# Ports that the Fetch standard blocks: they belong to protocols that may accept HTTP as input.
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
_QUERY_SAFE = "!$%&()*+,/:;=?@[]^`{|}"

_MAX_HOST_TEXT = 1024  # before IDNA mapping
_MAX_NAME = 253
_MAX_LABEL = 63
_LABEL = re.compile(r"[a-z0-9_-]+")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_DOTTED_QUAD = re.compile(rf"{_OCTET}(?:\.{_OCTET}){{3}}")
_ACE_PREFIX = "xn--"

# Suffixes that only resolve inside a network; no public registry delegates them.
_INTERNAL_SUFFIXES = {
    **dict.fromkeys(("localhost", "localhost4", "localhost6", "localdomain"), "this machine"),
    **dict.fromkeys(
        ("local", "lan", "home", "home.arpa", "corp", "intranet", "internal", "private"),
        "a private network",
    ),
    **dict.fromkeys(("svc", "default", "kube-system", "consul", "docker"), "a cluster"),
    **dict.fromkeys(("onion", "invalid"), "no host that DNS knows"),
    **dict.fromkeys(
        (
            "instance-data",
            "metadata",
            "metadata.google.internal",
            "metadata.goog",
            "metadata.azure.com",
            "metadata.azure.internal",
            "metadata.packet.net",
            "metadata.platformequinix.com",
            "metadata.tencentyun.com",
            "metadata.ucloud.cn",
            "api.metadata.cloud.ibm.com",
            "instance-data.ec2.internal",
        ),
        "a cloud metadata service",
    ),
}


@lru_cache(256)  # the client and the transport both check each hop
def read_url(text: str) -> httpx2.URL:
    """Return the URL to request. Raises only `Refused`, if it is not a plain http(s) URL."""
    _check_characters(text)
    parts = _PARTS.fullmatch(text)
    if parts is None:
        raise _refuse(_describe_scheme_fault(text))
    scheme = parts[1].lower()
    authority, path, query = parts[2], parts[3], parts[4]
    host, port = _read_authority(authority)
    if ":" in host:
        host = f"[{host}]"
    origin = f"{scheme}://{host}"
    if port is not None:
        origin += f":{port}"
    target = quote(_resolve_dots(path), safe=_PATH_SAFE)
    if query is not None:
        target += "?" + quote(query, safe=_QUERY_SAFE)
    if len(origin + target) > MAX_LENGTH:
        raise _refuse(
            f"The URL is longer than {MAX_LENGTH:,} characters once it is percent-encoded."
        )
    try:
        url = httpx2.URL(origin + target)
        _ = url.host  # decoded on access, which fails for some mixtures of IDNA and other labels
    except (httpx2.InvalidURL, ValueError):
        raise _refuse("The host of the URL is not a valid international name.") from None
    return url


def port_of(url: httpx2.URL) -> int:
    """Return the port that an http or https URL connects to."""
    if url.port:
        return url.port
    return 443 if url.scheme == "https" else 80


@lru_cache(256)
def find_internal_kind(host: str) -> str | None:
    """Classify a host name that cannot be on the public web, without DNS; None if it may be."""
    labels = host.split(".")
    for start in range(len(labels)):
        kind = _INTERNAL_SUFFIXES.get(".".join(labels[start:]))
        if kind is not None:
            return kind
    if len(labels) == 1:
        return "a private network"
    return None


# The URL


def _check_characters(text: str) -> None:
    if len(text) > MAX_LENGTH:
        raise _refuse(f"The URL is longer than {MAX_LENGTH:,} characters.")
    if _CONTROL.search(text):
        raise _refuse("The URL contains a control character.")
    if "\\" in text:
        raise _refuse(
            "The URL contains a backslash, which programs interpret differently; %5C is allowed."
        )
    if text != text.strip():
        raise _refuse("The URL begins or ends with a blank.")


def _describe_scheme_fault(text: str) -> str:
    scheme = _SCHEME.match(text)
    if scheme is None:
        return "The URL does not begin with http:// or https://."
    if scheme[1].lower() in ("http", "https"):
        return "The URL does not have exactly two slashes after its scheme."
    return f"The scheme {scheme[1].lower()!r} is not http or https."


@lru_cache(256)
def _read_authority(authority: str) -> tuple[str, int | None]:
    """Return host and port. User information is not repeated: it may be a secret."""
    if "@" in authority:
        raise _refuse("The URL has a user name or an @ before its host.")
    if authority.startswith("["):
        host, bracket, rest = authority.partition("]")
        host += bracket
        if rest and not rest.startswith(":"):
            raise _refuse("The URL has characters between its IPv6 address and its port.")
        port = rest[1:]
    else:
        host, _, port = authority.partition(":")
    host = _read_host(host)
    if not port:
        return host, None
    if not _PORT.fullmatch(port) or int(port) > 65_535:
        raise _refuse("The port of the URL is not a number from 1 to 65535.")
    if int(port) in BAD_PORTS:
        raise _refuse(f"The port {int(port)} is reserved for a protocol other than HTTP.")
    return host, int(port)


def _resolve_dots(path: str) -> str:
    """Resolve . and .. segments, also when spelled %2e."""
    if path and "/." not in path and "/%2" not in path:
        return path
    kept: list[str] = []
    segments = path.split("/")[1:]
    for number, segment in enumerate(segments, start=1):
        decoded = segment.lower().replace("%2e", ".")
        if decoded == ".." and kept:
            kept.pop()
        if decoded not in (".", ".."):
            kept.append(segment)
        elif number == len(segments):
            kept.append("")
    return "/" + "/".join(kept)


# The host


def _read_host(text: str) -> str:
    """Return the host as lower-case ASCII without a trailing dot; IPv6 without brackets."""
    if not text:
        raise _refuse_host("is missing")
    if text.startswith("["):
        return _read_ipv6(text)
    if "%" in text:
        raise _refuse_host("is percent-encoded")
    if len(text) > _MAX_HOST_TEXT:
        raise _refuse_host("is longer than DNS allows")
    labels = _map_characters(text).removesuffix(".").split(".")
    host = ".".join(_read_label(label) for label in labels)
    if len(host) > _MAX_NAME:
        raise _refuse_host("is longer than DNS allows")
    ends_in_number = _NUMBER.fullmatch(host.rpartition(".")[2])
    is_plain_address = _DOTTED_QUAD.fullmatch(host) and text == host
    if ends_in_number and not is_plain_address:
        raise _refuse_host("is an address in an odd numeric spelling")
    return host


def _read_ipv6(text: str) -> str:
    inner = text[1:-1]
    if not text.endswith("]") or "%" in inner:  # zone identifiers are local to a machine
        raise _refuse_host("is not a plain IPv6 address")
    try:
        address = IPv6Address(inner)
    except AddressValueError:
        raise _refuse_host("is not a plain IPv6 address") from None
    mapped = address.ipv4_mapped
    if mapped is None:
        return address.compressed
    high, low = divmod(int(mapped), 0x10000)
    return f"::ffff:{high:x}:{low:x}"  # Python 3.13 uses dotted notation


def _map_characters(text: str) -> str:
    """Apply the UTS 46 mapping (case, width); refuse characters that it would delete."""
    try:
        if not text.isascii():
            for char in text:
                if idna.uts46_remap(char, std3_rules=False) == "":
                    raise _refuse_host("contains characters that cannot be seen")
        return idna.uts46_remap(text, std3_rules=False)
    except idna.IDNAError:
        raise _refuse_host("contains characters that host names cannot have") from None


def _read_label(label: str) -> str:
    """Return one mapped label in ASCII."""
    if not label:
        raise _refuse_host("has an empty label")
    ascii_label = label if label.isascii() else _encode_label(label)
    if len(ascii_label) > _MAX_LABEL:
        raise _refuse_host("has a label longer than DNS allows")
    if not _LABEL.fullmatch(ascii_label):
        raise _refuse_host("contains characters that host names cannot have")
    if label.startswith(_ACE_PREFIX):
        _check_encoded_label(label)
    return ascii_label


def _encode_label(label: str) -> str:
    """Encode a label as Punycode by UTS 46, which unlike IDNA 2008 allows emoji."""
    try:
        idna.check_initial_combiner(label)
        idna.check_bidi(label)
        joiners_are_valid = all(
            idna.valid_contextj(label, position)
            for position, char in enumerate(label)
            if char in "\u200c\u200d"
        )
        ascii_label = _ACE_PREFIX + label.encode("punycode").decode("ascii")
    except ValueError:  # the base class of the errors of idna and of the codec
        raise _refuse_host("is not a valid international name") from None
    if not joiners_are_valid:
        raise _refuse_host("contains characters that cannot be seen")
    return ascii_label


def _check_encoded_label(label: str) -> None:
    """Refuse an xn-- label that is not the canonical encoding of a non-ASCII label."""
    try:
        decoded = label.removeprefix(_ACE_PREFIX).encode("ascii").decode("punycode")
    except ValueError:
        raise _refuse_host("is not a valid international name") from None
    if decoded.isascii() or _map_characters(decoded) != decoded or _encode_label(decoded) != label:
        raise _refuse_host("is not a valid international name")


def _refuse_host(reason: str) -> Refused:
    action = "Write the host as a domain name, or as an address like 192.0.2.1 or [2001:db8::1]."
    return Refused(f"The host of the URL {reason}.", suggested_action=action)


def _refuse(reason: str) -> Refused:
    action = "Use a URL of the form https://host/path, with a public host."
    return Refused(reason, suggested_action=action)
