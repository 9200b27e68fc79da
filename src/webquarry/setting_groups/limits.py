"""How much callers may ask of the server over HTTP, and what it shows of itself."""

from __future__ import annotations

from pydantic import Field

from webquarry.setting_groups.group import SettingGroup


class LimitSettings(SettingGroup):
    """How much callers may ask of the server over HTTP, and what it shows of itself."""

    http_minute_limit: int = Field(
        30_000,
        ge=0,
        description="Requests over HTTP that one caller may make in a minute; 0 is no limit.",
    )
    http_day_limit: int = Field(1_000_000, ge=0, description="The same in a day.")
    http_minute_limit_all: int = Field(
        60_000,
        ge=0,
        description="Requests over HTTP that all callers together may make in a minute; 0 is no "
        "limit.",
    )
    http_day_limit_all: int = Field(5_000_000, ge=0, description="The same in a day.")
    http_calls_at_once: int = Field(
        128,
        ge=0,
        description="Requests over HTTP of one caller that may be under way at once; 0 is no "
        "limit.",
    )
    http_calls_at_once_all: int = Field(
        1024, ge=0, description="The same for all callers together."
    )
    http_max_header_bytes: int = Field(
        32_768, ge=1024, description="Largest head of a request that the server takes over HTTP."
    )
    http_max_connections: int = Field(
        2048,
        ge=1,
        description="Connections that each process of the server holds at once; more are told to "
        "come later.",
    )
    http_max_unsent_bytes: int = Field(
        256 * 1024 * 1024,
        ge=1024 * 1024,
        description="Bytes of answers that may wait, in each process of the server, for clients to "
        "take them; beyond it those clients are cut off that have read nothing for longest.",
    )
    http_grace_seconds: int = Field(
        30,
        ge=0,
        le=600,
        description="Time that calls under way get to end when the server is told to end.",
    )
    http_drain_seconds: int = Field(
        0,
        ge=0,
        le=600,
        description="Time between saying that no more requests should come (/health/ready) and "
        "taking no more; what a load balancer needs to notice.",
    )
    metrics: bool = Field(
        True,
        description="Show figures at /metrics when serving over HTTP. Where callers need a "
        "token, it takes one for this (`webquarry token add NAME --metrics`, or the "
        "scope of WEBQUARRY_METRICS_SCOPE).",
    )
    metrics_scope: str = Field(
        "webquarry:metrics",
        pattern=r"^[!#-\[\]-~]+$",
        description="The scope that an OAuth token must have to read /metrics; it needs no other "
        "for that.",
    )
