"""One request to one address: paced by host, sent, its answer read, and tried again where that
makes sense.

Comes in: a request that is ready to be sent. Goes out: an answer of any status; a redirect comes
without its body.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable
from typing import NamedTuple

import httpx2

from webquarry.clock import Clock
from webquarry.errors import SERVER_FAULT, NetworkFailure, WebquarryError
from webquarry.net.budget import Budget
from webquarry.net.http.body import drain, read_body
from webquarry.net.http.failures import STACK_ERRORS, describe
from webquarry.net.http.redirects import location_of
from webquarry.net.http.retry import (
    IS_FINAL,
    REPEATABLE,
    REPEATED_STATUSES,
    compute_wait,
    may_repeat,
)
from webquarry.net.http.status import retry_after_seconds
from webquarry.net.models import Reply
from webquarry.net.pacing import Pacing
from webquarry.secret import redact

log = logging.getLogger(__name__)

_MOST_HEADERS = 1000
_SMALL_BODY = 64 * 1024  # what is read of a redirect's body to keep its connection


class SentResponse(NamedTuple):
    """A response, closed, and its body."""

    response: httpx2.Response
    body: bytes
    location: str | None  # where it redirects to, as written


class Sender:
    """Sends requests."""

    def __init__(
        self, pacing: Pacing, clock: Clock, chance: Callable[[], float] = random.random
    ) -> None:
        self._pacing = pacing
        self._clock = clock
        self._chance = chance

    async def send(
        self,
        transport: httpx2.AsyncBaseTransport,
        request: httpx2.Request,
        budget: Budget,
        limit: int,
        *,
        cut: bool = False,
        is_ours: bool = False,
    ) -> SentResponse:
        """Send it, and again after a passing failure while the budget has tries and time for it. A
        host that is ours is asked without pauses.
        """
        host = request.url.host
        while True:
            outcome = await self._send_once(transport, request, budget, limit, cut, is_ours)
            wait = self._wait_after(request, outcome, budget)
            if wait is not None:
                budget.tries_left -= 1
                budget.further += 1
                budget.doing = f"waiting to ask {host} again"
                await self._clock.sleep(wait)
                continue
            if isinstance(outcome, SentResponse):
                return outcome
            if budget.redirects:  # then it is a host that the caller did not name
                outcome.args = (f"{outcome.message} (at {host}, where a redirect led)",)
            raise outcome

    async def _send_once(
        self,
        transport: httpx2.AsyncBaseTransport,
        request: httpx2.Request,
        budget: Budget,
        limit: int,
        cut: bool,
        is_ours: bool,
    ) -> SentResponse | NetworkFailure:
        host = request.url.host
        budget.doing = f"waiting for a turn at {host}"
        async with self._pacing.slot(host, is_ours=is_ours):
            budget.doing = f"waiting for the answer of {host}"
            try:
                response = await transport.handle_async_request(request)
                budget.doing = f"reading the answer of {host}"
                sent = await _receive(request, response, limit, cut)
            except WebquarryError as failure:
                failure.host = host
                if isinstance(failure, NetworkFailure):
                    return failure
                raise
            except STACK_ERRORS as error:
                described = describe(error, host)
                described.__cause__ = error
                if isinstance(error, httpx2.LocalProtocolError):
                    described.__cause__ = None  # its text repeats a header, and that may be a key
                return described
        if log.isEnabledFor(logging.DEBUG):
            log.debug("%s %s: %d", request.method, redact(str(request.url)), response.status_code)
        return sent

    def _wait_after(
        self, request: httpx2.Request, outcome: SentResponse | NetworkFailure, budget: Budget
    ) -> float | None:
        """Seconds until the next try; None when this outcome is the last."""
        result: int | NetworkFailure
        if isinstance(outcome, SentResponse):
            result = outcome.response.status_code
            if result not in REPEATED_STATUSES:
                return None  # as nearly always
        else:
            result = outcome
        promised = bool(request.extensions.get(REPEATABLE))
        if not budget.tries_left or not may_repeat(request.method, result, promised=promised):
            return None
        retry_after = None
        if isinstance(outcome, SentResponse):
            retry_after = retry_after_seconds(outcome.response.headers, self._clock.now())
        wait = compute_wait(budget.further + 1, retry_after, self._chance())
        if wait < budget.remaining and not self._is_final(request, outcome):
            return wait
        return None

    def _is_final(self, request: httpx2.Request, outcome: SentResponse | NetworkFailure) -> bool:
        """Whether the maker of the request knows that its answer would be the same again."""
        judge = request.extensions.get(IS_FINAL)
        if judge is None or not isinstance(outcome, SentResponse):
            return False
        status = outcome.response.status_code
        headers = outcome.response.headers
        reply = Reply(str(request.url), status, headers, outcome.body, self._clock.now())
        return bool(judge(reply))


async def _receive(
    request: httpx2.Request, response: httpx2.Response, limit: int, cut: bool
) -> SentResponse:
    """Read what is needed of a response, and close it whatever happens."""
    response.request = request
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    try:
        if len(response.headers) > _MOST_HEADERS:
            raise NetworkFailure(
                f"The server sent more than {_MOST_HEADERS} headers",
                retryable=False,
                suggested_action=SERVER_FAULT,
            )
        location = location_of(response)
        if location is None:
            body = await read_body(response, limit, cut=cut)
            return SentResponse(response, body, None)
        try:
            await drain(response, _SMALL_BODY)
        except (NetworkFailure, *STACK_ERRORS):
            log.debug("the body of a redirect of %s did not come to its end", request.url.host)
        return SentResponse(response, b"", location)
    finally:
        response.is_closed = True
        # past httpx2, which would put the request beside an error of the pool's: ours know it
        await response.stream.aclose()
        # An answer left unread would use up the window of an HTTP/2 connection, and every later
        # request on it would starve: such a connection is closed.
        if not response.is_stream_consumed:
            stream = response.extensions.get("network_stream")
            is_http2 = response.extensions.get("http_version") == b"HTTP/2"
            if is_http2 and stream is not None:
                await stream.aclose()
