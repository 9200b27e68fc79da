"""The head of a request: what is needed of it to answer, found in one pass; nothing where anything
about it is unusual.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from webquarry.surfaces.mcp.front.plain import MODERN_REVISION
from webquarry.surfaces.mcp.wire.lines import BATCH_REVISION, HANDSHAKE_REVISIONS
from webquarry.surfaces.server.origins import is_listed

if TYPE_CHECKING:
    from starlette.types import Scope

_LINE_OVERHEAD = len(b": \r\n")
_JSON = b"application/json"
_USUAL_ACCEPT = b"application/json, text/event-stream"
_PARAM = b"mcp-param-"  # of the newest revision: an argument, told a second time
_READ = frozenset(
    (
        b"accept",
        b"content-length",
        b"content-type",
        b"host",
        b"mcp-method",
        b"mcp-name",
        b"mcp-protocol-version",
        b"origin",
        b"x-request-id",
    )
)
_REVISIONS = {revision.encode(): revision for revision in (*HANDSHAKE_REVISIONS, MODERN_REVISION)}

Head = dict[bytes, bytes]  # the headers that are read, each of them once


class HeadCheck:
    """Whether a request is from whom, for whom and of the kind that is certainly served: the hosts
    and the origins that may be named, and the most bytes.
    """

    def __init__(
        self,
        origins: Collection[str],
        hosts: Collection[str] | None,
        max_head_bytes: int,
        max_body_bytes: int,
    ) -> None:
        self._origins = frozenset(origins)
        self._hosts = None if hosts is None else frozenset(hosts)
        self._max_head_bytes = max_head_bytes
        self.max_body_bytes = max_body_bytes

    def read(self, scope: Scope) -> Head | None:
        """The headers of a request that is certainly served; None for any other."""
        size = len(scope.get("raw_path") or b"") + len(scope.get("query_string") or b"")
        found: Head = {}
        for name, value in scope["headers"]:
            size += len(name) + len(value) + _LINE_OVERHEAD
            if name in _READ:
                if name in found:
                    return None
                found[name] = value
            elif name.startswith(_PARAM):
                return None
        if size > self._max_head_bytes or not self._is_small(found.get(b"content-length")):
            return None
        if not _takes_both(found.get(b"accept", b"")):
            return None
        if found.get(b"content-type", b"").partition(b";")[0].rstrip() != _JSON:
            return None
        return found if self._may_ask(found) else None

    def _is_small(self, length: bytes | None) -> bool:
        """Whether a body may be as long as it is said to be."""
        if length is None:
            return True
        return length.isdigit() and int(length) <= self.max_body_bytes

    def _may_ask(self, head: Head) -> bool:
        """Whether the host and the origin that are named are known."""
        host, origin = head.get(b"host", b""), head.get(b"origin")
        if self._hosts is not None and not is_listed(host.decode("latin-1"), self._hosts):
            return False
        return origin is None or is_listed(origin.decode("latin-1"), self._origins)


def find_revision_of(head: Head) -> str | None:
    """The revision that a request is of; None for one that we do not know."""
    named = head.get(b"mcp-protocol-version")
    if named is None:
        return BATCH_REVISION
    return _REVISIONS.get(named)


def repeats_message(head: Head, method: str, name: Any) -> bool:
    """Whether a request of the newest revision says in its head what is in its body: the method,
    and the name of the tool that is called, if any.
    """
    if head.get(b"mcp-method") != method.encode():
        return False
    if name is None:
        return True
    return isinstance(name, str) and head.get(b"mcp-name") == name.encode()


def _takes_both(accept: bytes) -> bool:
    """Whether JSON and streams are both taken as they are named; wildcards are for others to
    read.
    """
    if accept == _USUAL_ACCEPT:
        return True
    kinds = [kind.partition(b";")[0].strip().lower() for kind in accept.split(b",")]
    return _JSON in kinds and b"text/event-stream" in kinds
