"""Further tries: when a request may be repeated, and how long to wait before.

Only requests that do the same when sent twice are repeated, after a passing network failure, a 429
or a 503: those of a method that promises it, and those whose maker does (`REPEATABLE` in their
extensions), as for a search by POST. One whose maker knows its answers better (`IS_FINAL`, a
function of the reply) is not repeated after an answer that would be the same again. The wait
doubles with every try and is spread by chance, so that tasks that failed together do not come back
together. A server's `Retry-After` is the least we wait.
"""

from __future__ import annotations

from webquarry.errors import NetworkFailure

REPEATABLE = "webquarry.repeatable"
IS_FINAL = "webquarry.is_final"
IDEMPOTENT = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"})
REPEATED_STATUSES = frozenset({429, 503})
_FIRST_WAIT = 0.5
_SPREAD = 0.5


def may_repeat(method: str, outcome: int | NetworkFailure, *, promised: bool = False) -> bool:
    """Whether this outcome (a status or a failure) of this method is worth another try."""
    if method not in IDEMPOTENT and not promised:
        return False
    if isinstance(outcome, int):
        return outcome in REPEATED_STATUSES
    return outcome.retryable


def compute_wait(further: int, retry_after: float | None, chance: float) -> float:
    """Seconds to wait before the `further`-th repetition (from 1); `chance` is a random number from
    0 to 1.
    """
    if retry_after is not None:
        return retry_after + _SPREAD * chance
    longest = _FIRST_WAIT * 2.0 ** (further - 1)
    return longest * (1 - _SPREAD * chance)
