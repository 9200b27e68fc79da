"""Checks of Python, libraries, certificate authorities and folders."""

from __future__ import annotations

import os
import ssl
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from webquarry.doctor.check_result import Check, CheckResult
from webquarry.settings import Settings

LIBXML2_NEEDED = (2, 14)
_HTTPX2 = "'httpx2[http2,brotli,zstd]'"
_ZSTD_MODULES = ("compression.zstd", "backports.zstd", "zstandard")


def is_importable(module: str) -> bool:
    """Whether a module is installed, without importing it."""
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of the parent package
        return False


def check_python(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    return CheckResult("python", "ok", _join_version(sys.version_info[:3]))


def check_libxml2(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Check the version of libxml2 in lxml."""
    from lxml import etree

    version = _join_version(etree.LIBXML_VERSION)
    if etree.LIBXML_VERSION >= LIBXML2_NEEDED:
        return CheckResult("libxml2", "ok", f"{version}, reads HTML as browsers do")
    needed = _join_version(LIBXML2_NEEDED)
    return CheckResult(
        "libxml2",
        "broken",
        f"{version} reads HTML by the rules of 1999; {needed} or newer is needed",
        "Install lxml from its wheel: pip install --upgrade --only-binary lxml 'lxml>=6.1'",
    )


def _join_version(version: tuple[int, ...]) -> str:
    return ".".join(str(number) for number in version)


def check_compiled(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Check that the extension module is built."""
    if is_importable("webquarry._native"):
        return CheckResult("compiled", "ok", "the extension module that reads pages")
    return CheckResult(
        "compiled",
        "broken",
        "not built: pages cannot be read",
        "Install a C compiler, then webquarry once more (pip install --force-reinstall --no-deps)",
    )


def library_check(name: str, modules: tuple[str, ...], purpose: str) -> Check:
    """A check that passes if one of these modules is installed."""

    def check(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
        if any(is_importable(module) for module in modules):
            return CheckResult(name, "ok", purpose)
        detail = f"not installed: {purpose}"
        return CheckResult(name, "off", detail, f"pip install {_HTTPX2}")

    return check


check_http2 = library_check("http2", ("h2",), "HTTP/2")
check_brotli = library_check("brotli", ("brotli", "brotlicffi"), "brotli-compressed answers")
check_zstd = library_check("zstd", _ZSTD_MODULES, "zstd-compressed answers")


def check_socks(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Check SOCKS support, which is required for a SOCKS proxy."""
    if is_importable("socksio"):
        return CheckResult("socks", "ok", "SOCKS proxies")
    cure = "pip install 'webquarry[socks]'"
    for proxy in (settings.https_proxy, settings.http_proxy):
        if proxy and proxy.lower().startswith("socks"):
            detail = "not installed, and your proxy is a SOCKS proxy"
            return CheckResult("socks", "broken", detail, cure)
    return CheckResult("socks", "off", "not installed: SOCKS proxies", cure)


def check_trust_store(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Check the certificate authorities of the system and the private one."""
    if settings.ca_file is not None:
        try:
            ssl.create_default_context().load_verify_locations(settings.ca_file)
        except (OSError, ssl.SSLError) as error:
            return CheckResult(
                "trust store",
                "broken",
                f"the CA file {settings.ca_file} cannot be used ({type(error).__name__})",
                "Point WEBQUARRY_CA_FILE at a PEM file, or unset it",
            )
        return CheckResult("trust store", "ok", f"the system's, and {settings.ca_file}")
    paths = ssl.get_default_verify_paths()
    is_kept_elsewhere = sys.platform in ("darwin", "win32")  # than where OpenSSL looks
    has_authorities = is_kept_elsewhere or bool(paths.cafile)
    if not has_authorities and paths.capath:
        has_authorities = any(Path(paths.capath).iterdir())
    if has_authorities:
        return CheckResult("trust store", "ok", "the system's")
    return CheckResult(
        "trust store",
        "broken",
        "the system has no certificate authorities, so no https page can be read",
        "Install your system's ca-certificates, or set WEBQUARRY_CA_FILE",
    )


def check_cache_folder(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Check the folder of the cache."""
    from webquarry.store.open import find_cache_folder

    variable = "XDG_CACHE_HOME"
    if settings.cache_folder is not None:
        variable = "WEBQUARRY_CACHE_FOLDER"
    folder = find_cache_folder(settings, environ)
    if folder is None:
        detail = "there is no home folder; memory is used instead"
        return CheckResult("cache folder", "warning", detail, "Set WEBQUARRY_CACHE_FOLDER")
    return _check_writable("cache folder", folder.absolute(), variable)


def check_state_folder(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Check the records of sessions and bills, without creating or changing them."""
    from webquarry.store.open import find_records_folder
    from webquarry.store.records import check_records

    name = "state folder"
    if settings.records == "memory":
        detail = "records exist in memory only (`Settings(records='memory')`)"
        return CheckResult(name, "warning", detail, "Remove that argument to store them")
    folder = find_records_folder(settings, environ)
    if folder is None:
        detail = "there is no home folder; steps of research and paid questions are refused"
        return CheckResult(name, "warning", detail, "Set WEBQUARRY_STATE_FOLDER")
    failure = check_records(folder)
    if failure is not None:
        return CheckResult(name, "broken", failure.sentence, failure.suggested_action)
    variable = "XDG_STATE_HOME"
    if settings.state_folder is not None:
        variable = "WEBQUARRY_STATE_FOLDER"
    refused = "steps of research and paid questions are refused"
    return _check_writable(name, folder, variable, refused)


def _check_writable(
    name: str, folder: Path, variable: str, otherwise: str = "memory is used instead"
) -> CheckResult:
    """Check that the folder can be written to, or created."""
    existing = folder
    for candidate in (folder, *folder.parents):
        if candidate.exists():
            existing = candidate
            break
    if existing.is_dir() and os.access(existing, os.W_OK | os.X_OK):
        return CheckResult(name, "ok", str(folder))
    detail = f"{folder} cannot be written to; {otherwise}"
    return CheckResult(name, "warning", detail, f"Set {variable} to a folder of yours")
