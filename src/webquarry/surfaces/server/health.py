"""How a server is doing, for those who watch it.

    GET /health/live     200 as long as the process serves
    GET /health/ready    200 when requests should come here, 503 while it starts or drains, and
                         while nothing can be recorded: files damaged, their disk full, their key
                         lost, or a Redis that takes no writes
    GET /metrics         figures for Prometheus

A Redis that is gone makes a server `degraded`, not unready: it goes on without, and so does every
other server. The same holds for a user without a folder for records, and for one damaged record
among sound ones. Whoever asks is told a word, and never where anything is.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from webquarry.surfaces.server.metrics import Metrics

if TYPE_CHECKING:
    from starlette.requests import Request

    from webquarry.records.file import RecordFile
    from webquarry.store.redis.connection import RedisConnection
    from webquarry.toolkit import Toolkit

_PROBE_SECONDS = 2.0
_NO_FOLDER = "no_folder"  # that was so when the server began, and searches need none
_RETRY_LATER = {"Retry-After": "5"}


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
            return JSONResponse({"status": "draining"}, 503, _RETRY_LATER)
        if self._kit is None:
            return JSONResponse({"status": "ok"})
        if self._kit.redis is not None:
            return await _report_redis(self._kit.redis)
        return await _report_records(self._kit.records)

    async def _answer_metrics(self, request: Request) -> Response:
        assert self._metrics is not None
        text, content_type = await asyncio.to_thread(self._metrics.render)
        headers = {"Content-Type": content_type}
        return Response(text, media_type=None, headers=headers)


async def _report_redis(redis: RedisConnection) -> Response:
    """How the Redis is doing that all servers share."""
    refusal = await redis.check_refusal()
    if not redis.is_up:
        return JSONResponse({"status": "degraded", "redis": "gone"})
    if refusal is not None:
        return JSONResponse({"status": "not_ready", "redis": refusal}, 503, _RETRY_LATER)
    return JSONResponse({"status": "ok", "redis": "ok"})


async def _report_records(records: RecordFile) -> Response:
    """Whether something can be recorded. Where that takes long, what was known last counts."""
    probe = asyncio.ensure_future(asyncio.to_thread(records.probe))
    done, _ = await asyncio.wait({probe}, timeout=_PROBE_SECONDS)
    for ended in done:
        ended.result()  # what nobody foresaw is not hidden
    trouble = records.trouble
    if trouble is None and not records.has_damaged_rows:
        return JSONResponse({"status": "ok"})
    if trouble is None:
        return JSONResponse({"status": "degraded", "records": "damaged"})
    if trouble == _NO_FOLDER:
        return JSONResponse({"status": "degraded", "records": trouble})
    return JSONResponse({"status": "not_ready", "records": trouble}, 503, _RETRY_LATER)
