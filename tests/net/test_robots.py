from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from tests.net.doubles import START, FakeClock
from webquarry.errors import (
    BadSetting,
    NetworkFailure,
    NotRecorded,
    Refused,
    RobotsRefused,
    WebquarryError,
)
from webquarry.net import robots
from webquarry.net.client import Client
from webquarry.net.models import Reply
from webquarry.net.robots import MAX_BYTES, Robots, read_policy
from webquarry.settings import Settings

AGENT = "webquarry/0.1 (research assistant)"
PAGE = "https://site.example/private/page"


def reply(body: bytes = b"", status: int = 200) -> Reply:
    return Reply("https://site.example/robots.txt", status, httpx2.Headers(), body, START)


class Source:
    """Gives out one robots.txt, or fails to, and counts how often it was asked."""

    def __init__(self, outcome: Reply | WebquarryError) -> None:
        self.outcome = outcome
        self.asked: list[str] = []
        self.gate = asyncio.Event()
        self.gate.set()

    async def read(self, url: httpx2.URL) -> Reply:
        self.asked.append(str(url))
        await self.gate.wait()
        if isinstance(self.outcome, WebquarryError):
            raise self.outcome
        return self.outcome


async def allows(outcome: Reply | WebquarryError, url: str = PAGE) -> bool:
    try:
        await Robots(AGENT, FakeClock(), Source(outcome).read).check(httpx2.URL(url))
    except RobotsRefused:
        return False
    return True


def unreachable() -> NetworkFailure:
    failure = NetworkFailure("Connection refused")
    failure.__cause__ = httpx2.ConnectError("refused")
    return failure


@pytest.mark.parametrize(
    ("rules", "allowed"),
    [
        ("User-agent: *\nDisallow: /", False),
        ("User-agent: *\nDisallow:", True),
        ("User-agent: *\nDisallow: /private/", False),
        ("User-agent: *\nDisallow: /private/\nAllow: /private/page", True),
        ("User-agent: *\nAllow: /\nUser-agent: webquarry\nDisallow: /", False),
        ("User-agent: *\nDisallow: /\nUser-agent: WebQuarry\nAllow: /", True),
        ("User-agent: *\nDisallow: /\nUser-agent: web\nAllow: /", False),
        ("User-agent: googlebot\nUser-agent: webquarry\nDisallow: /", False),
        ("useragent webquarry # us\nDisallow: /", False),
        ("\ufeffUser-agent: *\r\nDisallow: /", False),
        ("User-agent: *\nDisallow: /*/page$", False),
        ("<!doctype html><title>Not found</title>", True),
    ],
)
def test_the_rules_for_us_decide(rules: str, allowed: bool) -> None:
    assert asyncio.run(allows(reply(rules.encode()))) is allowed


@pytest.mark.parametrize("status", [301, 401, 404, 499])
def test_without_a_robots_txt_everything_is_allowed(status: int) -> None:
    assert asyncio.run(allows(reply(b"User-agent: *\nDisallow: /", status)))


@pytest.mark.parametrize("status", [500, 999])
def test_a_robots_txt_that_the_server_fails_to_give_allows_nothing_and_the_refusal_says_so(
    status: int,
) -> None:
    async def run() -> RobotsRefused:
        with pytest.raises(RobotsRefused) as caught:
            await Robots(AGENT, FakeClock(), Source(reply(b"", status)).read).check(
                httpx2.URL(PAGE)
            )
        return caught.value

    error = asyncio.run(run())
    assert str(status) in error.message
    assert "https://site.example" in error.message
    assert "WEBQUARRY_ROBOTS=0" in error.suggested_action


def test_a_robots_txt_that_breaks_off_allows_nothing() -> None:
    failure = NetworkFailure("The server closed the connection before the answer was complete")
    failure.__cause__ = httpx2.ReadError("")

    assert not asyncio.run(allows(failure))


@pytest.mark.parametrize("failure", [unreachable(), Refused("The host is refused.")])
def test_a_host_that_cannot_be_asked_is_reported_as_that_and_asked_again_next_time(
    failure: WebquarryError,
) -> None:
    async def run() -> None:
        source = Source(failure)
        rules = Robots(AGENT, FakeClock(), source.read)
        for _ in range(2):
            with pytest.raises(type(failure), match=failure.message):
                await rules.check(httpx2.URL(PAGE))
        assert len(source.asked) == 2

    asyncio.run(run())


