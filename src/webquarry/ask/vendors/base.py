"""The contract of a model vendor: build requests, parse responses, classify errors. Nothing here
opens a socket.

    body = vendor.build_body(request)                       # the first question
    turn = vendor.parse_reply(send(vendor.build_request(encode(body), model, key)), model)
    body = vendor.build_next_body(body, turn, outcomes, request)   # after a search, or a pause

A model name starts with its vendor (`openai/gpt-6-luna`); names without one are Anthropic's.
"""

from __future__ import annotations

import ipaddress
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Literal

import httpx2

from webquarry.ask.models import ReplyError
from webquarry.ask.prices import Tokens
from webquarry.credentials import Credential
from webquarry.errors import LONGEST_WAIT_SECONDS, BadInput
from webquarry.net.failures import retry_after_seconds
from webquarry.net.models import Reply
from webquarry.registry import members_of
from webquarry.secret import Secret, redact

BARE_VENDOR = "anthropic"  # the vendor of names without a slash
THINKING_TOKENS = 2000  # allowance in addition to the answer, for models that always think
WEB_SEARCH = "web_search"
SEARCH_WORDS = "Search the web for current information"
QUERY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"query": {"type": "string", "description": "Search query"}},
    "required": ["query"],
}
STRICT_QUERY_SCHEMA: dict[str, Any] = {**QUERY_SCHEMA, "additionalProperties": False}
_VERSION = re.compile(r"v\d{1,3}(?:alpha|beta)?\d{0,3}", re.ASCII)
_MAX_MESSAGE = 300  # characters of the vendor's message in an error

Body = dict[str, Any]
Stop = Literal["end", "tool", "cut", "refused", "paused", "unknown"]
# Codes of errors by HTTP status; other statuses are "server_error" or "bad_request".
_CODES = {
    400: "bad_request",
    401: "auth",
    402: "billing",
    403: "forbidden",
    404: "no_api",
    413: "too_large",
    429: "rate_limited",
    529: "overloaded",
}
_TRANSIENT = (408, 409, 425)
_THROTTLING = ("rate_limited", "overloaded")
_MESSAGES = {
    "auth": "{label} did not accept the key: {words}",
    "quota": "The account's quota at the model's provider is used up: {words}",
    "rate_limited": "The model's provider asked us to slow down: {words}",
    "overloaded": "The model's provider asked us to slow down: {words}",
    "model_gone": "The model {model} is not available: {advice}",
    "too_large": "The question is too long for the model: {words}",
    "refused": "The model declined to answer: {words}",
    "no_api": "{label} was not found at {host} (HTTP 404); its address may be wrong.",
}


@dataclass(frozen=True)
class ModelRequest:
    """One question, independent of the vendor."""

    model: str  # the vendor's name for it
    max_tokens: int
    question: str
    instructions: str | None = None
    schema: Mapping[str, Any] | None = None  # JSON Schema of a typed answer
    offers_search: bool = False


@dataclass(frozen=True)
class SearchCall:
    """A tool call of the model; `query` is None if its arguments have none."""

    id: str
    name: str
    query: str | None


@dataclass(frozen=True)
class SearchOutcome:
    """The result of a tool call."""

    call: SearchCall
    text: str
    failed: bool


@dataclass(frozen=True)
class Turn:
    """The model's response to one request. `raw` is the vendor's own turn, which is sent back
    unchanged.
    """

    text: str
    stop: Stop
    why: str  # the vendor's stop reason
    calls: tuple[SearchCall, ...] = ()
    tokens: Tokens | None = None  # None if the vendor reports none
    usd: float | None = None  # if the vendor reports the cost
    explanation: str = ""  # of a refusal
    raw: Any = None


@dataclass
class CallFailure(Exception):
    """A call without an answer. `billed`: it may have cost something; `is_throttling`: all callers
    wait.
    """

    error: ReplyError
    retry_after: float | None = None
    billed: bool = False
    is_throttling: bool = False


