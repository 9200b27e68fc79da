"""SSRF guard: which URLs may be requested and which addresses may be connected to.

`Guard.check_url` parses a URL strictly and checks its host without DNS; its result is what is
requested. `Guard.check_address` is called with every address before a connection uses it. Settings
can allow private hosts and addresses, never an invalid spelling, scheme or port. The tables follow
the registries of IANA (those of `ipaddress` depend on the version of Python); if an IPv6 address
embeds IPv4 addresses, all of them have to be public.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING

import httpx2

from webquarry.errors import Refused
from webquarry.net.strict_url import find_internal_kind, read_url

if TYPE_CHECKING:
    from webquarry.settings import Settings

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

METADATA = "cloud metadata service"

# Endpoints where clouds hand out credentials. Only the first is outside the special ranges below.
_METADATA_ADDRESSES = frozenset(
    ip_address(text)
    for text in (
        "168.63.129.16",  # Azure host agent: a public address that only responds inside Azure
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

# IPv4-mapped and NAT64 addresses: packets reach the IPv4 host (DNS64 returns the second for every
# site).
_IPV4_ALIASES = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))
# IPv4-compatible, IPv4-translated and local NAT64: the last 32 bits are an IPv4 address.
_IPV4_IN_LOW_BITS = (
    IPv6Network("::/96"),
    IPv6Network("::ffff:0:0:0/96"),
    IPv6Network("64:ff9b:1::/48"),
)
_6TO4 = IPv6Network("2002::/16")
_TEREDO = IPv6Network("2001::/32")
_ISATAP = 0x00005EFE
_ISATAP_MASK = 0xFCFFFFFF  # ignores the universal and the group bit


@dataclass(frozen=True)
class Guard:
    """Policy of what may be fetched. `allow_networks` allows the addresses in these networks."""

    allow_private: bool = False
    allow_networks: tuple[Network, ...] = ()

    @classmethod
    def from_settings(cls, settings: Settings) -> Guard:
        return cls(settings.allow_private, tuple(settings.allow_networks))

    def check_url(self, url: str | httpx2.URL) -> httpx2.URL:
        """Return the URL to request, with an ASCII host and without a fragment."""
        parsed = read_url(str(url))
        host = parsed.raw_host.decode("ascii")
        if parse_address(host) is not None:
            self.check_address(host, host)
        elif not self.allow_private and not self.allow_networks:
            # With either setting, the addresses that the name resolves to decide.
            kind = find_internal_kind(host)
            if kind is not None:
                raise Refused(f"The host {host} is refused: the name stands for {kind}.")
        return parsed

    def check_address(self, address: str, host: str) -> None:
        """Refuse an address that is not public; the error names its class, not the address."""
        if self.allow_private:
            return
        parsed = parse_address(address)
        kind: str | None = "not an IP address"
        if parsed is not None:
            kind = find_refused_class(parsed, self.allow_networks)
        if kind is not None:
            raise Refused(f"The host {host} is refused: its address is not public ({kind}).")


@lru_cache(256)
def parse_address(text: str) -> Address | None:
    """Parse an IP address, ignoring its zone identifier; None if the text is not an address."""
    try:
        return ip_address(text.partition("%")[0])
    except (ValueError, AttributeError):
        return None


def find_refused_class(address: Address, allowed: Iterable[Network] = ()) -> str | None:
    """Return the class of a non-public address, or None. Networks in `allowed` count as public."""
    networks = tuple(allowed)
    for reading in list_readings(address):
        if any(reading in network for network in networks):
            continue
        kind = _find_special_class(reading)
        if kind is not None:
            return kind
    return None


def list_readings(address: Address) -> list[Address]:
    """Return every address that packets may reach: embedded IPv4 addresses, then this one."""
    if isinstance(address, IPv4Address):
        return [address]
    if any(address in network for network in _IPV4_ALIASES):
        return [_low_ipv4(int(address))]
    value = int(address)
    found: list[Address] = []
    if value > 1 and any(address in network for network in _IPV4_IN_LOW_BITS):  # not :: and ::1
        found.append(_low_ipv4(value))
    if address in _6TO4:
        found.append(_low_ipv4(value >> 80))
    if address in _TEREDO:
        found.append(_low_ipv4(value >> 64))  # the server
        found.append(_low_ipv4(~value))  # the client, with all bits inverted
    if (value >> 32) & _ISATAP_MASK == _ISATAP:
        found.append(_low_ipv4(value))
    found.append(address)
    return found


def _low_ipv4(value: int) -> IPv4Address:
    return IPv4Address(value & 0xFFFFFFFF)


def _find_special_class(address: Address) -> str | None:
    """Return the class of one address, ignoring embedded addresses."""
    if address in _METADATA_ADDRESSES:
        return METADATA
    if isinstance(address, IPv4Address):
        return next((kind for network, kind in _SPECIAL_IPV4 if address in network), None)
    for network, kind in _SPECIAL_IPV6:
        if address in network:
            return kind
    if address in _GLOBAL_IPV6:
        return None
    return "not global unicast"
