"""One guarded call of one service: a block of work in, what came of it out, and never what the
service raises.

    async with services.guard(service, seconds) as call:
        if call.is_admitted:
            records = await ...
            call.found = len(records)
    call.attempt, call.error

The block has a time limit. A service that keeps failing rests (`Breaker`) for all calls of the
process, and of all servers that share a board; while it rests, or where no time is left, the call
is not admitted. The errors of the block are explained by the block (`Service.explain_errors`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

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
from webquarry.net.http.status import retry_after_seconds
from webquarry.net.models import Reply
from webquarry.progress import note
from webquarry.search.models import Attempt
from webquarry.search.services.breaker import TRIPPING, Breaker
from webquarry.search.services.breakers import Breakers
from webquarry.search.services.service import Service
from webquarry.secret import redact

log = logging.getLogger(__name__)

CUT_SHORT = "was cut short after"
NO_ANSWER = "did not answer within"


class GuardedCall:
    """What one call of a service came to. The block that makes the call sets `found`, as soon as it
    knows of results: what is there when the time is over counts.
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
        """A call that is not made, for this reason."""
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
    """Let a service work for at most so many seconds; `late` are the words for one that found
    nothing in that time.
    """
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
    try:
        with span("provider", provider=service.name) as end:
            async with _catch_errors(call, seconds, late):
                yield call
            outcome, reason = call.outcome()
            end(outcome)
    except BaseException:  # the caller has left
        breaker.release()
        raise
    call.attempt = Attempt(service.name, outcome, reason, clock.monotonic() - started)
    if call.error is None:
        breaker.record_success()
    else:
        breaker.record_failure(call.error)
        await board.tell(service.name)


@asynccontextmanager
async def _catch_errors(call: GuardedCall, seconds: float, late: str) -> AsyncIterator[None]:
    """Keep what goes wrong in the block, the end of its time included, as the call's error."""
    service = call.service
    scope = asyncio.timeout(seconds)
    try:
        try:
            async with scope:
                yield
        except TimeoutError:
            if not scope.expired():  # one of the service's own
                raise
            if call.found:
                call.is_cut_short = True
            else:
                words = f"{service.label} {late} {seconds:.3g} s."
                call.error = NetworkFailure(words, provider=service.name)
    except AuthFailure as error:
        call.error = error.plain or error
    except WebquarryError as error:
        call.error = error
    except Exception as error:  # a service from another package may do anything
        log.warning("%s failed in a way of its own", service.name, exc_info=True)
        words = f"{service.label} failed: {type(error).__name__}."
        call.error = ProviderFailure(words, provider=service.name)


def _build_rest_error(service: Service, breaker: Breaker) -> WebquarryError:
    """The error of asking a service that rests: of the kind that made it rest."""
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
    """For parsing a reply: an error learns from it how long to leave the service alone."""
    try:
        yield
    except WebquarryError as error:
        if error.retry_after_seconds is None and error.kind in TRIPPING:
            error.retry_after_seconds = retry_after_seconds(reply.headers, reply.fetched_at)
        raise
