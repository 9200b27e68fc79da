"""All settings: names, types, limits, defaults and environment variables.

`max_bytes` is read from `WEBQUARRY_MAX_BYTES`; some settings also have a conventional variable
(`HTTPS_PROXY`), which is read second. Constants have no variable; Python callers can set them.
`docs/settings.md` and `.env.example` are generated from this file. Credentials are not settings:
see `credentials.py`.

The MCP server on stdio imports this module before its first response, so it imports nothing at
module level but `os`, `sys` and `errors`. `dataclasses` alone would take a third of that start.
"""

from __future__ import annotations

import os
import sys

from webquarry import __version__
from webquarry.errors import BadSetting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from ipaddress import IPv4Network, IPv6Network
    from pathlib import Path
    from typing import Any, Self, dataclass_transform

    Network = IPv4Network | IPv6Network
else:

    def dataclass_transform(**_):
        """Only type checkers use the decorator."""
        return lambda decorated: decorated


PREFIX = "WEBQUARRY_"
# Variables of other parts: a credential, and two of the tests.
_OTHER_VARIABLES = {"WEBQUARRY_STORE_KEY", "WEBQUARRY_REQUIRE_ALL", "WEBQUARRY_FUZZ_EXAMPLES"}
# Former settings without a field, with what to use instead.
_OPTIONS_FILE = "set `{}` in the file of options next to the tool, such as weather.toml"
_FORMER = {
    "WEBQUARRY_HTTP_DRAIN_SECONDS": "the server stops listening at once",
    "WEBQUARRY_TOOL_TIMEOUTS": _OPTIONS_FILE.format("timeout_seconds"),
    "WEBQUARRY_TOOL_OUTPUT_LIMITS": _OPTIONS_FILE.format("max_output_bytes"),
}
_reported: set[str] = set()  # unknown variables that this process has named
_NOT_ORIGINS = {"WEBQUARRY_REDIS_URL"}  # a credential, because it may contain a password
_CONVENTIONAL_ORIGINS = {
    "SEARXNG_URL": "searxng",
    "ANTHROPIC_BASE_URL": "anthropic",
    "OPENAI_BASE_URL": "openai",
}
_TRUE = {"1", "true", "t", "yes", "y", "on"}
_FALSE = {"0", "false", "f", "no", "n", "off"}


def _parse_bool(value: Any) -> bool:
    word = str(value).lower()
    if word not in _TRUE | _FALSE:
        raise ValueError(value)
    return word in _TRUE


def _parse_int(value: Any) -> int:
    number = float(value)
    if number != int(number):
        raise ValueError(value)
    return int(value) if isinstance(value, int) else int(number)


def _parse_text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _parse_path(value: Any) -> Any:
    """Check the type only: a `Path` is created when the setting is read, see `Setting.__get__`."""
    if not isinstance(os.fspath(value), str):
        raise TypeError(value)
    return value


def _parse_list(value: Any) -> list[str]:
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return [_parse_text(entry) for entry in value]


def _parse_networks(value: Any) -> list[Network]:
    from ipaddress import ip_network

    entries = _parse_list(value) if isinstance(value, str) else value
    return [ip_network(entry) for entry in entries]


def _parse_origins(value: Any) -> dict[str, str]:
    return {_parse_text(name): _parse_text(origin) for name, origin in value.items()}


# By annotation of the field: how a value is parsed, and how the type is called in texts.
_KINDS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "bool": (_parse_bool, "`1` or `0`"),
    "int": (_parse_int, "integer"),
    "float": (float, "number"),
    "str": (_parse_text, "text"),
    "Path": (_parse_path, "path"),
    "list[str]": (_parse_list, "comma-separated list"),
    "list[Network]": (_parse_networks, "comma-separated list of networks"),
    "dict[str, str]": (_parse_origins, "URL"),
}


