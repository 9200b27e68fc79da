"""The replies of a local model in the recorded web: what it was asked comes from `asks.toml`.

The requests are those that our engine makes, which is asked here with a stand-in for the model, so
that the recording and the code cannot drift apart. Its searches are answered by a recording.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import httpx2

from webquarry.ask.models import Question
from webquarry.settings import Settings
from webquarry.toolkit import Toolkit

SOURCES = Path(__file__).parent / "recorded_web"
SEARCH = "duckduckgo"  # needs no key
Exchange = tuple[httpx2.Request, httpx2.Response]


class LocalModel(httpx2.AsyncBaseTransport):
    """Answers by the list, and keeps what it was asked and what it said."""

    def __init__(self, asks: list[dict[str, str]]) -> None:
        self._asks = asks
        self.exchanges: list[Exchange] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        content = await request.aread()
        headers = {"content-type": "application/json"}
        reply = json.dumps(self._build_turn(json.loads(content))).encode()
        asked = httpx2.Request("POST", request.url, headers=headers, content=content)
        self.exchanges.append((asked, httpx2.Response(200, headers=headers, content=reply)))
        return httpx2.Response(200, headers=headers, content=reply)

    def _build_turn(self, body: dict[str, Any]) -> dict[str, Any]:
        """A search where one is wanted, on offer and not made yet; else the answer."""
        (text,) = [one["content"] for one in body["messages"] if one["role"] == "user"]
        (ask,) = [one for one in self._asks if f"Context: {one['context']}\n" in text]
        may_search = "tools" in body and all(one["role"] != "tool" for one in body["messages"])
        message: dict[str, Any] = {"role": "assistant", "content": ask["answer"].strip()}
        reason = "stop"
        if "query" in ask and may_search:
            function = {"name": "web_search", "arguments": json.dumps({"query": ask["query"]})}
            calls = [{"id": "call_0", "type": "function", "function": function}]
            message |= {"content": "", "tool_calls": calls}
            reason = "tool_calls"
        usage = {"prompt_tokens": len(text) // 4 + 200, "completion_tokens": 40}
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return {"object": "chat.completion", "choices": [choice], "usage": usage}


async def model_exchanges(recording: Path, folder: Path) -> list[Exchange]:
    """Every question of the list, with a search on offer and without; `recording` answers the
    searches, and what the engine keeps is kept in the folder.
    """
    catalogue = tomllib.loads((SOURCES / "asks.toml").read_text("utf-8"))
    model = LocalModel(catalogue["ask"])
    settings = Settings(
        replay=recording, state_folder=folder, cache=False, ask_search_provider=SEARCH
    )
    async with Toolkit.open(settings, {"HOME": str(folder)}) as kit:
        engine = kit.open_engine()
        engine._open_transport = lambda: model
        questions = []
        for ask in catalogue["ask"]:
            for search in (None, False):
                question = Question(
                    ask["context"], ask["question"], model=catalogue["model"], search=search
                )
                questions.append(question)
        statement = engine.statement(door="script")
        for question in questions:
            reply = await engine.ask(question, statement)
            assert reply.error is None, reply.error
            assert not reply.search_failed, reply.search_failed
        await engine.aclose()
    return model.exchanges
