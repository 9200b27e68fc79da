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
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

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


def guard(
    service: Service, board: Breakers, clock: Clock, seconds: float, late: str
) -> ServiceGuard:
    """Let a service work for at most so many seconds; `late` are the words for one that found
    nothing in that time.
    """
    return ServiceGuard(service, board, clock, seconds, late)


class ServiceGuard:
    """The block of a guarded call."""

    def __init__(
        self, service: Service, board: Breakers, clock: Clock, seconds: float, late: str
    ) -> None:
        self._service = service
        self._clock = clock
        self._seconds = seconds
        self._late = late
        self._breaker = board.breaker(service.name)
        self._call: GuardedCall | None = None  # None while nobody is asked

    async def __aenter__(self) -> GuardedCall:
        service = self._service
        if self._seconds <= 0:
            no_time = NetworkFailure(
                f"No time was left to ask {service.label}.",
                provider=service.name,
                suggested_action="Try again, or raise WEBQUARRY_TIMEOUT_SECONDS.",
            )
            return GuardedCall.skip(service, no_time)
        if not self._breaker.admit():
            return GuardedCall.skip(service, _build_rest_error(service, self._breaker))
        note(f"asking {service.label}")
        self._started = self._clock.monotonic()
        self._span = span("provider", provider=service.name)
        self._end = self._span.__enter__()
        self._scope = asyncio.timeout(self._seconds)
        await self._scope.__aenter__()
        self._call = GuardedCall(service)
        return self._call

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        call = self._call
        if call is None:
            return False
        try:
            await self._scope.__aexit__(kind, error, traceback)
        except TimeoutError as late:
            error = late
        if error is not None and not self._keep_error(call, error):  # the caller has left
            self._span.__exit__(kind, error, traceback)
            self._breaker.release()
            return False
        outcome, reason = call.outcome()
        self._end(outcome)
        self._span.__exit__(None, None, None)
        seconds = self._clock.monotonic() - self._started
        call.attempt = Attempt(self._service.name, outcome, reason, seconds)
        if call.error is None:
            self._breaker.record_success()
        else:
            self._breaker.record_failure(call.error)
        return True

    def _keep_error(self, call: GuardedCall, error: BaseException) -> bool:
        """Keep what went wrong in the block, the end of its time included, as the call's error:
        whether it is one.
        """
        service = self._service
        if isinstance(error, TimeoutError) and self._scope.expired():
            if call.found:
                call.is_cut_short = True
            else:
                words = f"{service.label} {self._late} {self._seconds:.3g} s."
                call.error = NetworkFailure(words, provider=service.name)
        elif isinstance(error, AuthFailure):
            call.error = error.plain or error
        elif isinstance(error, WebquarryError):
            call.error = error
        elif isinstance(error, Exception):  # a service from another package may do anything
            log.warning("%s failed in a way of its own", service.name, exc_info=error)
            words = f"{service.label} failed: {type(error).__name__}."
            call.error = ProviderFailure(words, provider=service.name)
        else:
            return False
        return True


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
