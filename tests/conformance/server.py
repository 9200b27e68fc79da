"""The research server over our own HTTP stack with the suite's fixtures mounted: `python -m
tests.conformance.server`.

Prints where it serves to stderr, as the product does. With state, since some fixtures ask the
client something.
"""

from __future__ import annotations

import asyncio
import sys
import warnings

from tests.conformance.mount import mount
from webquarry.settings import Settings
from webquarry.surfaces.mcp.server import build_server
from webquarry.surfaces.server.app import announce, build_app, listen, serve


def main() -> None:
    warnings.simplefilter("ignore")  # the suite uses what 2026 has deprecated
    server = build_server("webquarry", "research")
    mount(server)
    stateless = "--stateless" in sys.argv
    listening = listen("127.0.0.1", 0)
    announce(listening)
    asyncio.run(serve(build_app(server, Settings(), stateless=stateless), listening, Settings()))


if __name__ == "__main__":
    main()
