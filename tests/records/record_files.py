"""A file of records that is opened, written to and refused."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from webquarry.errors import RecordsFailure
from webquarry.store.journals import FileJournals, Journal
from webquarry.store.records import RecordFile

HOURS = 4 * 3600.0
NAME = "state.sqlite3"
FILES = (NAME, f"{NAME}-wal", f"{NAME}-shm")


@contextmanager
def opened(folder: Path) -> Iterator[RecordFile]:
    file = RecordFile(folder)
    try:
        yield file
    finally:
        file.close()


def begin(file: RecordFile, id: str) -> None:
    work = FileJournals(file).begin("ada", id, b"first", 1000.0, most=50, idle_seconds=HOURS)
    asyncio.run(work)


def append(file: RecordFile, id: str) -> int:
    return asyncio.run(FileJournals(file).append("ada", id, b"more", 1001.0))


def read(file: RecordFile, id: str) -> Journal | None:
    return asyncio.run(FileJournals(file).read("ada", id, 1002.0, idle_seconds=HOURS))


def count_entries(folder: Path, id: str) -> int:
    """As another process finds them."""
    with opened(folder) as file:
        journal = read(file, id)
        assert journal is not None
        return len(journal.entries)


def refusal(work: Callable[[], Any]) -> RecordsFailure:
    with pytest.raises(RecordsFailure) as caught:
        work()
    assert caught.value.kind == "records"
    assert caught.value.as_dict()["reason"] == caught.value.reason
    return caught.value


def append_until_refused(file: RecordFile) -> tuple[int, RecordsFailure]:
    """How many entries there are by then, and why it was refused."""
    acknowledged = 1
    try:
        while acknowledged < 1000:
            acknowledged = append(file, "s1")
    except RecordsFailure as failure:
        return acknowledged, failure
    raise AssertionError("nothing was refused")
