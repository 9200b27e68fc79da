"""Checks of parts: libraries, folders and settings. None of them connects or writes a file."""

from __future__ import annotations

import os
import ssl
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webquarry import __version__
from webquarry.caller import LOCAL, caller
from webquarry.errors import WebquarryError
from webquarry.settings import PREFIX, Settings, find_unknown

if TYPE_CHECKING:
    from webquarry.ask.keys import Keys
    from webquarry.ask.vendors.base import ModelVendor
    from webquarry.toolkit import Toolkit

LIBXML2_NEEDED = (2, 14)
_STARTED = time.monotonic()


@dataclass(frozen=True)
class CheckResult:
    """One part. `state` is "ok", "off" (optional and absent), "warning" or "broken"."""

    name: str
    state: str
    detail: str
    cure: str = ""
    reachable: bool | None = None  # None: not asked

    def as_dict(self) -> dict[str, Any]:
        """The fields as JSON, without an empty cure or `reachable`."""
        fields: dict[str, Any] = {"name": self.name, "state": self.state, "detail": self.detail}
        if self.cure:
            fields["cure"] = self.cure
        if self.reachable is not None:
            fields["reachable"] = self.reachable
        return fields

    @classmethod
    def broken_by(cls, name: str, error: WebquarryError) -> CheckResult:
        """The result of a part that raised an error."""
        return cls(name, "broken", error.sentence, error.suggested_action)


Check = Callable[[Settings, Mapping[str, str]], CheckResult]


def examine_parts(settings: Settings, environ: Mapping[str, str]) -> list[CheckResult]:
    """Run all checks, in the order of the report."""
    checks: tuple[Check, ...] = (
        check_variables, check_libxml2, check_trust_store, check_browser, check_cache_folder,
        check_state_folder, check_proxy, check_redis, check_recording, check_routing, check_model,
        check_lenses,
    )  # fmt: skip
    return [check(settings, environ) for check in checks]


async def describe_health(kit: Toolkit) -> dict[str, Any]:
    """Version, parts and cache of a running server, without network checks.

    Remote callers get the state of each part, without paths, addresses and the cache of others.
    """
    results = examine_parts(kit.settings, kit.environ)
    cache = []
    if caller() == LOCAL:
        parts = [result.as_dict() for result in results]
        for store in await kit.cache.stats():
            cache.append({"name": store.name, "entries": store.entries, "bytes": store.bytes})
    else:
        parts = [{"name": result.name, "state": result.state} for result in results]
    return {
        "status": "broken" if any(one.state == "broken" for one in results) else "ok",
        "version": __version__,
        "uptimeSeconds": round(time.monotonic() - _STARTED),
        "parts": parts,
        "cache": cache,
    }


def is_importable(module: str) -> bool:
    """Whether a module is installed, without importing it."""
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of the parent package
        return False


