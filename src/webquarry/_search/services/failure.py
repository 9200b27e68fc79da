"""The errors of asking several services: what went wrong with each in, the one error that helps
most out.

The kind is the most useful of those that occurred: what passes by itself before what somebody has
to mend, and missing keys only when nothing else was wrong. What was tried is in the message in
short, and in `attempts` in full.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from webquarry._search.models import Attempt
from webquarry._search.services.service import Service
from webquarry.errors import WAIT, BadInput, WebquarryError
from webquarry.secret import redact

# The most useful first.
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
_LEAST_WAIT = 60.0  # seconds that a caller is advised to wait after a rate limit
_LONGEST_REASON = 120
_LONGEST_NAME = 60


def choose_error(
    failures: Sequence[WebquarryError], attempts: Sequence[Attempt], others: Sequence[str]
) -> WebquarryError:
    """The error to raise when nobody answered; `others` are services that were not asked and could
    be.
    """
    most_useful = min(failures, key=_usefulness)
    error = most_useful
    if len(failures) > 1:
        # One of the same kind that names everybody who was tried.
        tried = []
        for attempt in attempts:
            reason = shorten(attempt.reason)
            tried.append(f"{attempt.provider}: {attempt.outcome} ({reason})")
        own_advice = most_useful.action_template if most_useful.has_own_advice else None
        error = type(most_useful)(
            f"No search provider answered. {'; '.join(tried)}.",
            retryable=most_useful.retryable,
            retry_after_seconds=most_useful.retry_after_seconds,
            suggested_action=own_advice,
            provider=most_useful.provider,
        )
        error.__cause__ = most_useful
    if error.kind == "rate_limited" and not error.has_own_advice:
        error.least_wait_seconds = _LEAST_WAIT
    error.suggested_action = _advise(error, others)
    error.attempts = tuple(attempts)
    return error


def unknown_service(
    name: str, services: Mapping[str, Service], also: Iterable[str] = ()
) -> BadInput:
    """The error for a name that no service has: it lists those there are, each once, and which are
    configured. `also` are names that stand for several of them.
    """
    known = []
    for one in sorted(services):
        mark = " (configured)" if services[one].configured else ""
        known.append(one + mark)
    known += also
    return BadInput(
        f"There is no search provider {name[:_LONGEST_NAME]!r}.",
        suggested_action=f"Use one of: {', '.join(known)}.",
    )


def shorten(reason: str) -> str:
    """A reason as a list of them can hold it: one sentence, without a full stop."""
    one_line = redact(" ".join(reason.split()))
    sentence = one_line.partition(". ")[0].rstrip(".")
    if len(sentence) <= _LONGEST_REASON:
        return sentence
    return sentence[: _LONGEST_REASON - 3] + "..."


def _usefulness(error: WebquarryError) -> int:
    """The lower, the more useful."""
    if error.kind in _USEFUL:
        return _USEFUL.index(error.kind)
    return len(_USEFUL)


def _advise(error: WebquarryError, others: Sequence[str]) -> str:
    """What to do next, with the services that could be named instead."""
    instead = "name another provider"
    if others:
        instead = f"name another provider: {', '.join(others)}"
    if error.kind == "rate_limited" and error.retryable:
        return f"Wait {WAIT} and try again, or {instead}."
    if error.kind == "auth":
        return (
            f"{error.suggested_action} `.env.example` lists every variable and where to get a key."
        )
    if error.kind == "blocked" and error.has_own_advice:
        return error.action_template  # the provider knows what to do, and waiting is not it
    if error.kind in ("challenge", "blocked"):
        wait = "some minutes" if error.retry_after_seconds is None else WAIT
        return f"Wait {wait}, or {instead}; `.env.example` lists those that take a key."
    return error.action_template
