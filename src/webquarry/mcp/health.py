"""Probes of an HTTP server: `/health/live`, `/health/ready` and `/metrics`.

A server is not ready (503) while it closes, or while records cannot be written. Without Redis,
without a folder for records, or with single damaged records it is `degraded` but ready. Responses
name the reason in one word, never a path.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

if TYPE_CHECKING:
    from starlette.requests import Request

    from webquarry.mcp.metrics import Metrics
    from webquarry.toolkit import Toolkit

_PROBE_SECONDS = 2.0


class Health:
    """State of this server process."""

    def __init__(self, kit: Toolkit | None = None, metrics: Metrics | None = None) -> None:
        self.closing = False  # not ready, refuses requests
        self._kit = kit
        self._metrics = metrics

    def routes(self) -> list[Route]:
        """Return the routes; /metrics only if metrics are collected."""
        routes = [Route("/health/live", self._live), Route("/health/ready", self._ready)]
        return [*routes, Route("/metrics", self._render_metrics)] if self._metrics else routes

    async def _live(self, request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def _ready(self, request: Request) -> Response:
        report = {"status": "closing"}
        if not self.closing:
            report = {"status": "ok"} if self._kit is None else await _check(self._kit)
        if report["status"] in ("ok", "degraded"):
            return JSONResponse(report)
        return JSONResponse(report, 503, {"Retry-After": "5"})

    async def _render_metrics(self, request: Request) -> Response:
        assert self._metrics is not None
        text, content_type = await asyncio.to_thread(self._metrics.render)
        return Response(text, headers={"Content-Type": content_type})


async def _check(kit: Toolkit) -> dict[str, str]:
    """Return whether records can be written: in Redis, or in the record file."""
    if kit.redis is not None:
        refusal = await kit.redis.check_refusal()
        if not kit.redis.is_up:
            return {"status": "degraded", "redis": "gone"}
        return {"status": "not_ready" if refusal else "ok", "redis": refusal or "ok"}
    probe = asyncio.ensure_future(asyncio.to_thread(kit.records.probe))
    done, _ = await asyncio.wait({probe}, timeout=_PROBE_SECONDS)
    for finished in done:  # a slow probe goes on; the state before it is reported
        finished.result()
    trouble = kit.records.trouble
    if trouble is not None:
        status = "degraded" if trouble == "no_folder" else "not_ready"
        return {"status": status, "records": trouble}
    if kit.records.has_damaged_rows:
        return {"status": "degraded", "records": "damaged"}
    return {"status": "ok"}
