"""A model and a search engine on 127.0.0.1 that make up their answers, for demonstrations, tests
and benches.

    with FakeServers(latency=0.2) as servers:
        environ = os.environ | servers.environ      # the model, Brave, and keys that are none
        ...
        servers.messages, servers.searches, servers.throttled, servers.most_in_flight

It speaks the Anthropic Messages API, those of other vendors (`model_dialects`) and Brave's web
search as far as we use them, counts what it is asked, and refuses what the real ones refuse. What a
question holds decides the answer: `[search]` makes the model search first, `[fail]` is a 500, and
so on (`MARKERS`). The knobs are plain attributes, to be turned at any time.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from tests.model_dialects import DIALECTS, Dialect

MODEL_KEY = "fake-model-key-0001"
SEARCH_KEY = "fake-search-key-0001"
MARKERS = (
    "[search]",
    "[two searches]",
    "[unknown tool]",
    "[no query]",
    "[fail]",
    "[refuse]",
    "[cut]",
    "[pause]",
    "[odd]",
)
_CONTENT_LENGTH = re.compile(rb"(?i)content-length:\s*(\d+)")
_REASONS = {
    200: "OK",
    400: "Bad Request",
    401: "Unauthorized",
    404: "Not Found",
    422: "Unprocessable",
    429: "Slow",
}
_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}
_LETTERS_PER_TOKEN = 4
_MOST_BODIES = 5000
_MOST_HEADS = 100
_MOST_REQUEST = 1 << 24  # bytes
_BACKLOG = 4096


@dataclass(frozen=True)
class FakeReply:
    """One answer of the servers: a JSON body with its status and headers."""

    body: dict[str, Any]
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


def error_reply(status: int, message: str, headers: dict[str, str] | None = None) -> FakeReply:
    """An error as the Messages API words it."""
    error = {"type": _ERROR_TYPES.get(status, "api_error"), "message": message}
    body = {
        "type": "error",
        "error": error,
        "request_id": "req_fake",
    }
    return FakeReply(body, status, headers or {})


class FakeServers:
    """Both servers on one port, in a thread with a loop of its own."""

    def __init__(
        self, *, latency: float = 0.0, cap: int | None = None, retry_after: str | None = "1"
    ) -> None:
        self.latency = latency  # seconds that the model thinks
        self.cap = cap  # most messages at once; more are answered 429
        self.retry_after = retry_after
        self.failures = 0  # number of further messages that are answered 500
        self.gone_models: set[str] = set()
        self.search_status = 200
        self.search_latency = 0.0
        # Seconds between two searches; one that comes sooner is answered 429.
        self.search_interval = 0.0
        self.refused_searches = 0  # of `searches`, those that got no results
        self.results = 7
        self.answer: Callable[[str, str], str] = lambda question, model: f"Answer to: {question}"
        # Goes before everything else.
        self.rule: Callable[[dict[str, Any]], FakeReply | None] | None = None
        self.messages = self.searches = self.throttled = self.failed = 0
        self.in_flight = self.most_in_flight = 0
        # The last of the messages that were asked.
        self.bodies: deque[dict[str, Any]] = deque(maxlen=_MOST_BODIES)
        self.heads: deque[bytes] = deque(maxlen=_MOST_HEADS)
        self.queries: list[str] = []
        self.moments: list[float] = []  # when each message came, by the loop's clock
        self.answered = 0
        self._next_search = 0.0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="fake-servers", daemon=True
        )
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Self:
        self._thread.start()
        starting = asyncio.start_server(
            self._serve, "127.0.0.1", 0, limit=_MOST_REQUEST, backlog=_BACKLOG
        )
        self._server = asyncio.run_coroutine_threadsafe(starting, self._loop).result()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def url(self) -> str:
        """The address of both servers."""
        assert self._server is not None
        port = self._server.sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}"

    @property
    def environ(self) -> dict[str, str]:
        """What makes a process take these for the real ones, with a search provider."""
        search = {"BRAVE_API_KEY": SEARCH_KEY}
        return self.environ_without_search | search

    @property
    def environ_without_search(self) -> dict[str, str]:
        """The same for a user who has no key of a search provider."""
        return {
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": MODEL_KEY,
            "WEBQUARRY_BRAVE_URL": self.url,
            "NO_PROXY": "127.0.0.1",
        }

    @property
    def environ_of_vendors(self) -> dict[str, str]:
        """The same for the other vendors' models."""
        environ = {"OPENAI_API_KEY": MODEL_KEY, "GEMINI_API_KEY": MODEL_KEY}
        environ["OPENROUTER_API_KEY"] = MODEL_KEY
        for name in ("OPENAI", "GEMINI", "OPENROUTER", "OLLAMA", "VLLM", "LMSTUDIO", "COMPATIBLE"):
            environ[f"WEBQUARRY_{name}_URL"] = self.url
        return environ

    async def _close(self) -> None:
        """End every connection."""
        assert self._server is not None
        self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection: requests in, replies out, until the client leaves."""
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = _CONTENT_LENGTH.search(head)
                body = b""
                if length:
                    body = await reader.readexactly(int(length[1]))
                reply = await self._route(head, body)
                writer.write(_encode_reply(reply))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass  # the client has gone, or the servers are closed
        finally:
            self._connections.discard(task)
            writer.close()

    async def _route(self, head: bytes, body: bytes) -> FakeReply:
        """The reply to a request, by its path."""
        target = head.split(b" ", 2)[1].decode()
        self.heads.append(head)
        if target.startswith("/v1/messages"):
            return await self._answer_message(head, json.loads(body), self._choose_reply)
        for dialect in DIALECTS:
            if body and dialect.matches(target, json.loads(body)):
                choose = partial(self._choose_other_reply, dialect, target)
                return await self._answer_message(head, json.loads(body), choose, dialect)
        if target.endswith("/models"):
            return self._list_models(head)
        if target.startswith("/res/v1/web/search"):
            parameters = parse_qs(urlsplit(target).query)
            query = parameters.get("q", [""])[0]
            return await self._answer_search(head, query)
        return error_reply(404, "no such path")

    async def _answer_message(
        self,
        head: bytes,
        body: dict[str, Any],
        choose: Callable[[bytes, dict[str, Any]], FakeReply],
        dialect: Dialect | None = None,
    ) -> FakeReply:
        """Count the message and answer it, unless there are too many at once."""
        self.messages += 1
        self.moments.append(self._loop.time())
        self.bodies.append(body)
        if self.cap is not None and self.in_flight >= self.cap:
            self.throttled += 1
            headers = {}
            if self.retry_after is not None:
                headers["retry-after"] = self.retry_after
            message = "This request would exceed your organization's rate limit."
            if dialect is not None:
                return FakeReply(dialect.build_error(429, message), 429, headers)
            return error_reply(429, message, headers)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            if self.latency:
                await asyncio.sleep(self.latency)
            reply = choose(head, body)
        finally:
            self.in_flight -= 1
        self.answered += reply.status == 200
        self.failed += reply.status >= 500
        return reply

    def _choose_reply(self, head: bytes, body: dict[str, Any]) -> FakeReply:
        """What the rule says, else what the real one would refuse, else what the model says."""
        if self.rule is not None:
            reply = self.rule(body)
            if reply is not None:
                return reply
        refusal = _find_refusal(head, body)
        if refusal is not None:
            return refusal
        if body["model"] in self.gone_models:
            return error_reply(404, f"model: {body['model']}")
        question = first_text(body)
        if self.failures > 0 or "[fail]" in question:
            self.failures -= self.failures > 0
            return error_reply(500, "Internal server error")
        answer = self.answer(question, body["model"])
        return FakeReply(_build_model_turn(question, body, answer))

    def _choose_other_reply(
        self, dialect: Dialect, target: str, head: bytes, body: dict[str, Any]
    ) -> FakeReply:
        """The same in another vendor's words."""
        if self.rule is not None:
            reply = self.rule(body)
            if reply is not None:
                return reply
        question = dialect.read_question(body)
        model = dialect.find_model(target, body)
        wanted = dialect.key_header.format(key=MODEL_KEY).encode()
        fault = dialect.find_fault(body)
        if dialect.needs_key and wanted not in head.lower():
            return FakeReply(dialect.build_error(401, "the key is wrong"), 401)
        if fault is not None:
            return FakeReply(dialect.build_error(400, fault), 400)
        if model in self.gone_models:
            return FakeReply(dialect.build_error(404, f"no model {model}"), 404)
        if self.failures > 0 or "[fail]" in question:
            self.failures -= self.failures > 0
            return FakeReply(dialect.build_error(500, "Internal server error"), 500)
        answer = self.answer(question, model)
        return FakeReply(dialect.build_turn(question, body, answer))

    def _list_models(self, head: bytes) -> FakeReply:
        """The list of models, for requests with a key."""
        headers = (b"authorization:", b"x-api-key:", b"x-goog-api-key:")
        has_key = any(header in head.lower() for header in headers)
        if has_key and MODEL_KEY.encode() not in head:
            return error_reply(401, "the key is wrong")
        return FakeReply({"data": [{"id": "a-model"}], "models": [{"name": "models/a-model"}]})

    async def _answer_search(self, head: bytes, query: str) -> FakeReply:
        """Count the search and make up its results, unless it is refused."""
        self.searches += 1
        self.queries.append(query)
        refusal = self._find_search_refusal(head)
        if refusal is not None:
            self.refused_searches += 1
            return refusal
        if self.search_latency:
            await asyncio.sleep(self.search_latency)
        return FakeReply(_build_results(query, self.results))

    def _find_search_refusal(self, head: bytes) -> FakeReply | None:
        """What Brave would not answer: a wrong key, too many searches, or what `search_status`
        says.
        """
        if f"x-subscription-token: {SEARCH_KEY}".encode() not in head.lower():
            problem = {"code": "SUBSCRIPTION_TOKEN_INVALID", "detail": "invalid", "status": 422}
            return FakeReply({"type": "ErrorResponse", "error": problem}, 422)
        if self.search_status != 200:
            problem = {"code": "OTHER", "detail": "no"}
            return FakeReply({"type": "ErrorResponse", "error": problem}, self.search_status)
        now = self._loop.time()
        if now < self._next_search:
            problem = {"code": "RATE_LIMITED", "detail": "Request rate limit exceeded for plan."}
            return FakeReply({"type": "ErrorResponse", "error": problem}, 429)
        self._next_search = now + self.search_interval
        return None


