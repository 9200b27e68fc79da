"""Which Redis is shared, with which key: told clearly when it cannot be, and never with the
password.
"""

from __future__ import annotations

import asyncio
import base64
import json
from pathlib import Path

import pytest

from tests.redis_server import KEY, RedisServer
from webquarry.doctor.examine import examine
from webquarry.errors import AuthFailure, BadInput, NetworkFailure
from webquarry.secret import Secret, redact
from webquarry.settings import Settings
from webquarry.store.redis_config import (
    check_redis,
    find_redis_url,
    open_redis,
    place_of,
    read_store_key,
)
from webquarry.toolkit import Toolkit

PASSWORD = "canary-redis-5678"
NOWHERE = {"HOME": "/nonexistent", "WEBQUARRY_STORE_KEY": KEY.hex()}


@pytest.mark.parametrize(
    ("environ", "url"),
    [
        ({}, None),
        ({"REDIS_URL": "redis://usual"}, "redis://usual"),
        (
            {"REDIS_URL": "redis://usual", "WEBQUARRY_REDIS_URL": "rediss://ours:1"},
            "rediss://ours:1",
        ),
        ({"REDIS_URL": "redis://usual", "WEBQUARRY_REDIS_URL": "off"}, None),
        ({"WEBQUARRY_REDIS_URL": "unix:///run/r.sock"}, "unix:///run/r.sock"),
    ],
)
def test_our_own_variable_counts_for_more_than_the_usual_one(
    environ: dict[str, str], url: str | None
) -> None:
    found = find_redis_url({"HOME": "/nonexistent"} | environ)

    assert (found and found[0].reveal()) == url


def test_url_may_be_read_from_a_file(tmp_path: Path) -> None:
    folder = tmp_path / ".config" / "webquarry"
    folder.mkdir(parents=True)
    (folder / "redis-url").write_text("redis://of-the-file\n")
    (folder / "redis-url").chmod(0o600)
    found = find_redis_url({"HOME": str(tmp_path), "REDIS_URL": "redis://usual"})

    assert found is not None
    assert (found[0].reveal(), found[1]) == ("redis://of-the-file", str(folder / "redis-url"))


@pytest.mark.parametrize("url", ["http://host", f"redis://:{PASSWORD}@host:port", "unix://"])
def test_invalid_url_is_reported_without_repeating_it(url: str) -> None:
    with pytest.raises(BadInput, match="WEBQUARRY_REDIS_URL is not a URL of a Redis") as caught:
        find_redis_url({"HOME": "/nonexistent", "WEBQUARRY_REDIS_URL": url})

    assert PASSWORD not in str(caught.value)
    assert url not in caught.value.message


@pytest.mark.parametrize("option", ["socket_timeout=soon", "nobody=knows"])
def test_url_rejected_by_the_library_is_reported_without_repeating_it(option: str) -> None:
    with pytest.raises(BadInput, match=r"not a( valid)? URL of a Redis") as caught:
        open_redis(
            Settings(), NOWHERE | {"WEBQUARRY_REDIS_URL": f"redis://:{PASSWORD}@host?{option}"}
        )

    assert PASSWORD not in str(caught.value)
    assert (
        redact(caught.value.suggested_action) == caught.value.suggested_action
    )  # what it shows is not taken out


@pytest.mark.parametrize(
    "text",
    [
        KEY.hex(),
        base64.urlsafe_b64encode(KEY).decode().rstrip("="),
    ],
)
def test_the_key_is_taken_as_hex_or_base64(text: str) -> None:
    assert read_store_key({"HOME": "/nonexistent", "WEBQUARRY_STORE_KEY": text}) == KEY


@pytest.mark.parametrize(
    "text",
    ["", KEY.hex()[:-2], "z" * 64, "a-password-of-32-characters-xxxx"],
)
def test_without_a_whole_key_nothing_is_shared_and_the_error_says_how_to_make_one(
    text: str,
) -> None:
    environ = {
        "HOME": "/nonexistent",
        "WEBQUARRY_STORE_KEY": text,
        "REDIS_URL": "redis://redis.example",
    }
    with pytest.raises(AuthFailure, match="WEBQUARRY_STORE_KEY") as caught:
        open_redis(Settings(), environ)

    assert "openssl rand -hex 32" in caught.value.suggested_action
    assert not text or text not in str(caught.value.as_dict())


