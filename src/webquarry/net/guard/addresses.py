"""Which IP addresses lead to the public internet.

An address comes in; out goes None when it is public, or the name of the class that makes it not so.
The tables are our own, after IANA's registries of special-purpose addresses, because those inside
`ipaddress` change with the version of Python. Surprise: an IPv6 address can carry IPv4 addresses,
and then every one of them has to be public too.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

METADATA = "cloud metadata service"

# Where clouds hand credentials to their machines. All but Azure's first are inside a special range
# below as well.
_METADATA = frozenset(
    ip_address(text)
    for text in (
        "168.63.129.16",  # Azure's host agent: a public address that only answers inside
        "169.254.169.254",
        "169.254.169.253",  # AWS name server
        "169.254.169.123",  # AWS time server
        "169.254.170.2",  # AWS containers
        "169.254.170.23",  # AWS pods
        "169.254.0.23",  # Tencent
        "192.0.0.192",  # Oracle
        "100.100.100.200",  # Alibaba
        "100.96.0.96",  # Volcano Engine
        "fd00:ec2::254",  # AWS
        "fd00:ec2::253",
        "fd00:ec2::123",
        "fd00:ec2::23",
        "fd20:ce::254",  # Google
        "fd00:c1::a9fe:a9fe",  # Oracle
        "fd00:42::42",  # Scaleway
    )
)

_SPECIAL_IPV4 = tuple(
    (IPv4Network(network), kind)
    for network, kind in (
        ("0.0.0.0/8", "this network"),
        ("10.0.0.0/8", "private network"),
        ("100.64.0.0/10", "carrier-grade NAT"),
        ("127.0.0.0/8", "loopback"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private network"),
        ("192.0.0.0/24", "protocol assignment"),
        ("192.0.2.0/24", "documentation"),
        ("192.88.99.0/24", "6to4 relay"),
        ("192.168.0.0/16", "private network"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("255.255.255.255/32", "broadcast"),
        ("240.0.0.0/4", "reserved"),
    )
)

_SPECIAL_IPV6 = tuple(
    (IPv6Network(network), kind)
    for network, kind in (
        ("::/128", "this host"),
        ("::1/128", "loopback"),
        ("64:ff9b:1::/48", "local NAT64"),
        ("100::/64", "discard-only"),
        ("100:0:0:1::/64", "dummy"),
        ("2001::/32", "Teredo"),
        ("2001:2::/48", "benchmarking"),
        ("2001::/23", "protocol assignment"),
        ("2001:db8::/32", "documentation"),
        ("3fff::/20", "documentation"),
        ("5f00::/16", "segment routing"),
        ("fc00::/7", "unique local"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"),
        ("ff00::/8", "multicast"),
    )
)
_GLOBAL_IPV6 = IPv6Network("2000::/3")

# Another spelling of an IPv4 address: what is reached is the IPv4 host (DNS64 answers with the
# second for every site).
_SPELLINGS = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))
# Holds an IPv4 address in its last 32 bits, and is an address of its own: compatible, translated,
# local NAT64.
_HOLDERS = (IPv6Network("::/96"), IPv6Network("::ffff:0:0:0/96"), IPv6Network("64:ff9b:1::/48"))
_6TO4 = IPv6Network("2002::/16")
_TEREDO = IPv6Network("2001::/32")
_ISATAP = 0x00005EFE
_ISATAP_MASK = 0xFCFFFFFF  # the universal and the group bit may be set or not


@lru_cache(256)  # one host is judged several times for each page
def parse_address(text: str) -> Address | None:
    """The address a text spells, without its zone; None when it spells none."""
    try:
        return ip_address(text.partition("%")[0])
    except (ValueError, AttributeError):
        return None


def find_refused_class(address: Address, allowed: Iterable[Network] = ()) -> str | None:
    """Why this address may not be dialled, or None. Networks in `allowed` count as public."""
    networks = tuple(allowed)
    for reading in list_readings(address):
        if any(reading in network for network in networks):
            continue
        kind = _find_special_class(reading)
        if kind is not None:
            return kind
    return None


def list_readings(address: Address) -> list[Address]:
    """Every address that packets to this one may end at: the IPv4 addresses it carries first, then
    itself.
    """
    if isinstance(address, IPv4Address):
        return [address]
    if any(address in network for network in _SPELLINGS):
        return [_low_ipv4(int(address))]
    value = int(address)
    found: list[Address] = []
    if value > 1 and any(address in network for network in _HOLDERS):  # :: and ::1 carry nothing
        found.append(_low_ipv4(value))
    if address in _6TO4:
        found.append(_low_ipv4(value >> 80))
    if address in _TEREDO:
        found.append(_low_ipv4(value >> 64))  # its server
        found.append(_low_ipv4(~value))  # its client, with every bit turned
    if (value >> 32) & _ISATAP_MASK == _ISATAP:
        found.append(_low_ipv4(value))
    found.append(address)
    return found


def _low_ipv4(value: int) -> IPv4Address:
    return IPv4Address(value & 0xFFFFFFFF)


def _find_special_class(address: Address) -> str | None:
    """The class of one address, looking at nothing it carries."""
    if address in _METADATA:
        return METADATA
    if isinstance(address, IPv4Address):
        return next((kind for network, kind in _SPECIAL_IPV4 if address in network), None)
    for network, kind in _SPECIAL_IPV6:
        if address in network:
            return kind
    if address in _GLOBAL_IPV6:
        return None
    return "not global unicast"
