"""Answers, claims and the ledger that processes share: one contract for the record file and for
Redis.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.redis_server import RedisServer
from webquarry.ask.ledger import RESERVED_SECONDS, Cost, OverLimit, Reservation
from webquarry.ask.models import AnswerSource, AskLimits, KeptAnswer, ModelReply, Usage
from webquarry.ask.redis_store import RedisQuestionStore
from webquarry.ask.statement import Statement
from webquarry.ask.store import FileQuestionStore, QuestionStore
from webquarry.clock import Clock, FrozenClock
from webquarry.errors import RecordsFailure
from webquarry.store.records import RecordFile

LEASE = 30.0
FIRST_DAY = "2000-01-01"
Work = Callable[[QuestionStore, QuestionStore], Awaitable[None]]
Run = Callable[[Work], None]


@pytest.fixture(params=["file", "redis"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Run]:
    """Runs work with two stores, as two processes have them."""
    if request.param == "redis":
        server: RedisServer = request.getfixturevalue("redis_server")
        yield lambda work: asyncio.run(run_with_redis(server, work))
    else:
        yield lambda work: asyncio.run(run_with_file(tmp_path, work))


async def run_with_file(folder: Path, work: Work) -> None:
    files = [RecordFile(folder), RecordFile(folder)]
    stores = [FileQuestionStore(file, Clock(), LEASE) for file in files]
    await work(*stores)
    for store, file in zip(stores, files, strict=True):
        await store.aclose()
        file.close()


async def run_with_redis(server: RedisServer, work: Work, lease: float = LEASE) -> None:
    async with open_redis(server, lease) as one, open_redis(server, lease) as two:
        await work(one, two)


@asynccontextmanager
async def open_redis(server: RedisServer, lease: float) -> AsyncIterator[RedisQuestionStore]:
    async with server.connect() as connection:
        store = RedisQuestionStore(connection, Clock(), lease)
        yield store
        await store.aclose()


def reservation(usd: float, statement: str = "run", **limits: float) -> Reservation:
    return Reservation(statement, "batch", "m", usd, AskLimits(**limits))  # type: ignore[arg-type]


def is_good(kept: KeptAnswer) -> bool:
    return True


def answer(text: str) -> KeptAnswer:
    now = Clock().now().timestamp()
    return KeptAnswer(ModelReply(text, remembered=True, model="m"), now, now + 1000)


def bill(found: object, usd: float, uncertain: float = 0.0) -> tuple[list[Reservation], Cost]:
    assert isinstance(found, Reservation)
    return [found], Cost(Usage(calls=1, usd=usd), uncertain)


def test_second_process_gets_the_stored_answer(run: Run) -> None:
    async def work(one: QuestionStore, two: QuestionStore) -> None:
        first = await one.enter("key", reservation(0.5), is_good)
        assert await two.enter("key", reservation(0.5), is_good) is None
        await one.settle("key", answer("yes"), *bill(first, 0.25))
        found = await two.enter("key", reservation(0.5), is_good)
        assert isinstance(found, KeptAnswer)
        assert found.reply.answer == "yes"
        assert await two.find(["key", "other"]) == {"key": found}
        (row,) = await two.read_bill(FIRST_DAY)
        assert (row.statement, row.usd, row.uncertain_usd) == ("run", 0.25, 0.0)
        assert (row.questions, row.calls, row.door, row.model) == (1, 1, "batch", "m")

    run(work)


def test_rejected_answer_is_replaced(run: Run) -> None:
    async def work(one: QuestionStore, two: QuestionStore) -> None:
        first = await one.enter("key", reservation(0.5), is_good)
        await one.settle("key", answer("old"), *bill(first, 0.1))
        again = await two.enter("key", reservation(0.5), lambda kept: False)
        await two.settle("key", answer("new"), *bill(again, 0.1))
        assert (await one.find(["key"]))["key"].reply.answer == "new"

    run(work)


def test_reservations_of_all_processes_count_towards_limits(run: Run) -> None:
    async def work(one: QuestionStore, two: QuestionStore) -> None:
        first = await one.enter("a", reservation(0.6, max_usd=1.0), is_good)
        with pytest.raises(OverLimit) as caught:
            await two.enter("b", reservation(0.6, max_usd=1.0), is_good)
        assert (caught.value.what, caught.value.spent) == ("statement", 0.6)
        assert caught.value.waiting
        with pytest.raises(OverLimit) as caught:
            await two.enter("b", reservation(0.6, "other", max_usd_per_day=1.0), is_good)
        assert (caught.value.what, caught.value.waiting) == ("day", False)
        await one.settle("a", None, *bill(first, 0.5))
        with pytest.raises(OverLimit) as caught:
            await two.enter("b", reservation(0.6, max_usd=1.0), is_good)
        assert not caught.value.waiting
        # A refused question is not claimed.
        assert isinstance(await one.enter("b", reservation(0.4, max_usd=1.0), is_good), Reservation)

    run(work)


def test_limit_of_questions_holds_for_all_processes(run: Run) -> None:
    async def work(one: QuestionStore, two: QuestionStore) -> None:
        first = await one.enter("a", reservation(0.1, max_rows=2), is_good)
        await one.settle("a", answer("a"), *bill(first, 0.1))
        await two.enter("b", reservation(0.1, max_rows=2), is_good)
        with pytest.raises(OverLimit) as caught:
            await one.enter("c", reservation(0.1, max_rows=2), is_good)
        assert (caught.value.what, caught.value.spent, caught.value.limit) == ("questions", 2, 2)
        # More money for a counted question is no further question.
        await two.reserve(Reservation("run", "batch", "m", 0.1, AskLimits(max_rows=2), 0))

    run(work)


def test_limit_can_be_used_up_to_the_last_billionth(run: Run) -> None:
    async def work(one: QuestionStore, two: QuestionStore) -> None:
        for _ in range(3):
            held = await one.reserve(reservation(0.1, max_usd=0.3))
            await one.settle("", None, *bill(held, 0.1))
        with pytest.raises(OverLimit):
            await one.reserve(reservation(0.000000001, max_usd=0.3))

    run(work)


def test_cancelled_enter_releases_the_claim_and_the_money(run: Run) -> None:
    async def work(one: QuestionStore, two: QuestionStore) -> None:
        entering = asyncio.create_task(one.enter("key", reservation(0.5, max_usd=0.5), is_good))
        await asyncio.sleep(0)
        entering.cancel()
        with pytest.raises(asyncio.CancelledError):
            await entering
        await one.flush()
        assert await two.enter("key", reservation(0.5, max_usd=0.5), is_good)
        assert all(row.uncertain_usd == 0 for row in await two.read_bill(FIRST_DAY))

    run(work)


def test_release_without_an_answer_frees_the_question(run: Run) -> None:
    async def work(one: QuestionStore, two: QuestionStore) -> None:
        first = await one.enter("key", reservation(0.5), is_good)
        one.release("key")
        one.settle_soon(*bill(first, 0.0, uncertain=0.5))
        await one.flush()
        (row,) = await two.read_bill(FIRST_DAY)
        assert row.uncertain_usd == 0.5
        assert isinstance(await two.enter("key", reservation(0.5), is_good), Reservation)

    run(work)


def test_notes_of_one_run_are_added_up(run: Run) -> None:
    async def work(one: QuestionStore, two: QuestionStore) -> None:
        for store in (one, two):
            statement = Statement("batch", AskLimits(), False, Clock(), words="What?", run="run")
            for hits in (3, 1):
                statement.count(done=hits, hits=hits)
                await store.write_notes([statement])
        (row,) = await one.read_bill(FIRST_DAY)
        assert (row.statement, row.hits, row.words) == ("run", 8, "What?")

    run(work)


def test_stored_answer_has_all_fields_but_its_cost() -> None:
    source = AnswerSource("T", "https://a.example/")
    reply = ModelReply("ünï", (source,), True, Usage(), None, True, True, {"a": [1]}, "m")

    assert KeptAnswer.decode(KeptAnswer(reply, 1.0, 2.0, "k").encode()) == KeptAnswer(
        reply, 1.0, 2.0, "k"
    )
    assert KeptAnswer.decode(b"\0") is None


# Redis


def test_redis_lease_of_a_dead_worker_ends_and_its_calls_are_uncertain(
    redis_server: RedisServer,
) -> None:
    async def work() -> None:
        async with redis_server.connect() as first, redis_server.connect() as second:
            dead = RedisQuestionStore(first, Clock(), 0.2)
            held = await dead.enter("key", reservation(0.5, max_usd=0.7), is_good)
            # It dies: nothing is renewed from now on.
            assert dead._renewing is not None
            dead._renewing.cancel()
            other = RedisQuestionStore(second, Clock(), LEASE)
            again = None
            while again is None:
                again = await other.enter("key", reservation(0.2, max_usd=0.7), is_good)
            await other.settle("key", answer("yes"), *bill(again, 0.1))
            (row,) = await other.read_bill(FIRST_DAY)
            assert (row.usd, row.uncertain_usd) == (0.1, 0.5)
            # It only slept: the uncertain amount is taken back.
            await dead.settle("key", None, *bill(held, 0.3))
            (row,) = await other.read_bill(FIRST_DAY)
            assert (round(row.usd, 9), row.uncertain_usd) == (0.4, 0.0)
            for store in (dead, other):
                await store.aclose()

    asyncio.run(work())


def test_redis_lease_is_renewed_while_the_question_is_asked(redis_server: RedisServer) -> None:
    async def work(one: QuestionStore, two: QuestionStore) -> None:
        held = await one.enter("key", reservation(0.5), is_good)
        for _ in range(40):
            await asyncio.sleep(0.03)
            assert await two.enter("key", reservation(0.5), is_good) is None
        await one.settle("key", answer("yes"), *bill(held, 0.5))
        assert [row.uncertain_usd for row in await two.read_bill(FIRST_DAY)] == [0.0]

    asyncio.run(run_with_redis(redis_server, work, lease=0.4))


def test_redis_settlement_that_is_sent_twice_counts_once(redis_server: RedisServer) -> None:
    async def work(one: QuestionStore, two: QuestionStore) -> None:
        held = await one.enter("key", reservation(0.5), is_good)
        for _ in range(2):
            await one.settle("key", answer("yes"), *bill(held, 0.25))
        (row,) = await two.read_bill(FIRST_DAY)
        assert (row.usd, row.questions) == (0.25, 1)

    asyncio.run(run_with_redis(redis_server, work))


def test_without_redis_nothing_is_asked(redis_server: RedisServer) -> None:
    async def work(one: QuestionStore, two: QuestionStore) -> None:
        redis_server.stop()
        with pytest.raises(RecordsFailure, match="Redis"):
            await one.enter("key", reservation(0.5), is_good)
        with pytest.raises(RecordsFailure):
            await one.reserve(reservation(0.5))

    asyncio.run(run_with_redis(redis_server, work))


def test_redis_has_no_readable_answer(redis_server: RedisServer) -> None:
    async def work(one: QuestionStore, two: QuestionStore) -> None:
        held = await one.enter("who leads it", reservation(0.5), is_good)
        await one.settle("who leads it", answer("Ada Lovelace"), *bill(held, 0.5))
        statement = Statement("batch", AskLimits(), False, Clock(), words="who leads", run="run")
        await one.write_notes([statement])

    asyncio.run(run_with_redis(redis_server, work))
    redis_server.say("SAVE")
    dump = (redis_server.folder / "dump.rdb").read_bytes()
    assert b"run" in dump
    for word in (b"who leads", b"Lovelace"):
        assert word not in dump


# The record file


@pytest.mark.parametrize("is_asleep", [False, True])
def test_expired_reservation_is_uncertain_until_its_process_settles(
    tmp_path: Path, is_asleep: bool
) -> None:
    start = datetime.now(UTC).replace(hour=12)  # so that both are on one day
    later = datetime.fromtimestamp(start.timestamp() + RESERVED_SECONDS + 1, UTC)

    async def work(first: QuestionStore, second: QuestionStore) -> None:
        first.clock, second.clock = FrozenClock(start), FrozenClock(later)
        held = await first.reserve(reservation(0.5, "first"))
        with pytest.raises(OverLimit):
            await second.reserve(reservation(0.6, "second", max_usd_per_day=1.0))
        if is_asleep:
            await first.settle("", None, *bill(held, 0.2))
        rows = [one for one in await second.read_bill(FIRST_DAY) if one.statement == "first"]
        assert [(one.usd, one.uncertain_usd) for one in rows] == [
            (0.2, 0.0) if is_asleep else (0.0, 0.5)
        ]

    asyncio.run(run_with_file(tmp_path, work))


def test_reservation_of_a_killed_process_is_uncertain_at_once(tmp_path: Path) -> None:
    code = """
