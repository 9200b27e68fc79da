"""Guarded calls of services: time limit, circuit breaker, and the error if all calls failed.

    async with services.guard(service, seconds) as call:
        if call.is_admitted:
            records = await ...
            call.found = len(records)
    call.attempt, call.error

Errors of the block are stored in `call.error` and not raised. A call is not admitted while the
breaker of the service is open, or if no time is left. The block itself explains errors
(`Service.explain_errors`).
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import TypeVar

from webquarry._search.models import Attempt
from webquarry._search.service import Service
from webquarry.clock import Clock
from webquarry.errors import (
    LONGEST_WAIT_SECONDS,
    WAIT,
    AuthFailure,
    BadInput,
    NetworkFailure,
    NotRecorded,
    ProviderFailure,
    WebquarryError,
    describe_wait,
)
from webquarry.meter import span
from webquarry.net.failures import retry_after_seconds
from webquarry.net.models import Reply
from webquarry.progress import note
from webquarry.secret import redact
from webquarry.settings import Settings

log = logging.getLogger(__name__)

# Kinds of errors that count as failures of a service.
TRIPPING = frozenset({"network", "rate_limited", "blocked", "challenge", "too_large", "internal"})
# Kinds of errors, the most useful for the caller first.
_USEFUL = (
    "rate_limited", "challenge", "blocked", "network", "too_large", "unsupported", "internal",
    "bad_input", "auth",
)  # fmt: skip
_LEAST_WAIT = 60.0  # seconds of advice after a rate limit
_LONGEST_REASON = 120
_LONGEST_NAME = 60
_SEPARATORS = re.compile(r"[\s_.-]")  # ignored in names

S = TypeVar("S", bound=Service)


class Breaker:
    """Circuit breaker of one service. closed: calls are admitted. open: calls are refused until
    the rest is over. half-open: one call is admitted as a probe.
    """

    def __init__(self, clock: Clock, threshold: int, rest_seconds: float) -> None:
        self._clock = clock
        self._threshold = threshold
        self._rest_seconds = rest_seconds
        self._failures = 0
        self._rests_until: float | None = None
        self._advised_until = 0.0
        self._probing = False
        self.cause: type[WebquarryError] = ProviderFailure  # the error that opened it

    @property
    def state(self) -> str:
        """closed, open or half-open."""
        if self._rests_until is None:
            return "closed"
        return "open" if self.rest_left else "half-open"

    @property
    def rest_left(self) -> float:
        """Seconds until the next call is admitted."""
        return max(0.0, (self._rests_until or 0.0) - self._clock.monotonic())

    @property
    def advised_left(self) -> float:
        """Seconds of the wait that was advised after a rate limit, which may be longer."""
        return max(self.rest_left, self._advised_until - self._clock.monotonic())

    def admit(self) -> bool:
        """Return whether a call may start; it ends with `record_*` or `release`."""
        if self.state == "closed":
            return True
        if self.state == "open" or self._probing:
            return False
        self._probing = True
        return True

    def record_success(self) -> None:
        """Close the breaker after an answer, even an empty one."""
        self._failures = 0
        self._rests_until = None
        self._probing = False

    def record_failure(self, error: WebquarryError) -> None:
        """Count a failure; open after too many, a failed probe, or a requested wait."""
        was_probe, self._probing = self._probing, False
        if error.kind not in TRIPPING or isinstance(error, NotRecorded):
            return
        self._failures += 1
        wait = error.retry_after_seconds or 0.0
        if error.kind == "rate_limited":
            self._advised_until = self._clock.monotonic() + _LEAST_WAIT
        if was_probe or wait or self._failures >= self._threshold:
            seconds = min(wait or self._rest_seconds, LONGEST_WAIT_SECONDS)
            self._rests_until = self._clock.monotonic() + seconds
            self.cause = type(error)

    def release(self) -> None:
        """End a call that was cancelled."""
        self._probing = False


class Breakers:
    """The breakers of all services, by name."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._breakers: dict[str, Breaker] = {}

    def breaker(self, name: str) -> Breaker:
        """Return the breaker of a service."""
        if name not in self._breakers:
            settings = self._settings
            self._breakers[name] = Breaker(
                self._clock, settings.breaker_failures, settings.breaker_rest_seconds
            )
        return self._breakers[name]


class GuardedCall:
    """The result of one call. The block sets `found` as results arrive, so that they count if the
    time runs out.
    """

    def __init__(self, service: Service, error: WebquarryError | None = None) -> None:
        self.service = service
        self.found = 0  # results so far
        self.requests = 0  # answered ones
        self.why_empty = "It found nothing."
        self.is_cut_short = False  # timed out with some results
        self.error = error
        reason = error.sentence if error else ""
        self.attempt = Attempt(service.name, "skipped", reason, 0.0)

    @property
    def is_admitted(self) -> bool:
        """Whether the service may be asked; `error` has the reason if not."""
        return self.error is None

    def outcome(self) -> tuple[str, str]:
        """Return one of `errors.OUTCOMES` and the reason in a sentence."""
        error = self.error
        if error is None:
            if not self.found:
                return "empty", self.why_empty
            plural = "s" if self.found > 1 else ""
            return "ok", f"{self.found} result{plural}."
        if error.kind == "auth" and self.service.missing:
            return error.kind, self.service.describe_missing()
        return error.kind, redact(error.sentence)