@pytest.mark.parametrize(
    ("url", "place"),
    [
        (f"redis://user:{PASSWORD}@host/3", "host:6379"),
        (f"rediss://:{PASSWORD}@[::1]:7000", "::1:7000"),
        ("unix:///run/r.sock?db=1", "/run/r.sock"),
    ],
)
def test_only_the_place_is_ever_shown(url: str, place: str) -> None:
    assert place_of(Secret(url)) == place
    assert redact(f"cannot reach {url}") == "cannot reach ***"
    if PASSWORD in url:
        assert PASSWORD not in redact(f"AUTH {PASSWORD} failed")


def test_a_redis_that_is_not_there_is_an_error_at_the_start(
    caplog: pytest.LogCaptureFixture,
) -> None:
    environ = NOWHERE | {"WEBQUARRY_REDIS_URL": f"redis://:{PASSWORD}@127.0.0.1:1"}

    async def start() -> None:
        async with Toolkit.open(environ=environ, shared=True):
            raise AssertionError("it has started")

    with pytest.raises(NetworkFailure, match=r"Redis at 127\.0\.0\.1:1 cannot be used") as caught:
        asyncio.run(start())
    assert PASSWORD not in str(caught.value.as_dict()) + caplog.text


def test_a_password_that_is_not_accepted_is_an_error_at_the_start(
    redis_server: RedisServer,
) -> None:
    redis_server.say("CONFIG", "SET", "requirepass", PASSWORD)

    async def start(url: str) -> None:
        async with Toolkit.open(
            environ=redis_server.environ | {"WEBQUARRY_REDIS_URL": url}, shared=True
        ) as kit:
            await kit.quota.take([], 0)

    for url in (redis_server.url, f"{redis_server.url}?password=wrong-{PASSWORD}"):
        with pytest.raises(AuthFailure, match="refuses access") as caught:
            asyncio.run(start(url))
        assert PASSWORD not in str(caught.value.as_dict())
    asyncio.run(start(f"{redis_server.url}?password={PASSWORD}"))


def test_servers_with_different_keys_do_not_start_on_one_redis(redis_server: RedisServer) -> None:
    async def scenario() -> None:
        async with (
            redis_server.connect() as one,
            redis_server.connect() as same,
            redis_server.connect(bytes(32)) as other,
        ):
            await check_redis(one)
            await check_redis(same)
            with pytest.raises(AuthFailure, match="another WEBQUARRY_STORE_KEY"):
                await check_redis(other)

    asyncio.run(scenario())


@pytest.mark.parametrize("shared", [False, True])
def test_only_a_shared_toolkit_works_with_redis(
    redis_server: RedisServer, tmp_path: Path, shared: bool
) -> None:
    environ = redis_server.environ | {"HOME": str(tmp_path), "REDIS_URL": redis_server.url}

    async def kinds() -> list[str]:
        async with Toolkit.open(environ=environ, shared=shared) as kit:
            stores = [type(store).__name__ for store in kit.cache._stores]
            return [
                *stores,
                *(type(part).__name__ for part in (kit.journals, kit.quota)),
            ]

    found = asyncio.run(kinds())
    if shared:
        assert found == ["MemoryStore", "RedisStore", "RedisJournals", "RedisQuota"]
    else:
        assert found == ["MemoryStore", "DiskStore", "FileJournals", "LocalQuota"]
        assert redis_server.say("DBSIZE") == b":0\r\n"


@pytest.mark.parametrize(
    ("environ", "state", "said"),
    [
        ({}, "off", "only for several servers"),
        (
            NOWHERE | {"WEBQUARRY_REDIS_URL": f"redis://:{PASSWORD}@host"},
            "ok",
            "host:6379, for servers over HTTP",
        ),
        (
            {"REDIS_URL": f"redis://:{PASSWORD}@host"},
            "warning",
            "WEBQUARRY_STORE_KEY was not found",
        ),
    ],
)
def test_doctor_reports_redis_without_the_password(
    environ: dict[str, str], state: str, said: str
) -> None:
    report = asyncio.run(examine({"HOME": "/nonexistent"} | environ, offline=True)).as_dict()
    part = next(part for part in report["parts"] if part["name"] == "redis")

    assert part["state"] == state
    assert said in part["detail"]
    assert PASSWORD not in json.dumps(report)
    assert KEY.hex() not in json.dumps(report)
    assert "not known" not in json.dumps(report)
