"""The Messages API by the official SDK: the bytes of a request go in, the reply's body or a `Fault`
comes out.

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

from webquarry.ask.exchange.sharded_transport import Spread
from webquarry.ask.models import ReplyError
from webquarry.clock import Clock
from webquarry.errors import MissingExtra
from webquarry.net.http.status import retry_after_seconds
from webquarry.secret import Secret, redact

if TYPE_CHECKING:
    from anthropic import APIConnectionError, APIStatusError, AsyncAnthropic

ORIGIN = "https://api.anthropic.com"
_MOST_WORDS = 300  # characters of the provider's own words in one of our messages
_UNSENT = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.PoolTimeout,
    httpx2.ProxyError,
    httpx2.UnsupportedProtocol,
)
_LASTING = {400: "bad_request", 401: "auth", 402: "billing", 403: "forbidden", 413: "too_large"}


@dataclass
class Fault(Exception):
    """A call without an answer. `retry_after` is what the provider asked for; `billed` says that it
    may have cost.
    """

    trouble: ReplyError
    status: int | None = None
    retry_after: float | None = None
    billed: bool = False

    @property
    def throttles(self) -> bool:
        """The provider has too much to do: everybody waits."""
        return self.status in (429, 529)


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
        """The reply to one request, of which `content` is the body. Raises `Fault`; nothing is
        tried twice here.
        """
        client = self._client(key)
        from anthropic import APIConnectionError, APIStatusError

        try:
            options: Any = {"timeout": httpx2.Timeout(seconds, connect=min(10.0, seconds))}
            reply = await client.post(
                "/v1/messages", cast_to=httpx2.Response, content=content, options=options
            )
        except APIStatusError as error:
            raise self._refused(error, model) from None  # the cause holds the request, key and all
        except APIConnectionError as error:
            raise _lost(error) from None
        return _message(reply)

    async def aclose(self) -> None:
        if self._http is not None:
            await self._http.aclose()
            self._http, self._sdk = None, None

    def _client(self, key: Secret) -> AsyncAnthropic:
        if self._sdk is None or self._sdk[0] != key:
            try:
                from anthropic import AsyncAnthropic
            except ImportError as error:
                raise MissingExtra("ask", "Asking a model") from error
            if self._http is None:
                self._http = httpx2.AsyncClient(
                    transport=Spread(self._open_transport),
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
        return self._sdk[1]

    def _refused(self, error: APIStatusError, model: str) -> Fault:
        """The fault that a status stands for; the provider's words are told, its message is never
        looked at.
        """
        status, headers = error.status_code, error.response.headers
        said, told = (
            _words(error),
            headers.get("x-should-retry"),
        )  # which goes before what the status stands for
        wait = _milliseconds(headers) or retry_after_seconds(headers, self._clock.now())
        if status == 429:
            asked = told != "false" and (
                wait is not None or told == "true"
            )  # without: the account's own cap
            advice = (
                " It named no time to come back, as it does when a limit of the account is used up."
            )
            if asked:
                advice = ""
            trouble = ReplyError(
                "rate_limited", f"The model's provider asked us to slow down: {said}{advice}", asked
            )
            return Fault(trouble, status, wait or (1.0 if asked else None))
        if status == 404 and error.type == "not_found_error":
            return Fault(ReplyError("model_gone", _gone(model)), status)
        if status == 404:
            return Fault(ReplyError("no_api", _elsewhere(self.origin)), status)
        if status == 401:
            return Fault(
                ReplyError("auth", f"The Anthropic API did not accept the key: {said}"), status
            )
        passing = told == "true" or (
            told != "false" and (status in (408, 409, 425) or status >= 500)
        )
        failed = passing or status >= 500
        code = _LASTING.get(
            status, "overloaded" if status == 529 else "server_error" if failed else "bad_request"
        )
        return Fault(
            ReplyError(code, f"The model's provider answered HTTP {status}: {said}", passing),
            status,
            wait,
        )


def _gone(model: str) -> str:
    return (
        f"The model {redact(model)!r} is not to be had: it was retired, or never existed. "
        "Choose another one: stps_set_model('claude-sonnet-5-5') in SQL, --model or "
        "WEBQUARRY_ASK_MODEL elsewhere."
    )


def _elsewhere(origin: str) -> str:
    return f"There is no Messages API at {httpx2.URL(origin).host} (HTTP 404); ANTHROPIC_BASE_URL may be wrong."


def _words(error: APIStatusError) -> str:
    if isinstance(error.api_message, str):
        said = error.api_message
    else:
        said = str(error.type or "no reason was given")
    return redact(" ".join(said.split()))[:_MOST_WORDS]


def _milliseconds(headers: httpx2.Headers) -> float | None:
    value = headers.get("retry-after-ms", "")
    if value.isascii() and value.isdigit() and len(value) < 10:
        return int(value) / 1000
    return None


def _lost(error: APIConnectionError) -> Fault:
    """No answer came. Unless the connection was never made, the request may have been worked on,
    and billed.
    """
    cause = error.__cause__
    billed = not isinstance(cause, _UNSENT)
    if isinstance(cause, httpx2.TimeoutException):
        return Fault(
            ReplyError("timeout", "The model did not answer in time.", True), billed=billed
        )
    if cause is not None:
        kind = type(cause).__name__
    else:
        kind = type(error).__name__
    return Fault(
        ReplyError("network", f"The model could not be reached ({kind}).", True), billed=billed
    )


def _message(reply: httpx2.Response) -> dict[str, Any]:
    """The body, if it is a message; whatever else a 200 holds was perhaps paid for, and is no
    answer.
    """
    try:
        found = json.loads(reply.content)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("content"), list):
        raise Fault(
            ReplyError(
                "bad_answer", "The model's provider answered with something that is no message."
            ),
            billed=True,
        )
    found["content"] = [block for block in found["content"] if isinstance(block, dict)]
    return found
