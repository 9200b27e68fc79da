"""One connection on stdin and stdout: whatever comes is answered, what is no message by us, the
rest by whoever the messages are handed to.

Answers to a batch are gathered and written as one list. When stdin is closed, calls under way get
some time to end, and their answers are still written. Nothing heavy is imported here.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

from webquarry.surfaces.mcp.wire.lines import (
    BatchAnswers,
    Line,
    Message,
    encode,
    find_revision,
    is_request,
    parse_line,
)
from webquarry.surfaces.mcp.wire.standard_streams import LineWriter, Written

RequestId = str | int
HandOn = Callable[[Message], Awaitable[None]]


class StdioConnection:
    """The client at the other end: what it sends is handed on, what it waits for is known."""

    def __init__(
        self, writer: LineWriter, grace_seconds: float, revision: str | None = None
    ) -> None:
        self.writer = writer
        self._grace_seconds = grace_seconds
        self._revision = revision
        # Requests that wait for their answers: the batch that each is in, if any. Nobody keeps a
        # client from using an id twice.
        self._under_way: dict[RequestId, list[BatchAnswers | None]] = {}
        self._unwritten = 0  # answers that the client is slow to take
        self._is_idle = asyncio.Event()
        self._is_idle.set()

    async def take_in(self, lines: AsyncIterator[bytes], hand_on: HandOn) -> None:
        """Hand on what the client sends, until it closes stdin and has its answers."""
        async for line in lines:
            await self.take_line(parse_line(line, self._revision), hand_on)
        with suppress(TimeoutError):
            async with asyncio.timeout(self._grace_seconds):
                await self._is_idle.wait()

    async def take_line(self, line: Line, hand_on: HandOn) -> None:
        """Hand on the messages of a line, and answer what is none."""
        batch = BatchAnswers(line) if line.is_batch else None
        if batch is None:
            for refusal in line.refusals:
                await self.writer.write(encode(refusal))
        elif batch.is_complete:
            answers = batch.render()
            if answers is not None:
                await self.writer.write(answers)
        for message in line.messages:
            self._revision = find_revision(message) or self._revision
            if is_request(message):
                self._await_answer(message["id"], batch)
            await hand_on(message)

    def take_at_once(
        self, line: bytes, is_call: Callable[[Message], bool], begin: Callable[[Message], None]
    ) -> bool:
        """Begin the one request of a line, if it is a call: whether it is. Nothing is done with any
        other line, and nothing is waited for.
        """
        parsed = parse_line(line, self._revision)
        if parsed.is_batch or parsed.refusals or len(parsed.messages) != 1:
            return False
        message = parsed.messages[0]
        if not is_call(message):
            return False
        self._await_answer(message["id"])
        begin(message)
        return True

    def _await_answer(self, id: RequestId, batch: BatchAnswers | None = None) -> None:
        self._under_way.setdefault(id, []).append(batch)
        self._is_idle.clear()

    def is_awaited(self, id: RequestId | None) -> bool:
        """Whether a request of this id has no answer yet."""
        return id in self._under_way

    async def settle(self, id: RequestId, answer: bytes | None) -> None:
        """Write the answer to a request, or keep it until its batch is complete; a request that
        was cancelled has none.
        """
        writing = self.begin_settling(id, answer)
        if writing is not None:
            await writing

    def begin_settling(self, id: RequestId, answer: bytes | None) -> Written | None:
        """The same without waiting: None where all is written, otherwise what is to be awaited."""
        waiting = self._under_way[id]
        batch = waiting[0]
        line = answer
        if batch is not None:
            batch.settle(None if answer is None else answer.decode())
            answers = batch.render() if batch.is_complete else None
            line = None if answers is None else answers.encode()
        writing = None
        if line is not None:
            writing = self.writer.begin_writing(line)
        del waiting[0]
        if not waiting:
            del self._under_way[id]
        if writing is not None:
            self._unwritten += 1
            writing.add_done_callback(self._count_written)
        self._see_whether_idle()
        return writing

    def _count_written(self, _: Written) -> None:
        self._unwritten -= 1
        self._see_whether_idle()

    def _see_whether_idle(self) -> None:
        if not self._under_way and not self._unwritten:
            self._is_idle.set()