def _build_results(query: str, count: int) -> dict[str, Any]:
    """The results of a search as Brave words them."""
    hits = []
    for number in range(1, count + 1):
        hit = {
            "title": f"{query} ({number})",
            "url": f"https://site{number}.example/",
            "description": f"Finding {number} on {query}.",
        }
        hits.append(hit)
    return {
        "type": "search",
        "query": {"original": query},
        "web": {"type": "search", "results": hits},
    }


def first_text(body: dict[str, Any]) -> str:
    """The text of the first message: the question."""
    content = body["messages"][0]["content"]
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


def _find_refusal(head: bytes, body: dict[str, Any]) -> FakeReply | None:
    """What the real one would not take: a wrong key, a removed parameter, a tool call without its
    result.
    """
    # A key may come in either header.
    lowered = head.lower()
    keys = (
        f"authorization: bearer {MODEL_KEY}",
        f"x-api-key: {MODEL_KEY}",
    )
    if not any(key.encode() in lowered for key in keys):
        return error_reply(401, "invalid x-api-key")
    for name in ("temperature", "top_p", "top_k"):
        if name in body:
            return error_reply(400, f"{name}: Extra inputs are not permitted")
    # Each tool call has its result in the turn that follows, and the tools are still on offer.
    turns = body["messages"]
    for turn, next_turn in zip(turns, [*turns[1:], None], strict=True):
        calls = _collect_ids(turn, "tool_use", "id")
        results = _collect_ids(next_turn, "tool_result", "tool_use_id")
        if calls and (calls != results or "tools" not in body):
            return error_reply(
                400, "`tool_use` ids were found without `tool_result` blocks immediately after"
            )
    return None


