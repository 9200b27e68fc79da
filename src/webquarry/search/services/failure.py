"""Nobody answered: what went wrong with each provider in, the one error that helps most out.

The kind is the most useful of those that occurred: what passes by itself before what somebody has
to mend, and missing keys only when nothing else was wrong. What was tried is in the message in
short, and in `attempts` in full.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from webquarry.errors import WebquarryError
from webquarry.search.models import Attempt
from webquarry.secret import redact

_USEFUL = (
    "rate_limited",
    "challenge",
    "blocked",
    "network",
    "too_large",
    "unsupported",
    "internal",
    "bad_input",
    "auth",
)
_USUAL_WAIT = 60
_LONGEST_REASON = 120


def nobody_answered(
    failures: Sequence[WebquarryError], attempts: Sequence[Attempt], others: Sequence[str]
) -> WebquarryError:
    """The error to raise; `others` are providers that were not asked and could be."""
    worst = min(failures, key=_usefulness)
    if len(failures) > 1:
        worst = _summary(worst, attempts)
    worst.suggested_action = _advice(worst, others)
    worst.attempts = tuple(attempts)
    return worst


def short(reason: str) -> str:
    """A reason as a list of them can hold it: one sentence, without a full stop."""
    first = redact(" ".join(reason.split())).partition(". ")[0].rstrip(".")
    if len(first) <= _LONGEST_REASON:
        return first
    return first[: _LONGEST_REASON - 3] + "..."


def _usefulness(error: WebquarryError) -> int:
    if error.kind in _USEFUL:
        return _USEFUL.index(error.kind)
    return len(_USEFUL)


def _summary(error: WebquarryError, attempts: Sequence[Attempt]) -> WebquarryError:
    """An error of the same kind that names everybody who was tried."""
    tried = "; ".join(f"{one.provider}: {one.outcome} ({short(one.reason)})" for one in attempts)
    summary = type(error)(
        f"No search provider answered. {tried}.",
        retryable=error.retryable,
        retry_after_seconds=error.retry_after_seconds,
        suggested_action=error.suggested_action,
        provider=error.provider,
    )
    summary.__cause__ = error
    return summary


def _advice(error: WebquarryError, others: Sequence[str]) -> str:
    """What to do next, with the providers that could be named instead."""
    instead = "name another provider"
    if others:
        instead = f"name another provider: {', '.join(others)}"
    if error.kind == "rate_limited" and error.retryable:
        wait = max(_USUAL_WAIT, math.ceil(error.retry_after_seconds or 0))
        return f"Wait {wait} seconds and try again, or {instead}."
    if error.kind == "auth":
        return (
            f"{error.suggested_action} `.env.example` lists every variable and where to get a key."
        )
    if error.kind == "blocked" and error.suggested_action != type(error).suggested_action:
        return error.suggested_action  # the provider knows what to do, and waiting is not it
    if error.kind in ("challenge", "blocked"):
        return f"Wait some minutes, or {instead}; `.env.example` lists those that take a key."
    return error.suggested_action
