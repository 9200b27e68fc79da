"""A call of a tool, and what the call log stores of it: masked, of bounded size, without the text
of the answer.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from webquarry.caller import caller
from webquarry.errors import WebquarryError
from webquarry.secret import HEADERS, MASK, PARAMETERS, redact

_LONGEST_TEXT = 500  # characters of one argument, title, URL or message
_LONGEST_MASKED = 20_000  # characters that are searched for secrets; the rest is cut off
_MOST_MEMBERS = 20  # of a list or an object among the arguments
_DEEPEST = 4
_MOST_SOURCES = 20
_SECRET_NAMES = PARAMETERS | HEADERS
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class FoundSource(Protocol):
    """A source that an answer names."""

    @property
    def url(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def was_read(self) -> bool: ...


class LoggableAnswer(Protocol):
    """The parts of an answer that are logged."""

    @property
    def meta(self) -> dict[str, Any]: ...

    def sources(self) -> Sequence[FoundSource]: ...

    def failures(self) -> Sequence[Exception]: ...


class OngoingCall:
    """A call of a tool. `receipt` is the id of its row in the log."""

    __slots__ = (
        "answer", "arguments", "began_at", "caller", "error", "receipt", "seconds", "tool",
    )  # fmt: skip

    def __init__(self, tool: str, arguments: Mapping[str, Any]) -> None:
        self.tool = tool
        self.arguments = arguments
        self.caller = caller()
        self.began_at = time.time()  # real time, also while a recording is replayed
        self.seconds = -time.perf_counter()
        self.answer: LoggableAnswer | None = None
        self.error: BaseException | None = None
        self.receipt = f"wq-{secrets.token_hex(16)}"


def describe_call(call: OngoingCall) -> bytes:
    """Return a call as the log stores it: JSON without empty fields."""
    fields = {
        "arguments": mask(call.arguments),
        "message": mask(_write_message(call.error)),
        "session": mask(_find_session(call.arguments)),
        **_describe_answer(call),
        "tool": call.tool,
        "caller": call.caller,
        "at": call.began_at,
        "outcome": name_outcome(call.error),
        "seconds": round(call.seconds, 6),
        "receipt": call.receipt,
        "process": os.getpid(),
    }
    stored = {name: value for name, value in fields.items() if value or value == 0}
    return _encode(stored).encode("utf-8", "replace")


def name_outcome(error: BaseException | None) -> str:
    """Return the outcome of a call in one word."""
    if error is None:
        return "ok"
    if isinstance(error, WebquarryError):
        return error.kind
    if isinstance(error, Exception):
        return "internal"
    return "cancelled"


def mask(value: Any, depth: int = _DEEPEST) -> Any:
    """Return a JSON value of bounded size without secrets: texts are redacted before they are
    truncated, and members whose names denote secrets are masked.
    """
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, Mapping) and depth:
        masked: dict[str, Any] = {}
        for name in list(value)[:_MOST_MEMBERS]:
            is_secret = str(name).lower() in _SECRET_NAMES
            masked[mask(str(name))] = MASK if is_secret else mask(value[name], depth - 1)
        return masked
    if isinstance(value, (list, tuple)) and depth:
        return [mask(member, depth - 1) for member in value[:_MOST_MEMBERS]]
    if isinstance(value, (Mapping, list, tuple)):
        return "..."
    text = redact(str(value)[:_LONGEST_MASKED])
    return text if len(text) <= _LONGEST_TEXT else text[:_LONGEST_TEXT] + "..."


def _describe_answer(call: OngoingCall) -> dict[str, Any]:
    """Return the providers and sources of an answer, or the providers of an error."""
    if isinstance(call.error, WebquarryError) and call.error.attempts:
        attempts = [
            {"provider": one.provider, "outcome": one.outcome} for one in call.error.attempts
        ]
        return {"providers": mask({"attempts": attempts})}
    answer = call.answer
    if answer is None:
        return {}
    meta = answer.meta
    sources = answer.sources()
    read = 0
    listed: list[dict[str, Any]] = []
    for source in sources:
        was_read = source.was_read
        read += was_read
        if len(listed) < _MOST_SOURCES:
            url, title = mask(source.url), mask(source.title)
            listed.append({"url": url, "title": title, "read": was_read})
    return {
        "cached": meta.get("webquarry/cache", {}).get("cached"),
        "providers": mask(meta.get("webquarry/trace") or meta.get("webquarry/routing")),
        "cost": meta.get("webquarry/cost"),
        "found": len(sources) - read,
        "read": read,
        "sources": listed,
        "failures": len(answer.failures()),
    }


def _write_message(error: BaseException | None) -> str:
    """Return the message of an error; for an unexpected one, only its class."""
    if error is None:
        return ""
    if isinstance(error, WebquarryError):
        return error.sentence
    return type(error).__name__


def _find_session(arguments: Mapping[str, Any]) -> str | None:
    session = arguments.get("sessionId")
    if isinstance(session, str) and session.strip():
        return session.strip()[:_LONGEST_TEXT]
    return None
