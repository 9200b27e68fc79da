"""Addresses that the web writes are split and joined, unless their host is too long for one."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

import pytest

from webquarry._search.addresses import join_url, split_host, split_url

MARKS = "\u0316\u0301" * 50_000


@pytest.mark.parametrize(
    "url",
    ["https://a.example/b?c#d", "//a/b", "b", "", "https://m\u00fcnchen.example/", f"/{MARKS}"],
)
def test_an_address_is_split_and_joined_as_the_standard_library_does(url: str) -> None:
    assert split_url(url) == urlsplit(url)
    assert join_url("https://a.example/", url) == urljoin("https://a.example/", url)


@pytest.mark.parametrize("start", ["https://", "//", "https:/\t/", "\nhttps:/\r\n/"])
def test_a_host_that_is_too_long_makes_it_no_address(start: str) -> None:
    for handle in (split_url, lambda url: join_url("https://a.example/", url)):
        with pytest.raises(ValueError, match="too long"):
            handle(f"{start}a{MARKS}/")


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example",
        "http://a.example:8080/b/../c;d?e=f?g#h#i",
        "http://a.example:65535?q",
        "https://a.example#top?",
        "https://A.example/",
        "https://user@a.example:1/",
        "https://a.example:/b",
        "https://[::1]:80/",
        "https://a.example/ b",
        "https://a.example/\u00e9",
        "ftp://a.example/",
        "http://a..example.:007/",
        "//a.example/b",
        "",
    ],
)
def test_a_host_and_its_port_are_those_of_the_standard_library(url: str) -> None:
    parts = urlsplit(url)
    assert split_host(url) == (parts, parts.hostname or "", parts.port)


@pytest.mark.parametrize("port", ["65536", "99999"])
def test_a_port_that_no_host_has_makes_it_no_address(port: str) -> None:
    with pytest.raises(ValueError, match=r"[Pp]ort"):
        split_host(f"https://a.example:{port}/")
