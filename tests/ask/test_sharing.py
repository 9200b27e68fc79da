"""What processes share that ask: one contract for the record file and for Redis."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.redis_server import RedisServer
from webquarry.ask.answers import KeptAnswer
from webquarry.ask.billing.ledger import OverLimit, ReservationRequest, Settlement
from webquarry.ask.billing.statement import Statement
from webquarry.ask.models import AskLimits, ModelReply, Usage
from webquarry.ask.redis_store import RedisQuestionStore
from webquarry.ask.store import Entry, FileQuestionStore, QuestionStore
from webquarry.clock import Clock
from webquarry.errors import RecordsFailure
from webquarry.store.records import RecordFile

LEASE = 30.0
TODAY = "2000-01-01"  # and later
Work = Callable[[QuestionStore, QuestionStore], Awaitable[None]]
Run = Callable[[Work], None]


@pytest.fixture(params=["file", "redis"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Run]:
    """Runs work with two stores, as two processes have them."""
    if request.param == "redis":
        server: RedisServer = request.getfixturevalue("redis_server")
        yield lambda work: asyncio.run(_with_redis(server, work))
        return
    file = RecordFile(tmp_path)

    async def use_file(work: Work) -> None:
        stores = [FileQuestionStore(file, Clock(), LEASE) for _ in range(2)]
        await work(*stores)
        for store in stores:
            await store.aclose()

    yield lambda work: asyncio.run(use_file(work))
    file.close()


async def _with_redis(server: RedisServer, work: Work, lease: float = LEASE) -> None:
    async with _open_redis(server, lease) as one, _open_redis(server, lease) as two:
        await work(one, two)


@asynccontextmanager
async def _open_redis(server: RedisServer, lease: float) -> AsyncIterator[RedisQuestionStore]:
    async with server.connect() as connection:
        store = RedisQuestionStore(connection, Clock(), lease)
        yield store
        await store.aclose()


def ask_for(usd: float, owner: str = "one", **limits: float) -> ReservationRequest:
    return ReservationRequest("run", "batch", "m", usd, AskLimits(**limits), 1, owner)  # type: ignore[arg-type]


def is_good(kept: KeptAnswer) -> bool:
    return True


def keep(text: str) -> KeptAnswer:
    now = Clock().now().timestamp()
    return KeptAnswer(ModelReply(text, remembered=True, model="m"), now, now + 1000)


def pay(entry: Entry, usd: float, uncertain: float = 0.0) -> list[Settlement]:
    assert entry.held is not None
    return [Settlement(entry.held, Usage(calls=1, usd=usd), uncertain)]


def test_one_asks_and_the_other_gets_the_answer_with_its_bill(run: Run) -> None:
    async def work(one: QuestionStore, two: QuestionStore) -> None:
        first = await one.enter("key", ask_for(0.5), is_good)
        second = await two.enter("key", ask_for(0.5, "two"), is_good)
        assert first.held is not None
        assert (second.held, second.kept, second.is_free) == (None, None, False)
        waiting = asyncio.create_task(two.wait("key", "two", is_good))
        await one.settle("key", "one", keep("yes"), pay(first, 0.25))
        await waiting
        third = await two.enter("key", ask_for(0.5, "two"), is_good)
        assert third.kept == (await two.find(["key", "other"]))["key"]
        assert third.kept.reply.answer == "yes"
        (row,) = await two.read_bill(TODAY)
        assert (row.statement, row.usd, row.uncertain_usd) == ("run", 0.25, 0.0)
        assert (row.questions, row.calls, row.door, row.model) == (1, 1, "batch", "m")

    run(work)


def test_an_answer_that_is_not_good_is_asked_for_again(run: Run) -> None:
    async def work(one: QuestionStore, two: QuestionStore) -> None:
        first = await one.enter("key", ask_for(0.5), is_good)
        await one.settle("key", "one", keep("old"), pay(first, 0.1))
        assert (await two.look("key", "two", is_good)).kept is not None
        again = await two.enter("key", ask_for(0.5, "two"), lambda kept: False)
        assert again.held is not None
        await two.settle("key", "two", keep("new"), pay(again, 0.1))
        found = await one.find(["key"])
        assert found["key"].reply.answer == "new"

    run(work)


def test_a_limit_counts_what_all_have_set_aside_and_nothing_is_claimed_that_has_no_room(
    run: Run,
) -> None:
    async def work(one: QuestionStore, two: QuestionStore) -> None:
        first = await one.enter("a", ask_for(0.6, max_usd=1.0), is_good)
        with pytest.raises(OverLimit) as caught:
            await two.enter("b", ask_for(0.6, "two", max_usd=1.0), is_good)
        assert (caught.value.what, caught.value.spent, caught.value.waiting) == (
            "statement",
            0.6,
            True,
        )
        assert (await one.look("b", "one", is_good)).is_free
        await one.settle("a", "one", None, pay(first, 0.5))
        with pytest.raises(OverLimit) as caught:
            await two.enter("b", ask_for(0.6, "two", max_usd=1.0), is_good)
        assert not caught.value.waiting
        with pytest.raises(OverLimit) as caught:
            await two.enter("b", ask_for(0.6, "two", max_usd_per_day=1.0), is_good)
        assert (caught.value.what, caught.value.limit) == ("day", 1.0)
        assert (await two.enter("b", ask_for(0.4, "two", max_usd=1.0), is_good)).held is not None

    run(work)


def test_questions_of_all_count_towards_the_limit_of_rows(run: Run) -> None:
    async def work(one: QuestionStore, two: QuestionStore) -> None:
        first = await one.enter("a", ask_for(0.1, max_rows=2), is_good)
        await one.settle("a", "one", keep("a"), pay(first, 0.1))
        assert (await two.enter("b", ask_for(0.1, "two", max_rows=2), is_good)).held
        with pytest.raises(OverLimit) as caught:
            await one.enter("c", ask_for(0.1, max_rows=2), is_good)
        assert (caught.value.what, caught.value.spent, caught.value.limit) == ("questions", 2, 2)
        # More for a question that was counted is no further question.
        more = ReservationRequest("run", "batch", "m", 0.1, AskLimits(max_rows=2), 0, "two")
        await two.reserve(more)

    run(work)


def test_cancelled_enter_releases_the_claim_and_the_money(run: Run) -> None:
    async def work(one: QuestionStore, two: QuestionStore) -> None:
        entering = asyncio.create_task(one.enter("key", ask_for(0.5, max_usd=0.5), is_good))
        await asyncio.sleep(0)
        entering.cancel()
        with pytest.raises(asyncio.CancelledError):
            await entering
        await one.flush()
        assert (await two.enter("key", ask_for(0.5, "two", max_usd=0.5), is_good)).held
        assert all(row.uncertain_usd == 0 for row in await two.read_bill(TODAY))

    run(work)


def test_a_release_without_an_answer_frees_the_question(run: Run) -> None:
    async def work(one: QuestionStore, two: QuestionStore) -> None:
        first = await one.enter("key", ask_for(0.5), is_good)
        one.release("key", "one")
        one.settle_soon(pay(first, 0.0, uncertain=0.5))
        await two.wait("key", "two", is_good)
        await one.flush()
        (row,) = await two.read_bill(TODAY)
        assert row.uncertain_usd == 0.5

    run(work)


def test_what_two_note_of_one_run_is_added_up(run: Run) -> None:
    async def work(one: QuestionStore, two: QuestionStore) -> None:
        for store in (one, two):
            statement = Statement("batch", AskLimits(), False, Clock(), words="What?", run="run")
            statement.count_answers(rows=3, hits=3)
            await store.write_notes([statement])
            statement.count_answers(rows=1, hits=1)
            await store.write_notes([statement], at_end=True)
        (row,) = await one.read_bill(TODAY)
        assert (row.statement, row.hits, row.words) == ("run", 8, "What?")

    run(work)


def test_in_redis_the_lease_of_a_dead_worker_ends_and_its_calls_are_uncertain(
    redis_server: RedisServer,
) -> None:
    async def work() -> None:
        async with redis_server.connect() as first, redis_server.connect() as second:
            dead = RedisQuestionStore(first, Clock(), 0.2)
            held = await dead.enter("key", ask_for(0.5, max_usd=0.7), is_good)
            assert held.held is not None
            # It dies: nothing is renewed from now on.
            assert dead._renewing is not None
            dead._renewing.cancel()
            other = RedisQuestionStore(second, Clock(), LEASE)
            await other.wait("key", "two", is_good)
            again = await other.enter("key", ask_for(0.2, "two", max_usd=0.7), is_good)
            await other.settle("key", "two", keep("yes"), pay(again, 0.1))
            (row,) = await other.read_bill(TODAY)
            assert (row.usd, row.uncertain_usd) == (0.1, 0.5)
            # It only slept: what was counted for it is taken back.
            await dead.settle("key", "one", None, pay(held, 0.3))
            (row,) = await other.read_bill(TODAY)
            assert (round(row.usd, 9), row.uncertain_usd) == (0.4, 0.0)
            for store in (dead, other):
                await store.aclose()

    asyncio.run(work())


def test_in_redis_a_lease_is_renewed_while_the_question_is_asked(redis_server: RedisServer) -> None:
    async def work(one: QuestionStore, two: QuestionStore) -> None:
        held = await one.enter("key", ask_for(0.5), is_good)
        for _ in range(40):
            await asyncio.sleep(0.03)
            assert not (await two.look("key", "two", is_good)).is_free
        await one.settle("key", "one", keep("yes"), pay(held, 0.5))
        assert [row.uncertain_usd for row in await two.read_bill(TODAY)] == [0.0]

    asyncio.run(_with_redis(redis_server, work, lease=0.4))


def test_in_redis_a_settlement_that_is_sent_twice_counts_once(redis_server: RedisServer) -> None:
    async def work(one: QuestionStore, two: QuestionStore) -> None:
        held = await one.enter("key", ask_for(0.5), is_good)
        for _ in range(2):
            await one.settle("key", "one", keep("yes"), pay(held, 0.25))
        (row,) = await two.read_bill(TODAY)
        assert (row.usd, row.questions) == (0.25, 1)

    asyncio.run(_with_redis(redis_server, work))


def test_without_redis_nothing_is_asked(redis_server: RedisServer) -> None:
    async def work(one: QuestionStore, two: QuestionStore) -> None:
        redis_server.stop()
        with pytest.raises(RecordsFailure, match="Redis"):
            await one.enter("key", ask_for(0.5), is_good)
        with pytest.raises(RecordsFailure):
            await one.reserve(ask_for(0.5))

    asyncio.run(_with_redis(redis_server, work))


def test_in_redis_no_word_of_an_answer_can_be_read(redis_server: RedisServer) -> None:
    async def work(one: QuestionStore, two: QuestionStore) -> None:
        held = await one.enter("who leads it", ask_for(0.5), is_good)
        await one.settle("who leads it", "one", keep("Ada Lovelace"), pay(held, 0.5))
        statement = Statement("batch", AskLimits(), False, Clock(), words="who leads", run="run")
        await one.write_notes([statement])

    asyncio.run(_with_redis(redis_server, work))
    redis_server.say("SAVE")
    dump = (redis_server.folder / "dump.rdb").read_bytes()
    assert b"run" in dump
    for word in (b"who leads", b"Lovelace"):
        assert word not in dump


def test_in_the_file_what_a_killed_process_had_set_aside_is_uncertain_at_once(
    tmp_path: Path,
) -> None:
    code = """
import asyncio, sys
from pathlib import Path
from tests.ask.test_sharing import Clock, FileQuestionStore, RecordFile, ask_for, is_good
from webquarry.store.claims import describe_owner

async def hold():
    store = FileQuestionStore(RecordFile(Path(sys.argv[1])), Clock())
    await store.enter("key", ask_for(0.5, describe_owner()), is_good)
    print("held", flush=True)
    input()

asyncio.run(hold())
"""
    environ = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environ,
        cwd=Path(__file__).parents[2],
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        process.kill()
        process.wait()
    file = RecordFile(tmp_path)
    store = FileQuestionStore(file, Clock())

    (row,) = store.read_bill_now(TODAY)
    file.close()

    assert (row.usd, row.uncertain_usd, row.questions) == (0.0, 0.5, 1)
