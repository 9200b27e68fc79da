"""What came of a call, as the protocol has it, before anybody's models are made of it.

The structured content and the text that repeats it share one encoding. Nothing heavy is imported
here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import mcp_types as types


@dataclass(frozen=True)
class CallOutcome:
    """The result of a call: blocks of content as they are written, structured content besides, or
    its JSON, what travels beside it, and whether the call failed. Where there is no block, a text
    repeats the JSON.
    """

    content: list[dict[str, Any]]
    structured: dict[str, Any] | None = None
    encoded: bytes | None = None
    meta: dict[str, Any] | None = None
    is_error: bool = False

    def as_result(self) -> types.CallToolResult:
        """The same as the SDK has it."""
        import mcp_types as types

        blocks: list[types.ContentBlock] = []
        for block in self._blocks:
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

    @property
    def _blocks(self) -> list[dict[str, Any]]:
        if self.content or self.encoded is None:
            return self.content
        return [build_text(self.encoded.decode("utf-8", "surrogatepass"))]

    def encode(self, meta: dict[str, Any] | None = None, **more: Any) -> bytes:
        """The same as JSON, with more beside it and more in it, as some revisions want it."""
        return b"".join(self.encode_pieces(meta, **more))

    def encode_pieces(self, meta: dict[str, Any] | None = None, **more: Any) -> list[bytes]:
        """The same in pieces, of which large ones are copied once: by whoever joins them."""
        pieces = [b"{"]
        pieces += self._list_members()
        beside = {**(self.meta or {}), **(meta or {})}
        if beside:
            pieces.append(b',"_meta":%b' % _dump(beside))
        for name, value in more.items():
            pieces.append(b",%b:%b" % (_dump(name), _dump(value)))
        pieces.append(b"}")
        return pieces

    def _list_members(self) -> list[bytes]:
        """The members of the result without `_meta`, as JSON, without the braces around them."""
        members = [b'"content":']
        if self.content or self.encoded is None:
            members.append(_dump(self.content))
        else:
            members += [b'[{"type":"text","text":', _dump(self.encoded), b"}]"]
        if self.encoded is not None:
            members += [b',"structuredContent":', self.encoded]
        elif self.structured is not None:
            members += [b',"structuredContent":', _dump(self.structured)]
        members.append(b',"isError":true' if self.is_error else b',"isError":false')
        return members


def build_text(text: str) -> dict[str, Any]:
    """A block of text."""
    return {"type": "text", "text": text}


@cache
def _get_writer() -> Callable[..., bytes]:
    """What writes JSON; it is loaded with the first answer."""
    from pydantic_core import to_json

    return to_json


def _dump(value: Any) -> bytes:
    """JSON in its shortest form; a number that JSON does not have is null, as the SDK writes it.
    Bytes are a text in UTF-8.
    """
    try:
        return _get_writer()(value, inf_nan_mode="null")
    except ValueError:  # half a surrogate pair, which is not written in UTF-8
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return text.encode()
