"""Damages the files of the cache and of the records in many ways and uses them: a number of runs
in, what came of them out.

    python -m scripts.damage --runs 600 --seed 7

Bytes are flipped, pages zeroed or exchanged, ends cut off, headers overwritten, in the database,
its log and its key, of files that were closed and of files whose process was killed. The cache has
to go on whatever it finds; the records have to give back what was acknowledged, or refuse with a
reason. Anything else is a failure, and its seed is printed.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from webquarry.ask import answers
from webquarry.ask.answers import KeptAnswer
from webquarry.ask.billing import ledger
from webquarry.ask.billing.ledger import ReservationRequest, Settlement
from webquarry.ask.models import AskLimits, ModelReply, Usage
from webquarry.cache.base import CacheEntry
from webquarry.cache.disk import DiskStore
from webquarry.errors import RecordsFailure
from webquarry.records.file import RecordFile
from webquarry.records.journals import FileJournals
from webquarry.records.rescue import rescue_records

NOW = 1_800_000_000.0
DAY = "2027-01-15"
HOURS = 4 * 3600.0
PAGE = 4096
JOURNALS = {f"journal {number}": number * 7 + 1 for number in range(6)}  # by id: how many entries
STATEMENTS = 12
ENTRIES = 60  # of the cache

Damage = Callable[[random.Random, bytearray], None]


def flip_bits(draw: random.Random, data: bytearray) -> None:
    """A few bits, anywhere."""
    for _ in range(draw.choice((1, 1, 2, 8, 64))):
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)


def overwrite_bytes(draw: random.Random, data: bytearray) -> None:
    """A few bytes, anywhere."""
    for _ in range(draw.choice((1, 4, 32, 512))):
        data[draw.randrange(len(data))] = draw.randrange(256)


def cut_end(draw: random.Random, data: bytearray) -> None:
    """The end is missing, now and then all of it."""
    del data[draw.choice((0, draw.randrange(len(data)), len(data) // PAGE // 2 * PAGE)) :]


def zero_page(draw: random.Random, data: bytearray) -> None:
    """A page of zeros, as a disk that lost it gives back."""
    start = draw.randrange(-(-len(data) // PAGE)) * PAGE
    length = len(data[start : start + PAGE])
    data[start : start + length] = bytes(length)


def exchange_pages(draw: random.Random, data: bytearray) -> None:
    """Two pages have changed places."""
    pages = len(data) // PAGE
    if pages < 2:
        return flip_bits(draw, data)
    one, other = (number * PAGE for number in draw.sample(range(pages), 2))
    kept = bytes(data[one : one + PAGE])
    data[one : one + PAGE] = data[other : other + PAGE]
    data[other : other + PAGE] = kept
    return None


def spoil_header(draw: random.Random, data: bytearray) -> None:
    """Something in the first hundred bytes."""
    for _ in range(draw.choice((1, 2, 8))):
        data[draw.randrange(min(100, len(data)))] = draw.randrange(256)


def spoil_first_page(draw: random.Random, data: bytearray) -> None:
    """Something in the first page, which says what tables there are."""
    for _ in range(draw.choice((1, 4, 32))):
        data[draw.randrange(min(PAGE, len(data)))] = draw.randrange(256)


DAMAGES: tuple[Damage, ...] = (
    flip_bits,
    flip_bits,
    overwrite_bytes,
    cut_end,
    zero_page,
    exchange_pages,
    spoil_header,
    spoil_first_page,
)


@dataclass
class Tally:
    """What came of the runs."""

    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def fail(self, text: str) -> None:
        self.failures.append(text)


def fill_records(folder: Path, leave: Path) -> None:
    """Records in a folder, closed; and as a killed process would leave them, in another one."""
    file = RecordFile(folder)

    async def write() -> None:
        journals = FileJournals(file)
        for id, count in JOURNALS.items():
            await journals.begin("ada", id, _entry(id, 1), NOW, most=50, idle_seconds=HOURS)
            for number in range(2, count + 1):
                await journals.append("ada", id, _entry(id, number), NOW + number)

    asyncio.run(write())
    for number in range(STATEMENTS):
        request = ReservationRequest(f"s{number}", "sql", "m", 0.5, AskLimits())
        held = file.do(
            lambda database, _, request=request: ledger.reserve(  # type: ignore[misc]
                database, request, NOW, DAY
            )
        )
        kept = KeptAnswer(ModelReply("an answer " * 40, model="m"), NOW, NOW + HOURS)

        def settle(database: object, cipher: object, held=held, kept=kept, number=number) -> None:  # type: ignore[no-untyped-def]
            settlement = Settlement(held, Usage(calls=1, usd=0.25))
            ledger.settle(database, settlement, NOW)  # type: ignore[arg-type]
            answers.keep(database, cipher, f"digest {number}", kept)  # type: ignore[arg-type]

        file.do(settle)
    # The log has not been written back.
    shutil.copytree(folder, leave, ignore=shutil.ignore_patterns("*-shm"))
    file.close()


def fill_cache(folder: Path, leave: Path) -> None:
    """The same for a cache."""

    async def write() -> None:
        store = DiskStore(folder, 10_000_000)
        for number in range(ENTRIES):
            await store.put(f"key {number}", CacheEntry(_value(number), NOW, NOW + HOURS))
        shutil.copytree(folder, leave, ignore=shutil.ignore_patterns("*-shm"))
        await store.aclose()

    asyncio.run(write())


def use_cache(folder: Path) -> Counter[str]:
    """Everything that a cache is asked. Nothing may be raised, and nothing wrong come back."""
    found: Counter[str] = Counter()

    async def use() -> None:
        store = DiskStore(folder, 10_000_000)
        for number in range(ENTRIES):
            entry = await store.get(f"key {number}", NOW + 1)
            if entry is None:
                found["missed"] += 1
            elif entry.value != _value(number):
                found["wrong"] += 1
            else:
                found["found"] += 1
        await store.put("new", CacheEntry(b"new", NOW, NOW + HOURS))
        kept = await store.get("new", NOW + 1)
        if kept is None or kept.value != b"new":
            found["not kept"] += 1
        await store.stats()
        await store.clear()
        await store.aclose()

    asyncio.run(use())
    return found


def use_records(folder: Path) -> Counter[str]:
    """Everything that records are asked. What is not refused has to be what was acknowledged."""
    found: Counter[str] = Counter()
    file = RecordFile(folder)

    @contextmanager
    def refusing() -> Iterator[None]:
        try:
            yield
        except RecordsFailure as failure:
            found[f"refused: {failure.reason}"] += 1
            found["refused"] += 1

    async def use_journals() -> None:
        journals = FileJournals(file)
        with refusing():
            listed = await journals.list("ada", NOW + 9, idle_seconds=HOURS)
            if {one.id for one in listed} != set(JOURNALS):
                found["lost"] += 1
        for id, count in JOURNALS.items():
            with refusing():
                journal = await journals.read("ada", id, NOW + 9, idle_seconds=HOURS)
                due = tuple(_entry(id, number) for number in range(1, count + 1))
                if journal is None or journal.entries != due:
                    found["lost"] += 1
            with refusing():
                try:
                    number = await journals.append("ada", id, b"one more", NOW + 10)
                except KeyError:
                    number = 0
                if number != count + 1:
                    found["lost"] += 1
        with refusing():
            await journals.begin("ada", "new", b"new", NOW + 11, most=50, idle_seconds=HOURS)
        with refusing():
            await journals.begin("bob", "late", b"new", NOW + 9e6, most=50, idle_seconds=HOURS)

    asyncio.run(use_journals())
    digests = [f"digest {number}" for number in range(STATEMENTS)]
    with refusing():
        rows = file.do(lambda database, _: ledger.spent_since(database, DAY))
        if len(rows) != STATEMENTS or {row.usd for row in rows} != {0.25}:
            found["lost"] += 1
    with refusing():  # an answer that cannot be read is asked for again, which is no loss
        file.do(lambda database, cipher: answers.find(database, cipher, digests, NOW + 1))
    with refusing():
        limits = AskLimits(max_usd_per_day=100.0)
        request = ReservationRequest("s", "sql", "m", 1, limits)
        file.do(lambda database, _: ledger.reserve(database, request, NOW, DAY))
    with refusing():
        file.do(lambda database, _: answers.delete_expired(database, NOW + 1))
    file.probe()
    file.close()
    return found


def damage_one(draw: random.Random, folder: Path, names: list[str]) -> str:
    """Damage one of the files that are there; what was done."""
    there = [name for name in names if (folder / name).exists() and (folder / name).stat().st_size]
    name = draw.choice(there)
    spoil = draw.choice(DAMAGES)
    data = bytearray((folder / name).read_bytes())
    if name.endswith("-wal") and spoil in (cut_end, zero_page):
        spoil = flip_bits  # a log that ends earlier looks like one that was never longer
    spoil(draw, data)
    (folder / name).write_bytes(data)
    return f"{spoil.__name__} in {name}"


def run_all(runs: int, seed: int) -> Tally:
    """Half of the runs with a cache, half with records; in memory where the system has such a
    folder, since nobody wants to wait for a disk.
    """
    tally = Tally()
    fast = Path("/dev/shm")
    parent = fast if fast.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="webquarry-damage-", dir=parent) as place:
        templates = Path(place)
        fill_cache(templates / "cache", templates / "cache-killed")
        fill_records(templates / "records", templates / "records-killed")
        for number in range(runs):
            what = ("cache", "records")[number % 2]
            draw = random.Random(f"{seed} {number}")
            folder = templates / "now"
            shutil.copytree(templates / (what + draw.choice(("", "-killed"))), folder)
            stem = {"cache": "cache", "records": "state"}[what]
            files = [f"{stem}.sqlite3"] * 5 + [f"{stem}.sqlite3-wal"] * 5 + [f"{stem}.key"]
            done = damage_one(draw, folder, files)
            _judge(tally, what, folder, f"{what}, run {number} of seed {seed}: {done}")
            shutil.rmtree(folder)
    return tally


def _judge(tally: Tally, what: str, folder: Path, run: str) -> None:
    """Use what is in the folder, and count what came of it."""
    tally.outcomes[f"{what}: runs"] += 1
    try:
        if what == "cache":
            found = use_cache(folder)
        else:
            before = {one.name: one.read_bytes() for one in folder.iterdir()}
            rescue_records(folder, lambda row: None)
            if before != {one.name: one.read_bytes() for one in folder.iterdir()}:
                tally.fail(f"{run}: rescue changed a file")
            found = use_records(folder)
    except Exception as error:
        tally.fail(f"{run}: {type(error).__name__}: {error}")
        return
    for word in ("wrong", "lost", "not kept"):
        if found[word]:
            tally.fail(f"{run}: {word}: {dict(found)}")
    for word in found:
        tally.outcomes[f"{what}: {word}"] += 1


def _entry(id: str, number: int) -> bytes:
    return f"{id} entry {number} ".encode() * 9


def _value(number: int) -> bytes:
    return f"value {number} ".encode() * (number * 5 + 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    tally = run_all(options.runs, options.seed)
    for name, count in sorted(tally.outcomes.items()):
        sys.stdout.write(f"{name}: {count}\n")
    for failure in tally.failures:
        sys.stdout.write(f"FAILED {failure}\n")
    sys.stdout.write(f"{len(tally.failures)} of {options.runs} runs failed\n")
    return int(bool(tally.failures))


if __name__ == "__main__":
    sys.exit(main())
