"""The MCP server: times, texts and sizes of its answers."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from webquarry.setting_groups.group import SettingGroup, split_list


class McpSettings(SettingGroup):
    """The MCP server: times, texts and sizes of its answers."""

    call_timeout_seconds: float = Field(
        120,
        gt=0,
        le=3600,
        description="Time that one call of a tool over MCP may take, all that it does included.",
    )
    call_timeouts: Annotated[
        list[Annotated[str, Field(pattern=r"^[a-z0-9_]+=\d+(\.\d+)?$")]],
        BeforeValidator(split_list),
    ] = Field(
        [],
        description="The same for single tools, comma-separated, such as "
        "scrape_page=300,web_search=30.",
    )
    mcp_text: Literal["json", "markdown", "digest"] = Field(
        "json",
        description="What the text of an MCP result holds beside the structured content: the "
        "same JSON, Markdown, or a digest for clients that read the structured "
        "content.",
    )
    link_threshold_bytes: int = Field(
        96_000,
        ge=1000,
        description="Size from which a large MCP result is kept for an hour and linked to "
        "instead of sent; only of tools that may be large.",
    )
    mcp_grace_seconds: float = Field(
        30,
        ge=0,
        le=3600,
        description="Time that calls under way get to end when the client of an MCP server on "
        "stdio closes its stdin.",
    )
    mcp_front: bool = Field(
        True,
        description="Whether an MCP server answers the handshake and the lists from what is "
        "prepared, and calls tools itself; 0 leaves all of it to the MCP SDK.",
    )
    mcp_warm: bool = Field(
        False,
        description="Whether an MCP server on stdio opens its engine right after the handshake "
        "instead of at the first call: the first call is faster, a server that only waits larger.",
    )
    http_max_request_bytes: int = Field(
        1_048_576, ge=1024, description="Largest request that the MCP server takes over HTTP."
    )
