"""A request to the model without its question: model, length, search, schema, instructions; a
question goes in, the request and the name of its answer come out.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property

from webquarry.ask.answers import KeptAnswer
from webquarry.ask.exchange.schema import Schema
from webquarry.ask.vendors.base import BARE_VENDOR, ModelRequest, ModelVendor

# Goes up when the words that we send change, so that no kept answer is one to other words.
PROMPT_VERSION = 1


@dataclass(frozen=True, eq=False)
class RequestTemplate:
    """Everything of a request but the question, as it stands after the options were looked at; and
    the answers that are kept for it.
    """

    vendor: ModelVendor
    model: str  # as the user names it and the bill has it
    max_tokens: int
    provider: str = ""  # who searches; nobody when empty
    schema: Schema | None = None
    instructions: str | None = None
    caller: str = ""
    # By context and prompt.
    kept: dict[tuple[str, str], KeptAnswer] = field(default_factory=dict, repr=False)

    @property
    def vendor_model(self) -> str:
        """The model as its vendor calls it."""
        return self.model.removeprefix(f"{self.vendor.name}/")

    @cached_property
    def longest_answer(self) -> int:
        """Tokens that an answer may have, thoughts included."""
        return self.vendor.limit_tokens(self.build_request("", ""))

    def build_request(self, context: str, prompt: str) -> ModelRequest:
        """The first question."""
        return ModelRequest(
            model=self.vendor_model,
            max_tokens=self.max_tokens,
            question=f"Context: {context}\n\nQuestion: {prompt}",
            instructions=self.instructions,
            schema=self.schema.json_schema() if self.schema else None,
            offers_search=bool(self.provider),
        )

    @cached_property
    def encoded(self) -> bytes:
        """The whole request but for the question's words, in one spelling."""
        body = self.vendor.build_body(self.build_request("", ""))
        return json.dumps(body, sort_keys=True).encode()

    @cached_property
    def _fixed_words(self) -> tuple[str, bytes]:
        """What every digest of this template begins with: the lengths of its words, and these."""
        vendor = self.vendor.name
        if vendor != BARE_VENDOR:  # whose bodies do not all name the model and the schema
            form = self.schema.text if self.schema else ""
            vendor = json.dumps([vendor, self.model, form])
        parts = (str(PROMPT_VERSION), vendor, self.vendor.url, self.provider, self.caller)
        words = [part.encode("utf-8", "surrogatepass") for part in parts]
        lengths = " ".join(str(len(word)) for word in words)
        return lengths, b"\n".join(words)

    def digest(self, context: str, prompt: str) -> str:
        """The name under which the answer is kept: everything that decides it."""
        first_lengths, first_words = self._fixed_words
        about = context.encode("utf-8", "surrogatepass")
        asked = prompt.encode("utf-8", "surrogatepass")
        # The lengths, so that no words can move from one to another.
        lengths = f"{first_lengths} {len(about)} {len(asked)}".encode()
        parts = (self.encoded, lengths, first_words, about, asked)
        return hashlib.sha256(b"\n".join(parts)).hexdigest()