def _collect_ids(turn: dict[str, Any] | None, kind: str, field: str) -> set[str]:
    """The ids in the blocks of one kind; a turn that is plain text has no blocks."""
    if turn is None or isinstance(turn["content"], str):
        return set()
    ids = set()
    for block in turn["content"]:
        if block["type"] == kind:
            ids.add(block[field])
    return ids


def _build_model_turn(question: str, body: dict[str, Any], answer: str) -> dict[str, Any]:
    """The model's turn: markers in the question decide it, and a search is wanted only where it is
    on offer.
    """
    is_first = len(body["messages"]) == 1
    may_search = "tools" in body and body.get("tool_choice", {}).get("type") != "none"
    uses = _choose_tool_uses(question)
    if is_first and may_search and uses:
        opening = {"type": "text", "text": "I will look that up."}
        return _build_message(body, [opening, *uses], "tool_use")
    if "[pause]" in question and is_first:
        opening = {"type": "text", "text": "Working on it. "}
        return _build_message(body, [opening], "pause_turn")
    if "[refuse]" in question:
        details = {
            "type": "refusal",
            "category": "cyber",
            "explanation": "The request may enable misuse.",
        }
        return _build_message(body, [], "refusal") | {"stop_details": details}
    reason = "end_turn"
    if "[cut]" in question:
        reason = "max_tokens"
    elif "[odd]" in question:
        reason = "something_new"
    whole = {"type": "text", "text": answer}
    return _build_message(body, [whole], reason)


def _choose_tool_uses(question: str) -> list[dict[str, Any]]:
    """The tool calls that a question's marker requests."""
    context = question.partition("Context: ")[2].partition("\n")[0]
    use = {
        "type": "tool_use",
        "id": "toolu_01A",
        "name": "web_search",
        "input": {"query": context or "anything"},
    }
    if "[search]" in question:
        return [use]
    if "[two searches]" in question:
        return [use, use | {"id": "toolu_01B"}]
    if "[unknown tool]" in question:
        return [use | {"name": "run_shell", "input": {"command": "ls"}}]
    if "[no query]" in question:
        return [use | {"input": {}}]
    return []


def _build_message(
    body: dict[str, Any], content: list[dict[str, Any]], reason: str
) -> dict[str, Any]:
    """A message as the Messages API has it; tokens are reckoned by the length of the texts."""
    sent = len(json.dumps(body))
    letters = sum(len(part.get("text", "")) for part in content)
    return {
        "id": "msg_fake",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {
            "input_tokens": max(1, sent // _LETTERS_PER_TOKEN),
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": min(body["max_tokens"], letters // _LETTERS_PER_TOKEN + 1),
            "server_tool_use": None,
        },
    }


def _encode_reply(reply: FakeReply) -> bytes:
    """A reply as HTTP sends it."""
    body = json.dumps(reply.body).encode()
    lines = [
        f"HTTP/1.1 {reply.status} {_REASONS.get(reply.status, 'Status')}",
        "content-type: application/json",
    ]
    for name, value in reply.headers.items():
        lines.append(f"{name}: {value}")
    lines += [f"content-length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode() + body
