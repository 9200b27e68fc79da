"""The guard: which URLs are refused before anything is asked of anyone."""

from __future__ import annotations

import json
from ipaddress import IPv4Address, IPv6Address, ip_network
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.net.test_addresses import WRAPPINGS, private_values
from webquarry.errors import Refused
from webquarry.net.guard import Guard
from webquarry.net.strict_url import BAD_PORTS, MAX_LENGTH
from webquarry.settings import Settings

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "cases" / "ssrf.jsonl").read_text("utf-8").splitlines()
]
STATIC = [case for case in CASES if "dns" not in case]
LOCAL = Guard(allow_networks=(ip_network("127.0.0.0/8"), ip_network("::1/128")))


def name_of(case: dict[str, Any]) -> str:
    return f"{case['kind']} {ascii(case['url'])[:60]}"


def refused(url: str, guard: Guard | None = None) -> bool:
    try:
        (guard or Guard()).check_url(url)
    except Refused:
        return True
    return False


@pytest.mark.parametrize("case", STATIC, ids=name_of)
def test_a_url_is_judged_without_dns_as_its_case_says(case: dict[str, Any]) -> None:
    assert refused(case["url"]) == (case["expect"] == "block")


@pytest.mark.parametrize(
    "kind", ["metadata-name", "localhost-name", "internal-name", "idn-letters", "idn-dots"]
)
def test_an_internal_name_is_refused_before_dns_is_asked(kind: str) -> None:
    urls = [case["url"] for case in CASES if case["kind"] == kind]

    assert urls
    assert [url for url in urls if not refused(url)] == []


@pytest.mark.parametrize(
    ("url", "requested"),
    [
        ("HTTPS://EXAMPLE.ORG", "https://example.org/"),
        ("https://example.org:443/", "https://example.org/"),
        ("http://example.org:/", "http://example.org/"),
        ("https://example.org./a", "https://example.org/a"),
        ("https://example.org?q", "https://example.org/?q"),
        ("https://example.org/a#b", "https://example.org/a"),
        ("https://example.org/?", "https://example.org/?"),
        ("https://faß.example/", "https://xn--fa-hia.example/"),
        (
            "https://ПРИМЕР.example/путь?к=в",
            "https://xn--e1afmkfd.example/%D0%BF%D1%83%D1%82%D1%8C?%D0%BA=%D0%B2",
        ),
        ("https://例え。テスト/", "https://xn--r8jz45g.xn--zckzah/"),
        ("https://i❤.ws/", "https://xn--i-7iq.ws/"),
        ("https://xn--i-7iq.ws/", "https://xn--i-7iq.ws/"),
        ("https://sub_domain.example.org/", "https://sub_domain.example.org/"),
        ("https://r3---sn-x.example.org/", "https://r3---sn-x.example.org/"),
        ("http://[2606:4700:4700:0:0:0:0:1111]:8080/", "http://[2606:4700:4700::1111]:8080/"),
        ("http://[::ffff:8.8.8.8]/", "http://[::ffff:808:808]/"),
        ("https://example.org/a b\"<>`{}^|'", "https://example.org/a%20b%22%3C%3E%60%7B%7D%5E|'"),
        ("https://example.org/?a b\"<>`{}^|'", "https://example.org/?a%20b%22%3C%3E`{}^|%27"),
        ("https://example.org/%C3%A9%zz%", "https://example.org/%C3%A9%zz%"),
        ("https://example.org/a/../../b/./c/..", "https://example.org/b/"),
        ("https://example.org/%2e%2E/a/.%2e/b/%2e", "https://example.org/b/"),
        ("https://example.org//a//", "https://example.org//a//"),
    ],
)
def test_a_url_is_requested_as_a_browser_would(url: str, requested: str) -> None:
    assert str(Guard().check_url(url)) == requested


@pytest.mark.parametrize(
    "url",
    [
        "http://８.８.８.８/",
        "http://8.8.8.8./",
        "http://8.8.8.8｡/",
        "http://8.8.8.08/",
        "http://134744072/",
        "http://1.2.3.4.5/",
        "http://example.0x/",
        "http://example.0XfF/",
        "http://example.1/",
    ],
)
def test_an_odd_spelling_is_refused_even_of_a_public_address(url: str) -> None:
    with pytest.raises(Refused, match="odd numeric spelling"):
        Guard().check_url(url)
    with pytest.raises(Refused, match="odd numeric spelling"):
        Guard(allow_private=True).check_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://ex\u00adample.org/",
        "https://ex\u200bample.org/",
        "https://ex\u200dample.org/",
        "https://ex\u2060ample.org/",
        "https://ex\ufe0fample.org/",
        "https://\ufeffexample.org/",
    ],
)
def test_a_host_with_characters_that_cannot_be_seen_is_refused(url: str) -> None:
    with pytest.raises(Refused, match="cannot be seen"):
        Guard().check_url(url)


