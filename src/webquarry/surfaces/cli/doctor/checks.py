"""What doctor looks at besides those who are asked: libraries, trust, folders, proxy, recording,
routing, the model, lenses.

Settings and environment come in, one `Finding` per part comes out. Nothing here goes to the network
or writes a file, but `ask_redis`, which doctor calls unless it is to ask nobody.
"""

from __future__ import annotations

import os
import ssl
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from webquarry.errors import NetworkFailure, WebquarryError
from webquarry.secret import redact
from webquarry.settings import PREFIX, Settings

LIBXML2_NEEDED = (2, 14)
_OTHER_VARIABLES = {
    "WEBQUARRY_STORE_KEY",  # a credential; so is WEBQUARRY_REDIS_URL
    "WEBQUARRY_REQUIRE_ALL",  # for the tests, as the next
    "WEBQUARRY_FUZZ_EXAMPLES",
    "WEBQUARRY_PURE",  # for building
}


@dataclass(frozen=True)
class Finding:
    """One part: its state is "ok", "off" (optional and absent), "warning" or "broken"."""

    name: str
    state: str
    detail: str
    cure: str = ""
    reachable: bool | None = None  # None: nobody was asked, or there is nobody to ask

    def as_dict(self) -> dict[str, Any]:
        fields = {"name": self.name, "state": self.state, "detail": self.detail, "cure": self.cure}
        if self.reachable is None:
            told = {}
        else:
            told = {"reachable": self.reachable}
        return {name: value for name, value in fields.items() if value} | told


def examine_parts(settings: Settings, environ: Mapping[str, str]) -> list[Finding]:
    """Every part, in the order in which they are shown."""
    return [examine(settings, environ) for examine in PARTS]


def _python(settings: Settings, environ: Mapping[str, str]) -> Finding:
    return Finding("python", "ok", ".".join(map(str, sys.version_info[:3])))


def _variables(settings: Settings, environ: Mapping[str, str]) -> Finding:
    """A misspelt variable does nothing, which nobody would notice otherwise."""
    known = {
        name for field in Settings.model_fields for name in Settings.variables_of(field)
    } | _OTHER_VARIABLES
    given = sorted(name for name in environ if name.startswith(PREFIX))
    unknown = [name for name in given if name not in known and not name.endswith("_URL")]
    if not unknown:
        return Finding("settings", "ok", ", ".join(given) or "all at their defaults")
    nearest = get_close_matches(unknown[0], known, 1)
    meant = "; docs/settings.md lists them all"
    if nearest:
        meant = f"; did you mean {nearest[0]}?"
    return Finding(
        "settings",
        "warning",
        f"not known: {', '.join(unknown)}",
        f"Correct or unset {unknown[0]}{meant}",
    )


def _libxml2(settings: Settings, environ: Mapping[str, str]) -> Finding:
    from lxml import etree

    version = ".".join(map(str, etree.LIBXML_VERSION))
    if etree.LIBXML_VERSION >= LIBXML2_NEEDED:
        return Finding("libxml2", "ok", f"{version}, reads HTML as browsers do")
    return Finding(
        "libxml2",
        "broken",
        f"{version} reads HTML by the rules of 1999; {'.'.join(map(str, LIBXML2_NEEDED))} or "
        "newer is needed",
        "Install lxml from its wheel: pip install --upgrade --only-binary lxml 'lxml>=6.1'",
    )


def _compiled(settings: Settings, environ: Mapping[str, str]) -> Finding:
    import webquarry

    package = Path(webquarry.__file__).parent
    sources = [path.relative_to(package.parent).with_suffix("") for path in package.rglob("*.pyx")]
    if all(_present(".".join(source.parts)) for source in sources):
        return Finding("compiled", "ok", "the slowest parts of reading a page")
    cure = (
        "Install a C compiler, then webquarry once more (pip install --force-reinstall --no-deps)"
    )
    return Finding(
        "compiled", "off", "not built: pages are read as well, but take a third longer", cure
    )


