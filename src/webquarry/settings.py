"""Every setting: one class, read once, documented field by field (docs/settings.md is generated
from it).

A setting `max_bytes` is read from `WEBQUARRY_MAX_BYTES`; some also answer to the name that users
already have set (`HTTPS_PROXY`), which is tried second. Credentials are not settings: see
`credentials.py`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from webquarry import __version__
from webquarry.errors import BadInput

PREFIX = "WEBQUARRY_"
_ORIGIN_VARIABLE = re.compile(rf"{PREFIX}([A-Z0-9_]+)_URL")
_NOT_ORIGINS = {"WEBQUARRY_REDIS_URL"}  # a credential, which may hold a password
_USUAL_ORIGINS = {
    "SEARXNG_URL": "searxng",
    "ANTHROPIC_BASE_URL": "anthropic",
}  # the names that users already have set; ours come first


def _split(value: Any) -> Any:
    """A comma-separated text is a list."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return value


def _also(*names: str) -> dict[str, Any]:
    """Further environment variables that set this field, in order, after WEBQUARRY_<FIELD>."""
    return {"also": list(names)}


def _none(value: Any) -> Any:
    """The word for no limit."""
    if isinstance(value, str) and value.strip().lower() == "none":
        return None
    return value


Networks = Annotated[list[IPv4Network | IPv6Network], BeforeValidator(_split)]


