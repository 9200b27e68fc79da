"""The host of a URL, as browsers read it.

The text between `//` and the port comes in; out goes the one ASCII spelling that is resolved,
dialled and sent, or `Refused`. Stricter than a browser: whatever two programs might read
differently (0x7f.1, %31, zero-width letters) is refused instead of repaired. `find_internal_kind`
then says which names never lead to the public web, without asking DNS.
"""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import AddressValueError, IPv6Address

import idna

from webquarry.errors import Refused

MAX_NAME = 253
MAX_LABEL = 63
_MAX_TEXT = 1024  # before mapping; idna refuses longer ones too
_LABEL = re.compile(r"[a-z0-9_-]+")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_DOTTED_QUAD = re.compile(rf"{_OCTET}(?:\.{_OCTET}){{3}}")
_PREFIX = "xn--"

# Names that mean something only inside a network, by their last labels; no registry sells names
# under them.
_INTERNAL = {
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


def read_host(text: str) -> str:
    """The ASCII host, in lower case, without a closing dot; an IPv6 address comes without its
    brackets.
    """
    if not text:
        raise _build_refusal("is missing")
    if text.startswith("["):
        return _read_ipv6(text)
    if "%" in text:
        raise _build_refusal("is percent-encoded")
    if len(text) > _MAX_TEXT:
        raise _build_refusal("is longer than DNS allows")
    labels = _map_characters(text).removesuffix(".").split(".")
    host = ".".join(_read_label(label) for label in labels)
    if len(host) > MAX_NAME:
        raise _build_refusal("is longer than DNS allows")
    ends_in_number = _NUMBER.fullmatch(host.rpartition(".")[2])
    is_plain_address = _DOTTED_QUAD.fullmatch(host) and text == host
    if ends_in_number and not is_plain_address:
        raise _build_refusal("is an address in an odd numeric spelling")
    return host


@lru_cache(256)  # one host is judged several times for each page
def find_internal_kind(host: str) -> str | None:
    """What a name stands for when it cannot be on the public web, or None. The host is one that
    `read_host` gave.
    """
    labels = host.split(".")
    for place in range(len(labels)):
        kind = _INTERNAL.get(".".join(labels[place:]))
        if kind is not None:
            return kind
    if len(labels) == 1:
        return "a private network"
    return None


def _read_ipv6(text: str) -> str:
    inner = text[1:-1]
    if not text.endswith("]") or "%" in inner:  # a zone means something on one machine only
        raise _build_refusal("is not a plain IPv6 address")
    try:
        address = IPv6Address(inner)
    except AddressValueError:
        raise _build_refusal("is not a plain IPv6 address") from None
    mapped = address.ipv4_mapped
    if mapped is None:
        return address.compressed
    high, low = divmod(int(mapped), 0x10000)
    return f"::ffff:{high:x}:{low:x}"  # Python 3.13 spells it with dots


def _map_characters(text: str) -> str:
    """Upper case, full width and the like turned into the letters DNS compares; what would vanish
    is refused.
    """
    try:
        if not text.isascii():
            for char in text:
                if idna.uts46_remap(char, std3_rules=False) == "":
                    raise _build_refusal("holds characters that cannot be seen")
        return idna.uts46_remap(text, std3_rules=False)
    except idna.IDNAError:
        raise _build_refusal("holds characters that no host name has") from None


def _read_label(label: str) -> str:
    """One mapped label in ASCII."""
    if not label:
        raise _build_refusal("has an empty part")
    ascii_label = label
    if not label.isascii():
        ascii_label = _encode_label(label)
    if len(ascii_label) > MAX_LABEL:
        raise _build_refusal("has a part longer than DNS allows")
    if not _LABEL.fullmatch(ascii_label):
        raise _build_refusal("holds characters that no host name has")
    if label.startswith(_PREFIX):
        _check_encoded(label)
    return ascii_label


def _encode_label(label: str) -> str:
    """Punycode of a mapped label, under the rules of UTS 46: emoji pass, which IDNA 2008 alone
    would refuse.
    """
    try:
        idna.check_initial_combiner(label)
        idna.check_bidi(label)
        joiners_fit = all(
            idna.valid_contextj(label, place)
            for place, char in enumerate(label)
            if char in "\u200c\u200d"
        )
        ascii_label = _PREFIX + label.encode("punycode").decode("ascii")
    except ValueError:  # what idna and the codec raise are ValueErrors
        raise _build_refusal("is not a valid international name") from None
    if not joiners_fit:
        raise _build_refusal("holds characters that cannot be seen")
    return ascii_label


def _check_encoded(label: str) -> None:
    """An xn-- label has to be the one encoding of something that needed encoding."""
    try:
        decoded = label.removeprefix(_PREFIX).encode("ascii").decode("punycode")
    except ValueError:
        raise _build_refusal("is not a valid international name") from None
    if decoded.isascii() or _map_characters(decoded) != decoded or _encode_label(decoded) != label:
        raise _build_refusal("is not a valid international name")


def _build_refusal(reason: str) -> Refused:
    return Refused(
        f"The host of the URL {reason}.",
        suggested_action="Write the host as a domain name, or as an address like 192.0.2.1 or "
        "[2001:db8::1].",
    )
