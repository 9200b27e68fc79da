"""Errors on their way out of a worker process: an exception -> what fits into JSON -> the same
exception.

What comes out of a worker is not trusted: a name that is none of our errors becomes one that is.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from webquarry import errors
from webquarry.errors import TooComplex, WebquarryError
from webquarry.secret import redact

_LONGEST = 10_000  # characters of a message
_TEXTS = ("suggested_action", "provider")


def pack_error(error: BaseException) -> dict[str, Any]:
    """An error as JSON has it. Of one that is not ours, the message stays here: it may repeat the
    page.
    """
    if isinstance(error, WebquarryError):
        cause = None
        if error.__cause__ is not None:
            cause = describe_place(error.__cause__)
        return {
            "class": type(error).__name__,
            "cause": cause,
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
    """What was raised, and where."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return type(error).__name__
    path = Path(trace.tb_frame.f_code.co_filename)
    return f"{type(error).__name__} at {path.name}:{trace.tb_lineno}"


def unpack_error(fields: dict[str, Any], subject: str) -> WebquarryError:
    """The error that was packed, about a subject."""
    if "complex" in fields:
        return explain_complexity(subject, str(fields["complex"]))
    if "detail" in fields:
        return WebquarryError(f"Reading {subject} failed: {_clean(fields['detail'])}.")
    kind = getattr(errors, str(fields.get("class")), None)
    if not (isinstance(kind, type) and issubclass(kind, WebquarryError)):
        kind = WebquarryError
    error: WebquarryError = kind.__new__(kind)
    # not by its own class: some make their sentence from other arguments
    WebquarryError.__init__(error, _clean(fields.get("message", "")))
    error.retryable = bool(fields.get("retryable"))
    seconds = fields.get("retry_after_seconds")
    if isinstance(seconds, int | float):
        error.retry_after_seconds = float(seconds)
    if fields.get("cause"):
        error.add_note(_clean(fields["cause"]))  # for whoever looks for what happened
    for name in _TEXTS:
        value = fields.get(name)
        if isinstance(value, str):
            setattr(error, name, _clean(value))
    return error


def explain_complexity(subject: str, reason: str) -> TooComplex:
    """The error about a page that takes more than a page may."""
    return TooComplex(f"{subject} could not be read safely: {_clean(reason)}.")


def explain_failed_program(subject: str) -> WebquarryError:
    """The error about a page that could not be read because our own program cannot be loaded."""
    return WebquarryError(f"{subject} could not be read: the program that reads it failed.")


def explain_stop(subject: str) -> WebquarryError:
    """The error about a page that came when no more are read."""
    return WebquarryError(f"Reading {subject} was stopped.", suggested_action="Call again.")


def explain_end(subject: str, *, is_late: bool) -> TooComplex:
    """The error about a page whose process ended without an answer."""
    if is_late:
        return explain_complexity(subject, "it takes too long")
    return explain_complexity(subject, "it brings down the program that reads it")


def _clean(text: object) -> str:
    """A text that may leave: bounded, and without the secrets that only this process knows."""
    return redact(str(text)[:_LONGEST])
