"""All that several servers share, together: nothing of it can be read in Redis, and it heals as a
whole.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.redis_server import RedisServer
from webquarry.caller import serving
from webquarry.mcp.linking import read_artifact, store_artifact
from webquarry.store.cache import Made, key_of
from webquarry.store.quota import Limit
from webquarry.toolkit import Toolkit

WORDS = (b"otter", b"lovelace", b"session-one", b"brave", b"RateLimited")


async def use(kit: Toolkit, other: Toolkit) -> None:
    """One of everything that is kept."""
    with serving("ada lovelace"):
        await kit.cache.put(key_of("search", 1, {"query": "otter"}), Made(b"otter results", 60))
        await kit.journals.begin(
            "ada lovelace", "session-one", b"otter goal", 1.0, most=5, idle_seconds=60
        )
        await kit.quota.take([Limit("ada lovelace", 5, 60)], 1.0)
        async with kit.quota.slot("ada lovelace", 5):
            await no_word_in_redis(kit)


async def keys(kit: Toolkit) -> list[bytes]:
    assert kit.redis is not None
    found: list[bytes] = await kit.redis.script("return redis.call('KEYS', '*')", [], [])
    return found


async def no_word_in_redis(kit: Toolkit) -> None:
    """Every key with its value as Redis itself would write it to disk."""
    assert kit.redis is not None
    found = await keys(kit)
    kinds = {key.split(b":")[1] for key in found}
    assert kinds == {b"cache", b"journal", b"quota", b"key-check"}
    plain = "local t = redis.call('TYPE', KEYS[1]).ok "
    plain += "local c = {string={'GET'}, list={'LRANGE', 0, -1}, "
    plain += "hash={'HGETALL'}, zset={'ZRANGE', 0, -1}} local w = c[t] "
    plain += "return redis.call(w[1], KEYS[1], unpack(w, 2))"
    for key in found:
        text = key + repr(await kit.redis.script(plain, [key], [])).encode()
        assert [word for word in WORDS if word in text] == []


def test_nothing_readable_is_in_redis(redis_server: RedisServer, tmp_path: Path) -> None:
    environ = redis_server.environ | {"HOME": str(tmp_path)}

    async def scenario() -> None:
        async with (
            Toolkit.open(environ=environ, shared=True) as one,
            Toolkit.open(environ=environ, shared=True) as two,
        ):
            await use(one, two)

    asyncio.run(scenario())
    assert list(tmp_path.iterdir()) == []  # and nothing of it on this machine


def test_a_large_result_is_read_from_any_server_by_its_owner_alone_and_not_linked_without_redis(
    redis_server: RedisServer, tmp_path: Path
) -> None:
    environ = redis_server.environ | {"HOME": str(tmp_path)}

    async def scenario() -> None:
        async with (
            Toolkit.open(environ=environ, shared=True) as one,
            Toolkit.open(environ=environ, shared=True) as two,
        ):
            with serving("ada"):
                address = await store_artifact(b'{"large": true}', one)
                assert address is not None
                assert await read_artifact(address, two) == '{"large": true}'
            with serving("bob"):
                assert await read_artifact(address, two) is None
            redis_server.stop()
            with serving("ada"):
                assert await store_artifact(b'{"other": true}', one) is None

    asyncio.run(scenario())
