"""Proxy of a URL, by the settings `https_proxy`, `http_proxy` and `no_proxy`.

The user chose the proxy, so it may be private. Its password is registered as a secret, and no error
repeats the URL of the proxy.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from importlib.util import find_spec
from ipaddress import ip_network

import httpx2

from webquarry.errors import BadInput, MissingExtra
from webquarry.net.guard import Network, parse_address
from webquarry.net.strict_url import port_of
from webquarry.secret import Secret
from webquarry.settings import Settings

_SOCKS = ("socks5", "socks5h")
_SCHEMES = ("http", "https", *_SOCKS)
_BRACKETED = re.compile(r"\[([0-9a-f:.]+)\](/[0-9]+)?(?::([0-9]+))?")
_NAMED = re.compile(r"([^:]+)(?::([0-9]+))?")


@dataclass(frozen=True)
class Proxy:
    """Address and credentials of a proxy."""

    url: httpx2.URL  # without credentials
    auth: tuple[bytes, bytes] | None = field(default=None, repr=False)

    @property
    def is_socks(self) -> bool:
        return self.url.scheme in _SOCKS


@dataclass(frozen=True)
class Exemption:
    """Entry of NO_PROXY: a domain (empty: every host) or a network, and an optional port."""

    domain: str = ""
    network: Network | None = None
    port: int | None = None

    def covers(self, host: str, port: int) -> bool:
        if self.port not in (None, port):
            return False
        if self.network is not None:
            address = parse_address(host)
            return address is not None and address in self.network
        return not self.domain or host == self.domain or host.endswith("." + self.domain)


@dataclass(frozen=True)
class Proxies:
    """Proxies by the scheme of the requested URL."""

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
        """Return the proxy for a URL; None if it is requested directly."""
        proxy = self.by_scheme.get(url.scheme)
        if proxy is None:
            return None
        host = url.raw_host.decode("ascii").removesuffix(".")
        port = port_of(url)
        if any(exemption.covers(host, port) for exemption in self.exemptions):
            return None
        return proxy


def read_proxy(text: str, setting: str) -> Proxy:
    """Parse the URL of a proxy, or host:port. Raises `BadInput` and `MissingExtra`."""
    if "://" not in text:
        text = f"http://{text}"
    try:
        url = httpx2.URL(text)
        user, password = url.username, url.password
        bare = url.copy_with(username=None, password=None, path="/", query=None, fragment=None)
    except (httpx2.InvalidURL, ValueError):
        raise _build_error(setting, "it is not a URL") from None  # the cause has the password
    if url.scheme not in _SCHEMES:
        raise _build_error(setting, f"its scheme is none of {', '.join(_SCHEMES)}")
    if not url.host:
        raise _build_error(setting, "it names no host")
    if url.port is not None and not 0 < url.port < 65_536:
        raise _build_error(setting, "its port is not a number from 1 to 65535")
    if url.scheme in _SOCKS and find_spec("socksio") is None:
        raise MissingExtra("socks", "A SOCKS proxy")
    if not user and not password:
        return Proxy(bare)
    return Proxy(bare, (user.encode(), Secret(password).reveal().encode()))


def read_exemption(entry: str) -> Exemption:
    """Parse *, example.org, .example.org, *.example.org, 10.0.0.0/8 or [::1], maybe with :port."""
    text = entry.strip().lower()
    if text == "*":
        return Exemption()
    host, port = text, None
    if bracketed := _BRACKETED.fullmatch(text):
        host, port = bracketed[1] + (bracketed[2] or ""), bracketed[3]
    elif named := _NAMED.fullmatch(text):
        host, port = named[1], named[2]
    number = None if port is None else int(port)
    try:
        return Exemption(network=ip_network(host, strict=False), port=number)
    except ValueError:
        domain = host.removeprefix("*").strip(".")
        return Exemption(domain=domain or host, port=number)  # "." exempts no host


def _build_error(setting: str, reason: str) -> BadInput:
    return BadInput(
        f"The setting {setting} is not a usable proxy: {reason}.",
        suggested_action=f"Give WEBQUARRY_{setting.upper()} (or {setting.upper()}) as "
        "http://host:port, or unset it.",
    )
