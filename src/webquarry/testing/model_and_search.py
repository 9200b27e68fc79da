"""A model and a search engine on 127.0.0.1 that make up their answers, for demonstrations, tests
and benches.

    with FakeServers(latency=0.2) as servers:
        environ = os.environ | servers.environ      # the model, Brave, and keys that are none
        ...
        servers.messages, servers.searches, servers.throttled, servers.most_in_flight

It speaks the Anthropic Messages API and Brave's web search as far as we use them, counts what it is
asked, and refuses what the real ones refuse. What a question holds decides the answer: `[search]`
makes the model search first, `[fail]` is a 500, and so on (`MARKERS`). The knobs are plain
attributes, to be turned at any time.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

MODEL_KEY = "rehearsal-model-key-0001"
SEARCH_KEY = "rehearsal-search-key-0001"
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
_HEAD = re.compile(rb"(?i)content-length:\s*(\d+)")
_REASONS = {
    200: "OK",
    400: "Bad Request",
    401: "Unauthorized",
    404: "Not Found",
    422: "Unprocessable",
    429: "Slow",
}
_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    429: "rate_limit_error",
}


@dataclass(frozen=True)
class FakeReply:
    """One answer of the servers."""

    body: dict[str, Any]
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


def error_reply(status: int, message: str, headers: dict[str, str] | None = None) -> FakeReply:
    """An error as the Messages API words it."""
    kind = _KINDS.get(status, "overloaded_error" if status == 529 else "api_error")
    body = {
        "type": "error",
        "error": {"type": kind, "message": message},
        "request_id": "req_rehearsal",
    }
    return FakeReply(body, status, headers or {})


class FakeServers:
    """The servers: a thread with a loop of its own, one port for both servers."""

    def __init__(
        self, *, latency: float = 0.0, cap: int | None = None, retry_after: str | None = "1"
    ) -> None:
        self.latency = latency  # seconds that the model thinks
        self.cap = cap  # most messages at once; more are answered 429
        self.retry_after = retry_after
        self.failures = 0  # so many messages more are answered 500
        self.gone_models: set[str] = set()
        self.search_status = 200
        self.search_latency = 0.0
        self.results = 7
        self.answer: Callable[[str, str], str] = lambda question, model: f"Answer to: {question}"
        self.rule: Callable[[dict[str, Any]], FakeReply | None] | None = (
            None  # goes before everything else
        )
        self.messages = self.searches = self.throttled = self.failed = 0
        self.in_flight = self.most_in_flight = 0
        self.bodies: deque[dict[str, Any]] = deque(
            maxlen=5000
        )  # the last of the messages that were asked
        self.heads: deque[bytes] = deque(maxlen=100)
        self.queries: list[str] = []
        self.moments: list[float] = []  # when each message came, by the loop's clock
        self.answered = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="rehearsal", daemon=True
        )
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Self:
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self._serve, "127.0.0.1", 0, limit=1 << 24, backlog=4096),
            self._loop,
        ).result()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    @property
    def environ(self) -> dict[str, str]:
        """What makes a process take the servers for the real ones, with a search provider."""
        return self.environ_without_search | {"BRAVE_API_KEY": SEARCH_KEY}

    @property
    def environ_without_search(self) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": MODEL_KEY,
            "WEBQUARRY_BRAVE_URL": self.url,
            "WEBQUARRY_HTTP2": "0",
            "NO_PROXY": "127.0.0.1",
        }

    async def _end(self) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = _HEAD.search(head)
                body = await reader.readexactly(int(length[1])) if length else b""
                said = await self._said(head, body)
                writer.write(_packed(said))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass  # the client has gone, or the curtain has fallen
        finally:
            self._connections.discard(task)
            writer.close()

    async def _said(self, head: bytes, body: bytes) -> FakeReply:
        target = head.split(b" ", 2)[1].decode()
        self.heads.append(head)
        if target.startswith("/v1/messages"):
            return await self._message(head, json.loads(body))
        if target.startswith("/res/v1/web/search"):
            return await self._search(head, parse_qs(urlsplit(target).query).get("q", [""])[0])
        return error_reply(404, "no such path")

    async def _message(self, head: bytes, body: dict[str, Any]) -> FakeReply:
        self.messages += 1
        self.moments.append(self._loop.time())
        self.bodies.append(body)
        if self.cap is not None and self.in_flight >= self.cap:
            self.throttled += 1
            headers = {} if self.retry_after is None else {"retry-after": self.retry_after}
            return error_reply(
                429, "This request would exceed your organization's rate limit.", headers
            )
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            if self.latency:
                await asyncio.sleep(self.latency)
            said = self._reply(head, body)
        finally:
            self.in_flight -= 1
        self.answered += said.status == 200
        self.failed += said.status >= 500
        return said

    def _reply(self, head: bytes, body: dict[str, Any]) -> FakeReply:
        given = self.rule(body) if self.rule else None
        if given is not None:
            return given
        if (fault := _fault(head, body)) is not None:
            return fault
        if body["model"] in self.gone_models:
            return error_reply(404, f"model: {body['model']}")
        question = first_text(body)
        if self.failures > 0 or "[fail]" in question:
            self.failures -= self.failures > 0
            return error_reply(500, "Internal server error")
        return FakeReply(_played(question, body, self.answer(question, body["model"])))

    async def _search(self, head: bytes, query: str) -> FakeReply:
        self.searches += 1
        self.queries.append(query)
        if self.search_latency:
            await asyncio.sleep(self.search_latency)
        if f"x-subscription-token: {SEARCH_KEY}".encode() not in head.lower():
            problem = {"code": "SUBSCRIPTION_TOKEN_INVALID", "detail": "invalid", "status": 422}
            return FakeReply({"type": "ErrorResponse", "error": problem}, 422)
        if self.search_status != 200:
            return FakeReply(
                {"type": "ErrorResponse", "error": {"code": "OTHER", "detail": "no"}},
                self.search_status,
            )
        hits = [
            {
                "title": f"{query} ({n})",
                "url": f"https://site{n}.example/",
                "description": f"Finding {n} on {query}.",
            }
            for n in range(1, self.results + 1)
        ]
        return FakeReply(
            {
                "type": "search",
                "query": {"original": query},
                "web": {"type": "search", "results": hits},
            }
        )


def first_text(body: dict[str, Any]) -> str:
    """The text of the first message: the question."""
    content = body["messages"][0]["content"]
    return (
        content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
    )


def _fault(head: bytes, body: dict[str, Any]) -> FakeReply | None:
    """What the real one would not take: a wrong key, a removed parameter, a tool call without its
    result.
    """
    lowered = head.lower()
    if not any(
        f"{way}{MODEL_KEY}".encode() in lowered for way in ("authorization: bearer ", "x-api-key: ")
    ):
        return error_reply(401, "invalid x-api-key")
    for name in ("temperature", "top_p", "top_k"):
        if name in body:
            return error_reply(400, f"{name}: Extra inputs are not permitted")
    turns = body["messages"]
    for before, after in zip(turns, [*turns[1:], None], strict=True):
        calls = {b["id"] for b in _blocks(before) if b["type"] == "tool_use"}
        results = (
            {b["tool_use_id"] for b in _blocks(after) if b["type"] == "tool_result"}
            if after
            else set()
        )
        if calls and (calls != results or "tools" not in body):
            return error_reply(
                400, "`tool_use` ids were found without `tool_result` blocks immediately after"
            )
    return None


def _blocks(turn: dict[str, Any]) -> list[dict[str, Any]]:
    return [] if isinstance(turn["content"], str) else turn["content"]


def _played(question: str, body: dict[str, Any], answer: str) -> dict[str, Any]:
    """The model's turn: markers in the question decide it, and a search is wanted only where it is
    on offer.
    """
    turns = len(body["messages"])
    may_search = "tools" in body and body.get("tool_choice", {}).get("type") != "none"
    if turns == 1 and may_search and (uses := _uses(question)):
        said = {"type": "text", "text": "I will look that up."}
        return _message_body(body, [said, *uses], "tool_use")
    if "[pause]" in question and turns == 1:
        return _message_body(body, [{"type": "text", "text": "Working on it. "}], "pause_turn")
    if "[refuse]" in question:
        details = {
            "type": "refusal",
            "category": "cyber",
            "explanation": "The request may enable misuse.",
        }
        return _message_body(body, [], "refusal") | {"stop_details": details}
    reason = (
        "max_tokens"
        if "[cut]" in question
        else "something_new"
        if "[odd]" in question
        else "end_turn"
    )
    return _message_body(body, [{"type": "text", "text": answer}], reason)


def _uses(question: str) -> list[dict[str, Any]]:
    """The tool calls that a question's marker stands for."""
    asked = question.partition("Context: ")[2].partition("\n")[0]
    one = {
        "type": "tool_use",
        "id": "toolu_01A",
        "name": "web_search",
        "input": {"query": asked or "anything"},
    }
    if "[search]" in question:
        return [one]
    if "[two searches]" in question:
        return [one, one | {"id": "toolu_01B"}]
    if "[unknown tool]" in question:
        return [one | {"name": "run_shell", "input": {"command": "ls"}}]
    if "[no query]" in question:
        return [one | {"input": {}}]
    return []


def _message_body(
    body: dict[str, Any], content: list[dict[str, Any]], reason: str
) -> dict[str, Any]:
    words = sum(len(part.get("text", "")) for part in content)
    return {
        "id": "msg_rehearsal",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {
            "input_tokens": max(1, len(json.dumps(body)) // 4),
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": min(body["max_tokens"], words // 4 + 1),
            "server_tool_use": None,
        },
    }


def _packed(said: FakeReply) -> bytes:
    body = json.dumps(said.body).encode()
    lines = [
        f"HTTP/1.1 {said.status} {_REASONS.get(said.status, 'Status')}",
        "content-type: application/json",
    ]
    lines += [f"{name}: {value}" for name, value in said.headers.items()] + [
        f"content-length: {len(body)}",
        "",
        "",
    ]
    return "\r\n".join(lines).encode() + body
