"""Which addresses are public."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webquarry.net.guard import METADATA, find_refused_class, list_readings, parse_address

NOT_PUBLIC = [
    ("0.0.0.0", "this network"),
    ("0.255.255.255", "this network"),
    ("10.0.0.0", "private network"),
    ("10.255.255.255", "private network"),
    ("100.64.0.0", "carrier-grade NAT"),
    ("100.127.255.255", "carrier-grade NAT"),
    ("127.0.0.1", "loopback"),
    ("127.255.255.255", "loopback"),
    ("169.254.0.1", "link-local"),
    ("172.16.0.0", "private network"),
    ("172.31.255.255", "private network"),
    ("192.0.0.9", "protocol assignment"),
    ("192.0.2.1", "documentation"),
    ("192.88.99.1", "6to4 relay"),
    ("192.168.255.255", "private network"),
    ("198.18.0.0", "benchmarking"),
    ("198.19.255.255", "benchmarking"),
    ("198.51.100.1", "documentation"),
    ("203.0.113.255", "documentation"),
    ("224.0.0.1", "multicast"),
    ("239.255.255.255", "multicast"),
    ("240.0.0.1", "reserved"),
    ("255.255.255.255", "broadcast"),
    ("::", "this host"),
    ("::1", "loopback"),
    ("64:ff9b:1::808:808", "local NAT64"),
    ("100::1", "discard-only"),
    ("100:0:0:1::1", "dummy"),
    ("2001:0:808:808::f7f7:f7f7", "Teredo"),
    ("2001:2::1", "benchmarking"),
    ("2001:10::1", "protocol assignment"),
    ("2001:1ff:ffff::1", "protocol assignment"),
    ("2001:db8::1", "documentation"),
    ("3fff::1", "documentation"),
    ("3fff:fff:ffff::1", "documentation"),
    ("5f00::1", "segment routing"),
    ("fc00::1", "unique local"),
    ("fdff:ffff::1", "unique local"),
    ("fe80::1", "link-local"),
    ("febf::1", "link-local"),
    ("fec0::1", "site-local"),
    ("ff02::1", "multicast"),
    ("::808:808", "not global unicast"),
    ("::ffff:0:808:808", "not global unicast"),
    ("1fff::1", "not global unicast"),
    ("4000::1", "not global unicast"),
    ("200::1", "not global unicast"),
    ("400::1", "not global unicast"),
]

PUBLIC = [
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.0.3.0",
    "192.88.98.255",
    "192.88.100.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "198.51.99.255",
    "198.51.101.0",
    "203.0.112.255",
    "203.0.114.0",
    "223.255.255.255",
    "168.63.129.15",
    "2000::1",
    "2001:200::1",
    "2001:db7:ffff::1",
    "2001:db9::1",
    "2606:4700:4700::1111",
    "3ffe:ffff::1",
    "3fff:1000::1",
    "3fff:ffff::1",
    "2002:808:808::1",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
]

METADATA_ADDRESSES = [
    "169.254.169.254",
    "169.254.170.2",
    "168.63.129.16",
    "192.0.0.192",
    "100.100.100.200",
    "fd00:ec2::254",
    "fd20:ce::254",
    "fd00:c1::a9fe:a9fe",
]

# Every way to put an IPv4 address into an IPv6 one, in addresses that would be public without it.
WRAPPINGS = {
    "mapped": lambda value: 0xFFFF << 32 | value,
    "compatible": lambda value: value,
    "translated": lambda value: 0xFFFF << 48 | value,
    "nat64": lambda value: 0x64FF9B << 96 | value,
    "local nat64": lambda value: 0x64FF9B0001 << 80 | value,
    "6to4": lambda value: 0x2002 << 112 | value << 80 | 1,
    "teredo client": lambda value: 0x20010000 << 96 | 0x08080808 << 64 | (value ^ 0xFFFFFFFF),
    "teredo server": lambda value: 0x20010000 << 96 | value << 64 | 0xF7F7F7F7,
    "isatap": lambda value: 0x26064700 << 96 | 0x00005EFE << 32 | value,
    "isatap, universal": lambda value: 0x26064700 << 96 | 0x02005EFE << 32 | value,
    "6to4 round isatap": lambda value: 0x2002 << 112 | 0x08080808 << 80 | 0x00005EFE << 32 | value,
}
PRIVATE_NETWORKS = [
    "10.0.0.0/8",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "100.64.0.0/10",
]


def class_of(text: str, *allowed: str) -> str | None:
    address = parse_address(text)
    assert address is not None
    return find_refused_class(address, [ip_network(network) for network in allowed])


def private_values() -> st.SearchStrategy[int]:
    networks = [IPv4Network(network) for network in PRIVATE_NETWORKS]
    return st.one_of(
        [
            st.integers(int(network.network_address), int(network.broadcast_address))
            for network in networks
        ]
    )


@pytest.mark.parametrize(("address", "kind"), NOT_PUBLIC)
def test_an_address_of_a_special_range_is_refused_by_its_class(address: str, kind: str) -> None:
    assert class_of(address) == kind


@pytest.mark.parametrize("address", PUBLIC)
def test_address_next_to_a_special_range_is_public(address: str) -> None:
    assert class_of(address) is None


@pytest.mark.parametrize("address", METADATA_ADDRESSES)
def test_a_metadata_address_is_refused_as_such_even_where_it_looks_public(address: str) -> None:
    assert class_of(address) == METADATA


@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_the_wrapped_address_is_found(wrapping: str) -> None:
    assert IPv4Address("10.1.2.3") in list_readings(
        IPv6Address(WRAPPINGS[wrapping](int(IPv4Address("10.1.2.3"))))
    )


def test_an_allowed_network_lifts_its_own_addresses_and_no_others() -> None:
    assert class_of("10.1.2.3", "10.1.0.0/16") is None
    assert class_of("10.2.0.1", "10.1.0.0/16") == "private network"
    assert class_of("::1", "::1/128") is None
    assert class_of("127.0.0.1", "::1/128") == "loopback"


def test_an_allowed_network_holds_for_the_ipv4_address_inside_an_ipv6_one() -> None:
    assert class_of("::ffff:10.1.2.3", "10.1.0.0/16") is None
    assert class_of("2002:a01:203::1", "10.1.0.0/16") is None
    assert class_of("2002:a02:203::1", "10.1.0.0/16") == "private network"


def test_an_allowed_ipv6_network_does_not_lift_ipv4_addresses_that_are_only_spelled_in_it() -> None:
    assert class_of("::ffff:169.254.169.254", "::/0") == METADATA
    assert class_of("64:ff9b::169.254.169.254", "::/0") == METADATA


def test_a_metadata_address_is_lifted_only_by_a_network_that_contains_it() -> None:
    assert class_of("169.254.169.254", "10.0.0.0/8", "127.0.0.0/8") == METADATA
    assert class_of("168.63.129.16", "10.0.0.0/8") == METADATA
    assert class_of("169.254.169.254", "169.254.0.0/16") is None


def test_a_zone_is_not_part_of_the_address() -> None:
    assert parse_address("fe80::1%eth0") == IPv6Address("fe80::1")
    assert class_of("fe80::1%eth0") == "link-local"


@pytest.mark.parametrize(
    "text", ["", "example.org", "1", "0x7f.1", "127.1", "010.0.0.1", "::1::", "1.2.3.4.5"]
)
def test_invalid_address_is_none(text: str) -> None:
    assert parse_address(text) is None


@settings(deadline=None)
@given(st.integers(0, 2**128 - 1))
def test_nothing_outside_global_unicast_is_public_but_spellings_of_ipv4(value: int) -> None:
    address = IPv6Address(value)
    spelled = [IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96")]
    if address not in IPv6Network("2000::/3") and not any(
        address in network for network in spelled
    ):
        assert find_refused_class(address) is not None