class ModelVendor(ABC):
    """One vendor, at one address."""

    name: ClassVar[str]
    label: ClassVar[str]  # as the subject of a sentence
    credentials: ClassVar[tuple[Credential, ...]] = ()  # the first that is set is used
    default_url: ClassVar[str] = ""  # empty: the user has to set one
    version: ClassVar[str] = "v1"  # of the API, in the path
    is_own_server: ClassVar[bool] = False  # run by the user: no key, slow to start, often free
    takes_schema_beside_tools: ClassVar[bool] = False
    advice_when_gone: ClassVar[str] = (
        "it was retired, or never existed. Choose another one: --model or WEBQUARRY_ASK_MODEL."
    )

    def __init__(self, url: str = "") -> None:
        self.url = url.rstrip("/") or self.default_url
        variable = f"WEBQUARRY_{self.name.upper()}_URL"
        if not self.url:
            raise BadInput(
                f"The vendor {self.name!r} has no address.",
                suggested_action=f"Set {variable} to the address of the server, such as "
                "http://127.0.0.1:8000.",
            )
        parsed = httpx2.URL(self.url)
        if parsed.scheme not in ("http", "https") or not parsed.host:
            raise BadInput(
                f"{variable} is not an http(s) address.",
                suggested_action="Include the scheme, such as http://127.0.0.1:8000.",
            )
        has_version = _VERSION.fullmatch(parsed.path.rpartition("/")[2])
        self.base = self.url if has_version else f"{self.url}/{self.version}"
        self.is_on_this_machine = is_loopback(self.url)
        self.is_free = self.is_own_server and self.is_on_this_machine  # unless it has a price
        self.may_send_key = self.url.lower().startswith("https://") or self.is_on_this_machine

    def count_thinking_tokens(self, model: str) -> int:
        """Return the allowance for thinking, in tokens."""
        return 0

    def limit_tokens(self, request: ModelRequest) -> int:
        """Return the token limit to send, thinking included; the cost is reserved for it."""
        return request.max_tokens + self.count_thinking_tokens(request.model)

    @abstractmethod
    def build_body(self, request: ModelRequest) -> Body:
        """Return the body of the first call; with the search tool if the request offers it."""

    @abstractmethod
    def build_next_body(
        self, body: Body, turn: Turn, outcomes: Sequence[SearchOutcome], request: ModelRequest
    ) -> Body:
        """Return the body of the next call: the turn, then the results of its tool calls, and no
        choice of tools. Without outcomes the model is asked to continue.
        """

    @abstractmethod
    def get_path(self, model: str) -> str:
        """Return the path of a call, below the base address."""

    @abstractmethod
    def parse_turn(self, body: Any) -> Turn:
        """Return the turn in the JSON of a successful response. Raises CallFailure."""

    def classify_error(self, status: int, error: Body) -> str | None:
        """Return the code of an error response by its `error` object; None if the HTTP status
        decides.
        """
        return None

    def read_wait(self, reply: Reply, error: Body) -> float | None:
        """Return the seconds to wait that a response asks for."""
        value = reply.headers.get("retry-after-ms", "")
        if value.isascii() and value.isdigit() and len(value) < 10:
            return min(int(value) / 1000, LONGEST_WAIT_SECONDS)
        return retry_after_seconds(reply.headers, reply.fetched_at)

    def simplify(self, body: Body, request: ModelRequest) -> tuple[str, Body] | None:
        """Return a body without an optional feature and the name of that feature, for servers that
        reject the body; None if there is nothing to leave out.
        """
        return None

    def build_request(self, content: bytes, model: str, key: Secret | None) -> httpx2.Request:
        """Return the request that sends a body."""
        url = f"{self.base}/{self.get_path(model)}"
        return httpx2.Request("POST", url, headers=self.build_headers(key), content=content)

    def build_probe(self, key: Secret | None) -> httpx2.Request:
        """Return a free request that checks the key: the list of models."""
        return httpx2.Request("GET", f"{self.base}/models", headers=self.build_headers(key))

    def build_headers(self, key: Secret | None) -> dict[str, str]:
        """Return the headers of every request."""
        headers = {"content-type": "application/json", "accept": "application/json"}
        if key is not None:
            headers["authorization"] = f"Bearer {key.reveal()}"
        return headers

    def parse_reply(self, reply: Reply, model: str) -> Turn:
        """Return the turn in a response. Raises CallFailure for anything else."""
        try:
            body = json.loads(reply.body)
        except (ValueError, RecursionError):
            body = None
        if reply.status == 200:
            return self.parse_turn(body)
        raise self._build_failure(reply, read_error(body), model)

    def _build_failure(self, reply: Reply, error: Body, model: str) -> CallFailure:
        """Return the failure of an error response. The vendor's `x-should-retry` takes precedence
        over the code.
        """
        status = reply.status
        default = "server_error" if status >= 500 or status in _TRANSIENT else "bad_request"
        code = self.classify_error(status, error) or _CODES.get(status, default)
        template = _MESSAGES.get(code, "The model's provider answered HTTP {status}: {words}")
        texts = (error.get("message"), error.get("code"), error.get("type"), error.get("status"))
        message = template.format(
            words=clean_words(*texts),
            status=status,
            label=self.label,
            model=repr(redact(model)),
            advice=self.advice_when_gone,
            host=httpx2.URL(self.url).host,
        )
        retryable = code == "server_error" or code in _THROTTLING
        should_retry = reply.headers.get("x-should-retry")
        if should_retry in ("true", "false"):
            retryable = should_retry == "true"
        return CallFailure(
            ReplyError(code, message, retryable),
            retry_after=self.read_wait(reply, error) if retryable else None,
            is_throttling=code in _THROTTLING,
        )


