"""Checks of settings, proxy, Redis, recording, routing and lenses. Only `probe_redis` connects."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from urllib.parse import urlsplit

from webquarry.doctor.check_result import CheckResult
from webquarry.doctor.installation import is_importable
from webquarry.errors import NetworkFailure, WebquarryError
from webquarry.secret import redact
from webquarry.settings import PREFIX, Settings

_OTHER_VARIABLES = {
    "WEBQUARRY_STORE_KEY",  # a credential; so is WEBQUARRY_REDIS_URL
    "WEBQUARRY_REQUIRE_ALL",  # for the tests, as the next
    "WEBQUARRY_FUZZ_EXAMPLES",
}


def _broken_by(name: str, error: WebquarryError) -> CheckResult:
    return CheckResult(name, "broken", error.sentence, error.suggested_action)


def check_variables(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Report unknown variables."""
    known = set(_OTHER_VARIABLES)
    for setting in Settings.fields().values():
        known.update(setting.variables)
    ours = sorted(name for name in environ if name.startswith(PREFIX))
    unknown = [name for name in ours if name not in known and not name.endswith("_URL")]
    former = Settings.former_variables()
    for name in unknown:
        if name in former:
            detail = f"{name} is no longer a setting: {former[name]}"
            return CheckResult("settings", "warning", detail, f"Unset {name}")
    if not unknown:
        return CheckResult("settings", "ok", ", ".join(ours) or "all at their defaults")
    hint = "docs/settings.md lists them all"
    nearest = get_close_matches(unknown[0], known, 1)
    if nearest:
        hint = f"did you mean {nearest[0]}?"
    return CheckResult(
        "settings",
        "warning",
        f"not known: {', '.join(unknown)}",
        f"Correct or unset {unknown[0]}; {hint}",
    )


