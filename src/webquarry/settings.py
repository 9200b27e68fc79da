"""Every setting: one class, read once, documented field by field in `setting_groups/`
(docs/settings.md is generated from it).

A setting `max_bytes` is read from `WEBQUARRY_MAX_BYTES`; some also answer to the name that users
already have set (`HTTPS_PROXY`), which is tried second. Credentials are not settings: see
`credentials.py`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from pydantic import ConfigDict, Field, ValidationError

from webquarry.errors import BadInput
from webquarry.setting_groups.access import AccessSettings
from webquarry.setting_groups.ask import AskSettings
from webquarry.setting_groups.cache import CacheSettings
from webquarry.setting_groups.duckduckgo import DuckDuckGoSettings
from webquarry.setting_groups.limits import LimitSettings
from webquarry.setting_groups.logs import LogSettings
from webquarry.setting_groups.mcp import McpSettings
from webquarry.setting_groups.network import NetworkSettings
from webquarry.setting_groups.reading import ReadingSettings
from webquarry.setting_groups.rendering import RenderingSettings
from webquarry.setting_groups.search import SearchSettings
from webquarry.setting_groups.sessions import SessionSettings
from webquarry.setting_groups.tools import ToolSettings

PREFIX = "WEBQUARRY_"
_ORIGIN_VARIABLE = re.compile(rf"{PREFIX}([A-Z0-9_]+)_URL")
_NOT_ORIGINS = {"WEBQUARRY_REDIS_URL"}  # a credential, which may hold a password
_USUAL_ORIGINS = {
    "SEARXNG_URL": "searxng",
    "ANTHROPIC_BASE_URL": "anthropic",
    "OPENAI_BASE_URL": "openai",
}  # the names that users already have set; ours come first


class Settings(
    LogSettings,
    LimitSettings,
    AskSettings,
    AccessSettings,
    McpSettings,
    ToolSettings,
    RenderingSettings,
    ReadingSettings,
    DuckDuckGoSettings,
    SessionSettings,
    CacheSettings,
    SearchSettings,
    NetworkSettings,
):  # pydantic lists the fields of the last base first
    """How this process behaves. Nothing here is secret."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=False)

    # Set by patterns, not by one variable each
    origins: dict[str, str] = Field(
        {},
        description="Base URL of a provider, by name: WEBQUARRY_BRAVE_URL=http://127.0.0.1:9000 "
        "is an origin to which the provider's path is appended. DuckDuckGo has "
        "three: WEBQUARRY_DUCKDUCKGO_HTML_URL, _LITE_URL and _API_URL. Vendors of models "
        "(docs/models.md) take theirs with or without /v1. SEARXNG_URL, ANTHROPIC_BASE_URL and "
        "OPENAI_BASE_URL are honoured too. Your own choice, so it may be private.",
    )

    def seconds_for(self, tool: str) -> float:
        """The time that one call of a tool over MCP may take."""
        own = dict(entry.split("=") for entry in self.call_timeouts)
        return float(own.get(tool, self.call_timeout_seconds))

    @classmethod
    def variables_of(cls, field: str) -> list[str]:
        """The environment variables that set a field, in the order they are tried."""
        if field == "origins":
            return []
        extra = cls.model_fields[field].json_schema_extra
        also = None
        if isinstance(extra, dict):
            also = extra.get("also")
        others = also if isinstance(also, list) else []
        return [PREFIX + field.upper(), *map(str, others)]

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Read the settings; a value that does not fit is an error that names its variable."""
        environ = os.environ if environ is None else environ
        values: dict[str, Any] = {"origins": _read_origins(environ)}
        variable_of: dict[str, str] = {}  # by field
        for field in cls.model_fields:
            for variable in cls.variables_of(field):
                value = environ.get(variable, "").strip()
                if value:
                    values[field] = value
                    variable_of[field] = variable
                    break
        try:
            return cls(**values)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            field = str(first["loc"][0])
            variable = variable_of.get(field, field)
            raise BadInput(
                f"The setting {variable} is not usable: {first['msg']}.",
                suggested_action=f"Correct it or unset it. {variable}: "
                f"{cls.model_fields[field].description}",
            ) from None  # the cause would repeat the value, and a proxy URL may hold a password


def _read_origins(environ: Mapping[str, str]) -> dict[str, str]:
    """The base URLs of providers by name; a variable of ours counts for more than a usual one."""
    usual: dict[str, str] = {}
    ours: dict[str, str] = {}
    for variable, value in environ.items():
        origin = value.strip().rstrip("/")
        if not value.strip() or variable in _NOT_ORIGINS:
            continue
        if variable in _USUAL_ORIGINS:
            usual[_USUAL_ORIGINS[variable]] = origin
        pattern = _ORIGIN_VARIABLE.fullmatch(variable)
        if pattern:
            ours[pattern[1].lower()] = origin
    return usual | ours