def fail(code: str, message: str, *, retryable: bool = False, billed: bool = False) -> CallFailure:
    """Return a failure with this error."""
    return CallFailure(ReplyError(code, message, retryable), billed=billed)


def build_late_failure(seconds: float) -> CallFailure:
    """Return the failure of a call that took longer than `seconds`."""
    message = (
        f"The model did not answer within {seconds:.0f} seconds. The call may have been billed, so "
        "it was not repeated; ask again, or for a shorter answer (max_tokens)."
    )
    return fail("timeout", message, retryable=True, billed=True)


def fail_malformed(what: str) -> CallFailure:
    """Return the failure of a successful response that has no answer; it may have been billed."""
    message = f"The model's provider returned something that is not a {what}."
    return fail("bad_answer", message, billed=True)


def read_error(body: Any) -> Body:
    """Return the `error` object of a body; a bare text becomes its message."""
    error = body.get("error") if isinstance(body, dict) else None
    if isinstance(error, str):
        return {"message": error}
    return error if isinstance(error, dict) else {}


def clean_words(*candidates: Any) -> str:
    """Return the first non-blank text as one short line, with secrets masked."""
    for candidate in candidates:
        if isinstance(candidate, str) and candidate.strip():
            return redact(" ".join(candidate.split()))[:_MAX_MESSAGE]
    return "no reason was given"


def read_query(arguments: Any) -> str | None:
    """Return the query in the arguments of a tool call, an object or its JSON; None without one."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return None
    query = arguments.get("query") if isinstance(arguments, dict) else None
    if not isinstance(query, str) or not query.strip():
        return None
    return query


def read_count(value: Any, name: str) -> int:
    """Return a count of an object; 0 if it is missing or invalid."""
    count = value.get(name) if isinstance(value, dict) else None
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        return 0
    return count


@cache
def find_vendors() -> Mapping[str, type[ModelVendor]]:
    """Return every vendor by name, those of other packages included."""
    kinds: list[type[ModelVendor]] = members_of(
        "webquarry.ask.vendors", ModelVendor, group="webquarry.models"
    )
    return {kind.name: kind for kind in sorted(kinds, key=lambda kind: kind.name)}


def split_model(name: str) -> tuple[str, str]:
    """Split a model name into vendor and model."""
    vendor, slash, model = name.partition("/")
    if slash and vendor.lower() in find_vendors():
        return vendor.lower(), model
    return BARE_VENDOR, name


def open_vendor(name: str, origins: Mapping[str, str]) -> ModelVendor:
    """Return a vendor at the address of the settings, or at its default."""
    return find_vendors()[name](origins.get(name, ""))


def is_loopback(url: str) -> bool:
    """Whether an address is on this machine."""
    host = httpx2.URL(url).host.lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
