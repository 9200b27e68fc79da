"""HTTP connections to the vendors of models.

Calls are not retried here: retries are counted, share a pause and know the budget. Redirects are
not followed, so that no key is sent elsewhere; proxies of the environment are not used.
"""

from __future__ import annotations

from collections.abc import Callable

import httpx2

from webquarry.ask.vendors.base import CallFailure, ModelVendor, Turn, build_late_failure, fail
from webquarry.clock import Clock
from webquarry.net.models import Reply
from webquarry.secret import Secret

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
        self._open_transport = open_transport
        self._clock = clock
        self._user_agent = user_agent
        self._http: httpx2.AsyncClient | None = None

    async def ask(
        self, vendor: ModelVendor, model: str, content: bytes, key: Secret | None, seconds: float
    ) -> Turn:
        """Send a body and return the turn. Raises CallFailure."""
        request = vendor.build_request(content, model, key)
        return vendor.parse_reply(await self.send(request, seconds), model)

    async def send(self, request: httpx2.Request, seconds: float) -> Reply:
        """Return the response, whatever its status. Raises CallFailure if there is none."""
        timeout = httpx2.Timeout(seconds, connect=min(_CONNECT_SECONDS, seconds))
        request.extensions["timeout"] = timeout.as_dict()
        request.headers["user-agent"] = self._user_agent
        if self._http is None:
            self._http = httpx2.AsyncClient(
                transport=self._open_transport(),
                follow_redirects=False,
                trust_env=False,
                timeout=None,
            )
        try:
            response = await self._http.send(request)
        except httpx2.HTTPError as error:
            # The cause holds the request with its key.
            raise _build_connection_failure(error, request, seconds) from None
        return Reply(
            str(request.url),
            response.status_code,
            response.headers,
            response.content,
            self._clock.now(),
        )

    async def aclose(self) -> None:
        """Close the connections; the next call opens new ones."""
        if self._http is not None:
            await self._http.aclose()
            self._http = None


def _build_connection_failure(
    error: httpx2.HTTPError, request: httpx2.Request, seconds: float
) -> CallFailure:
    """Unless the connection failed, the request may have been processed and billed."""
    billed = not isinstance(error, _NOT_SENT)
    if isinstance(error, httpx2.TimeoutException):
        if billed:
            return build_late_failure(seconds)
        return fail("timeout", "The model could not be reached in time.", retryable=True)
    kind = type(error).__name__
    message = f"The model could not be reached at {request.url.host} ({kind})."
    return fail("network", message, retryable=True, billed=billed)