def _library(
    name: str, modules: tuple[str, ...], extra: str, purpose: str
) -> Callable[..., Finding]:
    """A part that is there when one of these modules can be imported."""

    def examine(settings: Settings, environ: Mapping[str, str]) -> Finding:
        if any(_present(module) for module in modules):
            return Finding(name, "ok", purpose)
        return Finding(name, "off", f"not installed: {purpose}", f"pip install {extra}")

    return examine


def _present(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the parent package is absent
        return False


def _socks(settings: Settings, environ: Mapping[str, str]) -> Finding:
    proxies = [proxy for proxy in (settings.https_proxy, settings.http_proxy) if proxy]
    wanted = any(proxy.lower().startswith("socks") for proxy in proxies)
    if find_spec("socksio"):
        return Finding("socks", "ok", "SOCKS proxies")
    detail = "not installed: SOCKS proxies"
    if wanted:
        detail = "not installed, and your proxy is a SOCKS proxy"
    return Finding("socks", "broken" if wanted else "off", detail, "pip install 'webquarry[socks]'")


def _trust(settings: Settings, environ: Mapping[str, str]) -> Finding:
    """Which certificate authorities are trusted; a private one must be there and readable."""
    if settings.ca_file is not None:
        try:
            ssl.create_default_context().load_verify_locations(settings.ca_file)
        except (OSError, ssl.SSLError) as error:
            return Finding(
                "trust store",
                "broken",
                f"the CA file {settings.ca_file} cannot be used ({type(error).__name__})",
                "Point WEBQUARRY_CA_FILE at a PEM file, or unset it",
            )
        return Finding("trust store", "ok", f"the system's, and {settings.ca_file}")
    paths = ssl.get_default_verify_paths()
    folder = Path(paths.capath) if paths.capath else None
    if sys.platform in ("darwin", "win32") or paths.cafile or (folder and any(folder.iterdir())):
        return Finding("trust store", "ok", "the system's")
    return Finding(
        "trust store",
        "broken",
        "the system has no certificate authorities, so no https page can be read",
        "Install your system's ca-certificates, or set WEBQUARRY_CA_FILE",
    )


def _cache_folder(settings: Settings, environ: Mapping[str, str]) -> Finding:
    if settings.cache_folder is not None:
        return _writable(
            "cache folder", settings.cache_folder.expanduser().absolute(), "WEBQUARRY_CACHE_FOLDER"
        )
    return _writable("cache folder", _home(environ, "XDG_CACHE_HOME", ".cache"), "XDG_CACHE_HOME")


def _state_folder(settings: Settings, environ: Mapping[str, str]) -> Finding:
    return _writable(
        "state folder", _home(environ, "XDG_STATE_HOME", ".local/state"), "XDG_STATE_HOME"
    )


def _home(environ: Mapping[str, str], variable: str, usual: str) -> Path:
    """Our folder by the XDG rules, which ignore relative paths."""
    given = Path(environ.get(variable) or "")
    home = Path(environ.get("HOME") or Path.home())
    return (given if given.is_absolute() else home / usual) / "webquarry"


def _writable(name: str, folder: Path, variable: str) -> Finding:
    """Can it be written to, or made?"""
    nearest = next((place for place in (folder, *folder.parents) if place.exists()), folder)
    if nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK):
        return Finding(name, "ok", str(folder))
    told = f"{folder} cannot be written to; memory is used instead"
    return Finding(name, "warning", told, f"Set {variable} to a folder of yours")


def _proxy(settings: Settings, environ: Mapping[str, str]) -> Finding:
    """The proxy's host alone: its URL may hold a password."""
    named = {"https": settings.https_proxy, "http": settings.http_proxy}
    shown = [f"{scheme} by {_host(proxy)}" for scheme, proxy in named.items() if proxy]
    if not shown:
        return Finding("proxy", "ok", "none")
    besides = ""
    if settings.no_proxy:
        besides = f", but not for {', '.join(settings.no_proxy)}"
    return Finding("proxy", "ok", "; ".join(shown) + besides)


def _host(proxy: str) -> str:
    try:
        parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        if parts.port:
            return f"{parts.hostname}:{parts.port}"
        return str(parts.hostname)
    except ValueError:
        return "a URL that cannot be read"