@pytest.mark.parametrize(
    "host",
    [
        "xn--localhost-",
        "xn--",
        "xn--a",
        "xn--zzzzzzzzzzzzzzz",
        "xn--mnchen-3ya2",
        "xn--Mnchen-3Ya-",
    ],
)
def test_an_international_label_that_is_not_its_own_encoding_is_refused(host: str) -> None:
    assert refused(f"https://{host}.org/")


@pytest.mark.parametrize(
    "part",
    [
        "!",
        "$",
        "*",
        "`",
        "％",
        "／",
    ],
)
def test_a_host_with_a_character_no_name_has_is_refused(part: str) -> None:
    assert refused(f"https://exa{part}mple.org/")


def test_a_port_of_another_protocol_is_refused_whatever_is_allowed() -> None:
    assert {22, 25, 587, 6000, 6667, 10080} < BAD_PORTS
    assert [port for port in BAD_PORTS if not refused(f"http://example.org:{port}/")] == []
    assert [
        port
        for port in BAD_PORTS
        if not refused(f"http://127.0.0.1:{port}/", Guard(allow_private=True))
    ] == []
    assert [port for port in BAD_PORTS if not refused(f"http://127.0.0.1:{port}/", LOCAL)] == []


@pytest.mark.parametrize("port", ["65536", "+80", "8_0", "８０", "80:80", "a"])
def test_a_port_that_is_no_number_is_refused(port: str) -> None:
    assert refused(f"http://example.org:{port}/")


@pytest.mark.parametrize(
    "place",
    [
        "{}https://example.org/",
        "https://exa{}mple.org/",
        "https://example.org/a{}b",
        "https://example.org/?a{}",
        "https://example.org/#a{}b",
    ],
)
def test_a_control_character_or_a_backslash_is_refused_anywhere(place: str) -> None:
    characters = [*map(chr, [*range(0x20), *range(0x7F, 0xA0)]), "\\", "\ud800"]

    assert [
        char for char in characters if not refused(place.format(char), Guard(allow_private=True))
    ] == []


@pytest.mark.parametrize("userinfo", ["user", "user:pass", ":", "", "a@b", "%40"])
def test_a_user_name_is_refused_and_not_repeated(userinfo: str) -> None:
    with pytest.raises(Refused, match="user name") as caught:
        Guard(allow_private=True).check_url(f"https://{userinfo}@example.org/")

    assert "pass" not in caught.value.message


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "127.0.0.1",
        "[::1]",
        "redis",
        "169.254.169.254",
    ],
)
def test_everything_private_may_be_fetched_when_the_user_allows_it(host: str) -> None:
    assert refused(f"http://{host}:8080/")
    assert not refused(f"http://{host}:8080/", Guard(allow_private=True))


def test_an_allowed_network_lifts_its_addresses_and_leaves_names_to_what_they_resolve_to() -> None:
    assert not refused("http://127.0.0.1:8080/", LOCAL)
    assert not refused("http://[::1]:8080/", LOCAL)
    assert not refused("http://localhost:8080/", LOCAL)
    assert refused("http://10.0.0.1/", LOCAL)
    assert refused("http://169.254.169.254/", LOCAL)
    LOCAL.check_address("127.0.0.1", "localhost")
    with pytest.raises(Refused):
        LOCAL.check_address("10.0.0.1", "localhost")


def test_settings_define_the_allowed_networks() -> None:
    settings = Settings.from_environment({"WEBQUARRY_ALLOW_NETWORKS": "10.1.0.0/16, fd00::/8"})

    assert Guard.from_settings(settings) == Guard(
        False, (ip_network("10.1.0.0/16"), ip_network("fd00::/8"))
    )
    assert Guard.from_settings(Settings(allow_private=True)) == Guard(allow_private=True)
    assert Guard.from_settings(Settings.from_environment({})) == Guard()


def test_refusal_names_host_and_class_but_not_the_address() -> None:
    with pytest.raises(Refused) as caught:
        Guard().check_address("10.20.30.40", "intranet.example")

    assert caught.value.kind == "blocked"
    assert (
        caught.value.message
        == "The host intranet.example is refused: its address is not public (private network)."
    )


@pytest.mark.parametrize(
    "address", ["", "example.org", "1", "[::1]", "fe80::1%eth0", "\ud800", "8.8.8.8 "]
)
def test_what_cannot_be_judged_is_refused(address: str) -> None:
    with pytest.raises(Refused):
        Guard().check_address(address, "example.org")