def check_libxml2(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Check the version of libxml2 in lxml."""
    from lxml import etree

    version = ".".join(map(str, etree.LIBXML_VERSION))
    if etree.LIBXML_VERSION >= LIBXML2_NEEDED:
        return CheckResult("libxml2", "ok", version)
    cure = "Install lxml from its wheel: pip install --upgrade --only-binary lxml 'lxml>=6.1'"
    return CheckResult("libxml2", "broken", f"{version}: 2.14 or newer is needed", cure)


def check_trust_store(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Check the certificate authorities of the system and the private one."""
    if settings.ca_file is not None:
        try:
            ssl.create_default_context().load_verify_locations(settings.ca_file)
        except (OSError, ssl.SSLError) as error:
            detail = f"{settings.ca_file} cannot be used ({type(error).__name__})"
            cure = "Point WEBQUARRY_CA_FILE at a PEM file, or unset it"
            return CheckResult("trust store", "broken", detail, cure)
        return CheckResult("trust store", "ok", f"the system's, and {settings.ca_file}")
    paths = ssl.get_default_verify_paths()
    is_elsewhere = sys.platform in ("darwin", "win32")  # not where OpenSSL looks
    if is_elsewhere or paths.cafile or (paths.capath and any(Path(paths.capath).iterdir())):
        return CheckResult("trust store", "ok", "the system's")
    cure = "Install your system's ca-certificates, or set WEBQUARRY_CA_FILE"
    return CheckResult("trust store", "broken", "the system has no certificate authorities", cure)


def check_cache_folder(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Check the folder of the cache."""
    from webquarry.store.open import find_cache_folder

    folder = find_cache_folder(settings, environ)
    otherwise = "; memory is used instead"
    return _check_writable("cache folder", folder, "WEBQUARRY_CACHE_FOLDER", otherwise)


def check_state_folder(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Check the records of sessions and bills, without creating or changing them."""
    from webquarry.store.open import find_records_folder
    from webquarry.store.records import check_records

    folder = find_records_folder(settings, environ)
    failure = None if folder is None else check_records(folder)
    if failure is not None:
        return CheckResult.broken_by("state folder", failure)
    otherwise = "; steps of research and paid questions are refused"
    return _check_writable("state folder", folder, "WEBQUARRY_STATE_FOLDER", otherwise)


def _check_writable(name: str, folder: Path | None, variable: str, otherwise: str) -> CheckResult:
    """Check that the folder can be written to, or created."""
    if folder is None:
        detail = f"there is no home folder{otherwise}"
        return CheckResult(name, "warning", detail, f"Set {variable}")
    folder = folder.absolute()
    existing = next((one for one in (folder, *folder.parents) if one.exists()), folder)
    if existing.is_dir() and os.access(existing, os.W_OK | os.X_OK):
        return CheckResult(name, "ok", str(folder))
    detail = f"{folder} cannot be written to{otherwise}"
    return CheckResult(name, "warning", detail, f"Set {variable} to a folder of yours")


def check_variables(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Report unknown variables."""
    unknown = find_unknown(environ)
    if not unknown:
        ours = sorted(name for name in environ if name.startswith(PREFIX))
        return CheckResult("settings", "ok", ", ".join(ours) or "all at their defaults")
    detail = " ".join(f"{name} {advice}" for name, advice in unknown.items())
    return CheckResult("settings", "warning", detail, f"Correct or unset {', '.join(unknown)}")


def check_proxy(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Report the hosts of proxies; their URLs may contain passwords. SOCKS needs a library."""
    proxies = []
    for scheme, proxy in (("https", settings.https_proxy), ("http", settings.http_proxy)):
        if proxy and proxy.lower().startswith("socks") and not is_importable("socksio"):
            cure = "pip install 'webquarry[socks]'"
            return CheckResult("proxy", "broken", "SOCKS needs a library", cure)
        if proxy:
            host = proxy.rpartition("@")[2].rpartition("://")[2].rstrip("/")
            proxies.append(f"{scheme} by {host}")
    return CheckResult("proxy", "ok", "; ".join(proxies) or "none")


def check_recording(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Report recording and replay."""
    if settings.replay is not None:
        detail = f"every response is replayed from {settings.replay}; the network is off"
        return CheckResult("recording", "warning", detail, "Unset WEBQUARRY_REPLAY")
    if settings.record is None:
        return CheckResult("recording", "ok", "neither recorded nor replayed")
    return _check_writable("recording", settings.record.absolute().parent, "WEBQUARRY_RECORD", "")


def check_routing(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Report the order of providers."""
    from webquarry._search.plan import order_for
    from webquarry._search.provider import Provider

    try:
        providers = {kind.name: kind.configure(settings, environ) for kind in Provider.members()}
        order, because = order_for("web", settings, providers)
    except WebquarryError as error:
        return CheckResult.broken_by("routing", error)
    return CheckResult("routing", "ok", f"{', '.join(order)} ({because})")


def check_lenses(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Report the number of lenses; check the user's file."""
    from webquarry._search.lenses import load_lenses

    try:
        return CheckResult("lenses", "ok", str(len(load_lenses(settings.lenses))))
    except WebquarryError as error:
        return CheckResult.broken_by("lenses", error)


def check_browser(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Check which browser is installed, without starting it."""
    name = "browser"
    if not settings.render:
        detail = "turned off (WEBQUARRY_RENDER=0): pages that need their scripts are errors"
        return CheckResult(name, "off", detail, "Unset WEBQUARRY_RENDER")
    if os.name != "posix":
        return CheckResult(name, "off", "not on this system: needs Linux or macOS")
    from webquarry._read.browser.chromium import INSTALL_ADVICE, choose_isolation, find_program

    program = find_program(settings, environ)
    if program is None:
        detail = "not installed: pages that need their scripts are errors"
        state = "off" if settings.browser is None else "broken"
        return CheckResult(name, state, detail, f"{INSTALL_ADVICE} Or correct WEBQUARRY_BROWSER")
    try:
        isolation = choose_isolation(sandbox=settings.browser_sandbox)
    except WebquarryError as error:
        return CheckResult(name, "warning", error.sentence, error.suggested_action)
    detail = f"{program}; {isolation.description}"
    if not isolation.has_sandbox:
        cure = "Unset WEBQUARRY_BROWSER_SANDBOX, unless this is a container of its own"
        return CheckResult(name, "warning", detail, cure)
    return CheckResult(name, "ok", detail)


def check_redis(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Report the Redis of HTTP servers without its URL, which may contain a password."""
    from webquarry.store.redis_config import REDIS_URL, find_redis_url, place_of, read_store_key

    try:
        found = find_redis_url(environ)
    except WebquarryError as error:
        return CheckResult.broken_by("redis", error)
    if found is None:
        detail = "none; only for several servers over HTTP"
        return CheckResult("redis", "off", detail, f"Set {REDIS_URL.variable}")
    url, source = found
    detail = f"{place_of(url)}, for servers over HTTP (from {source})"
    try:
        read_store_key(environ)
    except WebquarryError as error:
        # REDIS_URL may belong to another program.
        state = "warning" if source == "environment variable REDIS_URL" else "broken"
        return CheckResult("redis", state, f"{detail}; {error.sentence}", error.suggested_action)
    if not is_importable("redis"):
        detail += "; its library is not installed"
        return CheckResult("redis", "broken", detail, "pip install 'webquarry[http]'")
    return CheckResult("redis", "ok", detail)


def check_model(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Check whether a model is configured, without a request."""
    from webquarry.ask.keys import MODEL_KEY, NO_MODEL_KEY, Keys
    from webquarry.ask.vendors.base import open_vendor, split_model

    keys = Keys(environ)
    named: list[str] = []
    try:
        vendor = open_vendor(split_model(settings.ask_model)[0], settings.origins)
        for name, configured in find_configured(settings, keys).items():
            found = keys.find_model_key(configured)
            named.append(
                f"{name} (key from {found.source})" if found else f"{name} (no key needed)"
            )
        keys.model_key(vendor)
    except WebquarryError as error:
        if error.message != NO_MODEL_KEY:
            return CheckResult.broken_by("model", error)
        cure = f"Set {MODEL_KEY}, or put the key into ~/.stps/anthropic_api_key"
        if not named:
            detail = "no key of a model; only for `webquarry ask` and asking from SQL"
            return CheckResult("model", "off", detail, cure)
        cure += ", or name another model in WEBQUARRY_ASK_MODEL"
        detail = f"no Anthropic key for {settings.ask_model}; {'; '.join(named)}"
        return CheckResult("model", "warning", detail, cure)
    return CheckResult("model", "ok", "; ".join([settings.ask_model, *named]))


def find_configured(settings: Settings, keys: Keys) -> dict[str, ModelVendor]:
    """The vendors with a key or a URL, and that of the configured model."""
    from webquarry.ask.vendors.base import find_vendors, open_vendor, split_model

    configured = {}
    for name, kind in find_vendors().items():
        is_named = name in settings.origins or name == split_model(settings.ask_model)[0]
        if not kind.default_url and not is_named:
            continue
        vendor = open_vendor(name, settings.origins)
        has_key = keys.find_model_key(vendor) is not None
        if has_key or (is_named and vendor.is_own_server):
            configured[name] = vendor
    return configured
