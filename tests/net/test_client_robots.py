from __future__ import annotations

import asyncio

import pytest

from tests.net.doubles import (
    SITE,
    FakeClock,
    FakeWeb,
    Page,
    fetch,
    redirect,
    settings_with,
    text,
)
from webquarry.errors import Refused, RobotsRefused
from webquarry.net.client import Client


def test_a_page_that_robots_txt_forbids_is_not_asked_for() -> None:
    web = FakeWeb(
        {
            f"{SITE}/robots.txt": text("User-agent: *\nDisallow: /page"),
            f"{SITE}/page": text("hello"),
        }
    )

    with pytest.raises(RobotsRefused, match=r"https://site\.example"):
        fetch(web)
    assert web.asked() == []


def test_the_setting_turns_robots_txt_off() -> None:
    web = FakeWeb(
        {
            f"{SITE}/robots.txt": text("User-agent: *\nDisallow: /page"),
            f"{SITE}/page": text("hello"),
        }
    )

    assert fetch(web, robots=False).body == b"hello"
    assert web.asked(robots=True) == [f"{SITE}/page"]


def test_a_redirect_to_a_forbidden_page_is_not_followed() -> None:
    web = FakeWeb(
        {
            f"{SITE}/page": redirect("https://other.example/secret"),
            "https://other.example/robots.txt": text("User-agent: *\nDisallow: /secret"),
        }
    )

    with pytest.raises(RobotsRefused, match=r"https://other\.example"):
        fetch(web)
    assert web.asked() == [f"{SITE}/page"]


@pytest.mark.parametrize(("hops", "forbidden"), [(5, True), (6, False)])
def test_five_redirects_of_robots_txt_are_followed_and_beyond_them_there_is_none(
    hops: int, forbidden: bool
) -> None:
    pages: dict[str, Page | list[Page]] = {
        f"https://cdn.example/{n}": redirect(f"/{n + 1}") for n in range(1, hops)
    }
    pages[f"{SITE}/robots.txt"] = redirect("https://cdn.example/1")
    pages[f"https://cdn.example/{hops}"] = text("User-agent: *\nDisallow: /")
    pages[f"{SITE}/page"] = text("hello")
    web = FakeWeb(pages)

    if forbidden:
        with pytest.raises(RobotsRefused):
            fetch(web)
    else:
        assert fetch(web).body == b"hello"


def test_a_robots_txt_that_leads_to_a_private_address_is_refused_and_not_followed() -> None:
    web = FakeWeb(
        {
            f"{SITE}/robots.txt": redirect("http://127.0.0.1/robots.txt"),
            f"{SITE}/page": text("hello"),
        }
    )

    with pytest.raises(Refused):
        fetch(web)
    assert web.asked(robots=True) == [f"{SITE}/robots.txt"]


def test_ten_pages_at_once_read_one_robots_txt() -> None:
    pages: dict[str, Page | list[Page]] = {f"{SITE}/{n}": text("hello") for n in range(10)}
    web = FakeWeb(pages)

    async def run() -> None:
        async with Client(settings_with(), FakeClock(), pages=web) as client:
            await asyncio.gather(*(client.fetch(f"{SITE}/{n}") for n in range(10)))

    asyncio.run(run())
    assert web.asked(robots=True).count(f"{SITE}/robots.txt") == 1
