"""Which proxy a URL goes through, if any.

The settings `https_proxy`, `http_proxy` and `no_proxy` come in; out goes the proxy for a URL, or
None. The proxy is the user's own choice, so it may be private. Its password is a secret from here
on, and no error repeats the proxy's URL.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.util import find_spec
from ipaddress import ip_network

import httpx2

from webquarry.errors import BadInput, MissingExtra
from webquarry.net.guard.addresses import Network, parse_address
from webquarry.net.guard.strict_url import port_of
from webquarry.secret import Secret
from webquarry.settings import Settings

SOCKS = ("socks5", "socks5h")
_SCHEMES = ("http", "https", *SOCKS)
_BRACKETED = re.compile(r"\[([0-9a-f:.]+)\](/[0-9]+)?(?::([0-9]+))?")
_NAMED = re.compile(r"([^:]+)(?::([0-9]+))?")


@dataclass(frozen=True)
class Proxy:
    """Where a proxy is, and what it wants to hear first."""

    url: httpx2.URL  # without user name and password
    user: str = ""
    password: Secret | None = None

    @property
    def is_socks(self) -> bool:
        return self.url.scheme in SOCKS


@dataclass(frozen=True)
class Exemption:
    """One entry of NO_PROXY: a domain with all under it (an empty one is every host), or a network;
    perhaps a port.
    """

    domain: str = ""
    network: Network | None = None
    port: int | None = None

    def covers(self, host: str, port: int) -> bool:
        """Whether a host and a port are asked without the proxy."""
        if self.port not in (None, port):
            return False
        if self.network is not None:
            address = parse_address(host)
            return address is not None and address in self.network
        if not self.domain or host == self.domain:
            return True
        return host.endswith("." + self.domain)


@dataclass(frozen=True)
class Proxies:
    """The proxies of this process, by the scheme of the URL to fetch."""

    by_scheme: dict[str, Proxy]
    exemptions: tuple[Exemption, ...]

    @classmethod
    def from_settings(cls, settings: Settings) -> Proxies:
        by_scheme: dict[str, Proxy] = {}
        if settings.https_proxy:
            by_scheme["https"] = read_proxy(settings.https_proxy, "https_proxy")
        if settings.http_proxy:
            by_scheme["http"] = read_proxy(settings.http_proxy, "http_proxy")
        exemptions = tuple(read_exemption(entry) for entry in settings.no_proxy)
        return cls(by_scheme, exemptions)

    def find(self, url: httpx2.URL) -> Proxy | None:
        """The proxy that this URL goes through; None when it is asked directly."""
        proxy = self.by_scheme.get(url.scheme)
        if proxy is None:
            return None
        host = url.raw_host.decode("ascii").removesuffix(".")
        port = port_of(url)
        if any(exemption.covers(host, port) for exemption in self.exemptions):
            return None
        return proxy


def read_proxy(text: str, setting: str) -> Proxy:
    """A proxy from its URL; a bare host:port is an HTTP proxy."""
    if "://" not in text:
        text = f"http://{text}"
    try:
        url = httpx2.URL(text)
        user, password = url.username, url.password
        bare = url.copy_with(username=None, password=None, path="/", query=None, fragment=None)
    except (httpx2.InvalidURL, ValueError):
        raise _build_unusable_error(
            setting, "it is not a URL"
        ) from None  # the cause would repeat the password
    if url.scheme not in _SCHEMES:
        raise _build_unusable_error(setting, f"its scheme is none of {', '.join(_SCHEMES)}")
    if not url.host:
        raise _build_unusable_error(setting, "it names no host")
    if url.port is not None and not 0 < url.port < 65_536:
        raise _build_unusable_error(setting, "its port is not a number from 1 to 65535")
    if url.scheme in SOCKS and find_spec("socksio") is None:
        raise MissingExtra("socks", "A SOCKS proxy")
    if not password:
        return Proxy(bare, user)
    return Proxy(bare, user, Secret(password))


def read_exemption(entry: str) -> Exemption:
    """One entry: *, example.org, .example.org, *.example.org, 10.0.0.0/8, [::1], each also with
    :port.
    """
    text = entry.strip().lower()
    if text == "*":
        return Exemption()
    if text.count(":") > 1 and not text.startswith("["):
        host, port = text, None
    elif bracketed := _BRACKETED.fullmatch(text):
        host, port = bracketed[1] + (bracketed[2] or ""), bracketed[3]
    elif named := _NAMED.fullmatch(text):
        host, port = named[1], named[2]
    else:
        host, port = text, None
    number = None
    if port is not None:
        number = int(port)
    try:
        return Exemption(network=ip_network(host, strict=False), port=number)
    except ValueError:
        domain = host.removeprefix("*").strip(".")
        return Exemption(domain=domain or host, port=number)  # a lone dot exempts nothing


def _build_unusable_error(setting: str, reason: str) -> BadInput:
    return BadInput(
        f"The setting {setting} is not a usable proxy: {reason}.",
        suggested_action=f"Give WEBQUARRY_{setting.upper()} (or {setting.upper()}) as "
        "http://host:port, or unset it.",
    )
