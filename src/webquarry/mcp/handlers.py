"""The methods of the protocol for one tool set.

Lists come from the listing; everything else imports the engine when it is first needed.
"""

from __future__ import annotations

from webquarry.mcp.protocol import (
    HANDSHAKE_REVISIONS,
    INVALID_PARAMS,
    LATEST_HANDSHAKE,
    MODERN,
    ProtocolError,
    Server,
    invalid_params,
    is_client_info,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from webquarry.mcp.external import ExternalTools
    from webquarry.mcp.listing import ToolListing
    from webquarry.mcp.protocol import Message, Request
    from webquarry.toolkit import Toolkit

_LISTS = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}
LIGHT_METHODS = frozenset({"initialize", "ping", "server/discover", *_LISTS})  # need no engine
_LIST_HINTS: Message = {"ttlMs": 3_600_000, "cacheScope": "public"}  # lists change with the program


class ToolServer(Server):
    """Serves a listing; `open_engine` returns the toolkit when a request first needs it.

    `text_format` overrides the setting `mcp_text`.
    """

    def __init__(
        self,
        listing: ToolListing,
        open_engine: Callable[[], Toolkit],
        text_format: str | None = None,
        external: ExternalTools | None = None,
    ) -> None:
        super().__init__(listing.server_info)
        self.listing = listing
        self.external = external
        self.opened: Toolkit | None = None
        self._open_engine = open_engine
        self._text_format = text_format
        self.handlers |= {
            "initialize": self.initialize,
            "ping": self.ping,
            "server/discover": self.discover,
            "tools/list": self.list_items,
            "tools/call": self.call_tool,
        }
        if "resources" in listing.lists:
            self.handlers |= {
                "resources/list": self.list_items,
                "resources/templates/list": self.list_items,
                "resources/read": self.read_resource,
                "prompts/list": self.list_items,
                "prompts/get": self.get_prompt,
                "completion/complete": self.complete,
            }

    @property
    def engine(self) -> Toolkit:
        """The toolkit, opened at the first use; if that fails, the next use tries again."""
        if self.opened is None:
            self.opened = self._open_engine()
        return self.opened

    async def aclose(self) -> None:
        """Close the toolkit if it is open."""
        if self.opened is not None:
            await self.opened.aclose()

    async def initialize(self, request: Request) -> Message:
        """Negotiate a revision; a client that asks for an unknown one gets the latest."""
        wanted = request.read("protocolVersion", str)
        request.read("capabilities", dict)
        if not is_client_info(request.params.get("clientInfo")):
            raise invalid_params("params.clientInfo")
        revision = wanted if wanted in HANDSHAKE_REVISIONS else LATEST_HANDSHAKE
        request.session.revision = revision
        result = self._describe()
        # Extensions are new in 2026-07-28.
        result["capabilities"] = {**self.listing.capabilities}
        result["capabilities"].pop("extensions", None)
        return {**result, "protocolVersion": revision, "serverInfo": self.server_info}

    async def discover(self, request: Request) -> Message:
        """Describe the server to clients of 2026-07-28."""
        hints = {"ttlMs": 0, "cacheScope": "private"}
        return {**self._describe(), "supportedVersions": [MODERN], **hints}

    def _describe(self) -> Message:
        described: Message = {"capabilities": self.listing.capabilities}
        if self.listing.instructions is not None:
            described["instructions"] = self.listing.instructions
        return described

    async def ping(self, request: Request) -> Message:
        """Answer with an empty result."""
        return {}

    async def list_items(self, request: Request) -> Message:
        """Answer any of the four lists in one page."""
        request.read("cursor", str, "")
        key = _LISTS[request.method]
        items = self.listing.lists[key]
        if key == "tools" and self.external is not None:
            items = [*items, *self.external.descriptions.values()]
        return {key: items, **(_LIST_HINTS if request.is_modern else {})}

    async def call_tool(self, request: Request) -> bytes:
        """Call a tool of the set or an external one."""
        name = request.read("name", str)
        arguments = request.read("arguments", dict, {})
        is_external = self.external is not None and name in self.external.descriptions
        if name not in self.listing.tools and not is_external:
            known = {"known": self.listing.tools}
            raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {name[:100]}", known)
        from webquarry.errors import WebquarryError
        from webquarry.mcp import calls

        try:
            if self.external is not None and is_external:
                result = await calls.call_external(self.external, name, self.engine, arguments)
            else:
                kit = self.engine
                tool = await calls.load_tool(self.listing.package, name)
                result = await calls.call_tool(tool, kit, arguments, request, self._text_format)
        except WebquarryError as error:  # the engine or the tool could not be loaded
            result = calls.render_failure(error)
        return result.encode(self.server_info if request.is_modern else None)

    async def read_resource(self, request: Request) -> Message:
        """Read a resource."""
        from webquarry.mcp.resources import read_resource

        uri = request.read("uri", str)
        result = await read_resource(uri, self.engine, is_modern=request.is_modern)
        if not request.is_modern:
            del result["ttlMs"], result["cacheScope"]
        return result

    async def get_prompt(self, request: Request) -> Message:
        """Fill in a prompt."""
        from webquarry.mcp.prompts import get_prompt

        return get_prompt(request.read("name", str), request.read("arguments", dict, {}))

    async def complete(self, request: Request) -> Message:
        """Complete an argument of a prompt."""
        from webquarry.mcp.prompts import complete

        return complete(self.engine, request.read("ref", dict), request.read("argument", dict))