def _redis(settings: Settings, environ: Mapping[str, str]) -> Finding:
    """The Redis that a server over HTTP would share with others; nobody else uses it. Its URL may
    hold a password.
    """
    from webquarry.store.redis.open import REDIS_URL, place_of, redis_url, store_key

    try:
        found = redis_url(environ)
    except WebquarryError as error:
        return Finding("redis", "broken", error.message, error.suggested_action)
    if found is None:
        return Finding(
            "redis", "off", "none; only for several servers over HTTP", f"Set {REDIS_URL.variable}"
        )
    url, source = found
    detail = f"{place_of(url)}, for servers over HTTP (from {source})"
    try:
        store_key(environ)
    except WebquarryError as error:
        mere = source == "environment variable REDIS_URL"  # which may be there for something else
        return Finding(
            "redis",
            "warning" if mere else "broken",
            f"{detail}; {error.message}",
            error.suggested_action,
        )
    if not _present("redis"):
        return Finding(
            "redis",
            "broken",
            f"{detail}; its library is not installed",
            "pip install 'webquarry[http]'",
        )
    return Finding("redis", "ok", detail)


async def ask_redis(finding: Finding, settings: Settings, environ: Mapping[str, str]) -> Finding:
    """What a Redis that looks right says when it is asked; nothing is written to it."""
    if finding.state != "ok":
        return finding
    from webquarry.store.redis.open import open_link, ping_redis

    try:
        link = open_link(settings, environ)
        assert link is not None
        try:
            await ping_redis(link)
        finally:
            await link.aclose()
    except WebquarryError as error:
        said, reached = (
            f"{finding.detail}; {redact(error.message)}",
            not isinstance(error, NetworkFailure),
        )
        return Finding("redis", "broken", said, redact(error.suggested_action), reached)
    return replace(finding, detail=f"{finding.detail}; answers", reachable=True)


def _recording(settings: Settings, environ: Mapping[str, str]) -> Finding:
    """Recording and replay change what every command does, so they are told."""
    if settings.replay is not None:
        return _replaying(settings.replay)
    if settings.record is not None:
        folder = settings.record.absolute().parent
        if folder.is_dir() and os.access(folder, os.W_OK):
            return Finding("recording", "ok", f"every exchange is recorded to {settings.record}")
        return Finding(
            "recording",
            "broken",
            f"the folder {folder} cannot be written to",
            "Point WEBQUARRY_RECORD elsewhere",
        )
    return Finding("recording", "ok", "neither recorded nor replayed")


def _replaying(replay: Path) -> Finding:
    from webquarry.net.archive.open import Replay, demo_recording

    try:
        Replay(demo_recording() if replay == Path("demo") else replay)
    except WebquarryError as error:
        return Finding("recording", "broken", error.message, "Correct or unset WEBQUARRY_REPLAY")
    return Finding(
        "recording",
        "warning",
        f"every answer is replayed from {replay}; the network is off",
        "Unset WEBQUARRY_REPLAY",
    )


def _routing(settings: Settings, environ: Mapping[str, str]) -> Finding:
    """Who would be asked, in which order."""
    from webquarry.registry import members_of
    from webquarry.search.plan import order_for
    from webquarry.search.provider import Provider

    kinds = members_of("webquarry.search.providers", Provider, group="webquarry.providers")
    try:
        order, because = order_for(
            "web", settings, {kind.name: kind.configure(settings, environ) for kind in kinds}
        )
    except WebquarryError as error:
        return Finding("routing", "broken", error.message, error.suggested_action)
    return Finding("routing", "ok", f"{', '.join(order)} ({because})")


