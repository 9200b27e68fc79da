"""Checks of model vendors: configuration, sources of keys, and a free request for the models."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from webquarry.doctor.check_result import CheckResult
from webquarry.errors import WebquarryError
from webquarry.secret import redact
from webquarry.settings import Settings

if TYPE_CHECKING:
    from webquarry.ask.client import ModelClient
    from webquarry.ask.engine import Engine
    from webquarry.ask.keys import Keys
    from webquarry.ask.vendors.base import ModelVendor


def check_model(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Check whether a model is configured, without a request."""
    from webquarry.ask.keys import Keys
    from webquarry.ask.vendors.base import open_vendor, split_model

    keys = Keys(environ)
    model = settings.ask_model
    chosen = split_model(model)[0]
    try:
        vendor = open_vendor(chosen, settings.origins)
        places = _describe_vendors(settings, keys)
        keys.model_key(vendor)
    except WebquarryError as error:
        return _explain(error, settings, keys)
    own = places.pop(chosen, "without a key")
    others = [f"{name} ({place})" for name, place in places.items()]
    return CheckResult("model", "ok", "; ".join([f"{model} ({own})", *others]))


def _explain(error: WebquarryError, settings: Settings, keys: Keys) -> CheckResult:
    """Describe why the configured model cannot be asked."""
    from webquarry.ask.keys import MODEL_KEY, NO_MODEL_KEY

    if error.message != NO_MODEL_KEY:
        return CheckResult("model", "broken", error.sentence, error.suggested_action)
    cure = f"Set {MODEL_KEY}, or put the key into ~/.stps/anthropic_api_key"
    try:
        places = _describe_vendors(settings, keys)
    except WebquarryError as other:
        return CheckResult("model", "broken", other.sentence, other.suggested_action)
    if not places:
        detail = "no key of a model; only for `webquarry ask` and asking from SQL"
        return CheckResult("model", "off", detail, cure)
    others = [f"{name} ({place})" for name, place in places.items()]
    detail = f"no Anthropic key for {settings.ask_model}; " + "; ".join(others)
    cure += f", or name a model of {' or '.join(places)} in WEBQUARRY_ASK_MODEL"
    return CheckResult("model", "warning", detail, cure)


def _find_configured(settings: Settings, keys: Keys) -> dict[str, ModelVendor]:
    """The vendors with a key or a URL, and that of the configured model."""
    from webquarry.ask.vendors.base import find_vendors, open_vendor, split_model

    configured = {}
    for name, kind in find_vendors().items():
        is_named = name in settings.origins or name == split_model(settings.ask_model)[0]
        if not kind.default_url and not is_named:
            continue
        vendor = open_vendor(name, settings.origins)
        has_key = keys.find_model_key(vendor) is not None
        if has_key or (is_named and not vendor.needs_key):
            configured[name] = vendor
    return configured


def _describe_vendors(settings: Settings, keys: Keys) -> dict[str, str]:
    """The source of each vendor's key."""
    places = {}
    for name, vendor in _find_configured(settings, keys).items():
        found = keys.find_model_key(vendor)
        places[name] = f"key from {found.source}" if found else "no key needed"
    return places


async def probe_models(result: CheckResult, engine: Engine, seconds: float) -> CheckResult:
    """Ask each configured vendor. A failure is a warning if it is not the default vendor."""
    from webquarry.ask.vendors.base import split_model

    if result.state not in ("ok", "warning"):
        await engine.aclose()
        return result
    settings = engine.settings
    vendors = _find_configured(settings, engine.keys)
    client = engine.client
    try:
        asking = [_probe(vendor, engine.keys, client, seconds) for vendor in vendors.values()]
        troubles = await asyncio.gather(*asking)
    finally:
        await engine.aclose()
    answering = [name for name, trouble in zip(vendors, troubles, strict=True) if not trouble]
    failing = {name: words for name, words in zip(vendors, troubles, strict=True) if words}
    parts = [result.detail]
    if answering:
        parts.append(f"{', '.join(answering)} answered")
    if not failing:
        return replace(result, detail="; ".join(parts), reachable=True)
    parts += [f"{name}: {words}" for name, words in failing.items()]
    is_chosen = split_model(settings.ask_model)[0] in failing
    cure = result.cure or f"Correct the key or the address of {', '.join(failing)}"
    state = "broken" if is_chosen else "warning"
    return CheckResult("model", state, "; ".join(parts), cure, bool(answering))


async def _probe(
    vendor: ModelVendor, keys: Keys, client: ModelClient, seconds: float
) -> str | None:
    """Return the failure of a vendor, or None."""
    from webquarry.ask.vendors.base import CallFailure

    try:
        request = vendor.build_probe(keys.model_key(vendor))
        async with asyncio.timeout(seconds):
            reply = await client.send(request, seconds)
    except CallFailure as failure:
        return redact(failure.error.message)
    except WebquarryError as error:
        return redact(error.message)
    except TimeoutError:
        return f"no answer within {seconds:g} seconds"
    if reply.status in (401, 403):
        return f"it did not accept the key (HTTP {reply.status})"
    try:
        vendor.parse_reply(reply, "")
    except CallFailure as failure:
        is_list = reply.status == 200  # not an answer of a model
        return None if is_list else redact(failure.error.message)
    return None