def test_missing_ca_file_is_reported_as_such_and_not_as_a_refusal(
    tmp_path: Path,
) -> None:
    async def run() -> None:
        settings = Settings(ca_file=tmp_path / "none.pem", allow_private=True)
        async with Client(settings, FakeClock()) as client:
            await client.fetch("https://127.0.0.1/page")

    with pytest.raises(BadSetting, match=r"none\.pem cannot be read") as raised:
        asyncio.run(run())

    assert "WEBQUARRY_CA_FILE" in raised.value.suggested_action


def test_in_a_replay_without_robots_txt_everything_is_allowed() -> None:
    assert asyncio.run(allows(NotRecorded("not there")))


def test_the_refusal_does_not_repeat_the_url_of_the_page() -> None:
    async def run() -> None:
        source = Source(reply(b"User-agent: *\nDisallow: /"))
        with pytest.raises(RobotsRefused) as caught:
            await Robots(AGENT, FakeClock(), source.read).check(
                httpx2.URL(PAGE + "?session=hush-hush")
            )
        assert "hush" not in str(caught.value)
        assert "does not allow webquarry" in caught.value.message

    asyncio.run(run())


def test_one_who_gives_up_does_not_take_the_file_from_the_others() -> None:
    async def run() -> None:
        source = Source(reply(b"User-agent: *\nAllow: /"))
        source.gate.clear()
        rules = Robots(AGENT, FakeClock(), source.read)
        first, second = (asyncio.create_task(rules.check(httpx2.URL(PAGE))) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        source.gate.set()
        await second
        assert len(source.asked) == 1

    asyncio.run(run())


def test_closing_ends_the_wait_of_everybody_with_an_error() -> None:
    async def run() -> None:
        source = Source(reply())
        source.gate.clear()
        rules = Robots(AGENT, FakeClock(), source.read)
        check = asyncio.create_task(rules.check(httpx2.URL(PAGE)))
        await asyncio.sleep(0)
        await rules.aclose()
        with pytest.raises(NetworkFailure, match="closed"):
            await check

    asyncio.run(run())


@pytest.mark.parametrize(("status", "kept_seconds"), [(200, 3600), (404, 3600), (503, 60)])
def test_rules_are_cached_for_an_hour_and_failures_for_a_minute(
    status: int, kept_seconds: float
) -> None:
    async def run() -> None:
        clock = FakeClock()
        source = Source(reply(status=status))
        rules = Robots(AGENT, clock, source.read)

        async def check() -> None:
            await asyncio.gather(rules.check(httpx2.URL(PAGE)), return_exceptions=True)

        await check()
        clock.seconds += kept_seconds - 1
        await check()
        assert len(source.asked) == 1
        clock.seconds += 2
        await check()
        assert len(source.asked) == 2

    asyncio.run(run())


def test_cache_size_is_limited_and_the_oldest_entry_is_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(robots, "_MAX_ORIGINS", 3)

    async def run() -> None:
        source = Source(reply())
        rules = Robots(AGENT, FakeClock(), source.read)
        for number in [1, 2, 3, 4, 3, 2, 1]:
            await rules.check(httpx2.URL(f"https://site{number}.example/"))
        asked = [url.removeprefix("https://site")[0] for url in source.asked]
        assert asked == ["1", "2", "3", "4", "1"]

    asyncio.run(run())


def test_a_rule_that_the_size_limit_cuts_in_the_middle_does_not_count() -> None:
    head = b"User-agent: *\nDisallow: /secret/\n"
    cut = head + b"#" * (MAX_BYTES - len(head) - len(b"\nDisallow: /")) + b"\nDisallow: /"
    assert len(cut) == MAX_BYTES

    rules = read_policy(reply(cut), "webquarry").rules

    assert rules is not None
    assert rules.can_fetch("https://site.example/open", "webquarry")
    assert not rules.can_fetch("https://site.example/secret/x", "webquarry")


@pytest.mark.parametrize(
    "write",
    [
        lambda n: f"User-agent: robot{n}\n",
        lambda n: f"User-agent robot{n}\n",
    ],
)
def test_a_file_with_thousands_of_robots_and_rules_does_not_fill_the_memory(
    write: Callable[[int], str],
) -> None:
    """Parsed as it stands, every rule would be stored once for every robot."""
    agents = "".join(write(number) for number in range(8000))
    text = agents + "User-agent: *\n" + "Disallow: /a\n" * 8000

    rules = read_policy(reply(text.encode()), "webquarry").rules

    assert rules is not None
    assert len(rules._user_agents) <= 3
    assert not rules.can_fetch("https://site.example/a", "webquarry")
