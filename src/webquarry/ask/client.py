"""HTTP connections to the vendors of models.

Calls are not retried here: retries are counted, share a pause and know the budget. Redirects are
not followed, so that no key is sent elsewhere; proxies of the environment are not used.
"""

from __future__ import annotations

from collections.abc import Callable

import httpx2

from webquarry.ask.vendors.base import build_late_failure, fail
from webquarry.clock import Clock
from webquarry.net.models import Reply

_CONNECT_SECONDS = 10.0
_NOT_SENT = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.PoolTimeout,
    httpx2.ProxyError,
    httpx2.UnsupportedProtocol,
)


class ModelClient:
    """Connections to all vendors. Belongs to one event loop."""

    def __init__(
        self,
        open_transport: Callable[[], httpx2.AsyncBaseTransport],
        clock: Clock,
        user_agent: str,
    ) -> None:
        self._clock = clock
        self._user_agent = user_agent
        self._http = httpx2.AsyncClient(
            transport=open_transport(), follow_redirects=False, trust_env=False, timeout=None
        )

    async def send(self, request: httpx2.Request, seconds: float) -> Reply:
        """Return the response, whatever its status. Raises CallFailure if there is none; unless the
        connection failed, the request may have been processed and billed.
        """
        timeout = httpx2.Timeout(seconds, connect=min(_CONNECT_SECONDS, seconds))
        request.extensions["timeout"] = timeout.as_dict()
        request.headers["user-agent"] = self._user_agent
        try:
            response = await self._http.send(request)
        except httpx2.HTTPError as error:
            billed = not isinstance(error, _NOT_SENT)
            failure = build_late_failure(seconds)
            if not isinstance(error, httpx2.TimeoutException):
                kind = type(error).__name__
                message = f"The model could not be reached at {request.url.host} ({kind})."
                failure = fail("network", message, retryable=True, billed=billed)
            elif not billed:
                message = "The model could not be reached in time."
                failure = fail("timeout", message, retryable=True)
            # The cause has the request with its key.
            raise failure from None
        return Reply(
            str(request.url),
            response.status_code,
            response.headers,
            response.content,
            self._clock.now(),
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()