def check_proxy(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Report the hosts of proxies; their URLs may contain passwords."""
    proxies = []
    if settings.https_proxy:
        proxies.append(f"https by {_proxy_host(settings.https_proxy)}")
    if settings.http_proxy:
        proxies.append(f"http by {_proxy_host(settings.http_proxy)}")
    if not proxies:
        return CheckResult("proxy", "ok", "none")
    detail = "; ".join(proxies)
    if settings.no_proxy:
        detail += f", but not for {', '.join(settings.no_proxy)}"
    return CheckResult("proxy", "ok", detail)


def _proxy_host(proxy: str) -> str:
    """Host and port of a proxy, with or without a scheme."""
    if "://" not in proxy:
        proxy = f"http://{proxy}"
    try:
        parts = urlsplit(proxy)
        if parts.port:
            return f"{parts.hostname}:{parts.port}"
        return str(parts.hostname)
    except ValueError:
        return "a URL that cannot be read"


def check_redis(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Report the Redis of HTTP servers without its URL, which may contain a password."""
    from webquarry.store.redis_config import REDIS_URL, find_redis_url, place_of, read_store_key

    try:
        found = find_redis_url(environ)
    except WebquarryError as error:
        return _broken_by("redis", error)
    if found is None:
        detail = "none; only for several servers over HTTP"
        return CheckResult("redis", "off", detail, f"Set {REDIS_URL.variable}")
    url, source = found
    detail = f"{place_of(url)}, for servers over HTTP (from {source})"
    try:
        read_store_key(environ)
    except WebquarryError as error:
        state = "broken"
        if source == "environment variable REDIS_URL":  # may belong to another program
            state = "warning"
        return CheckResult("redis", state, f"{detail}; {error.sentence}", error.suggested_action)
    if not is_importable("redis"):
        detail += "; its library is not installed"
        return CheckResult("redis", "broken", detail, "pip install 'webquarry[http]'")
    return CheckResult("redis", "ok", detail)


async def probe_redis(
    result: CheckResult, settings: Settings, environ: Mapping[str, str]
) -> CheckResult:
    """Ping a configured Redis."""
    if result.state != "ok":
        return result
    from webquarry.store.redis_config import open_redis, ping_redis

    try:
        redis = open_redis(settings, environ)
        assert redis is not None
        try:
            await ping_redis(redis)
        finally:
            await redis.aclose()
    except WebquarryError as error:
        detail = f"{result.detail}; {redact(error.sentence)}"
        cure = redact(error.suggested_action)
        is_reachable = not isinstance(error, NetworkFailure)
        return CheckResult("redis", "broken", detail, cure, is_reachable)
    return replace(result, detail=f"{result.detail}; answers", reachable=True)


def check_recording(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Report recording and replay."""
    replay = settings.replay
    if replay is not None:
        from webquarry.net.archive.replay import Replay, demo_recording

        try:
            Replay(demo_recording() if replay == Path("demo") else replay)
        except WebquarryError as error:
            cure = "Correct or unset WEBQUARRY_REPLAY"
            return CheckResult("recording", "broken", error.sentence, cure)
        detail = f"every answer is replayed from {replay}; the network is off"
        return CheckResult("recording", "warning", detail, "Unset WEBQUARRY_REPLAY")
    if settings.record is None:
        return CheckResult("recording", "ok", "neither recorded nor replayed")
    folder = settings.record.absolute().parent
    if folder.is_dir() and os.access(folder, os.W_OK):
        return CheckResult("recording", "ok", f"every exchange is recorded to {settings.record}")
    detail = f"the folder {folder} cannot be written to"
    return CheckResult("recording", "broken", detail, "Point WEBQUARRY_RECORD elsewhere")


def check_routing(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Report the order of providers."""
    from webquarry._search.plan import order_for
    from webquarry._search.provider import Provider
    from webquarry.registry import members_of

    kinds = members_of("webquarry._search.providers", Provider, group="webquarry.providers")
    providers = {}
    try:
        for kind in kinds:
            providers[kind.name] = kind.configure(settings, environ)
        order, because = order_for("web", settings, providers)
    except WebquarryError as error:
        return _broken_by("routing", error)
    return CheckResult("routing", "ok", f"{', '.join(order)} ({because})")


def check_scholarly(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Report the scholarly indexes and the sources of their keys."""
    from webquarry._search.scholarly.provider import Scholarly
    from webquarry.registry import members_of

    kinds = members_of(
        "webquarry._search.scholarly.providers", Scholarly, group="webquarry.scholarly"
    )
    names: list[str] = []
    key_sources: list[str] = []
    unusable: list[str] = []
    for kind in sorted(kinds, key=lambda kind: kind.name):
        index = kind.configure(settings, environ)
        names.append(index.name)
        key_sources.extend(index.sources().values())
        unusable.extend(index.unusable.values())
    if unusable:
        cure = "Replace it, or remove it: no index needs a key"
        return CheckResult("scholarly", "broken", " ".join(unusable), cure)
    keys = "no keys, none needed"
    if key_sources:
        keys = "keys from " + ", ".join(key_sources)
    return CheckResult("scholarly", "ok", f"{', '.join(names)}; {keys}")


def check_patents(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Report the registers of patents and the sources of their keys."""
    from webquarry._search.patents.provider import PatentProvider
    from webquarry.registry import members_of

    kinds = members_of(
        "webquarry._search.patents.providers", PatentProvider, group="webquarry.patent_providers"
    )
    unusable: list[str] = []
    incomplete: list[str] = []
    ready: list[str] = []
    absent: list[str] = []
    for kind in sorted(kinds, key=lambda kind: kind.name):
        register = kind.configure(settings, environ)
        sources = register.sources().values()
        missing = " and ".join(register.missing)
        unusable.extend(register.unusable.values())
        if missing and sources:
            incomplete.append(missing)
        if register.configured:
            ready.append(f"{register.label} ({', '.join(sources)})")
        absent.append(f"{missing} from {register.sign_up}")
    if unusable:
        return CheckResult("patents", "broken", " ".join(unusable), "Replace it, or remove it")
    if incomplete:
        detail = f"half configured: {incomplete[0]} was not found"
        return CheckResult("patents", "broken", detail, f"Set {incomplete[0]}")
    if ready:
        return CheckResult("patents", "ok", ", ".join(ready))
    detail = "no register is configured; pages of patent sites are searched"
    return CheckResult("patents", "off", detail, f"Set {', or '.join(absent)}")


def check_lenses(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Report the number of lenses; check the user's file."""
    from webquarry._search.lenses import load_lenses

    try:
        lenses = load_lenses(settings.lenses)
    except WebquarryError as error:
        return _broken_by("lenses", error)
    detail = str(len(lenses))
    if settings.lenses:
        detail += f", those of {settings.lenses} among them"
    return CheckResult("lenses", "ok", detail)
