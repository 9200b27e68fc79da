"""Addresses that the web writes are split and joined, unless their host is too long for one."""

from __future__ import annotations

import pytest

from webquarry._search.addresses import join_url, split_host, split_url

MARKS = "\u0316\u0301" * 50_000


@pytest.mark.parametrize("start", ["https://", "//", "https:/\t/", "\nhttps:/\r\n/"])
def test_a_host_that_is_too_long_makes_it_no_address(start: str) -> None:
    for handle in (split_url, lambda url: join_url("https://a.example/", url)):
        with pytest.raises(ValueError, match="too long"):
            handle(f"{start}a{MARKS}/")


@pytest.mark.parametrize("port", ["65536", "99999"])
def test_a_port_that_no_host_has_makes_it_no_address(port: str) -> None:
    with pytest.raises(ValueError, match=r"[Pp]ort"):
        split_host(f"https://a.example:{port}/")
