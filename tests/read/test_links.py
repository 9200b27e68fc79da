"""Addresses of a page -> absolute URLs, compared with the slow and thorough way."""

from __future__ import annotations

from urllib.parse import urljoin

import pytest

from webquarry.read.markdown.links import Links

BASE = "https://example.org/a/b?q=1#f"
ORDINARY = [
    "x", "x/y.html", "/", "/x", "/x?y#z", "//h/p", "?r=2", "#s", "./x", "../x", "../../../x",
    "x/../y", "http://h", "a:b/../c",
]  # fmt: skip
UNSAFE = [
    "javascript:alert(1)", "JAVASCRIPT:alert(1)", " javascript:x", "\tjava\nscript:x",
    "\x00javascript:x", "vbscript:x", "data:text/html,x", "file:///etc/passwd", "blob:x",
    "about:blank", "chrome://x", "view-source:https://x",
]  # fmt: skip


@pytest.mark.parametrize("href", [href for href in ORDINARY if not href.startswith("a:")])
def test_an_address_is_joined_to_the_page(href: str) -> None:
    assert Links(BASE).absolute(href) == urljoin(BASE, href)


@pytest.mark.parametrize("href", UNSAFE)
def test_an_address_that_runs_something_or_leaves_the_web_is_refused(href: str) -> None:
    assert Links(BASE).absolute(href) is None


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("https://h/a b", "https://h/a%20b"),
        ("https://h/<x>", "https://h/%3Cx%3E"),
        ("https://h/a|b", "https://h/a%7Cb"),
        ("https://h/`x`", "https://h/%60x%60"),
        ("https://h/[INST]", "https://h/%5BINST%5D"),
        ("https://[::1]/x", "https://[::1]/x"),
        ("https://h/a_(b)", "https://h/a_(b)"),
        ("https://h/a)b(", "https://h/a%29b%28"),
        ("https://h/ü", "https://h/ü"),
        ("https://h/a\u200bb\u202e", "https://h/a%E2%80%8Bb%E2%80%AE"),
        ("https:\\\\h\\p", "https://h/p"),
        ("\\x", "https://example.org/x"),
        ("HTTPS://H/p", "https://H/p"),
        ("https:x", "https://example.org/a/x"),
        ("mailto:a@b.c", "mailto:a@b.c"),
        ("", ""),
        (" \n", ""),
        ("https://h/" + "x" * 5000, ""),
        ("http://[bad", "http://[bad"),
    ],
)
def test_an_address_is_made_fit_for_markdown(href: str, url: str) -> None:
    assert Links(BASE).absolute(href) == url


def test_the_base_of_the_page_counts_and_may_be_relative() -> None:
    assert Links(BASE, "/z/").absolute("x") == "https://example.org/z/x"
    assert Links(BASE, "https://h/y/").absolute("#s") == "https://h/y/#s"
    assert Links(BASE, "javascript:x").absolute("x") == "https://example.org/a/x"


def test_without_a_base_relative_addresses_stay_relative() -> None:
    assert Links("").absolute("x/y") == "x/y"
    assert Links("").absolute("https://h/") == "https://h/"
