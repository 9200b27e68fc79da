"""What becomes of a message: answered at once from what is prepared, a call of a tool, nothing to
be done, or a matter for the SDK's server.

The protocol knows only what goes right. Whatever else is said to it, it leaves to the server, which
gets to see what came before (`seen`). Nothing heavy is imported here.
"""

from __future__ import annotations

from webquarry.surfaces.mcp.front.plain import (
    MODERN_REVISION,
    build_opening,
    is_plain_call,
    is_plain_envelope,
    is_plain_handshake,
    is_plain_list,
    is_plain_meta,
)
from webquarry.surfaces.mcp.wire.lines import find_revision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from webquarry.surfaces.mcp.front.prepared import PreparedAnswers
    from webquarry.surfaces.mcp.wire.lines import Message

ANSWERED = "answered"
CALL = "call"
CANCEL = "cancel"
NOTHING = "nothing"
REST = "rest"

Verdict = tuple[str, bytes]
_EMPTY = b"{}"


class KnownRequests:
    """What can be said of one request to a tool set, by its revision alone. `hidden` are requests
    whose prepared answers do not hold.
    """

    def __init__(self, prepared: PreparedAnswers, hidden: tuple[str, ...] = ()) -> None:
        self.prepared = prepared
        self._hidden = hidden

    def look(self, method: str, params: Message | None, revision: str | None) -> Verdict:
        """What becomes of a request that is no handshake, and the result where there is one."""
        if method == "ping" and revision != MODERN_REVISION:
            if is_plain_list(params) and is_plain_meta(params):
                return ANSWERED, _EMPTY
            return REST, b""
        assert revision is not None
        is_modern = revision == MODERN_REVISION
        is_plain = is_plain_envelope(params) if is_modern else is_plain_meta(params)
        if not is_plain:
            return REST, b""
        if method == "tools/call":
            if params and is_plain_call(params) and params["name"] in self.prepared.tools:
                return CALL, b""
        elif self._is_prepared(method, revision) and is_plain_list(params):
            return ANSWERED, self.prepared.find(method, revision)
        return REST, b""

    def agree(self, message: Message) -> tuple[str | None, bytes]:
        """The revision that a handshake in the usual words leads to, and its result; None where
        the words are others.
        """
        revision = find_revision(message)
        if revision is None or not is_plain_handshake(message.get("params")):
            return None, b""
        return revision, self.prepared.find("initialize", revision)

    def _is_prepared(self, method: str, revision: str) -> bool:
        return method not in self._hidden and self.prepared.knows(method, revision)


class FrontProtocol:
    """One connection, as far as it goes the usual way. A message may be looked at twice."""

    def __init__(self, prepared: PreparedAnswers, hidden: tuple[str, ...] = ()) -> None:
        self.prepared = prepared
        self._known = KnownRequests(prepared, hidden)
        self.revision: str | None = None
        self.seen: list[Message] = []  # what made the connection what it is
        self.is_open = False  # whether the client has said all that comes before its calls
        self.is_left = False  # whether the server alone knows how things stand

    def look(self, message: Message) -> Verdict:
        """What becomes of a message, and the result where there is one."""
        if self.is_left:
            return REST, b""
        method = message.get("method")
        if method is None:
            return NOTHING, b""  # an answer to a question that nobody asked
        if "id" not in message:
            return self._look_at_notice(message)
        params = message.get("params")
        if method == "initialize":
            return self._agree(message)
        if self.revision is None and not self._open(method, params):
            return self._leave()
        return self._known.look(method, params, self.revision)

    def _look_at_notice(self, message: Message) -> Verdict:
        method = message["method"]
        if method == "notifications/cancelled":
            return CANCEL, b""
        if method == "notifications/initialized":
            if self.revision is None:
                return self._leave()
            if message not in self.seen:
                self.seen.append(message)
            self.is_open = True
        return NOTHING, b""

    def _agree(self, message: Message) -> Verdict:
        """The handshake, once and in the usual words."""
        revision, result = self._known.agree(message)
        if self.revision is not None or revision is None:
            return self._leave()
        self.revision = revision
        self.seen.append(message)
        return ANSWERED, result

    def _open(self, method: str, params: Message | None) -> bool:
        """Whether a first request that is no handshake opens the connection in a usual way."""
        if method == "ping":
            if not self.seen:
                self.seen.append({"jsonrpc": "2.0", "id": 0, "method": "ping"})
            return is_plain_list(params) and is_plain_meta(params)
        if self.seen or not is_plain_envelope(params):
            return False
        self.revision = MODERN_REVISION
        self.seen.append(build_opening(params))
        self.is_open = True
        return True

    def _leave(self) -> Verdict:
        """From here on the server alone knows how things stand."""
        self.is_left = True
        return REST, b""
