"""What `webquarry.batch` adds to an engine: for rows whose answers are kept, and for new questions
beside the model, as ratios to named references.

Kept rows: 10,000 different texts. The reference is a loop that looks each text up in a dict and
makes the same Arrow column. Goal: 10 us a row.
New questions: the lease, the reservation, the answer and its bill, 16 questions at once, without a
model. The references are one flushed transaction of SQLite for each question, and two round trips
to Redis. Goal: 1 ms a question. The parts with Redis need redis-server.

    python bench/engines.py
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow

import webquarry.batch
from webquarry.ask.ledger import Cost, Reservation
from webquarry.ask.models import AskLimits, KeptAnswer, ModelReply, Usage
from webquarry.ask.store import FileQuestionStore, QuestionStore
from webquarry.clock import Clock
from webquarry.store.records import RecordFile

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.model_servers import FakeServers

ROWS = 10_000
QUESTIONS = 1000
AT_ONCE = 16
ROW_GOAL_US = 10
QUESTION_GOAL_MS = 1.0
STORE_KEY = "11" * 32


def time_best(work: Callable[[], object], tries: int = 5) -> float:
    """Seconds of the fastest of some tries."""
    best = float("inf")
    for _ in range(tries):
        begun = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begun)
    return best


@contextmanager
def run_redis() -> Iterator[str | None]:
    """The address of a Redis on a socket; None where there is none."""
    program = shutil.which("redis-server")
    if program is None:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="wq-") as folder:
        socket = Path(folder) / "r.sock"
        command = [program, "--port", "0", "--unixsocket", str(socket), "--save", ""]
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
            while not socket.exists():
                time.sleep(0.01)
            try:
                yield f"unix://{socket}"
            finally:
                process.kill()


def look_up_rows(
    answers: dict[str, ModelReply], texts: pyarrow.Array, struct: pyarrow.DataType
) -> pyarrow.Array:
    """The reference: a dict, and the same column of structs."""
    found = [answers[text] for text in texts.to_pylist()]
    rows = [{"answer": reply.answer, "searched": reply.searched} for reply in found]
    return pyarrow.array(rows, struct)


def measure_rows() -> None:
    """Rows whose answers are kept: in the memory of the process, and in the store alone."""
    texts = pyarrow.array([f"Company {number}" for number in range(ROWS)])
    answers = {text: ModelReply("an answer") for text in texts.to_pylist()}
    function = webquarry.batch.AskFunction("What?", max_rows=None, max_usd=None)
    reference = time_best(lambda: look_up_rows(answers, texts, function.struct_type))
    print(f"a dict and an Arrow column: {reference / ROWS * 1e6:.2f} us a row")
    function.answer(texts)

    def open_anew() -> tuple[float, float]:
        webquarry.batch.close()
        webquarry.batch.read_bill()
        begun, used = time.perf_counter(), time.process_time()
        function.answer(texts)
        return time.perf_counter() - begun, time.process_time() - used

    from_store, cpu = min(open_anew() for _ in range(3))
    print(f"  from the store, all different: {cpu / ROWS * 1e6:.1f} us of CPU a row")
    in_memory = time_best(lambda: function.answer(texts))
    repeated = pyarrow.array([f"Company {number % 100}" for number in range(ROWS)])
    with_repeats = time_best(lambda: function.answer(repeated))
    for name, seconds in (
        ("in memory, all different", in_memory),
        ("in memory, 100 different", with_repeats),
        ("in the store, all different", from_store),
    ):
        print(
            f"  {name}: {seconds / ROWS * 1e6:.2f} us a row, {seconds / reference:.2f} x the dict "
            f"(goal: {ROW_GOAL_US} us)"
        )


async def ask_all(store: QuestionStore) -> tuple[float, float]:
    """Seconds that each question takes, some at once, and those of the processor."""
    places = asyncio.Semaphore(AT_ONCE)
    now = Clock().now().timestamp()
    kept = KeptAnswer(ModelReply("an answer " * 20, model="m"), now, now + 1000)

    async def ask(number: int) -> None:
        wanted = Reservation("run", "batch", "m", 0.01, AskLimits(None, 1e6, 1e6))
        async with places:
            held = await store.enter(f"{number}", wanted, lambda kept: True)
            assert isinstance(held, Reservation)
            cost = Cost(Usage(calls=1, usd=0.005))
            await store.settle(f"{number}", kept, [held], cost)

    begun, used = time.perf_counter(), time.process_time()
    await asyncio.gather(*(ask(number) for number in range(QUESTIONS)))
    wall = time.perf_counter() - begun
    return wall / QUESTIONS, (time.process_time() - used) / QUESTIONS


def report(name: str, each: tuple[float, float], reference: float, what: str) -> None:
    wall, used = each
    print(
        f"  {name}: {wall * 1e3:.2f} ms a question, {used * 1e3:.2f} of them CPU, "
        f"{wall / reference:.2f} x {what} ({reference * 1e3:.2f} ms; goal: {QUESTION_GOAL_MS:g} ms)"
    )


def measure_file() -> None:
    """New questions in the record file."""
    with tempfile.TemporaryDirectory() as folder:
        database = sqlite3.connect(Path(folder) / "reference.db", isolation_level=None)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        database.execute("CREATE TABLE t (name TEXT, value TEXT)")

        def write_one() -> None:
            database.execute("INSERT INTO t VALUES ('name', 'value')")

        reference = time_best(write_one, 200)
        database.close()
        records = RecordFile(Path(folder))
        store = FileQuestionStore(records, Clock())

        async def work() -> tuple[float, float]:
            each = await ask_all(store)
            await store.aclose()
            return each

        report("record file", asyncio.run(work()), reference, "a flushed transaction")
        records.close()


def measure_redis(url: str) -> None:
    """New questions in Redis."""
    from webquarry.ask.redis_store import RedisQuestionStore
    from webquarry.secret import Secret
    from webquarry.store.redis_connection import RedisConnection

    async def work() -> tuple[tuple[float, float], float]:
        connection = RedisConnection(Secret(url), bytes.fromhex(STORE_KEY), timeout_seconds=30)
        ping: Callable[[], Awaitable[object]] = lambda: connection.run(lambda one: one.ping())  # noqa: E731
        best = float("inf")
        for _ in range(200):
            begun = time.perf_counter()
            await ping()
            await ping()
            best = min(best, time.perf_counter() - begun)
        store = RedisQuestionStore(connection, Clock())
        each = await ask_all(store)
        await store.aclose()
        await connection.aclose()
        return each, best

    each, reference = asyncio.run(work())
    report("Redis", each, reference, "two round trips")


def main() -> None:
    with FakeServers() as servers, tempfile.TemporaryDirectory() as home:
        os.environ |= servers.environ_without_search | {"HOME": home}
        print(f"kept answers, {ROWS:,} rows, record file:")
        measure_rows()
        webquarry.batch.close()
    print(f"new questions, {AT_ONCE} at once, without the model:")
    measure_file()
    with run_redis() as url:
        if url is None:
            print("  Redis: not measured, there is no redis-server")
        else:
            measure_redis(url)


if __name__ == "__main__":
    main()
