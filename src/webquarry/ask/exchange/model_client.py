"""The connections to models: a vendor's request goes out, its turn or a `CallFailure` comes back.

Nothing is tried twice here: retries are counted, share one pause and know the budget. No redirect
takes a key elsewhere, and no proxy or key comes from the environment unseen.
"""

from __future__ import annotations

from collections.abc import Callable

import httpx2

from webquarry.ask.exchange.sharded_transport import ShardedTransport
from webquarry.ask.models import ReplyError
from webquarry.ask.vendors.base import CallFailure, ModelVendor, Turn, build_late_failure
from webquarry.clock import Clock
from webquarry.net.models import Reply
from webquarry.secret import Secret

_CONNECT_SECONDS = 10.0
_UNSENT = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.PoolTimeout,
    httpx2.ProxyError,
    httpx2.UnsupportedProtocol,
)


class ModelClient:
    """The connections to all vendors. Belongs to one event loop."""

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
        """The turn that answers a body. Raises `CallFailure`."""
        request = vendor.build_request(content, model, key)
        return vendor.parse_reply(await self.send(request, seconds), model)

    async def send(self, request: httpx2.Request, seconds: float) -> Reply:
        """The reply to a request, whatever its status. Raises `CallFailure` when there is none."""
        timeout = httpx2.Timeout(seconds, connect=min(_CONNECT_SECONDS, seconds))
        request.extensions["timeout"] = timeout.as_dict()
        request.headers["user-agent"] = self._user_agent
        try:
            response = await self._open().send(request)
        except httpx2.HTTPError as error:
            # The cause would hold the request, key and all.
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

    def _open(self) -> httpx2.AsyncClient:
        """The connections, which outlive a change of the key."""
        if self._http is None:
            self._http = httpx2.AsyncClient(
                transport=ShardedTransport(self._open_transport),
                follow_redirects=False,
                trust_env=False,
                timeout=None,
            )
        return self._http


def _build_connection_failure(
    error: httpx2.HTTPError, request: httpx2.Request, seconds: float
) -> CallFailure:
    """No answer came. Unless the connection was never made, the request may have been worked on,
    and billed.
    """
    billed = not isinstance(error, _UNSENT)
    if isinstance(error, httpx2.TimeoutException) and billed:
        return build_late_failure(seconds)
    if isinstance(error, httpx2.TimeoutException):
        late = ReplyError("timeout", "The model could not be reached in time.", True)
        return CallFailure(late)
    place = request.url.host
    kind = type(error).__name__
    message = f"The model could not be reached at {place} ({kind})."
    return CallFailure(ReplyError("network", message, True), billed=billed)
