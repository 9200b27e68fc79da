"""Messages between the parent and a worker process.

    length of the head (8 bytes), head (JSON object), body

The head of a job contains the lengths of the pieces of its body in `sizes`; the head of a result
contains the length of its body in `size`, and an exception in `error`. The parent does not trust
results: it checks lengths, and an unknown exception becomes a `WebquarryError`.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webquarry import errors
from webquarry.errors import TooComplex, WebquarryError
from webquarry.secret import redact

if TYPE_CHECKING:
    import asyncio
    from io import BufferedRWPair, FileIO

    Stream = BufferedRWPair[FileIO, FileIO]

_LENGTH = struct.Struct(">Q")
_LARGEST_HEAD = 50_000_000  # bytes
_LARGEST_BODY = 400_000_000
_LONGEST = 10_000  # characters of an error message
_TEXTS = ("suggested_action", "provider")  # optional attributes of errors


def pack_head(head: dict[str, Any]) -> bytes:
    """Return the beginning of a message, up to its body."""
    packed = json.dumps(head).encode("ascii")
    return _LENGTH.pack(len(packed)) + packed


async def read_result(stream: asyncio.StreamReader) -> tuple[dict[str, Any], bytes]:
    """Read the head and the body of a result in the parent. Raises ValueError if it is invalid."""
    (length,) = _LENGTH.unpack(await stream.readexactly(_LENGTH.size))
    if length > _LARGEST_HEAD:
        raise ValueError(f"the head of a result has {length} bytes, more than {_LARGEST_HEAD}")
    head = json.loads(await stream.readexactly(length))
    size = head.get("size") if isinstance(head, dict) else None
    if not isinstance(size, int) or not 0 <= size <= _LARGEST_BODY:
        raise ValueError(f"the head of a result has no size between 0 and {_LARGEST_BODY}")
    return head, await stream.readexactly(size)


def read_job(stream: Stream) -> tuple[dict[str, Any], tuple[bytes, ...]]:
    """Read the head of a job and the pieces of its body in the worker.

    Raises EOFError if the parent has closed the stream.
    """
    (length,) = _LENGTH.unpack(_read_exactly(stream, _LENGTH.size))
    head = json.loads(_read_exactly(stream, length))
    return head, tuple(_read_exactly(stream, size) for size in head["sizes"])


def write_result(stream: Stream, head: dict[str, Any], body: bytes) -> None:
    """Write a result in the worker."""
    stream.write(pack_head(head | {"size": len(body)}))
    stream.write(body)
    stream.flush()


def _read_exactly(stream: Stream, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError("the parent has closed the stream")
    return data


def pack_error(error: BaseException) -> dict[str, Any]:
    """Return an exception as JSON. The messages of foreign exceptions are left out, because they
    may quote the page.
    """
    if isinstance(error, WebquarryError):
        return {
            "class": type(error).__name__,
            "cause": None if error.__cause__ is None else describe_place(error.__cause__),
            "message": error.message,
            "retryable": error.retryable,
            "retry_after_seconds": error.retry_after_seconds,
            "suggested_action": error.action_template,
            "provider": error.provider,
        }
    if isinstance(error, MemoryError):
        return {"complex": "it needs too much memory"}
    if isinstance(error, RecursionError):
        return {"complex": "it is nested too deeply"}
    return {"detail": describe_place(error)}


def describe_place(error: BaseException) -> str:
    """Return the class of an exception, and the file and line that raised it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return type(error).__name__
    path = Path(trace.tb_frame.f_code.co_filename)
    return f"{type(error).__name__} at {path.name}:{trace.tb_lineno}"


def unpack_error(fields: dict[str, Any], subject: str) -> WebquarryError:
    """Return the exception of `pack_error`, about a subject."""
    if "complex" in fields:
        return explain_complexity(subject, str(fields["complex"]))
    if "detail" in fields:
        return WebquarryError(f"Reading {subject} failed: {_clean(fields['detail'])}.")
    kind = getattr(errors, str(fields.get("class")), None)
    if not (isinstance(kind, type) and issubclass(kind, WebquarryError)):
        kind = WebquarryError
    error: WebquarryError = kind.__new__(kind)
    # not its own constructor: some classes build their message from other arguments
    WebquarryError.__init__(error, _clean(fields.get("message", "")))
    error.retryable = bool(fields.get("retryable"))
    seconds = fields.get("retry_after_seconds")
    if isinstance(seconds, int | float):
        error.retry_after_seconds = float(seconds)
    if fields.get("cause"):
        error.add_note(_clean(fields["cause"]))  # for debugging
    for name in _TEXTS:
        value = fields.get(name)
        if isinstance(value, str):
            setattr(error, name, _clean(value))
    return error


def explain_complexity(subject: str, reason: str) -> TooComplex:
    """Return the error for a page that exceeds a limit."""
    return TooComplex(f"{subject} could not be read safely: {_clean(reason)}.")


def _clean(text: object) -> str:
    """Return a text from a worker with a limited length, and without secrets of this process."""
    return redact(str(text)[:_LONGEST])
