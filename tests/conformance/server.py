"""The research server over HTTP with the fixtures of the suite: `python -m tests.conformance.server`.

Writes its address to stderr, as the product does.
"""

from __future__ import annotations

import os
import sys

import uvicorn
from starlette.routing import Router

from tests.conformance.mount import FixtureServer
from webquarry.mcp.health import Health
from webquarry.mcp.http import build_app
from webquarry.mcp.listing import load_listing
from webquarry.mcp.serving import configure, listen
from webquarry.settings import Settings
from webquarry.toolkit import Toolkit


def main() -> None:
    settings = Settings.from_environment()
    kit = Toolkit(settings, os.environ, runner="workers")
    server = FixtureServer(load_listing("research"), lambda: kit)
    server.mount()
    app = Router(default=build_app(server, settings, Health(kit)))
    with listen("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        sys.stderr.write(f"webquarry: serving MCP at http://127.0.0.1:{port}/mcp\n")
        sys.stderr.flush()
        uvicorn.Server(configure(app, settings)).run([listening])


if __name__ == "__main__":
    main()
