"""A guarded call of one service: a block with a time limit and a circuit breaker.

    async with services.guard(service, seconds) as call:
        if call.is_admitted:
            records = await ...
            call.found = len(records)
    call.attempt, call.error

Errors of the block are stored in `call.error` and not raised. While the breaker of the service is
open, or if no time is left, the call is not admitted. The block itself explains errors
(`Service.explain_errors`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from webquarry._search.models import Attempt
from webquarry._search.services.breaker import TRIPPING, Breaker, Breakers
from webquarry._search.services.service import Service
from webquarry.clock import Clock
from webquarry.errors import (
    WAIT,
    AuthFailure,
    NetworkFailure,
    ProviderFailure,
    WebquarryError,
    describe_wait,
)
from webquarry.meter import span
from webquarry.net.failures import retry_after_seconds
from webquarry.net.models import Reply
from webquarry.progress import note
from webquarry.secret import redact

log = logging.getLogger(__name__)

CUT_SHORT = "was cut short after"
NO_ANSWER = "did not answer within"


class GuardedCall:
    """The result of one call. The block sets `found` as results arrive, so that they count if the
    time runs out.
    """

    def __init__(self, service: Service) -> None:
        self.service = service
        self.found = 0  # results so far
        self.requests = 0  # that were answered
        self.why_empty = "It found nothing."  # the reason to tell if there are none
        self.is_cut_short = False  # the time was over, with results there
        self.error: WebquarryError | None = None
        self.attempt = Attempt(service.name, "skipped", "", 0.0)

    @classmethod
    def skip(cls, service: Service, error: WebquarryError) -> GuardedCall:
        """Return a call that is not made because of an error."""
        call = cls(service)
        call.error = error
        call.attempt = Attempt(service.name, "skipped", error.sentence, 0.0)
        return call

    @property
    def is_admitted(self) -> bool:
        """Whether the service may be asked; if not, `error` says why."""
        return self.error is None

    def outcome(self) -> tuple[str, str]:
        """One of `errors.OUTCOMES`, and the reason in a sentence."""
        error = self.error
        if error is None:
            if not self.found:
                return "empty", self.why_empty
            plural = "s" if self.found > 1 else ""
            return "ok", f"{self.found} result{plural}."
        if error.kind == "auth" and self.service.missing:
            # In short: the whole instructions for a missing key belong to the error.
            return error.kind, self.service.describe_missing()
        return error.kind, redact(error.sentence)


@asynccontextmanager
async def guard(
    service: Service, board: Breakers, clock: Clock, seconds: float, late: str
) -> AsyncIterator[GuardedCall]:
    """Run a block that asks a service; `late` describes a service without results in time."""
    breaker = board.breaker(service.name)
    if seconds <= 0:
        no_time = NetworkFailure(
            f"No time was left to ask {service.label}.",
            provider=service.name,
            suggested_action="Try again, or raise WEBQUARRY_TIMEOUT_SECONDS.",
        )
        yield GuardedCall.skip(service, no_time)
        return
    if not breaker.admit():
        yield GuardedCall.skip(service, _build_rest_error(service, breaker))
        return
    note(f"asking {service.label}")
    call = GuardedCall(service)
    started = clock.monotonic()
    with span("provider", provider=service.name) as end:
        try:
            async with asyncio.timeout(seconds) as scope:
                yield call
        except TimeoutError as error:
            if not scope.expired():
                _record_error(call, error)
            elif call.found:
                call.is_cut_short = True
            else:
                words = f"{service.label} {late} {seconds:.3g} s."
                call.error = NetworkFailure(words, provider=service.name)
        except Exception as error:
            _record_error(call, error)
        except BaseException:  # the caller has left
            breaker.release()
            raise
        outcome, reason = call.outcome()
        end(outcome)
    call.attempt = Attempt(service.name, outcome, reason, clock.monotonic() - started)
    if call.error is None:
        breaker.record_success()
    else:
        breaker.record_failure(call.error)


def _record_error(call: GuardedCall, error: Exception) -> None:
    """Set the error of a call; a service of another package may raise anything."""
    if isinstance(error, AuthFailure):
        call.error = error.plain or error
    elif isinstance(error, WebquarryError):
        call.error = error
    else:
        log.warning("%s raised an unexpected exception", call.service.name, exc_info=error)
        words = f"{call.service.label} failed: {type(error).__name__}."
        call.error = ProviderFailure(words, provider=call.service.name)


def _build_rest_error(service: Service, breaker: Breaker) -> WebquarryError:
    """Return the error for a service whose breaker is open, of the kind that opened it."""
    left = breaker.rest_left
    when = f"for {describe_wait(left, 'more')}"
    if not left:  # its rest is over, and one call is under way to see whether it is back
        when = "until another call has found out whether it answers again"
    return breaker.cause(
        f"{service.label} failed before and is left alone {when}.",
        retryable=True,
        retry_after_seconds=left,
        suggested_action=f"Wait {WAIT} and try again, or name another provider.",
        provider=service.name,
    )


@contextmanager
def apply_retry_after(reply: Reply) -> Iterator[None]:
    """Add the Retry-After of a reply to errors raised while it is parsed."""
    try:
        yield
    except WebquarryError as error:
        if error.retry_after_seconds is None and error.kind in TRIPPING:
            error.retry_after_seconds = retry_after_seconds(reply.headers, reply.fetched_at)
        raise
