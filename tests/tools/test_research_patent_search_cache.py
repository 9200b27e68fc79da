"""The `patent_search` tool: what is kept and for how long."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from tests.net.doubles import FakeClock
from tests.search.engines import Engines
from tests.search.patents.recorded import LENS_ONLY
from tests.tools.patents import LENS, NO_LENS, patent_search, routing, using
from webquarry.tool import Answer
from webquarry.toolkit import Toolkit


def twice(
    engines: Engines, environ: Mapping[str, str], clock: FakeClock, seconds: float
) -> tuple[Answer, Answer]:
    async def use(kit: Toolkit) -> tuple[Answer, Answer]:
        first = await patent_search.call(kit, {"query": "tidal turbine"})
        clock.seconds += seconds
        return first, await patent_search.call(kit, {"query": "tidal turbine"})

    return using(engines, environ, use, clock)


def test_an_answer_is_good_for_a_day() -> None:
    engines = Engines(lens=LENS)
    first, second = twice(engines, LENS_ONLY, FakeClock(), 86_000)

    assert len(engines.asked) == 1
    assert second.as_dict() == first.as_dict()
    assert second.sources() == first.sources()
    assert second.meta["webquarry/cache"] == {
        "cached": True,
        "ageSeconds": 86_000,
        "maxAgeSeconds": 86_400,
        "freshness": "aging",
    }
    assert routing(second)["providerUsed"] == "lens"
    stale = Engines(lens=LENS)
    twice(stale, LENS_ONLY, FakeClock(), 86_401)
    assert len(stale.asked) == 2


def test_empty_answer_is_not_cached() -> None:
    engines = Engines(lens=NO_LENS)
    _, second = twice(engines, LENS_ONLY, FakeClock(), 1)

    assert len(engines.asked) == 2
    assert second.meta["webquarry/cache"]["cached"] is False


def test_equal_calls_at_the_same_time_cost_one_request() -> None:
    engines = Engines(lens=LENS)

    async def use(kit: Toolkit) -> list[Answer]:
        calls = [patent_search.call(kit, {"query": "tidal turbine"}) for _ in range(5)]
        return list(await asyncio.gather(*calls))

    answers = using(engines, LENS_ONLY, use)

    assert len(engines.asked) == 1
    assert all(answer.as_dict() == answers[0].as_dict() for answer in answers)
