"""How we reach the web: times, sizes, retries, proxies, robots.txt."""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field

from webquarry import __version__
from webquarry.setting_groups.group import SettingGroup, TextList, also, split_list

Networks = Annotated[list[IPv4Network | IPv6Network], BeforeValidator(split_list)]


class NetworkSettings(SettingGroup):
    """How we reach the web: times, sizes, retries, proxies, robots.txt."""

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
        20,
        gt=0,
        description="Most requests started per second to one host. A service that you run on this "
        "machine is asked without pauses.",
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
        json_schema_extra=also("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"),
    )
    http_proxy: str | None = Field(
        None,
        description="Proxy for http URLs.",
        json_schema_extra=also("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"),
    )
    no_proxy: TextList = Field(
        [],
        description="Hosts reached without the proxy, comma-separated; a leading dot or a bare "
        "domain covers its subdomains.",
        json_schema_extra=also("NO_PROXY", "no_proxy"),
    )
    ca_file: Path | None = Field(
        None,
        description="A PEM file with a private certificate authority to trust besides the "
        "system's.",
        json_schema_extra=also("SSL_CERT_FILE"),
    )

    # Recording
    record: Path | None = Field(None, description="Record every exchange to this WARC file.")
    replay: Path | None = Field(
        None,
        description="Answer every request from this WARC file, with the network off and the "
        "clock frozen. `demo` means the recorded web that ships with the package.",
    )