class Setting:
    """Definition of one setting; the type is the annotation of the field.

    As a descriptor it returns the value of the setting from `Settings` objects.
    """

    name: str
    kind: str
    is_optional: bool
    minimum: float | None = None
    above: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    pattern: str = ""  # of the text, or of each entry of a list
    form: str = ""  # the pattern in words
    also: tuple[str, ...] = ()  # further environment variables
    is_constant: bool = False

    def __init__(self, default: Any, description: str, **rules: Any) -> None:
        self.default = default
        self.description = description
        vars(self).update(rules)

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        annotation = owner.__annotations__[name]
        self.kind = annotation.removesuffix(" | None")
        self.is_optional = self.kind != annotation

    def __get__(self, settings: Settings | None, owner: type) -> Any:
        if settings is None:
            return self
        value = settings._values.get(self.name, self.default)
        if self.kind == "Path" and value is not None:
            from pathlib import Path

            return Path(value)
        return value.copy() if isinstance(value, (list, dict)) else value

    @property
    def variables(self) -> list[str]:
        """The environment variables of the setting; the first one that is set counts."""
        if self.name == "origins" or self.is_constant:
            return []
        if self.name.startswith("websearch_"):  # the names that websearch-mcp defines
            return [self.name.upper()]
        return [PREFIX + self.name.upper(), *self.also]

    @property
    def takes(self) -> str:
        """Type and limits in words."""
        if self.choices:
            return "one of " + ", ".join(f"`{choice}`" for choice in self.choices)
        words = [self.form or _KINDS[self.kind][1]]
        if self.above is not None:
            words.append(f"above {self.above}")
        if self.minimum is not None:
            words.append(f"at least {self.minimum}")
        if self.maximum is not None:
            words.append(f"at most {self.maximum}")
        if self._is_none("none"):
            words.append("or `none`")
        return ", ".join(words)

    def parse(self, value: Any, source: str) -> Any:
        """Return the value in the type of the setting.

        Raises BadSetting that calls the setting `source` and does not contain the value, which may
        be the URL of a proxy with its password.
        """
        if self._is_none(value):
            return None
        try:
            parsed = _KINDS[self.kind][0](value)
            is_allowed = self._is_allowed(parsed)
        except (ValueError, TypeError, AttributeError, OverflowError):
            is_allowed = False
        if is_allowed:
            return parsed
        raise BadSetting(
            f"The setting {source} is not usable: expected {self.takes}.",
            suggested_action=f"Correct or unset {source}. {self.description}".strip(),
        )

    def _is_none(self, value: Any) -> bool:
        """Whether the value is None, or the word none where that removes a default limit."""
        if not self.is_optional:
            return False
        has_word = self.kind in ("int", "float") and self.default is not None
        return value is None or (has_word and str(value).lower() == "none")

    def _is_allowed(self, value: Any) -> bool:
        """Whether a value of the right type is within the limits; NaN exceeds every limit."""
        if self.choices:
            return value in self.choices
        if self.pattern:
            import re

            texts = value if isinstance(value, list) else [value]
            return all(re.fullmatch(self.pattern, text) for text in texts)
        return (
            (self.above is None or value > self.above)
            and (self.minimum is None or value >= self.minimum)
            and (self.maximum is None or value <= self.maximum)
        )


def setting(default: Any, description: str, **rules: Any) -> Any:
    """Define a field of `Settings`. The rules are attributes of `Setting`."""
    return Setting(default, description, **rules)


def constant(default: Any, **rules: Any) -> Any:
    """Define a field of `Settings` that has no environment variable and is not documented."""
    return Setting(default, "", is_constant=True, **rules)