@pytest.mark.parametrize(
    "url",
    ["https://example.org/" + "a" * MAX_LENGTH, "https://example.org/" + "é" * (MAX_LENGTH // 3)],
)
def test_a_url_that_is_too_long_is_refused_as_written_or_as_sent(url: str) -> None:
    with pytest.raises(Refused, match="longer"):
        Guard().check_url(url)


@pytest.mark.parametrize("text", ["a", "@", "[", "http://", "https://a.", "xn--"])
def test_a_megabyte_of_anything_is_refused(text: str) -> None:
    assert refused(text * (1_000_000 // len(text)))
    assert refused("https://" + text * (1_000_000 // len(text)))


@pytest.mark.parametrize(
    "url", [" https://example.org/", "https://example.org/ ", "https://example.org/a\u3000"]
)
def test_a_blank_at_either_end_is_refused(url: str) -> None:
    with pytest.raises(Refused, match="blank"):
        Guard().check_url(url)


@pytest.mark.parametrize("url", ["https://%65xample.org/", "https://example.org%2f/", "https://%/"])
def test_percent_encoded_host_is_named_in_the_refusal(url: str) -> None:
    with pytest.raises(Refused, match="percent-encoded"):
        Guard().check_url(url)


def test_a_name_of_253_characters_is_the_longest() -> None:
    assert not refused(f"https://{'a.' * 121}example.org./")
    assert refused(f"https://{'a.' * 121}example1.org/")


def spellings(value: int) -> list[str]:
    """How an IPv4 address can be written for the C library and for browsers, but for the canonical
    way.
    """
    a, b, c, d = value.to_bytes(4, "big")
    full_width = str.maketrans("0123456789", "０１２３４５６７８９")
    dotted = f"{a}.{b}.{c}.{d}"
    return [
        f"{value}", f"{value:#x}", f"{value:#X}", f"0{value:o}", f"{value + 2**32}",
        f"{a}.{value & 0xFFFFFF}", f"{a}.{b}.{value & 0xFFFF}", f"{a:#x}.{b:#x}.{c:#x}.{d:#x}",
        f"0{a:o}.0{b:o}.0{c:o}.0{d:o}", f"{a:03}.{b:03}.{c:03}.0{d:03}",
        f"{a:#x}.{b}.0{c:o}.{d}", f"{dotted}.",
        dotted.translate(full_width), dotted.replace(".", "。"), f"{a + 256}.{b}.{c}.{d}",
        f"{value:#010x}".upper(), f"%{ord(str(a)[0]):x}{dotted[1:]}", f"[::{dotted}]",
        f"[::ffff:{dotted}]", f"[0:0:0:0:0:FFFF:{dotted}]",
    ]  # fmt: skip


@settings(deadline=None)
@given(private_values())
def test_a_private_address_is_refused_in_every_spelling(value: int) -> None:
    canonical = str(IPv4Address(value))

    assert [host for host in [canonical, *spellings(value)] if not refused(f"http://{host}/")] == []


@settings(deadline=None)
@given(private_values(), st.sampled_from(sorted(WRAPPINGS)))
def test_a_private_address_is_refused_in_every_wrapping(value: int, wrapping: str) -> None:
    address = IPv6Address(WRAPPINGS[wrapping](value))

    assert refused(f"http://[{address}]/")
    assert refused(f"http://[{address.exploded.upper()}]:8080/")
    with pytest.raises(Refused):
        Guard().check_address(str(address), "example.org")


URLISH = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "http://",
                "https://",
                "//",
                "/",
                "?",
                "#",
                "@",
                ":",
                "[",
                "]",
                "::1",
                ".",
                "..",
                "%2e",
                "%",
                "xn--",
                "localhost",
                "127.0.0.1",
                "0x7f",
                "example.org",
                ":80",
                "-",
                "_",
                "\u200d",
                "é",
                "٣",
                "א",
                "ａ",
            ]
        ),
        st.text(max_size=5),
    ),
    max_size=12,
).map("".join)


@settings(deadline=None)
@given(
    st.one_of(
        st.text(),
        URLISH,
        URLISH.map("https://".__add__),
        st.text(max_size=40).map(lambda text: f"https://{text}.org/"),
    )
)
@example("https://xn--e1afmkfd.a_b.org/")
@example("https://-.xn--e1afmkfd.org/")
def test_any_text_becomes_a_url_that_means_one_thing_or_is_refused(text: str) -> None:
    guard = Guard(allow_private=True)
    try:
        url = guard.check_url(text)
    except Refused:
        return

    assert isinstance(url, httpx2.URL)
    assert url.scheme in ("http", "https")
    assert url.host
    assert url.raw_host.decode("ascii") == url.raw_host.decode("ascii").lower()
    assert not url.userinfo
    assert not url.fragment
    assert str(url).isascii()
    assert guard.check_url(str(url)) == url
    assert url.raw_path == guard.check_url(str(url)).raw_path
