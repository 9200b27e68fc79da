"""Work for the record file, many pieces to one transaction: what arrives while the disk is busy
goes in together.

Every piece is on disk when its `await` ends, and yet a thousand answers at once do not wait for a
thousand flushes. A piece that raises must have changed nothing; the others go on. A record file
that fails fails all of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from webquarry.records.file import RecordFile
from webquarry.store.encryption import Cipher
from webquarry.store.sqlite import Connection, DatabaseError

T = TypeVar("T")
Piece = Callable[[Connection, Cipher], Any]


class Desk:
    """Belongs to one event loop."""

    def __init__(self, records: RecordFile) -> None:
        self._records = records
        self._waiting: list[tuple[Piece, asyncio.Future[Any]]] = []
        self._clerk: asyncio.Task[None] | None = None

    async def do(self, work: Callable[[Connection, Cipher], T]) -> T:
        """The result of the work, once it is on disk. Whoever stops waiting does not undo it."""
        return await asyncio.shield(self.post(work))

    def post(self, work: Callable[[Connection, Cipher], T]) -> asyncio.Future[T]:
        """Hand the work in, for those who cannot wait."""
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((work, done))
        if self._clerk is None or self._clerk.done():
            self._clerk = asyncio.create_task(self._work())
        return done

    async def aclose(self) -> None:
        """Wait for what was handed in."""
        if self._clerk is not None:
            await self._clerk

    async def _work(self) -> None:
        while self._waiting:
            pieces, self._waiting = self._waiting, []
            try:
                outcomes = await self._records.run(partial(_all, pieces))
            except Exception as error:
                outcomes = [error] * len(pieces)
            for (_, done), outcome in zip(pieces, outcomes, strict=True):
                if done.done():
                    continue
                if isinstance(outcome, Exception):
                    done.set_exception(outcome)
                    done.exception()  # somebody who left does not have to look at it
                else:
                    done.set_result(outcome)


def _all(
    pieces: list[tuple[Piece, asyncio.Future[Any]]], database: Connection, vault: Cipher
) -> list[Any]:
    outcomes: list[Any] = []
    for work, _ in pieces:
        try:
            outcomes.append(work(database, vault))
        except DatabaseError:
            raise
        except Exception as error:
            outcomes.append(error)
    return outcomes