@dataclass_transform(kw_only_default=True, frozen_default=True)
class _FrozenFields:
    """Frozen dataclass whose fields are `Setting` definitions; stores only the values given."""

    _values: dict[str, Any]

    def __init__(self, **values: Any) -> None:
        known = self.fields()
        for name in values.keys() - known.keys():
            raise BadSetting(
                f"Unknown setting: {name}.",
                suggested_action=f"Correct or remove {name}; docs/settings.md lists all settings.",
            )
        parsed = {name: known[name].parse(value, name) for name, value in values.items()}
        object.__setattr__(self, "_values", parsed)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"settings are read-only: use `settings.replace({name}=...)`")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _FrozenFields):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.fields())

    def __repr__(self) -> str:
        from webquarry.secret import redact  # the URL of a proxy may contain a password

        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._values)
        return redact(f"{type(self).__name__}({values})")

    @classmethod
    def fields(cls) -> dict[str, Setting]:
        """The definition of each setting by name."""
        return {name: value for name, value in vars(cls).items() if isinstance(value, Setting)}

    @property
    def explicit(self) -> Collection[str]:
        """Names of the settings that were set explicitly."""
        return self._values.keys()

    def replace(self, **changes: Any) -> Self:
        """Return a copy with other values."""
        return type(self)(**self._values | changes)


