"""Who may use the server over HTTP, and how they show who they are."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from webquarry.setting_groups.group import SettingGroup, TextList


class AccessSettings(SettingGroup):
    """Who may use the server over HTTP, and how they show who they are."""

    http_auth: Literal["auto", "none", "token", "oauth"] = Field(
        "auto",
        description="How callers over HTTP show who they are. auto: by tokens of an OAuth issuer "
        "if one is set, else by our own tokens (`webquarry token add`) when others "
        "than this machine are served, else not at all.",
    )
    tokens_file: Path | None = Field(
        None,
        description="File of our own tokens. Not set: `$XDG_CONFIG_HOME/webquarry/tokens.json`, "
        "or below `~/.config`.",
    )
    http_resource: str | None = Field(
        None,
        pattern=r"^https?://[^\s?#]+$",
        description="The address of the server as callers know it, such as "
        "https://quarry.example.org/mcp. OAuth tokens must have been made for it.",
    )
    http_hosts: TextList = Field(
        [],
        description="Host names that requests from others may be addressed to, comma-separated, "
        "such as quarry.example.org or quarry.example.org:*. Not set: any, since "
        "nobody passes without a token.",
    )
    http_origins: TextList = Field(
        [],
        description="Web pages' origins that may ask, comma-separated, such as "
        "https://app.example.org. Not set: none but this machine's.",
    )
    oauth_issuer: str | None = Field(
        None,
        pattern=r"^https?://[^\s?#]+$",
        description="The OAuth 2.1 issuer whose tokens are good, exactly as it calls itself.",
    )
    oauth_audience: str | None = Field(
        None,
        description="What an OAuth token must name as its audience. Not set: the address of the "
        "server (WEBQUARRY_HTTP_RESOURCE).",
    )
    oauth_scopes: TextList = Field(
        [], description="Scopes that an OAuth token must have, comma-separated."
    )
    oauth_jwks: str | None = Field(
        None, description="Where the issuer's keys are. Not set: where its metadata says."
    )
