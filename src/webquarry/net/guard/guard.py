"""May this URL be fetched, and may this address be dialled?

`check_url` reads a URL once, strictly, and judges its host as far as that goes without DNS; what it
returns is what is requested. `check_address` is asked by the transport about every address it is
about to dial. Both raise `Refused` and nothing else. The switches lift the judgement of hosts and
addresses, never that of the spelling, scheme or port.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import httpx2

from webquarry.errors import Refused
from webquarry.net.guard.addresses import Network, find_refused_class, parse_address
from webquarry.net.guard.hosts import find_internal_kind
from webquarry.net.guard.plain_url import PlainURL
from webquarry.net.guard.strict_url import read_url

if TYPE_CHECKING:
    from webquarry.settings import Settings


@dataclass(frozen=True)
class Guard:
    """What may be fetched. `allow_networks` lifts only what is inside those networks."""

    allow_private: bool = False
    allow_networks: tuple[Network, ...] = ()

    @classmethod
    def from_settings(cls, settings: Settings) -> Guard:
        return cls(settings.allow_private, tuple(settings.allow_networks))

    def check_url(self, url: str | httpx2.URL) -> httpx2.URL:
        """The URL to request, with an ASCII host and without a fragment."""
        parsed = url if isinstance(url, PlainURL) else read_url(str(url))
        host = parsed.raw_host.decode("ascii")
        if parse_address(host) is not None:
            self.check_address(host, host)
        elif not self.allow_private and not self.allow_networks:
            # With either of them, what the name resolves to decides.
            kind = find_internal_kind(host)
            if kind is not None:
                raise Refused(f"The host {host} is refused: the name stands for {kind}.")
        return parsed

    def check_address(self, address: str, host: str) -> None:
        """Refuse an address that is not public. The error names the host and the class, and keeps
        the address.
        """
        if self.allow_private:
            return
        parsed = parse_address(address)
        kind: str | None
        if parsed is None:
            kind = "not an IP address"
        else:
            kind = find_refused_class(parsed, self.allow_networks)
        if kind is not None:
            raise Refused(f"The host {host} is refused: its address is not public ({kind}).")
