"""A call that is over -> what the log keeps of it: masked, bounded, nothing of the answer's text.

Done on the thread of the log, never on the way of an answer; and yet quickly, because a processor
that is busy here answers nobody meanwhile.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
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
    fields: dict[str, Any] = {
        "arguments": bound_value(call.arguments),
        "message": _write_message(call.error)[:_LONGEST_MASKED],
        "session": _find_session(call.arguments),
        **_describe_answer(call),
    }
    fields = mask_texts(fields)
    sources = tuple(LoggedSource(*source) for source in fields.pop("sources", ()))
    return LoggedCall(
        id=0,
        tool=call.tool,
        caller=call.caller,
        at=call.began_at,
        outcome=name_outcome(call.error),
        seconds=round(call.seconds, 6),
        receipt=call.receipt,
        answer_digest=call.answer_digest,
        process=os.getpid(),
        sources=sources,
        **fields,
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


def bound_value(value: Any, depth: int = _DEEPEST) -> Any:
    """A value of JSON, or what stands for it, of a bounded size; what a name says to be secret is
    left out.
    """
    if isinstance(value, str):
        return value[:_LONGEST_MASKED]
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if not depth:
        return "..."
    if isinstance(value, Mapping):
        bounded: dict[str, Any] = {}
        for name in list(value)[:_MOST_MEMBERS]:
            if str(name).lower() in _SECRET_NAMES:
                bounded[str(name)] = MASK
            else:
                bounded[str(name)[:_LONGEST_TEXT]] = bound_value(value[name], depth - 1)
        return bounded
    if isinstance(value, (list, tuple)):
        return [bound_value(member, depth - 1) for member in value[:_MOST_MEMBERS]]
    return str(value)[:_LONGEST_MASKED]


def mask_texts(value: dict[str, Any]) -> dict[str, Any]:
    """The value with its texts masked and cut short. They are looked through all at once, since
    hardly ever is there a secret in them. Cutting comes last: half a secret would not be known as
    one.
    """
    texts = list(_list_texts(value))
    joined = "\n".join(texts)
    if redact(joined) != joined:
        value = _map_texts(value, redact)
    elif max(map(len, texts), default=0) <= _LONGEST_TEXT:
        return value
    shortened: dict[str, Any] = _map_texts(value, _shorten)
    return shortened


def _list_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, member in value.items():
            yield name
            yield from _list_texts(member)
    elif isinstance(value, list):
        for member in value:
            yield from _list_texts(member)


def _map_texts(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(name): _map_texts(member, change) for name, member in value.items()}
    if isinstance(value, list):
        return [_map_texts(member, change) for member in value]
    return value


def _shorten(text: str) -> str:
    if len(text) <= _LONGEST_TEXT:
        return text
    return text[:_LONGEST_TEXT] + "..."


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
        return {"providers": bound_value({"attempts": attempts})}
    answer = call.answer
    if answer is None:
        return {}
    meta = answer.meta
    sources = answer.sources()
    read = sum(source.was_read for source in sources)
    listed = [
        [source.url[:_LONGEST_MASKED], source.title[:_LONGEST_MASKED], source.was_read]
        for source in sources[:_MOST_SOURCES]
    ]
    return {
        "cached": meta.get("webquarry/cache", {}).get("cached"),
        "providers": bound_value(meta.get("webquarry/trace") or meta.get("webquarry/routing")),
        "cost": meta.get("webquarry/cost"),
        "found": len(sources) - read,
        "read": read,
        "sources": listed,
        "failures": len(answer.failures()),
    }


def _write_message(error: BaseException | None) -> str:
    """What an error says; of one that nobody foresaw, nothing but its class."""
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
