"""A request to the model without its question: model, length, search, schema, instructions; a
question goes in, the body of the request and the name of its answer come out.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from webquarry.ask.answers import KeptAnswer
from webquarry.ask.exchange.schema import Schema

# Goes up when the words that we send change, so that no kept answer is one to other words.
PROMPT_VERSION = 1
WEB_SEARCH = "web_search"
TOOL: dict[str, Any] = {
    "name": WEB_SEARCH,
    "description": "Search the web for current information",
    "input_schema": {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "Search query"}},
        "required": ["query"],
    },
}


@dataclass(frozen=True, eq=False)
class RequestTemplate:
    """Everything of a request but the question, as it stands after the options were looked at; and
    the answers that are kept for it.
    """

    origin: str  # of the model's provider
    model: str
    max_tokens: int
    provider: str = ""  # who searches; nobody when empty
    schema: Schema | None = None
    instructions: str | None = None
    caller: str = ""
    # By context and prompt.
    kept: dict[tuple[str, str], KeptAnswer] = field(default_factory=dict, repr=False)

    def build_request(self, context: str, prompt: str) -> dict[str, Any]:
        """The body of the first call."""
        question = f"Context: {context}\n\nQuestion: {prompt}"
        body: dict[str, Any] = {
            "model": self.model,
            "max_tokens": self.max_tokens,
            "messages": [{"role": "user", "content": question}],
        }
        if self.instructions:
            body["system"] = self.instructions
        if self.schema is not None:
            form = {"type": "json_schema", "schema": self.schema.json_schema()}
            body["output_config"] = {"format": form}
        if self.provider:
            body["tools"] = [TOOL]
            body["tool_choice"] = {"type": "auto", "disable_parallel_tool_use": True}
        return body

    @cached_property
    def encoded(self) -> bytes:
        """The whole request but for the question's words, in one spelling."""
        return json.dumps(self.build_request("", ""), sort_keys=True).encode()

    def digest(self, context: str, prompt: str) -> str:
        """The name under which the answer is kept: everything that decides it."""
        parts = (
            str(PROMPT_VERSION),
            "anthropic",
            self.origin,
            self.provider,
            self.caller,
            context,
            prompt,
        )
        words = [part.encode("utf-8", "surrogatepass") for part in parts]
        # The lengths, so that no words can move from one to another.
        lengths = " ".join(str(len(word)) for word in words).encode()
        return hashlib.sha256(b"\n".join([self.encoded, lengths, *words])).hexdigest()
