"""How a server is doing, for those who watch it.

    GET /health/live     200 as long as the process serves
    GET /health/ready    200 when requests should come here, 503 while it starts or drains
    GET /metrics         figures for Prometheus

A Redis that is gone makes a server `degraded`, not unready: it goes on without, and so does every
other server.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from webquarry.surfaces.server.metrics import Metrics

if TYPE_CHECKING:
    from starlette.requests import Request

    from webquarry.toolkit import Toolkit


class Health:
    """What is known of this server. `kit` is there once it has started."""

    def __init__(self, kit: Toolkit | None = None, metrics: Metrics | None = None) -> None:
        self.draining = False
        self._kit = kit
        self._metrics = metrics

    def routes(self) -> list[Route]:
        found = [
            Route("/health/live", endpoint=self._live, methods=["GET"]),
            Route("/health/ready", endpoint=self._ready, methods=["GET"]),
        ]
        if self._metrics:
            return [*found, Route("/metrics", endpoint=self._figures, methods=["GET"])]
        return found

    async def _live(self, request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def _ready(self, request: Request) -> Response:
        if self.draining:
            return JSONResponse({"status": "draining"}, 503, {"Retry-After": "5"})
        link = self._kit.redis if self._kit else None
        if link is None:
            parts = {}
        else:
            parts = {"redis": "ok" if link.is_up else "gone"}
        return JSONResponse({"status": "degraded" if "gone" in parts.values() else "ok", **parts})

    async def _figures(self, request: Request) -> Response:
        assert self._metrics is not None
        text, kind = await asyncio.to_thread(self._metrics.text)
        return Response(text, media_type=None, headers={"Content-Type": kind})