class Settings(BaseModel):
    """How this process behaves. Nothing here is secret."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    # The network
    user_agent: str = Field(
        f"webquarry/{__version__} (research assistant; respects robots.txt)",
        description="How we introduce ourselves to sites. Its first word is the name looked up "
        "in robots.txt.",
    )
    timeout_seconds: float = Field(
        30,
        gt=0,
        le=600,
        description="Total time for one page or one search, whoever is asked; redirects and "
        "retries included.",
    )
    connect_timeout_seconds: float = Field(
        10, gt=0, le=120, description="Time for one connection to be made."
    )
    max_bytes: int = Field(
        16 * 1024 * 1024,
        ge=1024,
        description="Largest body that is read, both as sent and after decompression.",
    )
    max_redirects: int = Field(10, ge=0, le=50, description="Most redirects followed for one page.")
    retries: int = Field(
        2,
        ge=0,
        le=10,
        description="Further tries after a network error, 429 or 503; only for requests that are "
        "safe to repeat.",
    )
    host_concurrency: int = Field(10, ge=1, description="Most requests under way to one host.")
    host_requests_per_second: float = Field(
        20, gt=0, description="Most requests started per second to one host."
    )
    robots: bool = Field(True, description="Ask robots.txt before a page is fetched.")
    http2: bool = Field(True, description="Offer HTTP/2.")
    allow_private: bool = Field(
        False,
        description="Let pages be fetched from any address, private ones included. Only for "
        "trusted callers.",
    )
    allow_networks: Networks = Field(
        [],
        description="Private networks that may be fetched from, comma-separated, such as "
        "10.1.0.0/16.",
    )
    https_proxy: str | None = Field(
        None,
        description="Proxy for https URLs.",
        json_schema_extra=_also("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"),
    )
    http_proxy: str | None = Field(
        None,
        description="Proxy for http URLs.",
        json_schema_extra=_also("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"),
    )
    no_proxy: Annotated[list[str], BeforeValidator(_split)] = Field(
        [],
        description="Hosts reached without the proxy, comma-separated; a leading dot or a bare "
        "domain covers its subdomains.",
        json_schema_extra=_also("NO_PROXY", "no_proxy"),
    )
    ca_file: Path | None = Field(
        None,
        description="A PEM file with a private certificate authority to trust besides the "
        "system's.",
        json_schema_extra=_also("SSL_CERT_FILE"),
    )

    # Recording
    record: Path | None = Field(None, description="Record every exchange to this WARC file.")
    replay: Path | None = Field(
        None,
        description="Answer every request from this WARC file, with the network off and the "
        "clock frozen. `demo` means the recorded web that ships with the package.",
    )

    # Searching
    search_provider: str | None = Field(
        None,
        description="The one search provider to ask. Not set: SEARCH_ROUTING, or whatever is "
        "configured, with DuckDuckGo last.",
        json_schema_extra=_also("SEARCH_PROVIDER"),
    )
    search_routing: str | None = Field(
        None,
        description="Search providers in the order they are asked: `brave,google,duckduckgo`, or "
        'JSON by kind of search, `{"web": ["brave"], "news": ["tavily"]}`. Counts '
        "for more than SEARCH_PROVIDER.",
        json_schema_extra=_also("SEARCH_ROUTING"),
    )
    breaker_failures: int = Field(
        3,
        ge=1,
        le=100,
        description="Failures in a row after which a search provider is left alone for a while.",
    )
    breaker_rest_seconds: float = Field(
        60,
        gt=0,
        le=86400,
        description="How long it is left alone, unless it asked for another time itself.",
    )
    academic_timeout_seconds: float = Field(
        12,
        gt=0,
        le=600,
        description="Time for one scholarly index; whoever has not answered by then is left out "
        "of the papers, and told of.",
    )
    lenses: Path | None = Field(
        None,
        description="Folder with lenses of your own (JSON files); they take the place of ours by name.",
    )

    # The cache
    cache: bool = Field(
        True,
        description="Keep answers on disk for a while. Off: only what is asked at the same time is shared.",
    )
    cache_folder: Path | None = Field(
        None,
        description="Folder of the cache. Not set: `$XDG_CACHE_HOME/webquarry`, or `~/.cache/webquarry`.",
    )
    state_folder: Path | None = Field(
        None,
        description="Folder of the records: research sessions, paid answers, the ledger. Not set: "
        "`$XDG_STATE_HOME/webquarry`, or `~/.local/state/webquarry`.",
    )
    cache_max_bytes: int = Field(
        200_000_000,
        ge=1_000_000,
        description="Most bytes kept on disk; what was used longest ago goes first.",
    )
    cache_search_seconds: float = Field(
        1800, ge=0, description="How long the results of a search are good."
    )
    cache_read_seconds: float = Field(
        3600, ge=0, description="How long a page that was read is good."
    )
    cache_patents_seconds: float = Field(
        86400, ge=0, description="How long patents that were found are good."
    )
    cache_academic_seconds: float = Field(
        3600,
        ge=0,
        description="How long papers that were found are good; a sixth of it where an index did not answer.",
    )
    cache_empty_seconds: float = Field(
        60, ge=0, description='How long "nothing was found" is good.'
    )
    redis_timeout_seconds: float = Field(
        0.5,
        gt=0,
        le=60,
        description="How long the Redis that several servers share may take to answer before a call goes on without it.",
    )

    # Research sessions
    session_idle_seconds: float = Field(
        4 * 3600, gt=0, description="How long a research session is kept after it was last used."
    )
    session_most: int = Field(
        50,
        ge=1,
        description="Most research sessions of one caller; a finished one gives way to a new one, an unfinished one never.",
    )
    session_most_steps: int = Field(200, ge=1, description="Most steps of one research session.")

    # The tool set `duckduckgo`
    websearch_max_results: int = Field(
        10,
        ge=1,
        le=30,
        description="`duckduckgo` tools: how many results a search gives when the call does not say.",
        json_schema_extra=_also("WEBSEARCH_MAX_RESULTS"),
    )
    websearch_timeout_secs: float | None = Field(
        None,
        gt=0,
        le=600,
        description="`duckduckgo` tools: total time for one call, further pages and retries included. Not set: WEBQUARRY_TIMEOUT_SECONDS.",
        json_schema_extra=_also("WEBSEARCH_TIMEOUT_SECS"),
    )
    websearch_user_agent: str | None = Field(
        None,
        description="`duckduckgo` tools: how we introduce ourselves. Not set: WEBQUARRY_USER_AGENT.",
        json_schema_extra=_also("WEBSEARCH_USER_AGENT"),
    )
    websearch_cache_ttl_secs: float | None = Field(
        None,
        ge=0,
        description="`duckduckgo` tools: how long an answer is kept; 0 keeps none. Not set: WEBQUARRY_CACHE_SEARCH_SECONDS.",
        json_schema_extra=_also("WEBSEARCH_CACHE_TTL_SECS"),
    )
    websearch_rate_limit_ms: int = Field(
        1000,
        ge=0,
        le=600_000,
        description="Least time between two requests to DuckDuckGo, which wants a captcha solved by whoever is in a hurry.",
        json_schema_extra=_also("WEBSEARCH_RATE_LIMIT_MS"),
    )
    websearch_max_retries: int | None = Field(
        None,
        ge=0,
        le=10,
        description="`duckduckgo` tools: further tries after a network error, 429 or 503. Not set: WEBQUARRY_RETRIES.",
        json_schema_extra=_also("WEBSEARCH_MAX_RETRIES"),
    )

    # Reading
    fetch_max_bytes: int = Field(
        1_500_000,
        ge=0,
        description="Most bytes of Markdown in one web_fetch answer; what is cut is said, with the line to go on from. 0 means no limit.",
    )

    youtube_languages: Annotated[list[str], BeforeValidator(_split)] = Field(
        ["en"],
        description="Languages in which transcripts of YouTube are wanted, the best first, comma-separated, such as de,en.",
    )
    youtube_clients: Annotated[list[str], BeforeValidator(_split)] = Field(
        ["ANDROID/20.10.38", "VISIONOS/1.02", "ANDROID_VR/1.65.10", "WEB/2.20260708.00.00"],
        description="Clients, as name/version, in whose name YouTube is asked for a transcript, in this order, comma-separated. YouTube retires them from time to time.",
    )

    # Evidence
    contact: str | None = Field(
        None,
        max_length=254,
        pattern=r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+$",
        description="Your e-mail address, for services that serve those better who give one: Crossref, PubMed, Europe PMC and arXiv. Sent to nobody else.",
    )

    # Tools of others
    system_tools: Path | None = Field(
        None,
        description="Folder of the tools that everybody on this machine has. Not set: webquarry's own executables.",
    )
    user_tools: Path = Field(
        Path("~/.ikigai/tools"), description="Folder of your own tools; they override the system's."
    )
    project_tools: Path = Field(
        Path(".ikigai/tools"),
        description="Folder of the project's tools; they override yours, and run only after `webquarry tools trust`.",
    )
    tool_timeout_seconds: float = Field(
        30, gt=0, le=3600, description="Time that one run of a tool may take."
    )
    tool_max_output_bytes: int = Field(
        65536,
        ge=1024,
        description="Most bytes that a tool may print in one run; above it the run fails.",
    )

    # The MCP server
    call_timeout_seconds: float = Field(
        120,
        gt=0,
        le=3600,
        description="Time that one call of a tool over MCP may take, all that it does included.",
    )
    call_timeouts: Annotated[
        list[Annotated[str, Field(pattern=r"^[a-z0-9_]+=\d+(\.\d+)?$")]], BeforeValidator(_split)
    ] = Field(
        [],
        description="The same for single tools, comma-separated, such as scrape_page=300,web_search=30.",
    )
    mcp_text: Literal["json", "markdown", "digest"] = Field(
        "json",
        description="What the text of an MCP result holds beside the structured content: the same JSON, Markdown, or a digest for clients that read the structured content.",
    )
    link_threshold_bytes: int = Field(
        96_000,
        ge=1000,
        description="Size from which a large MCP result is kept for an hour and linked to instead of sent; only of tools that may be large.",
    )
    http_max_request_bytes: int = Field(
        1_048_576, ge=1024, description="Largest request that the MCP server takes over HTTP."
    )

    # The MCP server for others
    http_auth: Literal["auto", "none", "token", "oauth"] = Field(
        "auto",
        description="How callers over HTTP show who they are. auto: by tokens of an OAuth issuer if one is set, else by our own tokens (`webquarry token add`) when others than this machine are served, else not at all.",
    )
    tokens_file: Path | None = Field(
        None,
        description="File of our own tokens. Not set: `$XDG_CONFIG_HOME/webquarry/tokens.json`, or below `~/.config`.",
    )
    http_resource: str | None = Field(
        None,
        pattern=r"^https?://[^\s?#]+$",
        description="The address of the server as callers know it, such as https://quarry.example.org/mcp. OAuth tokens must have been made for it.",
    )
    http_hosts: Annotated[list[str], BeforeValidator(_split)] = Field(
        [],
        description="Host names that requests from others may be addressed to, comma-separated, such as quarry.example.org or quarry.example.org:*. Not set: any, since nobody passes without a token.",
    )
    http_origins: Annotated[list[str], BeforeValidator(_split)] = Field(
        [],
        description="Web pages' origins that may ask, comma-separated, such as https://app.example.org. Not set: none but this machine's.",
    )
    oauth_issuer: str | None = Field(
        None,
        pattern=r"^https?://[^\s?#]+$",
        description="The OAuth 2.1 issuer whose tokens are good, exactly as it calls itself.",
    )
    oauth_audience: str | None = Field(
        None,
        description="What an OAuth token must name as its audience. Not set: the address of the server (WEBQUARRY_HTTP_RESOURCE).",
    )
    oauth_scopes: Annotated[list[str], BeforeValidator(_split)] = Field(
        [], description="Scopes that an OAuth token must have, comma-separated."
    )
    oauth_jwks: str | None = Field(
        None, description="Where the issuer's keys are. Not set: where its metadata says."
    )

    # Asking a model
    ask_model: str = Field(
        "claude-sonnet-5-5",
        min_length=1,
        description="The model that `ask` and the SQL functions use unless they are told another.",
    )
    ask_search_provider: str = Field(
        "brave",
        description="Who searches for the model, if its credentials are there; `none` for nobody.",
    )
    ask_concurrency: int = Field(
        16, ge=1, le=1024, description="Most questions under way to the model at once."
    )
    ask_max_rows: Annotated[int | None, BeforeValidator(_none)] = Field(
        1000,
        ge=0,
        description="Most questions that one statement of `ask` may pay for; `none` takes the limit away.",
    )
    ask_max_usd: Annotated[float | None, BeforeValidator(_none)] = Field(
        10,
        ge=0,
        description="Most US dollars that one statement of `ask` may cost; `none` takes the limit away.",
    )
    ask_max_usd_per_day: Annotated[float | None, BeforeValidator(_none)] = Field(
        50,
        ge=0,
        description="Most US dollars that `ask` may cost in one day (UTC), through all doors and processes; `none` takes the limit away.",
    )
    ask_searched_seconds: float = Field(
        1800,
        ge=0,
        description="How long an answer that a search went into is kept, so that it is not paid for twice.",
    )
    ask_kept_seconds: float = Field(86400, ge=0, description="The same for every other answer.")
    ask_prices: Path | None = Field(
        None,
        description="File with prices of your own (JSON, docs/ask.md); they take the place of ours by name.",
    )

    http_minute_limit: int = Field(
        30_000,
        ge=0,
        description="Requests over HTTP that one caller may make in a minute; 0 is no limit.",
    )
    http_day_limit: int = Field(1_000_000, ge=0, description="The same in a day.")
    http_minute_limit_all: int = Field(
        60_000,
        ge=0,
        description="Requests over HTTP that all callers together may make in a minute; 0 is no limit.",
    )
    http_day_limit_all: int = Field(5_000_000, ge=0, description="The same in a day.")
    http_calls_at_once: int = Field(
        128,
        ge=0,
        description="Requests over HTTP of one caller that may be under way at once; 0 is no limit.",
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
        description="Connections that each process of the server holds at once; more are told to come later.",
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
        description="Time between saying that no more requests should come (/health/ready) and taking no more; what a load balancer needs to notice.",
    )
    metrics: bool = Field(
        True,
        description="Show figures at /metrics when serving over HTTP. Where callers need a token, it takes one for this (`webquarry token add NAME --metrics`, or the scope of WEBQUARRY_METRICS_SCOPE).",
    )
    metrics_scope: str = Field(
        "webquarry:metrics",
        pattern=r"^[!#-\[\]-~]+$",
        description="The scope that an OAuth token must have to read /metrics; it needs no other for that.",
    )

    # Logs
    log_format: Literal["text", "json"] = Field(
        "text", description="How messages are written to stderr."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "warning", description="Least important message that is written to stderr."
    )

    # Set by patterns, not by one variable each
    origins: dict[str, str] = Field(
        {},
        description="Base URL of a provider, by name: WEBQUARRY_BRAVE_URL=http://127.0.0.1:9000 is an origin to which the provider's path is appended. DuckDuckGo has three: WEBQUARRY_DUCKDUCKGO_HTML_URL, _LITE_URL and _API_URL. SEARXNG_URL and ANTHROPIC_BASE_URL are honoured too. Your own choice, so it may be private.",
    )

    def seconds_for(self, tool: str) -> float:
        """The time that one call of a tool over MCP may take."""
        own = dict(entry.split("=") for entry in self.call_timeouts)
        return float(own.get(tool, self.call_timeout_seconds))

    @classmethod
    def variables_of(cls, field: str) -> list[str]:
        """The environment variables that set a field, in the order they are tried."""
        extra = cls.model_fields[field].json_schema_extra
        also = extra.get("also") if isinstance(extra, dict) else None
        others = []
        if isinstance(also, list):
            others = [str(name) for name in also]
        if field == "origins":
            return []
        return [PREFIX + field.upper(), *others]

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Read the settings; a value that does not fit is an error that names its variable."""
        environ = os.environ if environ is None else environ
        values: dict[str, Any] = {}
        origin_of: dict[str, str] = {}
        for field in cls.model_fields:
            for variable in cls.variables_of(field):
                if environ.get(variable, "").strip():
                    values[field], origin_of[field] = environ[variable].strip(), variable
                    break
        usual = {
            name: environ[variable].strip().rstrip("/")
            for variable, name in _USUAL_ORIGINS.items()
            if environ.get(variable, "").strip()
        }
        values["origins"] = usual | {
            found[1].lower(): value.strip().rstrip("/")
            for name, value in environ.items()
            if (found := _ORIGIN_VARIABLE.fullmatch(name))
            and value.strip()
            and name not in _NOT_ORIGINS
        }
        try:
            return cls(**values)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            variable = origin_of.get(str(first["loc"][0]), str(first["loc"][0]))
            raise BadInput(
                f"The setting {variable} is not usable: {first['msg']}.",
                suggested_action=f"Correct or unset {variable}; docs/settings.md says what it takes.",
            ) from None  # the cause would repeat the value, and a proxy URL may hold a password