import asyncio, sys
from pathlib import Path
from tests.ask.test_store import Clock, FileQuestionStore, RecordFile, is_good, reservation

async def hold():
    store = FileQuestionStore(RecordFile(Path(sys.argv[1])), Clock())
    await store.enter("key", reservation(0.5), is_good)
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

    (row,) = asyncio.run(FileQuestionStore(file, Clock()).read_bill(FIRST_DAY))
    file.close()

    assert (row.usd, row.uncertain_usd, row.questions) == (0.0, 0.5, 1)


def test_waiting_work_shares_a_transaction_and_fails_alone(tmp_path: Path) -> None:
    file = RecordFile(tmp_path)
    transactions: list[int] = []
    run = file.run

    async def count_and_run(work: Any) -> Any:
        transactions.append(1)
        return await run(work)

    def fail(database: Any, cipher: Any) -> None:
        raise ValueError("no")

    async def work() -> list[Any]:
        file.run = count_and_run  # type: ignore[method-assign]
        store = FileQuestionStore(file, Clock())
        pieces = [store.commit(lambda db, cipher, n=n: n) for n in range(50)]  # type: ignore[misc]
        return await asyncio.gather(*pieces, store.commit(fail), return_exceptions=True)

    outcomes = asyncio.run(work())

    assert outcomes[:50] == list(range(50))
    assert isinstance(outcomes[50], ValueError)
    assert len(transactions) <= 2
    file.close()


def test_failing_record_file_fails_the_work(tmp_path: Path) -> None:
    file = RecordFile(tmp_path)

    async def work() -> None:
        await FileQuestionStore(file, Clock()).commit(
            lambda database, cipher: database.execute("SELECT * FROM nowhere")
        )

    with pytest.raises(RecordsFailure):
        asyncio.run(work())
    file.close()
