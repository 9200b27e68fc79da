"""What came of a call, as the protocol has it, before anybody's models are made of it.

The structured content and the text that repeats it share one encoding. Nothing heavy is imported
here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import mcp_types as types

_NOT_JSON = ("NaN", "Infinity")  # what Python writes for numbers that JSON does not have


@dataclass(frozen=True)
class CallOutcome:
    """The result of a call: blocks of content as they are written, structured content besides, or
    its JSON, or both, what travels beside it, and whether the call failed.
    """

    content: list[dict[str, Any]]
    structured: dict[str, Any] | None = None
    encoded: str | None = None
    meta: dict[str, Any] | None = None
    is_error: bool = False
    written: bytes | None = None  # its `content_bytes`, if there is no other

    def as_result(self) -> types.CallToolResult:
        """The same as the SDK has it."""
        import mcp_types as types

        if self.written is not None:
            return _read_content(self.written, self.meta).as_result()
        blocks: list[types.ContentBlock] = []
        for block in self.content:
            if block["type"] == "text":
                blocks.append(types.TextContent(text=block["text"]))
            else:
                blocks.append(types.ResourceLink.model_validate(block))
        structured = self.structured
        if structured is None and self.encoded is not None:
            structured = json.loads(self.encoded)
        return types.CallToolResult(
            content=blocks,
            structured_content=structured,
            is_error=self.is_error,
            _meta=self.meta,
        )

    def encode(self, meta: dict[str, Any] | None = None, **more: Any) -> bytes:
        """The same as JSON, with more beside it and more in it, as some revisions want it."""
        parts = []
        beside = {**(self.meta or {}), **(meta or {})}
        if beside:
            parts.append(f',"_meta":{_dump(beside)}')
        for name, value in more.items():
            parts.append(f",{_dump(name)}:{_dump(value)}")
        return b"{%b%b}" % (self.content_bytes, "".join(parts).encode())

    @cached_property
    def content_bytes(self) -> bytes:
        """What is the same for all who make the same call: the members of the result without
        `_meta`, as JSON, without the braces around them.
        """
        if self.written is not None:
            return self.written
        parts = [f'"content":{self._encode_blocks()}']
        if self.structured is not None or self.encoded is not None:
            parts.append(f'"structuredContent":{self._encode_structured()}')
        parts.append(f'"isError":{_dump(self.is_error)}')
        return ",".join(parts).encode()

    def _encode_blocks(self) -> str:
        """The blocks of content. A single text that repeats the structured content holds nothing to
        escape but quotes and backslashes, being JSON already.
        """
        is_repeated = len(self.content) == 1 and self.content[0].get("text") is self.encoded
        if self.encoded is None or not is_repeated:
            return _dump(self.content)
        escaped = self.encoded.replace("\\", "\\\\").replace('"', '\\"')
        return f'[{{"type":"text","text":"{escaped}"}}]'

    def _encode_structured(self) -> str:
        if self.encoded is None:
            return _dump(self.structured)
        if self.structured is None:
            return self.encoded
        if any(word in self.encoded for word in _NOT_JSON):
            return _dump(self.structured)
        return self.encoded


def _read_content(written: bytes, meta: dict[str, Any] | None) -> CallOutcome:
    """The outcome whose content was written so."""
    members = json.loads(b"{%b}" % written)
    return CallOutcome(
        members["content"],
        members.get("structuredContent"),
        meta=meta,
        is_error=members["isError"],
    )


def build_text(text: str) -> dict[str, Any]:
    """A block of text."""
    return {"type": "text", "text": text}


def _dump(value: Any) -> str:
    """JSON in its shortest form; a number that JSON does not have is null, as the SDK writes it."""
    from pydantic_core import to_json

    try:
        return to_json(value, inf_nan_mode="null").decode()
    except ValueError:  # half a surrogate pair, which is not written in UTF-8
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
