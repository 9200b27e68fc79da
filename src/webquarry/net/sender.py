"""Sends one request to one URL: waits for the rate limit of its host, reads the response, retries.

Requests are retried after a temporary network failure, a 429 or a 503 if repeating them is safe: by
their method, or because their author says so (extension `REPEATABLE`, for a search by POST). The
author can also declare a reply final (extension `IS_FINAL`, a function of the reply).
"""

from __future__ import annotations

import asyncio
import logging
from random import random
from typing import Any

import httpx2

from webquarry.clock import Clock
from webquarry.errors import SERVER_FAULT, NetworkFailure, WebquarryError
from webquarry.net.body import read_body
from webquarry.net.failures import STACK_ERRORS, describe, retry_after_seconds
from webquarry.net.models import Reply
from webquarry.net.pacing import Pacing
from webquarry.net.redirects import location_of
from webquarry.secret import redact

log = logging.getLogger(__name__)

REPEATABLE = "webquarry.repeatable"
IS_FINAL = "webquarry.is_final"
_RETRIED_STATUSES = frozenset({429, 503})
_IDEMPOTENT_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"})
_FIRST_DELAY = 0.5
_JITTER = 0.5
_MAX_HEADERS = 1000
_DRAINED_BYTES = 64 * 1024  # of the body of a redirect, to reuse its connection


class Budget:
    """Time and retries of one call, including its redirects; reading robots.txt has its own.

    As a context manager, it cancels the block after `seconds` and raises a `NetworkFailure`.
    """

    def __init__(self, clock: Clock, seconds: float, retries: int) -> None:
        self.seconds = seconds
        self.retries_left = retries
        self.retries_used = 0
        self.redirects = 0
        self.activity = "starting"  # named by the error at the deadline
        self._clock = clock
        self._end = clock.monotonic() + seconds

    @property
    def remaining(self) -> float:
        """Seconds until the deadline."""
        return self._end - self._clock.monotonic()

    async def __aenter__(self) -> None:
        self._timeout = asyncio.timeout(self.seconds)
        await self._timeout.__aenter__()

    async def __aexit__(self, *exception: Any) -> None:
        try:
            await self._timeout.__aexit__(*exception)
        except TimeoutError as error:
            raise NetworkFailure(
                f"The request took longer than {self.seconds:g} s; the time ran out while "
                f"{self.activity}",
                suggested_action="Try again, or raise WEBQUARRY_TIMEOUT_SECONDS.",
            ) from error


class Sender:
    """Sends requests over a transport."""

    def __init__(self, pacing: Pacing, clock: Clock) -> None:
        self._pacing = pacing
        self._clock = clock

    async def send(
        self,
        transport: httpx2.AsyncBaseTransport,
        request: httpx2.Request,
        budget: Budget,
        limit: int,
        *,
        cut: bool = False,
        is_local: bool = False,
    ) -> Reply:
        """Send a request, with retries, and return a reply of any status; redirects have no body.
        `limit` and `cut` are those of `read_body`, `is_local` that of `Pacing.slot`.
        """
        host = request.url.host
        while True:
            outcome: Reply | NetworkFailure
            budget.activity = f"waiting for a turn at {host}"
            async with self._pacing.slot(host, is_local=is_local):
                try:
                    outcome = await self._exchange(transport, request, budget, limit, cut)
                except NetworkFailure as failure:
                    outcome = failure
            delay = self._delay_after(request, outcome, budget)
            if delay is not None:
                budget.retries_left -= 1
                budget.retries_used += 1
                budget.activity = f"waiting to ask {host} again"
                await self._clock.sleep(delay)
                continue
            if isinstance(outcome, Reply):
                return outcome
            if budget.redirects:  # the caller did not name this host
                outcome.args = (f"{outcome.message} (at {host}, where a redirect led)",)
            raise outcome

    async def _exchange(
        self,
        transport: httpx2.AsyncBaseTransport,
        request: httpx2.Request,
        budget: Budget,
        limit: int,
        cut: bool,
    ) -> Reply:
        host = request.url.host
        budget.activity = f"waiting for the answer of {host}"
        try:
            response = await transport.handle_async_request(request)
            response.request = request
            budget.activity = f"reading the answer of {host}"
            try:
                body = await _receive(response, limit, cut)
            finally:
                await response.aclose()
        except WebquarryError as error:
            error.host = host
            raise
        except STACK_ERRORS as error:
            # The text of a LocalProtocolError repeats a header, which may be a credential.
            is_unsafe = isinstance(error, httpx2.LocalProtocolError)
            raise describe(error, host) from (None if is_unsafe else error)
        if log.isEnabledFor(logging.DEBUG):
            log.debug("%s %s: %d", request.method, redact(str(request.url)), response.status_code)
        return Reply(
            url=str(request.url),
            status=response.status_code,
            headers=response.headers,
            body=body,
            fetched_at=self._clock.now(),
            is_cut=not response.is_stream_consumed,
        )

    def _delay_after(
        self, request: httpx2.Request, outcome: Reply | NetworkFailure, budget: Budget
    ) -> float | None:
        """Return the seconds until the next attempt, or None if this outcome is the last."""
        result = outcome.status if isinstance(outcome, Reply) else outcome
        repeatable = bool(request.extensions.get(REPEATABLE))
        if not budget.retries_left or not may_retry(request.method, result, repeatable=repeatable):
            return None
        retry_after = None
        if isinstance(outcome, Reply):
            retry_after = retry_after_seconds(outcome.headers, self._clock.now())
        delay = retry_delay(budget.retries_used + 1, retry_after, random())  # noqa: S311 - jitter
        if delay >= budget.remaining:
            return None
        is_final = request.extensions.get(IS_FINAL)
        if is_final is not None and isinstance(outcome, Reply) and is_final(outcome):
            return None
        return delay


async def _receive(response: httpx2.Response, limit: int, cut: bool) -> bytes:
    """Read the body of a response; that of a redirect is discarded."""
    if len(response.headers) > _MAX_HEADERS:
        raise NetworkFailure(
            f"The server sent more than {_MAX_HEADERS} headers",
            retryable=False,
            suggested_action=SERVER_FAULT,
        )
    if location_of(response.status_code, response.headers) is None:
        return await read_body(response, limit, cut=cut)
    try:
        await read_body(response, _DRAINED_BYTES, cut=True)
    except (WebquarryError, *STACK_ERRORS):
        log.debug("the body of a redirect of %s is incomplete", response.request.url.host)
    return b""


def may_retry(method: str, outcome: int | NetworkFailure, *, repeatable: bool = False) -> bool:
    """Whether a request with this outcome (a status or a failure) may be sent again."""
    if method not in _IDEMPOTENT_METHODS and not repeatable:
        return False
    if isinstance(outcome, int):
        return outcome in _RETRIED_STATUSES
    return outcome.retryable


def retry_delay(attempt: int, retry_after: float | None, chance: float) -> float:
    """Return an exponential delay with jitter, in seconds, or what the server asked for."""
    if retry_after is not None:
        return retry_after + _JITTER * chance
    return _FIRST_DELAY * 2.0 ** (attempt - 1) * (1 - _JITTER * chance)
