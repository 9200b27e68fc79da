"""The Messages API by the official SDK: the bytes of a request go in, the reply's body or a
`CallFailure` comes out.

The SDK's own retries are off: ours are counted, share one pause and know the budget. The key and
the address are given explicitly, its tracing is off (it can write questions into spans), and no
redirect takes the key elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx2

from webquarry.ask.exchange.sharded_transport import ShardedTransport
from webquarry.ask.models import ReplyError
from webquarry.clock import Clock
from webquarry.errors import LONGEST_WAIT_SECONDS, MissingExtra
from webquarry.net.http.status import retry_after_seconds
from webquarry.secret import Secret, redact

if TYPE_CHECKING:
    from anthropic import APIConnectionError, APIStatusError, AsyncAnthropic

ORIGIN = "https://api.anthropic.com"
_MOST_WORDS = 300  # characters of the provider's own words in one of our messages
_CONNECT_SECONDS = 10.0
_UNASKED_PAUSE_SECONDS = 1.0  # where the provider wants a pause and names none
_UNSENT = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.PoolTimeout,
    httpx2.ProxyError,
    httpx2.UnsupportedProtocol,
)
_LASTING = {400: "bad_request", 401: "auth", 402: "billing", 403: "forbidden", 413: "too_large"}
_PASSING = (408, 409, 425)
_OVERLOADED = 529


@dataclass
class CallFailure(Exception):
    """A call without an answer. `retry_after` is what the provider asked for; `billed` says that it
    may have cost.
    """

    error: ReplyError
    status: int | None = None
    retry_after: float | None = None
    billed: bool = False

    @property
    def is_throttling(self) -> bool:
        """The provider has too much to do: everybody waits."""
        return self.status in (429, _OVERLOADED)

    @property
    def is_late(self) -> bool:
        """No answer came in time."""
        return self.error.code == "timeout"


class ModelClient:
    """The connections to the model. Belongs to one event loop."""

    def __init__(
        self, origin: str, open_transport: Callable[[], httpx2.AsyncBaseTransport], clock: Clock
    ) -> None:
        self.origin = origin
        self._open_transport = open_transport
        self._clock = clock
        self._http: httpx2.AsyncClient | None = None
        self._sdk: tuple[Secret, AsyncAnthropic] | None = None

    async def send(self, key: Secret, model: str, content: bytes, seconds: float) -> dict[str, Any]:
        """The reply to one request, of which `content` is the body. Raises `CallFailure`; nothing
        is tried twice here.
        """
        client = self._get_sdk(key)
        from anthropic import APIConnectionError, APIStatusError

        timeout = httpx2.Timeout(seconds, connect=min(_CONNECT_SECONDS, seconds))
        options: Any = {"timeout": timeout}
        try:
            reply = await client.post(
                "/v1/messages", cast_to=httpx2.Response, content=content, options=options
            )
        except APIStatusError as error:
            # The cause holds the request, key and all.
            raise self._build_status_failure(error, model) from None
        except APIConnectionError as error:
            raise _build_connection_failure(error, seconds) from None
        return _parse_message(reply)

    async def aclose(self) -> None:
        """Close the connections; the next call opens new ones."""
        if self._http is not None:
            await self._http.aclose()
            self._http, self._sdk = None, None

    def _get_sdk(self, key: Secret) -> AsyncAnthropic:
        """The SDK's client for this key; the connections outlive a change of it."""
        if self._sdk is not None and self._sdk[0] == key:
            return self._sdk[1]
        try:
            from anthropic import AsyncAnthropic
        except ImportError as error:
            raise MissingExtra("ask", "Asking a model") from error
        if self._http is None:
            self._http = httpx2.AsyncClient(
                transport=ShardedTransport(self._open_transport),
                follow_redirects=False,
                trust_env=False,
                timeout=None,
            )
        client = AsyncAnthropic(
            api_key=key.reveal(),
            base_url=self.origin,
            max_retries=0,
            http_client=self._http,
            open_telemetry=False,
        )
        self._sdk = (key, client)
        return client

    def _build_status_failure(self, error: APIStatusError, model: str) -> CallFailure:
        """The failure that a status stands for; the provider's words are told, its message is never
        looked at.
        """
        status = error.status_code
        headers = error.response.headers
        words = str(error.type or "no reason was given")
        if isinstance(error.api_message, str):
            words = error.api_message
        words = redact(" ".join(words.split()))[:_MOST_WORDS]
        should_retry = headers.get("x-should-retry")  # goes before what the status stands for
        wait = _parse_retry_after_ms(headers) or retry_after_seconds(headers, self._clock.now())
        if status == 429:
            return _build_rate_limit_failure(words, should_retry, wait)
        if status == 404 and error.type == "not_found_error":
            message = (
                f"The model {redact(model)!r} is not to be had: it was retired, or never existed. "
                "Choose another one: stps_set_model('claude-sonnet-5-5') in SQL, --model or "
                "WEBQUARRY_ASK_MODEL elsewhere."
            )
            return CallFailure(ReplyError("model_gone", message), status)
        if status == 404:
            host = httpx2.URL(self.origin).host
            message = (
                f"There is no Messages API at {host} (HTTP 404); ANTHROPIC_BASE_URL may be wrong."
            )
            return CallFailure(ReplyError("no_api", message), status)
        if status == 401:
            message = f"The Anthropic API did not accept the key: {words}"
            return CallFailure(ReplyError("auth", message), status)
        passes = should_retry == "true"
        if should_retry not in ("true", "false"):
            passes = status in _PASSING or status >= 500
        if status in _LASTING:
            code = _LASTING[status]
        elif status == _OVERLOADED:
            code = "overloaded"
        elif passes or status >= 500:
            code = "server_error"
        else:
            code = "bad_request"
        message = f"The model's provider answered HTTP {status}: {words}"
        return CallFailure(ReplyError(code, message, passes), status, wait)


