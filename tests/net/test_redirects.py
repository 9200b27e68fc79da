from __future__ import annotations

import asyncio

import httpx2
import pytest

from tests.net.doubles import SITE, FakeClock, FakeWeb, fetch, redirect, settings_with, text
from webquarry.errors import NetworkFailure, Refused
from webquarry.net.client import Client


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_followed_and_the_hops_are_named(status: int) -> None:
    web = FakeWeb({f"{SITE}/page": redirect("/next", status), f"{SITE}/next": text("there")})

    reply = fetch(web)

    assert (reply.url, reply.body, reply.hops) == (f"{SITE}/next", b"there", (f"{SITE}/page",))


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("next", f"{SITE}/dir/next"),
        ("?q=1", f"{SITE}/dir/page?q=1"),
        ("//other.example/x", "https://other.example/x"),
        ("http://other.example/x#part", "http://other.example/x"),
        ("/caf\u00e9 au lait", f"{SITE}/caf%C3%A9%20au%20lait"),
    ],
)
def test_a_location_is_read_against_the_page_that_gave_it(location: str, target: str) -> None:
    page = httpx2.Response(302, headers=[(b"Location", location.encode())])
    web = FakeWeb({f"{SITE}/dir/page": page, target: text("there")})

    assert fetch(web, f"{SITE}/dir/page").url == target


@pytest.mark.parametrize("headers", [{}, {"Location": ""}, {"Location": "  "}])
def test_a_redirect_without_a_location_is_the_answer_itself(headers: dict[str, str]) -> None:
    assert fetch(FakeWeb({f"{SITE}/page": httpx2.Response(302, headers=headers)})).status == 302


@pytest.mark.parametrize("most", [0, 1, 4])
def test_more_redirects_than_allowed_are_an_error_that_is_not_worth_repeating(most: int) -> None:
    web = FakeWeb({f"{SITE}/page": redirect("/back"), f"{SITE}/back": redirect("/page")})

    with pytest.raises(NetworkFailure, match=f"more than {most} times") as caught:
        fetch(web, max_redirects=most)
    assert not caught.value.retryable
    assert len(web.asked()) == most + 1


@pytest.mark.parametrize("location", ["http://[::1", "https://", "mailto:me@site.example"])
def test_a_location_that_is_no_web_address_is_an_error(location: str) -> None:
    web = FakeWeb({f"{SITE}/page": redirect(location)})

    with pytest.raises((NetworkFailure, Refused)):
        fetch(web)
    assert web.asked() == [f"{SITE}/page"]


def test_a_failure_after_a_redirect_names_the_host_that_failed() -> None:
    web = FakeWeb(
        {
            f"{SITE}/page": redirect("https://other.example/"),
            "https://other.example/": httpx2.ReadError(""),
        }
    )

    with pytest.raises(NetworkFailure, match=r"\(at other\.example, where a redirect led\)"):
        fetch(web, retries=0)


def cookie_of(request: httpx2.Request) -> str:
    return str(request.headers.get("cookie", ""))


def test_cookies_last_for_one_redirect_chain() -> None:
    web = FakeWeb(
        {
            f"{SITE}/page": redirect("/wall", headers={"Set-Cookie": "seen=1; Path=/"}),
            f"{SITE}/wall": redirect("/text", headers={"Set-Cookie": "agreed=yes; Path=/"}),
            f"{SITE}/text": text("hello"),
        }
    )

    async def run() -> None:
        async with Client(settings_with(robots=False), FakeClock(), pages=web) as client:
            await client.fetch(f"{SITE}/page")
            await client.fetch(f"{SITE}/page")

    asyncio.run(run())
    assert [sorted(cookie_of(request).split("; ")) for request in web.requests] == [
        [""],
        ["seen=1"],
        ["agreed=yes", "seen=1"],
    ] * 2


@pytest.mark.parametrize(
    ("cookie", "target", "sent"),
    [
        ("a=1", "https://other.example/", ""),
        ("a=1; Domain=other.example", "https://other.example/", ""),
        ("a=1", "https://sub.site.example/", ""),
        ("a=1; Domain=site.example", "https://sub.site.example/", "a=1"),
        ("a=1; Path=/deep", f"{SITE}/else", ""),
        ("a=1; Secure", "http://site.example/down", ""),
        ("a=1; Max-Age=0", f"{SITE}/same", ""),
    ],
)
def test_a_cookie_goes_only_where_it_belongs(cookie: str, target: str, sent: str) -> None:
    web = FakeWeb(
        {f"{SITE}/page": redirect(target, headers={"Set-Cookie": cookie}), target: text("there")}
    )

    assert fetch(web, robots=False).body == b"there"
    assert cookie_of(web.requests[-1]) == sent


@pytest.mark.parametrize("cookie", [b"a=caf\xe9", "a=caf\u00e9".encode(), b"caf\xe9=1; Path=/"])
def test_a_cookie_of_any_bytes_is_sent_back_as_it_was_set(cookie: bytes) -> None:
    headers = [(b"Location", b"/next"), (b"Set-Cookie", cookie)]
    page = httpx2.Response(302, headers=headers)
    web = FakeWeb({f"{SITE}/page": page, f"{SITE}/next": text("there")})

    assert fetch(web, robots=False).body == b"there"
    sent = dict(web.requests[-1].headers.raw)
    assert sent[b"Cookie"] == cookie.partition(b";")[0]


def test_cookie_for_a_public_suffix_is_ignored() -> None:
    start, target = "https://one.co.uk/", "https://two.co.uk/"
    web = FakeWeb(
        {
            start: redirect(target, headers={"Set-Cookie": "a=1; Domain=.co.uk"}),
            target: text("there"),
        }
    )

    assert fetch(web, start, robots=False).body == b"there"
    assert cookie_of(web.requests[-1]) == ""
