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
        """The paths to watch; /metrics is there if metrics are collected."""
        routes = [
            Route("/health/live", endpoint=self._answer_live, methods=["GET"]),
            Route("/health/ready", endpoint=self._answer_ready, methods=["GET"]),
        ]
        if self._metrics:
            routes.append(Route("/metrics", endpoint=self._answer_metrics, methods=["GET"]))
        return routes

    async def _answer_live(self, request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def _answer_ready(self, request: Request) -> Response:
        """Whether requests should come here, and whether all parts work."""
        if self.draining:
            return JSONResponse({"status": "draining"}, 503, {"Retry-After": "5"})
        redis = self._kit.redis if self._kit else None
        if redis is None:
            return JSONResponse({"status": "ok"})
        if redis.is_up:
            return JSONResponse({"status": "ok", "redis": "ok"})
        return JSONResponse({"status": "degraded", "redis": "gone"})

    async def _answer_metrics(self, request: Request) -> Response:
        assert self._metrics is not None
        text, content_type = await asyncio.to_thread(self._metrics.render)
        headers = {"Content-Type": content_type}
        return Response(text, media_type=None, headers=headers)
