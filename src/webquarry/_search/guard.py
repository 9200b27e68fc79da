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
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager

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

# What says something about the provider's health. Bad input and an empty answer do not; a bad key
# is the user's to mend.
TRIPPING = frozenset({"network", "rate_limited", "blocked", "challenge", "too_large", "internal"})


class Breaker:
    """The state of one provider."""

    def __init__(self, clock: Clock, threshold: int, rest_seconds: float) -> None:
        self._clock = clock
        self._threshold = threshold
        self._rest_seconds = rest_seconds
        self._failures = 0
        self._rests_until: float | None = None
        self._probing = False
        self.cause: type[WebquarryError] = ProviderFailure  # what made it rest

    @property
    def state(self) -> str:
        """closed, open or half-open."""
        if self._rests_until is None:
            return "closed"
        if self._clock.monotonic() < self._rests_until:
            return "open"
        return "half-open"

    @property
    def rest_left(self) -> float:
        """Seconds until the provider may be asked again."""
        if self._rests_until is None:
            return 0.0
        return max(0.0, self._rests_until - self._clock.monotonic())

    def admit(self) -> bool:
        """May the provider be asked now? Who is admitted reports back with `record_success`,
        `record_failure` or `release`.
        """
        state = self.state
        if state == "closed":
            return True
        if state == "open" or self._probing:
            return False
        self._probing = True
        return True

    def record_success(self) -> None:
        """The provider answered, if only with "nothing found"."""
        self._failures = 0
        self._rests_until = None
        self._probing = False

    def record_failure(self, error: WebquarryError) -> None:
        """The provider failed; a rest that it asked for itself begins at once."""
        was_probe = self._probing
        self._probing = False
        if error.kind not in TRIPPING:
            return
        if isinstance(error, NotRecorded):  # a recording says nothing about the provider
            return
        self._failures += 1
        asked_seconds = error.retry_after_seconds or 0.0
        if was_probe or asked_seconds or self._failures >= self._threshold:
            self.rest(asked_seconds or self._rest_seconds, type(error))

    def rest(self, seconds: float, cause: type[WebquarryError]) -> None:
        """Leave the provider alone for so long from now, an hour at most."""
        self._rests_until = self._clock.monotonic() + min(seconds, LONGEST_WAIT_SECONDS)
        self.cause = cause

    def release(self) -> None:
        """The caller left before the provider answered: nothing was learnt."""
        self._probing = False


class Breakers:
    """A breaker for each provider."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._breakers: dict[str, Breaker] = {}

    def breaker(self, name: str) -> Breaker:
        """Return the breaker of a provider."""
        found = self._breakers.get(name)
        if found is None:
            failures = self._settings.breaker_failures
            rest_seconds = self._settings.breaker_rest_seconds
            found = self._breakers[name] = Breaker(self._clock, failures, rest_seconds)
        return found


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