@asynccontextmanager
async def guard(
    service: Service, board: Breakers, clock: Clock, seconds: float
) -> AsyncIterator[GuardedCall]:
    """Run a block that asks a service for at most `seconds`."""
    breaker = board.breaker(service.name)
    if seconds <= 0:
        no_time = NetworkFailure(
            f"No time was left to ask {service.label}.",
            provider=service.name,
            suggested_action="Try again, or raise WEBQUARRY_TIMEOUT_SECONDS.",
        )
        yield GuardedCall(service, no_time)
        return
    if not breaker.admit():
        yield GuardedCall(service, build_rest_error(service, breaker))
        return
    note(f"asking {service.label}")
    call = GuardedCall(service)
    started = clock.monotonic()
    with span("provider", provider=service.name) as end:
        try:
            async with asyncio.timeout(seconds) as scope:
                yield call
        except Exception as error:
            if not (isinstance(error, TimeoutError) and scope.expired()):
                call.error = _to_our_error(service, error)
            elif call.found:
                call.is_cut_short = True
            else:
                words = f"{service.label} did not answer within {seconds:.3g} s."
                call.error = NetworkFailure(words, provider=service.name)
        except BaseException:
            breaker.release()
            raise
        outcome, reason = call.outcome()
        end(outcome)
    call.attempt = Attempt(service.name, outcome, reason, clock.monotonic() - started)
    if call.error is None:
        breaker.record_success()
    else:
        breaker.record_failure(call.error)


def _to_our_error(service: Service, error: Exception) -> WebquarryError:
    """Return the error of a call; a plug-in may raise any exception."""
    if isinstance(error, AuthFailure):
        return error.plain or error
    if isinstance(error, WebquarryError):
        return error
    log.warning("%s raised an unexpected exception", service.name, exc_info=error)
    words = f"{service.label} failed: {type(error).__name__}."
    return ProviderFailure(words, provider=service.name)


def build_rest_error(service: Service, breaker: Breaker) -> WebquarryError:
    """Return the error for a service whose breaker is open, of the kind that opened it."""
    left = breaker.rest_left
    when = f"for {describe_wait(breaker.advised_left, 'more')}"
    if not left:  # half-open, and the probe is in progress
        when = "until another call has found out whether it answers again"
    error = breaker.cause(
        f"{service.label} failed before and is left alone {when}.",
        retryable=True,
        retry_after_seconds=left,
        suggested_action=f"Wait {WAIT} and try again, or name another provider.",
        provider=service.name,
    )
    error.least_wait_seconds = max(error.least_wait_seconds, breaker.advised_left)
    return error


@contextmanager
def apply_retry_after(reply: Reply) -> Iterator[None]:
    """Add the Retry-After of a reply to errors raised while it is parsed."""
    try:
        yield
    except WebquarryError as error:
        if error.retry_after_seconds is None and error.kind in TRIPPING:
            error.retry_after_seconds = retry_after_seconds(reply.headers, reply.fetched_at)
        raise


def choose_error(
    failures: Sequence[WebquarryError], attempts: Sequence[Attempt], others: Sequence[str]
) -> WebquarryError:
    """Return the error to raise if all services failed: of the most useful kind, with all attempts.
    `others` are services that were not asked and could be.
    """
    best = min(
        failures,
        key=lambda one: _USEFUL.index(one.kind) if one.kind in _USEFUL else len(_USEFUL),
    )
    error = best
    if len(failures) > 1:
        tried = [f"{one.provider}: {one.outcome} ({shorten(one.reason)})" for one in attempts]
        error = type(best)(
            f"No search provider answered. {'; '.join(tried)}.",
            retryable=best.retryable,
            retry_after_seconds=best.retry_after_seconds,
            suggested_action=best.action_template if best.has_own_advice else None,
            provider=best.provider,
        )
        error.__cause__ = best
    if error.kind == "rate_limited" and not error.has_own_advice:
        error.least_wait_seconds = _LEAST_WAIT
    error.suggested_action = _advise(error, others)
    error.attempts = tuple(attempts)
    return error


def _advise(error: WebquarryError, others: Sequence[str]) -> str:
    """Return the advice of an error, with the services that could be named instead."""
    instead = "name another provider"
    if others:
        instead = f"name another provider: {', '.join(others)}"
    if error.kind == "rate_limited" and error.retryable:
        return f"Wait {WAIT} and try again, or {instead}."
    if error.kind == "auth":
        return (
            f"{error.suggested_action} `.env.example` lists every variable and where to get a key."
        )
    is_refusal = error.kind == "blocked" and not error.has_own_advice
    if is_refusal or error.kind == "challenge":
        wait = "some minutes" if error.retry_after_seconds is None else WAIT
        return f"Wait {wait}, or {instead}; `.env.example` lists those that take a key."
    return error.action_template


def find_service(name: str, services: Mapping[str, S], also: Iterable[str] = ()) -> S:
    """Return the service of this name or alias, in any spelling. Raise `BadInput`, which lists the
    known names and those in `also`, if there is none.
    """
    wanted = _plain_name(name)
    for service in services.values():
        if wanted in map(_plain_name, (service.name, *service.aliases)):
            return service
    known = []
    for one in sorted(services):
        mark = " (configured)" if services[one].configured else ""
        known.append(one + mark)
    known += also
    raise BadInput(
        f"There is no search provider {name.strip().lower()[:_LONGEST_NAME]!r}.",
        suggested_action=f"Use one of: {', '.join(known)}.",
    )


def _plain_name(name: str) -> str:
    return _SEPARATORS.sub("", name).lower()


def shorten(reason: str) -> str:
    """Return the first sentence of a reason on one line, without a full stop."""
    one_line = redact(" ".join(reason.split()))
    sentence = one_line.partition(". ")[0].rstrip(".")
    if len(sentence) <= _LONGEST_REASON:
        return sentence
    return sentence[: _LONGEST_REASON - 3] + "..."
