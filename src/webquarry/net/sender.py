"""Sends one request to one URL: waits for the rate limit of its host, reads the response, retries.

Responses of any status are returned; redirects without their body.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable
from typing import NamedTuple

import httpx2

from webquarry.clock import Clock
from webquarry.errors import SERVER_FAULT, NetworkFailure, WebquarryError
from webquarry.net.body import drain, read_body
from webquarry.net.failures import STACK_ERRORS, describe, retry_after_seconds
from webquarry.net.models import Reply
from webquarry.net.pacing import Pacing
from webquarry.net.redirects import location_of
from webquarry.net.retry import (
    IS_FINAL,
    REPEATABLE,
    RETRIED_STATUSES,
    Budget,
    may_retry,
    retry_delay,
)
from webquarry.secret import redact

log = logging.getLogger(__name__)

_MAX_HEADERS = 1000
_DRAINED_BYTES = 64 * 1024  # of the body of a redirect, to reuse its connection


class SentResponse(NamedTuple):
    """A closed response and its body."""

    response: httpx2.Response
    body: bytes
    location: str | None  # of a redirect, as written


class Sender:
    """Sends requests over a transport."""

    def __init__(
        self, pacing: Pacing, clock: Clock, random: Callable[[], float] = random.random
    ) -> None:
        self._pacing = pacing
        self._clock = clock
        self._random = random

    async def send(
        self,
        transport: httpx2.AsyncBaseTransport,
        request: httpx2.Request,
        budget: Budget,
        limit: int,
        *,
        cut: bool = False,
        is_local: bool = False,
    ) -> SentResponse:
        """Send a request, and retry it while the budget allows. `limit` and `cut` are those of
        `read_body`, `is_local` that of `Pacing.slot`. Raises `NetworkFailure`, `Refused`,
        `TooLarge`, `Unreadable`.
        """
        host = request.url.host
        while True:
            outcome = await self._send_once(transport, request, budget, limit, cut, is_local)
            delay = self._delay_after(request, outcome, budget)
            if delay is not None:
                budget.retries_left -= 1
                budget.retries_used += 1
                budget.activity = f"waiting to ask {host} again"
                await self._clock.sleep(delay)
                continue
            if isinstance(outcome, SentResponse):
                return outcome
            if budget.redirects:  # the caller did not name this host
                outcome.args = (f"{outcome.message} (at {host}, where a redirect led)",)
            raise outcome

    async def _send_once(
        self,
        transport: httpx2.AsyncBaseTransport,
        request: httpx2.Request,
        budget: Budget,
        limit: int,
        cut: bool,
        is_local: bool,
    ) -> SentResponse | NetworkFailure:
        host = request.url.host
        budget.activity = f"waiting for a turn at {host}"
        async with self._pacing.slot(host, is_local=is_local):
            budget.activity = f"waiting for the answer of {host}"
            try:
                response = await transport.handle_async_request(request)
                budget.activity = f"reading the answer of {host}"
                sent = await _receive(request, response, limit, cut)
            except WebquarryError as error:
                error.host = host
                if isinstance(error, NetworkFailure):
                    return error
                raise
            except STACK_ERRORS as error:
                failure = describe(error, host)
                # The text of a LocalProtocolError repeats a header, which may be a credential.
                is_unsafe = isinstance(error, httpx2.LocalProtocolError)
                failure.__cause__ = None if is_unsafe else error
                return failure
        if log.isEnabledFor(logging.DEBUG):
            log.debug("%s %s: %d", request.method, redact(str(request.url)), response.status_code)
        return sent

    def _delay_after(
        self, request: httpx2.Request, outcome: SentResponse | NetworkFailure, budget: Budget
    ) -> float | None:
        """Return the seconds until the next attempt, or None if this outcome is the last."""
        result: int | NetworkFailure
        retry_after = None
        if isinstance(outcome, SentResponse):
            result = outcome.response.status_code
            if result in RETRIED_STATUSES:
                retry_after = retry_after_seconds(outcome.response.headers, self._clock.now())
        else:
            result = outcome
        repeatable = bool(request.extensions.get(REPEATABLE))
        if not budget.retries_left or not may_retry(request.method, result, repeatable=repeatable):
            return None
        delay = retry_delay(budget.retries_used + 1, retry_after, self._random())
        if delay >= budget.remaining or self._is_final(request, outcome):
            return None
        return delay

    def _is_final(self, request: httpx2.Request, outcome: SentResponse | NetworkFailure) -> bool:
        """Whether the author of the request declares its reply final."""
        is_final = request.extensions.get(IS_FINAL)
        if is_final is None or not isinstance(outcome, SentResponse):
            return False
        status = outcome.response.status_code
        headers = outcome.response.headers
        reply = Reply(str(request.url), status, headers, outcome.body, self._clock.now())
        return bool(is_final(reply))


async def _receive(
    request: httpx2.Request, response: httpx2.Response, limit: int, cut: bool
) -> SentResponse:
    """Read a response and close it."""
    response.request = request
    try:
        if len(response.headers) > _MAX_HEADERS:
            raise NetworkFailure(
                f"The server sent more than {_MAX_HEADERS} headers",
                retryable=False,
                suggested_action=SERVER_FAULT,
            )
        location = location_of(response)
        if location is None:
            return SentResponse(response, await read_body(response, limit, cut=cut), None)
        try:
            await drain(response, _DRAINED_BYTES)
        except (NetworkFailure, *STACK_ERRORS):
            log.debug("the body of a redirect of %s is incomplete", request.url.host)
        return SentResponse(response, b"", location)
    finally:
        await response.aclose()
