"""Waits for what a client says first, and answers it from what is prepared, one line after the
other.

Most servers that people start only ever get this far, so nothing heavy is imported here: no SDK, no
pydantic, no asyncio.
"""

from __future__ import annotations

import json

from webquarry.surfaces.mcp.front.protocol import ANSWERED, CALL, REST, FrontProtocol
from webquarry.surfaces.mcp.wire.descriptors import write_all
from webquarry.surfaces.mcp.wire.lines import (
    BatchAnswers,
    Line,
    encode,
    find_revision,
    is_request,
    parse_line,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from webquarry.surfaces.mcp.wire.descriptors import LineReader
    from webquarry.surfaces.mcp.wire.lines import Message


class LightLoop:
    """A connection before its first call."""

    def __init__(self, protocol: FrontProtocol, incoming: LineReader, writing: int) -> None:
        self.protocol = protocol
        self.incoming = incoming
        self.writing = writing
        self.revision: str | None = None  # by which batches are told
        self.is_left = False  # whether somebody else serves the connection now

    def wait(self, until_open: bool = False) -> Line | None:
        """Answer until something comes that cannot be answered here: the line that it is in. None
        at the end of stdin. With `until_open` a line without messages stands for a handshake that
        is done.
        """
        for raw in self.incoming:
            line = parse_line(raw, self.revision)
            if not self._answer(line):
                return line
            for message in line.messages:
                self.revision = find_revision(message) or self.revision
            if until_open and self.protocol.is_open:
                return Line()
        return None

    def refuse(self, line: Line, explain: Callable[[Message], bytes]) -> None:
        """Answer the requests of a line, which cannot be served, each with what `explain` gives."""
        self._write(line, [explain(message) for message in line.messages if is_request(message)])

    def _answer(self, line: Line) -> bool:
        """Answer all of a line, or nothing of it: whether it was answered."""
        answers = []
        for message in line.messages:
            verdict, result = self.protocol.look(message)
            if verdict in (CALL, REST):
                return False
            if verdict == ANSWERED:
                answers.append(frame(message, result))
        self._write(line, answers)
        return True

    def _write(self, line: Line, answers: list[bytes]) -> None:
        """Write these answers to a line, and those to what is no message in it."""
        if line.is_batch:
            self._write_batch(line, answers)
        else:
            for refusal in line.refusals:
                write_all(self.writing, encode(refusal).encode() + b"\n")
            for answer in answers:
                write_all(self.writing, answer + b"\n")

    def _write_batch(self, line: Line, answers: list[bytes]) -> None:
        batch = BatchAnswers(line)
        for answer in answers:
            batch.settle(answer.decode())
        text = batch.render()
        if text is not None:
            write_all(self.writing, text.encode() + b"\n")


def frame(message: Message, *result: bytes) -> bytes:
    """The answer to a request, around its result, which may be in pieces."""
    assert is_request(message)
    id = json.dumps(message["id"])
    return b"".join((b'{"jsonrpc":"2.0","id":%b,"result":' % id.encode(), *result, b"}"))
