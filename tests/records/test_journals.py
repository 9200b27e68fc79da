"""Journals in the record file: encrypted, never replaced by us, there after a kill. What all
journals do is in test_contract.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from webquarry.errors import RecordsFailure
from webquarry.store.journals import FileJournals
from webquarry.store.records import RecordFile

HOURS = 4 * 3600.0


def journals(folder: Path | None) -> FileJournals:
    return FileJournals(RecordFile(folder))


async def begin(
    found: FileJournals, id: str, now: float = 1000.0, owner: str = "ada", most: int = 50
) -> None:
    await found.begin(owner, id, b"first", now, most=most, idle_seconds=HOURS)


def close(*found: FileJournals) -> None:
    for one in found:
        one._file.close()


def test_nothing_readable_is_in_the_file(tmp_path: Path) -> None:
    async def scenario() -> None:
        one = journals(tmp_path)
        await one.begin(
            "ada-lovelace", "session-id", b"what we look for", 1.0, most=5, idle_seconds=HOURS
        )
        close(one)

    asyncio.run(scenario())
    kept = b"".join(
        path.read_bytes() for path in tmp_path.iterdir() if path.name.startswith("state.sqlite3")
    )
    assert not any(word in kept for word in (b"ada-lovelace", b"session-id", b"what we look for"))
    assert (tmp_path / "state.sqlite3").stat().st_mode & 0o777 == 0o600


def test_a_missing_key_is_an_error_and_no_new_key_is_made(tmp_path: Path) -> None:
    one = journals(tmp_path)
    asyncio.run(begin(one, "s1"))
    close(one)
    (tmp_path / "state.key").unlink()

    other = journals(tmp_path)
    with pytest.raises(RecordsFailure, match="missing or damaged"):
        asyncio.run(begin(other, "s2"))
    close(other)

    assert not (tmp_path / "state.key").exists()


def test_an_acknowledged_entry_survives_kill_9(tmp_path: Path) -> None:
    script = """
import asyncio, sys
from pathlib import Path
from webquarry.store.records import RecordFile
from webquarry.store.journals import FileJournals
from webquarry.store.encryption import Cipher
from webquarry.store.database import Connection

async def main():
    one = FileJournals(RecordFile(Path(sys.argv[1])))
    await one.begin("ada", "s1", b"first", 1.0, most=5, idle_seconds=100.0)
    while True:
        number = await one.append("ada", "s1", b"entry", 2.0)
        print(number, flush=True)

asyncio.run(main())
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    acknowledged = 0
    for line in process.stdout:
        acknowledged = int(line)
        if acknowledged == 20:
            break
    os.kill(process.pid, signal.SIGKILL)
    rest = process.stdout.read().split()
    process.stdout.close()
    process.wait()
    acknowledged = int(rest[-1]) if rest and rest[-1].isdigit() else acknowledged

    one = journals(tmp_path)
    found = asyncio.run(one.read("ada", "s1", 3.0, idle_seconds=100.0))
    close(one)
    assert found is not None
    assert len(found.entries) >= acknowledged
