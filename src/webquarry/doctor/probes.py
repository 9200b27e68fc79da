"""Probes, which start or ask a part: the browser, Redis and model vendors."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from webquarry.clock import Clock
from webquarry.doctor.checks import CheckResult, find_configured
from webquarry.errors import NetworkFailure, WebquarryError
from webquarry.net.client import Client
from webquarry.secret import redact
from webquarry.settings import Settings

if TYPE_CHECKING:
    from webquarry.ask.client import ModelClient
    from webquarry.ask.engine import Engine
    from webquarry.ask.keys import Keys
    from webquarry.ask.vendors.base import ModelVendor


async def probe_browser(result: CheckResult, settings: Settings) -> CheckResult:
    """Check that the browser starts with its isolation; it loads no page."""
    if result.state not in ("ok", "warning"):
        return result
    from webquarry._read.browser.renderer import PageRenderer

    async with Client(settings, Clock()) as client:
        renderer = PageRenderer(client, settings)
        try:
            version = await renderer.start()
        except WebquarryError as error:
            detail = f"{result.detail}; {redact(error.sentence)}"
            return CheckResult("browser", "warning", detail, redact(error.suggested_action))
        finally:
            await renderer.aclose()
    return replace(result, detail=f"{version} at {result.detail}; starts")


async def probe_redis(
    result: CheckResult, settings: Settings, environ: Mapping[str, str]
) -> CheckResult:
    """Ping a configured Redis."""
    if result.state != "ok":
        return result
    from webquarry.store.redis_config import check_redis, open_redis

    try:
        redis = open_redis(settings, environ)
        assert redis is not None
        try:
            await check_redis(redis, write=False)
        finally:
            await redis.aclose()
    except WebquarryError as error:
        detail = f"{result.detail}; {redact(error.sentence)}"
        cure = redact(error.suggested_action)
        is_reachable = not isinstance(error, NetworkFailure)
        return CheckResult("redis", "broken", detail, cure, is_reachable)
    return replace(result, detail=f"{result.detail}; answers", reachable=True)


async def probe_models(result: CheckResult, engine: Engine, seconds: float) -> CheckResult:
    """Ask each configured vendor. A failure is a warning if it is not the default vendor."""
    from webquarry.ask.vendors.base import split_model

    if result.state not in ("ok", "warning"):
        await engine.aclose()
        return result
    settings = engine.settings
    vendors = find_configured(settings, engine.keys)
    client = engine.client
    try:
        asking = [_probe(vendor, engine.keys, client, seconds) for vendor in vendors.values()]
        failures = dict(zip(vendors, await asyncio.gather(*asking), strict=True))
    finally:
        await engine.aclose()
    answering = [name for name, failure in failures.items() if failure is None]
    failing = {name: failure for name, failure in failures.items() if failure is not None}
    parts = [result.detail]
    if answering:
        parts.append(f"{', '.join(answering)} answered")
    if not failing:
        return replace(result, detail="; ".join(parts), reachable=True)
    parts += [f"{name}: {words}" for name, words in failing.items()]
    cure = result.cure or f"Correct the key or the address of {', '.join(failing)}"
    is_chosen = split_model(settings.ask_model)[0] in failing
    state = "broken" if is_chosen else "warning"
    return CheckResult("model", state, "; ".join(parts), cure, bool(answering))


async def _probe(
    vendor: ModelVendor, keys: Keys, client: ModelClient, seconds: float
) -> str | None:
    """Request the list of models; return the failure, or None."""
    from webquarry.ask.vendors.base import CallFailure

    try:
        request = vendor.build_probe(keys.model_key(vendor))
        async with asyncio.timeout(seconds):
            reply = await client.send(request, seconds)
        if reply.status in (401, 403):
            return f"it did not accept the key (HTTP {reply.status})"
        if reply.status != 200:
            vendor.parse_reply(reply, "")  # raises the error that the vendor describes
    except CallFailure as failure:
        return redact(failure.error.message)
    except WebquarryError as error:
        return redact(error.message)
    except TimeoutError:
        return f"no answer within {seconds:g} seconds"
    return None
