"""Whether a message is plain: of a shape that is certainly right in the revision that was agreed
on. What is not plain may be right as well; whoever knows the whole protocol says so.

Nothing heavy is imported here.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MODERN_REVISION = "2026-07-28"  # the one without a handshake
_RESERVED = "io.modelcontextprotocol/"
_VERSION = _RESERVED + "protocolVersion"
_CAPABILITIES = _RESERVED + "clientCapabilities"
_CLIENT = _RESERVED + "clientInfo"
_CLIENT_TEXTS = {"name", "version", "title", "description", "websiteUrl"}
_CAPABILITIES_OF_OBJECTS = {"sampling", "elicitation", "experimental", "extensions"}


def is_plain_handshake(params: Any) -> bool:
    """Whether these are the params of an `initialize` as clients send it."""
    return (
        isinstance(params, dict)
        and params.keys() <= {"protocolVersion", "capabilities", "clientInfo", "_meta"}
        and isinstance(params.get("protocolVersion"), str)
        and _are_capabilities(params.get("capabilities"))
        and _is_client(params.get("clientInfo"))
        and is_plain_meta(params)
    )


def is_plain_meta(params: Any) -> bool:
    """Whether there is nothing beside the params of a request that a handshake revision reserves;
    a progress token is a text or a whole number.
    """
    if params is None or "_meta" not in params:
        return True
    meta = params["_meta"]
    if not isinstance(meta, dict) or any(name.startswith(_RESERVED) for name in meta):
        return False
    return "progressToken" not in meta or _is_token(meta["progressToken"])


def is_plain_envelope(params: Any) -> bool:
    """Whether a request says of itself, and rightly, that it is of the revision without a
    handshake.
    """
    meta = (params or {}).get("_meta")
    if not isinstance(meta, dict):
        return False
    reserved = {name for name in meta if name.startswith(_RESERVED)}
    return (
        reserved <= {_VERSION, _CAPABILITIES, _CLIENT}
        and meta.get(_VERSION) == MODERN_REVISION
        and _are_capabilities(meta.get(_CAPABILITIES))
        and (_CLIENT not in meta or _is_client(meta[_CLIENT]))
        and ("progressToken" not in meta or _is_token(meta["progressToken"]))
    )


def build_opening(params: Any) -> dict[str, Any]:
    """The request that opens a connection without a handshake, in the words of another one."""
    meta = {name: params["_meta"][name] for name in params["_meta"] if name != "progressToken"}
    return {"jsonrpc": "2.0", "id": 0, "method": "server/discover", "params": {"_meta": meta}}


def is_plain_list(params: Any) -> bool:
    """Whether a list is asked for from its beginning."""
    return params is None or params.keys() <= {"_meta"}


def is_plain_call(params: Any) -> bool:
    """Whether a tool is called by its name, with nothing but arguments."""
    return (
        isinstance(params, dict)
        and params.keys() <= {"name", "arguments", "_meta"}
        and isinstance(params.get("name"), str)
        and isinstance(params.get("arguments", {}), dict)
    )


def _is_token(token: Any) -> bool:
    return isinstance(token, str) or type(token) is int


def _is_client(client: Any) -> bool:
    return (
        isinstance(client, dict)
        and {"name", "version"} <= client.keys() <= _CLIENT_TEXTS
        and all(isinstance(text, str) for text in client.values())
    )


def _are_capabilities(capabilities: Any) -> bool:
    return isinstance(capabilities, dict) and all(
        _is_capability(name, value) for name, value in capabilities.items()
    )


def _is_capability(name: str, value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if name == "roots":
        return not value or (value.keys() == {"listChanged"} and type(value["listChanged"]) is bool)
    if name in _CAPABILITIES_OF_OBJECTS:
        return all(isinstance(part, dict) for part in value.values())
    return False
