"""A call that is over -> what the log keeps of it: masked, bounded, nothing of the answer's text.

Done on the thread of the log, never on the way of an answer.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from webquarry.calls.models import LoggedCall, LoggedSource, OngoingCall
from webquarry.errors import WebquarryError
from webquarry.secret import HEADERS, MASK, PARAMETERS, redact

_LONGEST_TEXT = 500  # characters of one argument, title, address or message
_LONGEST_MASKED = 20_000  # characters that are looked through for secrets; the rest is cut off
_MOST_MEMBERS = 20  # of a list or an object among the arguments
_DEEPEST = 4
_MOST_SOURCES = 20
_SECRET_NAMES = PARAMETERS | HEADERS


def describe_call(call: OngoingCall) -> LoggedCall:
    """What the log keeps of a call."""
    if not call.receipt:
        call.seal(_write_outcome(call))
    return LoggedCall(
        id=0,
        tool=call.tool,
        arguments=mask_value(dict(call.arguments)),
        caller=call.caller,
        at=call.began_at,
        outcome=name_outcome(call.error),
        seconds=round(call.seconds, 6),
        receipt=call.receipt,
        answer_digest=call.answer_digest,
        message=_write_message(call.error),
        session=_find_session(call.arguments),
        process=os.getpid(),
        **_describe_answer(call),
    )


def name_outcome(error: BaseException | None) -> str:
    """How a call ended, in one word."""
    if error is None:
        return "ok"
    if isinstance(error, WebquarryError):
        return error.kind
    if isinstance(error, Exception):
        return "internal"
    return "cancelled"


def mask_value(value: Any, depth: int = _DEEPEST) -> Any:
    """A value of the arguments without secrets, and of a bounded size."""
    if isinstance(value, str):
        return _shorten(value)
    if isinstance(value, Mapping):
        if not depth:
            return "..."
        masked: dict[str, Any] = {}
        for name, member in list(value.items())[:_MOST_MEMBERS]:
            if str(name).lower() in _SECRET_NAMES:
                masked[str(name)] = MASK
            else:
                masked[_shorten(str(name))] = mask_value(member, depth - 1)
        return masked
    if isinstance(value, (list, tuple)):
        if not depth:
            return "..."
        return [mask_value(member, depth - 1) for member in value[:_MOST_MEMBERS]]
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return _shorten(str(value))


def _write_outcome(call: OngoingCall) -> str:
    """What a call gave back, as a door writes it: the text that its receipt follows from."""
    outcome: Any = ""
    if isinstance(call.error, WebquarryError):
        outcome = call.error.as_dict()
    elif call.error is not None:
        return type(call.error).__name__
    elif call.answer is not None:
        return call.answer.write()
    return json.dumps(outcome, ensure_ascii=False, separators=(",", ":"))


def _describe_answer(call: OngoingCall) -> dict[str, Any]:
    """Who was asked and what was found, of an answer or of an error."""
    if isinstance(call.error, WebquarryError) and call.error.attempts:
        attempts = [
            {"provider": one.provider, "outcome": one.outcome} for one in call.error.attempts
        ]
        return {"providers": {"attempts": attempts}}
    answer = call.answer
    if answer is None:
        return {}
    meta = answer.meta
    sources = [
        LoggedSource(_shorten(source.url), _shorten(source.title), source.was_read)
        for source in answer.sources()
    ]
    read = sum(source.read for source in sources)
    return {
        "cached": meta.get("webquarry/cache", {}).get("cached"),
        "providers": mask_value(meta.get("webquarry/trace") or meta.get("webquarry/routing")),
        "cost": meta.get("webquarry/cost"),
        "found": len(sources) - read,
        "read": read,
        "sources": tuple(sources[:_MOST_SOURCES]),
        "failures": len(answer.failures()),
    }


def _write_message(error: BaseException | None) -> str:
    """What an error says; of one that nobody foresaw, nothing but its class."""
    if error is None:
        return ""
    if isinstance(error, WebquarryError):
        return _shorten(error.sentence)
    return type(error).__name__


def _find_session(arguments: Mapping[str, Any]) -> str | None:
    session = arguments.get("sessionId")
    if isinstance(session, str) and session.strip():
        return _shorten(session)
    return None


def _shorten(text: str) -> str:
    """A text of a bounded length without secrets. It is cut after they are masked: half a secret
    would not be known as one.
    """
    masked = redact(text[:_LONGEST_MASKED])
    if len(masked) <= _LONGEST_TEXT:
        return masked
    return masked[:_LONGEST_TEXT] + "..."