def _scholarly(settings: Settings, environ: Mapping[str, str]) -> Finding:
    """The indexes that `academic_search` asks, and the keys that raise their limits: where each was
    found, no value.
    """
    from webquarry.registry import members_of
    from webquarry.search.scholarly.provider import Scholarly

    kinds = members_of(
        "webquarry.search.scholarly.providers", Scholarly, group="webquarry.scholarly"
    )
    indexes = [
        kind.configure(settings, environ) for kind in sorted(kinds, key=lambda kind: kind.name)
    ]
    if unusable := [what for one in indexes for what in one.unusable.values()]:
        return Finding(
            "scholarly",
            "broken",
            " ".join(unusable),
            "Replace it, or remove it: no index needs a key",
        )
    keys = [source for one in indexes for source in one.sources().values()]
    named = ", ".join(one.name for one in indexes)
    return Finding(
        "scholarly",
        "ok",
        f"{named}; {'keys from ' + ', '.join(keys) if keys else 'no keys, none needed'}",
    )


def _patents(settings: Settings, environ: Mapping[str, str]) -> Finding:
    """The registers that `patent_search` asks: which are configured, and from where; nobody is
    asked.
    """
    from webquarry.registry import members_of
    from webquarry.search.patents.provider import PatentProvider

    kinds = members_of(
        "webquarry.search.patents.providers", PatentProvider, group="webquarry.patent_providers"
    )
    registers = [
        kind.configure(settings, environ) for kind in sorted(kinds, key=lambda kind: kind.name)
    ]
    if unusable := [what for one in registers for what in one.unusable.values()]:
        return Finding("patents", "broken", " ".join(unusable), "Replace it, or remove it")
    if half := [one for one in registers if one.missing and one.sources()]:
        missing = " and ".join(half[0].missing)
        return Finding(
            "patents", "broken", f"half configured: {missing} was not found", f"Set {missing}"
        )
    if ready := [
        f"{one.label} ({', '.join(one.sources().values())})" for one in registers if one.configured
    ]:
        return Finding("patents", "ok", ", ".join(ready))
    wanted = ", or ".join(f"{' and '.join(one.missing)} from {one.sign_up}" for one in registers)
    return Finding(
        "patents",
        "off",
        "no register is configured; pages of patent sites are searched",
        f"Set {wanted}",
    )


def _model(settings: Settings, environ: Mapping[str, str]) -> Finding:
    """Whether a model can be asked, and where its key was found; nobody is asked."""
    from webquarry.ask.keys import MODEL_KEY, Keys

    try:
        found = Keys(environ).find(MODEL_KEY)
    except WebquarryError as error:
        return Finding("model", "broken", error.message, error.suggested_action)
    if found is None:
        cure = f"Set {MODEL_KEY}, or put the key into ~/.stps/anthropic_api_key"
        return Finding(
            "model", "off", "no Anthropic key; only for `webquarry ask` and asking from SQL", cure
        )
    detail = f"{settings.ask_model} (key from {found.source})"
    if not _present("anthropic"):
        return Finding(
            "model",
            "broken",
            f"{detail}; its library is not installed",
            "pip install 'webquarry[ask]'",
        )
    return Finding("model", "ok", detail)


def _lenses(settings: Settings, environ: Mapping[str, str]) -> Finding:
    from webquarry.search.query.lenses import load_lenses

    try:
        lenses = load_lenses(settings.lenses)
    except WebquarryError as error:
        return Finding("lenses", "broken", error.message, error.suggested_action)
    own = ""
    if settings.lenses:
        own = f", those of {settings.lenses} among them"
    return Finding("lenses", "ok", f"{len(lenses)}{own}")


_HTTPX2 = "'httpx2[http2,brotli,zstd]'"
PARTS: tuple[Callable[[Settings, Mapping[str, str]], Finding], ...] = (
    _python,
    _variables,
    _libxml2,
    _compiled,
    _library("http2", ("h2",), _HTTPX2, "HTTP/2"),
    _library("brotli", ("brotli", "brotlicffi"), _HTTPX2, "brotli-compressed answers"),
    _library(
        "zstd",
        ("compression.zstd", "backports.zstd", "zstandard"),
        _HTTPX2,
        "zstd-compressed answers",
    ),
    _socks,
    _trust,
    _cache_folder,
    _state_folder,
    _proxy,
    _redis,
    _recording,
    _routing,
    _scholarly,
    _patents,
    _model,
    _lenses,
)