def _build_rate_limit_failure(
    words: str, should_retry: str | None, wait: float | None
) -> CallFailure:
    """A 429; without a time to come back it is the account's own cap, and there is no use in
    waiting.
    """
    retryable = should_retry != "false" and (wait is not None or should_retry == "true")
    message = f"The model's provider asked us to slow down: {words}"
    if not retryable:
        message += (
            " It named no time to come back, as it does when a limit of the account is used up."
        )
    if not wait:
        wait = _UNASKED_PAUSE_SECONDS if retryable else None
    return CallFailure(ReplyError("rate_limited", message, retryable), 429, wait)


def _parse_retry_after_ms(headers: httpx2.Headers) -> float | None:
    """The seconds of a `retry-after-ms` header."""
    value = headers.get("retry-after-ms", "")
    if value.isascii() and value.isdigit() and len(value) < 10:
        return min(int(value) / 1000, LONGEST_WAIT_SECONDS)
    return None


def build_late_failure(seconds: float) -> CallFailure:
    """The model was asked, and did not answer in so many seconds."""
    message = (
        f"The model did not answer within {seconds:.0f} seconds. The call may have been billed, so "
        "it was not repeated; ask again, or for a shorter answer (max_tokens)."
    )
    return CallFailure(ReplyError("timeout", message, True), billed=True)


def _build_connection_failure(error: APIConnectionError, seconds: float) -> CallFailure:
    """No answer came. Unless the connection was never made, the request may have been worked on,
    and billed.
    """
    cause = error.__cause__
    billed = not isinstance(cause, _UNSENT)
    if isinstance(cause, httpx2.TimeoutException) and billed:
        return build_late_failure(seconds)
    if isinstance(cause, httpx2.TimeoutException):
        late = ReplyError("timeout", "The model could not be reached in time.", True)
        return CallFailure(late)
    reason = error if cause is None else cause
    kind = type(reason).__name__
    unreachable = ReplyError("network", f"The model could not be reached ({kind}).", True)
    return CallFailure(unreachable, billed=billed)


def _parse_message(reply: httpx2.Response) -> dict[str, Any]:
    """The body, if it is a message; whatever else a 200 holds was perhaps paid for, and is no
    answer.
    """
    try:
        message = json.loads(reply.content)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict) or not isinstance(message.get("content"), list):
        raise CallFailure(
            ReplyError(
                "bad_answer", "The model's provider answered with something that is no message."
            ),
            billed=True,
        )
    message["content"] = [block for block in message["content"] if isinstance(block, dict)]
    return message