class Settings(_FrozenFields):
    """Configuration of a process. Raises BadSetting for unknown names and values not allowed."""

    # Network
    user_agent: str = setting(
        f"webquarry/{__version__} (research assistant; respects robots.txt)",
        "User-Agent header. Its first word is the name that is matched in robots.txt.",
    )
    timeout_seconds: float = setting(
        30,
        "Timeout of one page or one search, in seconds, including redirects and retries.",
        above=0,
        maximum=600,
    )
    connect_timeout_seconds: float = constant(10, above=0, maximum=120)
    max_bytes: int = setting(
        16 * 1024 * 1024,
        "Maximum size of a response body in bytes, before and after decompression.",
        minimum=1024,
    )
    max_redirects: int = constant(10, minimum=0, maximum=50)
    retries: int = constant(2, minimum=0, maximum=10)
    host_concurrency: int = constant(10, minimum=1)
    host_requests_per_second: float = constant(20, above=0)
    robots: bool = setting(True, "Respect robots.txt.")
    http2: bool = constant(True)
    allow_private: bool = setting(
        False, "Allow requests to any address, including private ones. For trusted callers only."
    )
    allow_networks: list[Network] = setting(
        [], "Private networks that may be fetched from, such as 10.1.0.0/16."
    )
    https_proxy: str | None = setting(
        None, "Proxy for https URLs.", also=("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")
    )
    http_proxy: str | None = setting(
        None, "Proxy for http URLs.", also=("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy")
    )
    no_proxy: list[str] = setting(
        [],
        "Hosts that are requested without the proxy. A domain includes its subdomains, with or "
        "without a leading dot.",
        also=("NO_PROXY", "no_proxy"),
    )
    ca_file: Path | None = setting(
        None,
        "PEM file of a private certificate authority, trusted in addition to the system's.",
        also=("SSL_CERT_FILE",),
    )
    record: Path | None = setting(None, "WARC file to record every exchange to.")
    replay: Path | None = setting(
        None,
        "WARC file to answer every request from, without a network and with a frozen clock. "
        "`demo` is the recording included in the package.",
    )

    # Search
    search_provider: str | None = setting(
        None,
        "The only search provider to use. Default: SEARCH_ROUTING, or every configured provider, "
        "with DuckDuckGo last.",
        also=("SEARCH_PROVIDER",),
    )
    search_routing: str | None = setting(
        None,
        "Search providers in order of preference: `brave,google,duckduckgo`, or JSON by type of "
        'search, `{"web": ["brave"], "academic": ["tavily"]}`. Overrides SEARCH_PROVIDER.',
        also=("SEARCH_ROUTING",),
    )
    breaker_failures: int = constant(3, minimum=1, maximum=100)
    breaker_rest_seconds: float = constant(60, above=0, maximum=86400)
    academic_timeout_seconds: float = constant(12, above=0, maximum=600)
    reference_indexes: list[str] = setting(
        [],
        "Indexes that check references, such as `crossref,doi,openalex`. Default: all. References "
        "are sent to these indexes only.",
    )
    lenses: Path | None = setting(
        None, "Folder of custom lenses (JSON files). They override built-in lenses by name."
    )

    # Cache and records
    cache: bool = setting(
        True, "Cache answers on disk. Without it, only concurrent identical calls are shared."
    )
    cache_folder: Path | None = setting(
        None, "Folder of the cache. Default: `$XDG_CACHE_HOME/webquarry`, or `~/.cache/webquarry`."
    )
    state_folder: Path | None = setting(
        None,
        "Folder of the records: research sessions, paid answers, the ledger. Default: "
        "`$XDG_STATE_HOME/webquarry`, or `~/.local/state/webquarry`.",
    )
    records: str = constant("durable", choices=("durable", "memory"))
    cache_max_bytes: int = constant(200_000_000, minimum=1_000_000)
    library: bool = setting(
        True,
        "Store pages that were read, encrypted, so that the provider `library` can search them.",
    )
    library_max_bytes: int = constant(500_000_000, minimum=1_000_000)
    cache_search_seconds: float = constant(1800, minimum=0)
    cache_read_seconds: float = constant(3600, minimum=0)
    cache_patents_seconds: float = constant(86400, minimum=0)
    cache_academic_seconds: float = constant(3600, minimum=0)
    cache_empty_seconds: float = constant(60, minimum=0)
    redis_timeout_seconds: float = constant(0.5, above=0, maximum=60)

    # Research sessions
    session_idle_seconds: float = constant(30 * 86_400, above=0)
    session_most: int = constant(1_000, minimum=1)
    session_most_steps: int = constant(10_000, minimum=1)

    # Tool set `duckduckgo` (websearch-mcp)
    websearch_max_results: int = setting(
        10,
        "`duckduckgo` tools: default number of search results.",
        minimum=1,
        maximum=30,
    )
    websearch_timeout_secs: float | None = setting(
        None,
        "`duckduckgo` tools: timeout of one call, in seconds, including further pages and "
        "retries. Default: WEBQUARRY_TIMEOUT_SECONDS.",
        above=0,
        maximum=600,
    )
    websearch_user_agent: str | None = setting(
        None,
        "`duckduckgo` tools: User-Agent header. Default: WEBQUARRY_USER_AGENT.",
    )
    websearch_cache_ttl_secs: float | None = setting(
        None,
        "`duckduckgo` tools: lifetime of cached answers, in seconds; 0 disables the cache. "
        "Default: 1800.",
        minimum=0,
    )
    websearch_rate_limit_ms: int = setting(
        1000,
        "Minimum interval between two requests to DuckDuckGo, in milliseconds. DuckDuckGo answers "
        "faster clients with a captcha.",
        minimum=0,
        maximum=600_000,
    )
    websearch_max_retries: int | None = setting(
        None,
        "`duckduckgo` tools: number of retries after a network error, 429 or 503. Default: 2.",
        minimum=0,
        maximum=10,
    )

    # Reading pages
    fetch_max_bytes: int = setting(
        1_500_000,
        "Maximum size of the Markdown in one web_fetch answer in bytes; a truncated answer says "
        "where to continue. 0 means no limit.",
        minimum=0,
    )
    read_workers: int | None = constant(None, minimum=0, maximum=256)
    read_cpu_seconds: float = constant(20, above=0)
    read_memory_mb: int = constant(1024, minimum=256)
    read_idle_seconds: float = constant(60, minimum=0)
    linked_styles: bool = constant(True)
    reddit: bool = constant(False)
    youtube_languages: list[str] = constant(["en"])
    youtube_clients: list[str] = constant(
        ["ANDROID/20.10.38", "VISIONOS/1.02", "ANDROID_VR/1.65.10", "WEB/2.20260708.00.00"]
    )
    contact: str | None = setting(
        None,
        "Your e-mail address, sent only to services that give better service in return: "
        "Crossref, PubMed, Europe PMC and arXiv.",
        pattern=r"(?=.{1,254}$)[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+",
        form="e-mail address",
    )

    # Rendering in a browser
    render: bool = setting(
        True,
        "Render pages that are empty without JavaScript in a browser, if Chromium is installed.",
    )
    browser: str | None = setting(
        None,
        "Name or path of the Chromium or headless shell. Default: the installed one; it is never "
        "downloaded.",
    )
    browser_sandbox: bool = setting(
        True,
        "Use the browser's sandbox. 0 gives malicious pages all permissions of the process: only "
        "inside a dedicated container.",
    )
    render_seconds: float = constant(15, above=0, maximum=120)
    render_pages: int = constant(4, minimum=1, maximum=64)
    render_memory_mb: int = constant(1500, minimum=300)
    render_idle_seconds: float = constant(60, minimum=0)
    exa_contents: bool = setting(
        False,
        "Request pages that cannot be read locally (captcha, access denied, JavaScript only) from "
        "Exa. Requires EXA_API_KEY, costs about $0.001 per page, and sends the URL to Exa, but "
        "never a private or refused address.",
    )

    # External tools
    system_tools: Path | None = setting(
        None, "Folder of the system-wide tools. Default: webquarry's own executables."
    )
    user_tools: Path = setting(
        "~/.ikigai/tools", "Folder of your own tools; they override the system's."
    )
    project_tools: Path = setting(
        ".ikigai/tools",
        "Folder of the project's tools; they override yours, and run only after `webquarry tools "
        "trust`.",
    )
    tool_schema_seconds: float = constant(10, above=0, maximum=3600)
    tool_schema_max_bytes: int = constant(1_048_576, minimum=1024, maximum=100_000_000)
    tool_timeout_seconds: float = constant(30, above=0, maximum=3600)
    tool_max_output_bytes: int = constant(65536, minimum=1024)
    tool_variables: list[str] = setting(
        [],
        "Environment variables passed to single tools in addition to the common ones, such as "
        "weather=WEATHER_API_KEY,forge=FORGE_TOKEN.",
        pattern=r"[A-Za-z0-9_.-]+=[A-Za-z_][A-Za-z0-9_]*",
        form="comma-separated list of tool=VARIABLE",
    )

    # MCP server
    call_timeout_seconds: float = constant(120, above=0, maximum=3600)
    call_timeouts: list[str] = constant([], pattern=r"[a-z0-9_]+=\d+(\.\d+)?")
    mcp_text: str = setting(
        "json",
        "Text content of MCP results next to the structured content: the same JSON, Markdown, or "
        "a digest for clients that read the structured content.",
        choices=("json", "markdown", "digest"),
    )
    link_threshold_bytes: int = setting(
        96_000,
        "Size in bytes above which an MCP result is stored for an hour and returned as a resource "
        "link; only for tools with large results.",
        minimum=1000,
    )
    mcp_grace_seconds: float = constant(30, minimum=0, maximum=3600)
    mcp_warm: bool = setting(
        False,
        "Load the engine of an MCP server on stdio after the handshake instead of at the first "
        "call: the first call is faster, the idle server needs more memory.",
    )
    http_max_request_bytes: int = constant(1_048_576, minimum=1024)

    # Authentication over HTTP
    http_auth: str = setting(
        "auto",
        "Authentication of HTTP callers. auto: tokens of the OAuth issuer if one is configured, "
        "else own tokens (`webquarry token add`) if the server is not limited to this machine, "
        "else none.",
        choices=("auto", "none", "token", "oauth"),
    )
    tokens_file: Path | None = setting(
        None,
        "File of own tokens. Default: `$XDG_CONFIG_HOME/webquarry/tokens.json`, or the same below "
        "`~/.config`.",
    )
    http_resource: str | None = setting(
        None,
        "Public URL of the server, such as https://quarry.example.org/mcp. OAuth tokens must be "
        "issued for it.",
        pattern=r"https?://[^\s?#]+",
        form="http or https URL without query",
    )
    http_hosts: list[str] = setting(
        [],
        "Allowed Host headers of remote requests, such as quarry.example.org or "
        "quarry.example.org:*. Default: any, because every request needs a token.",
    )
    http_origins: list[str] = setting(
        [],
        "Allowed Origin headers of web pages, such as https://app.example.org. Default: only "
        "origins on this machine.",
    )
    oauth_issuer: str | None = setting(
        None,
        "OAuth 2.1 issuer whose tokens are accepted, exactly as in its metadata.",
        pattern=r"https?://[^\s?#]+",
        form="http or https URL without query",
    )
    oauth_audience: str | None = setting(
        None, "Required audience of OAuth tokens. Default: WEBQUARRY_HTTP_RESOURCE."
    )
    oauth_scopes: list[str] = setting([], "Required scopes of OAuth tokens.")
    oauth_jwks: str | None = constant(None)

    # Asking models
    ask_model: str = setting(
        "claude-sonnet-5-5",
        "Default model of `ask` and the SQL functions: one of Anthropic's, or vendor/model, such "
        "as `ollama/qwen3`.",
        pattern=r".+",
    )
    ask_search_provider: str = setting(
        "brave",
        "Search provider of the model, if its credentials are configured; `none` disables search.",
    )
    ask_concurrency: int = constant(16, minimum=1, maximum=1024)
    ask_max_rows: int | None = setting(
        1000,
        "Maximum number of paid questions of one `ask` statement; `none` means no limit.",
        minimum=0,
    )
    ask_max_usd: float | None = setting(
        10, "Maximum cost of one `ask` statement, in US dollars; `none` means no limit.", minimum=0
    )
    ask_max_usd_per_day: float | None = setting(
        50,
        "Maximum cost of `ask` per day (UTC), in US dollars, over all interfaces and processes; "
        "`none` means no limit.",
        minimum=0,
    )
    ask_max_discarded_rows: int | None = setting(
        100,
        "Maximum number of rows, as estimated by DuckDB, that a SQL statement may ask about and "
        "then discard (`ORDER BY x LIMIT 5`). Above it the statement is refused; the shell asks "
        "for confirmation. `none` means no limit.",
        minimum=0,
    )
    ask_searched_seconds: float = constant(1800, minimum=0)
    ask_kept_seconds: float = constant(86400, minimum=0)
    ask_prices: Path | None = setting(
        None, "File of custom prices (JSON, docs/ask.md). They override built-in prices by name."
    )

    # Limits over HTTP
    http_minute_limit: int = setting(
        30_000, "Maximum HTTP requests of one caller per minute; 0 means no limit.", minimum=0
    )
    http_day_limit: int = setting(
        1_000_000, "Maximum HTTP requests of one caller per day; 0 means no limit.", minimum=0
    )
    http_minute_limit_all: int = constant(60_000, minimum=0)
    http_day_limit_all: int = constant(5_000_000, minimum=0)
    http_calls_at_once: int = constant(128, minimum=0)
    http_calls_at_once_all: int = constant(1024, minimum=0)
    http_max_header_bytes: int = constant(32_768, minimum=1024)
    http_max_connections: int = constant(2048, minimum=1)
    http_max_unsent_bytes: int = constant(256 * 1024 * 1024, minimum=1024 * 1024)
    http_grace_seconds: int = setting(
        30,
        "Time for calls in progress to finish when the server is stopped, in seconds.",
        minimum=0,
        maximum=600,
    )
    metrics: bool = setting(
        True,
        "Serve metrics over HTTP at /metrics. With authentication this requires a metrics token "
        "(`webquarry token add NAME --metrics`) or the scope `webquarry:metrics`.",
    )
    metrics_scope: str = constant("webquarry:metrics", pattern=r"[!#-\[\]-~]+")

    # Logs
    log_format: str = setting("text", "Format of log messages on stderr.", choices=("text", "json"))
    log_level: str = setting("warning", "Log level.", choices=("debug", "info", "warning", "error"))
    call_log: bool = setting(
        True,
        "Log tool calls, encrypted, next to the records for `webquarry calls`: tool, masked "
        "arguments, outcome and sources, but not the text of answers.",
    )
    call_log_max_bytes: int = constant(20_000_000, minimum=100_000)
    call_log_seconds: float = constant(30 * 86_400, above=0)

    # Origins (one variable for each provider)
    origins: dict[str, str] = setting(
        {},
        "Base URL of a provider, named as in docs/providers.md: http://127.0.0.1:9000 is an origin "
        "to which the provider's path is appended. DuckDuckGo has three: DUCKDUCKGO_HTML, "
        "DUCKDUCKGO_LITE and DUCKDUCKGO_API. Model vendors (docs/ask.md) accept it with or "
        "without /v1. SEARXNG_URL, ANTHROPIC_BASE_URL and OPENAI_BASE_URL are read too. Private "
        "addresses are allowed.",
    )

    def seconds_for(self, tool: str) -> float:
        """Return the timeout of one call of a tool over MCP."""
        timeouts = dict(entry.split("=") for entry in self.call_timeouts)
        return float(timeouts.get(tool, self.call_timeout_seconds))

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Read the settings; variables that are none are named on stderr, once per process.

        Raises BadSetting that names the variable of a value not allowed.
        """
        environ = os.environ if environ is None else environ
        for name, advice in find_unknown(environ).items():
            if name not in _reported:
                _reported.add(name)
                sys.stderr.write(f"{name} {advice}\n")
        values: dict[str, Any] = {}
        if origins := _read_origins(environ):
            values["origins"] = origins
        for name, definition in cls.fields().items():
            for variable in definition.variables:
                if text := environ.get(variable, "").strip():
                    values[name] = definition.parse(text, variable)
                    break
        return cls(**values)


def find_unknown(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that look like settings and are none, with what to do instead."""
    fields = Settings.fields()
    known = {variable for one in fields.values() for variable in one.variables} | _OTHER_VARIABLES
    unknown = {}
    for name in sorted(environ):
        is_ours = name.startswith(PREFIX) and not name.endswith("_URL")
        if not is_ours or name in known or not environ[name].strip():
            continue
        former = fields.get(name.removeprefix(PREFIX).lower())
        if name in _FORMER:
            unknown[name] = f"is no longer a setting: {_FORMER[name]}."
        elif former is not None and former.is_constant:
            value = default_text(former.default) or "none"
            unknown[name] = f"is no longer a setting: the value is {value}."
        else:
            from difflib import get_close_matches

            nearest = get_close_matches(name, known, 1)
            hint = f"did you mean {nearest[0]}?" if nearest else "docs/settings.md lists them all."
            unknown[name] = f"is not a setting; {hint}"
    return unknown


def default_text(default: Any) -> str:
    """Return the default as the text of a variable; empty if the setting is not set."""
    if isinstance(default, bool):
        return str(int(default))
    if isinstance(default, list):
        return ",".join(default)
    return "" if default is None or default == {} else str(default)


def _read_origins(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the base URLs by provider; WEBQUARRY_<PROVIDER>_URL overrides a conventional name."""
    conventional: dict[str, str] = {}
    own: dict[str, str] = {}
    for variable, value in environ.items():
        origin = value.strip().rstrip("/")
        if not value.strip() or variable in _NOT_ORIGINS:
            continue
        if variable in _CONVENTIONAL_ORIGINS:
            conventional[_CONVENTIONAL_ORIGINS[variable]] = origin
        elif variable.startswith(PREFIX) and variable.endswith("_URL"):
            provider = variable[len(PREFIX) : -len("_URL")]
            if provider and provider == provider.upper():
                own[provider.lower()] = origin
    return conventional | own
