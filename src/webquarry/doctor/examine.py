"""Report on the configuration, what works, and how to repair the rest.

Every configured provider, index, register, model vendor and Redis is asked once, concurrently,
unless `offline`. A configured service that fails is broken; one without a key that does not
answer is a warning.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from webquarry import __version__
from webquarry._search.provider import Provider
from webquarry._search.service import Service
from webquarry._search.services import Services
from webquarry.doctor.checks import CheckResult, examine_parts
from webquarry.doctor.probes import probe_browser, probe_models, probe_redis
from webquarry.errors import BadInput, NetworkFailure, ProviderFailure, Refused, WebquarryError
from webquarry.secret import redact
from webquarry.settings import Settings
from webquarry.toolkit import Toolkit

log = logging.getLogger(__name__)

_PROBE_SECONDS = 10
_IN_DETAIL = {"scholarly", "patents"}  # parts whose members are listed one by one
_READABLE_BY_OTHERS = 0o077


@dataclass(frozen=True)
class ServiceCheck:
    """One provider, index or register. `reachable` is None if it was not asked."""

    provider: Service
    state: str
    detail: str
    cure: str = ""
    reachable: bool | None = None
    chosen: bool = True  # by the user, with a credential, a URL or a setting

    @property
    def configured(self) -> bool:
        return self.provider.configured

    def as_dict(self) -> dict[str, Any]:
        """The fields as JSON, without an empty cure or notice."""
        fields: dict[str, Any] = {
            "name": self.provider.name,
            "label": self.provider.label,
            "state": self.state,
            "configured": self.configured,
            "credentials": self.provider.sources(),
            "missing": self.provider.missing,
            "url": redact(self.provider.base),
            "reachable": self.reachable,
            "detail": self.detail,
        }
        if self.cure:
            fields["cure"] = self.cure
        if self.provider.notice:
            fields["notice"] = self.provider.notice
        return fields


@dataclass(frozen=True)
class Report:
    """Results of all checks."""

    providers: list[ServiceCheck]
    parts: list[CheckResult]
    indexes: list[ServiceCheck] = field(default_factory=list)
    registers: list[ServiceCheck] = field(default_factory=list)

    @property
    def services(self) -> list[ServiceCheck]:
        """Providers, indexes and registers."""
        return [*self.providers, *self.indexes, *self.registers]

    @property
    def ok(self) -> bool:
        """Whether everything that the user configured works."""
        return not self._list_broken()

    def _list_broken(self) -> list[str]:
        """Names of configured services and parts that do not work."""
        names = [check.provider.label for check in self.services if check.state == "broken"]
        return names + [part.name for part in self.parts if part.state == "broken"]

    @property
    def _web(self) -> list[ServiceCheck]:
        """The configured providers that search the web."""
        ready = [check for check in self.providers if check.configured]
        return [check for check in ready if getattr(check.provider, "kind", "") == "web"]

    @property
    def can_search(self) -> bool:
        """Whether a provider of web search is usable, as far as known."""
        return any(check.reachable is not False for check in self._web)

    @property
    def advice(self) -> str:
        """The result and what to do next."""
        if not self.ok:
            names = ", ".join(self._list_broken())
            return f"Something that you have configured does not work: {names}."
        example = "a key"
        for check in self.providers:
            if check.provider.credentials:
                example = " and ".join(one.variable for one in check.provider.credentials)
                break
        ready = [check for check in self.providers if check.configured]
        if not ready:
            return (
                f"No search provider is configured: set {example} to search. "
                "Reading pages needs no key."
            )
        if any(check.chosen for check in ready):
            if any(check.reachable for check in ready):
                return "All that is configured works."
            return "The configuration looks complete; no service was asked."
        names = " and ".join(check.provider.label for check in self._web)
        more = f"A key, such as {example}, adds another."
        if any(check.reachable for check in self._web):
            return f"No key is configured, so searches go to {names}. {more}"
        if self.can_search:
            return f"No key is configured; {names} needs none, but was not asked. {more}"
        return (
            f"Searching would fail now: no key is configured, and {names}, which needs none, does "
            f"not answer. Check the connection, or set {example}."
        )

    def as_dict(self) -> dict[str, Any]:
        """The whole report as JSON."""
        return {
            "version": __version__,
            "ok": self.ok,
            "advice": self.advice,
            "providers": [check.as_dict() for check in self.providers],
            "indexes": [check.as_dict() for check in self.indexes],
            "registers": [check.as_dict() for check in self.registers],
            "parts": [part.as_dict() for part in self.parts],
        }


async def examine(environ: Mapping[str, str] | None = None, *, offline: bool = False) -> Report:
    """Run all checks. With an invalid setting, report it and use the defaults."""
    if environ is None:
        environ = os.environ
    skipped = set(_IN_DETAIL)
    broken: list[CheckResult] = []
    try:
        settings = Settings.from_environment(environ)
    except BadInput as error:
        broken.append(CheckResult("settings", "broken", error.sentence, error.suggested_action))
        skipped.add("settings")
        settings = Settings.from_environment({})
        offline = True
    parts = [part for part in examine_parts(settings, environ) if part.name not in skipped]
    offline = offline or settings.replay is not None
    # Probes are not repeated and not recorded.
    probe_settings = settings.replace(retries=0, record=None, replay=None, lenses=None)

    async def probe_part(part: CheckResult) -> CheckResult:
        if not offline and part.name == "redis":
            return await probe_redis(part, settings, environ)
        if not offline and part.name == "browser":
            return await probe_browser(part, settings)
        if not offline and part.name == "model":
            return await probe_models(part, kit.open_engine(), _PROBE_SECONDS)
        return part

    async with Toolkit.open(probe_settings, environ) as kit:
        provider_checks = [
            check_provider(kit, provider, offline=offline) for provider in kit.router.providers()
        ]
        part_checks = [probe_part(part) for part in parts]
        providers, indexes, registers, probed_parts = await asyncio.gather(
            asyncio.gather(*provider_checks),
            _check_services(kit.scholar.services, settings, offline=offline),
            _check_services(kit.patents.services, settings, offline=offline),
            asyncio.gather(*part_checks),
        )
    return Report(list(providers), [*broken, *probed_parts], indexes, registers)


async def _check_services(
    services: Services[Any], settings: Settings, *, offline: bool
) -> list[ServiceCheck]:
    """Check all services of a kind concurrently."""

    def check(service: Service) -> Awaitable[ServiceCheck]:
        probe = partial(services.probe, service, _PROBE_SECONDS)
        return _check_service(service, settings, probe, offline=offline)

    return list(await asyncio.gather(*map(check, services.all())))


async def check_provider(kit: Toolkit, provider: Provider, *, offline: bool) -> ServiceCheck:
    """Check one provider of web search."""
    probe = partial(kit.router.probe, provider.name)
    return await _check_service(provider, kit.settings, probe, offline=offline)


async def _check_service(
    service: Service, settings: Settings, probe: Callable[[], Awaitable[None]], *, offline: bool
) -> ServiceCheck:
    """Check whether a service is configured and, unless `offline`, answers."""
    if service.unusable:
        detail = " ".join(service.unusable.values())
        cure = f"Replace it; get one from {service.sign_up}"
        if not service.missing:
            cure += ", or remove it: it works without"
        return ServiceCheck(service, "broken", detail, cure)
    if not service.configured:
        return _describe_incomplete(service)
    has_credentials = bool(service.sources())
    is_chosen = (
        has_credentials
        or service.name in settings.origins
        or service.name == settings.search_provider
    )
    if offline:
        detail = "configured; not asked" if is_chosen else "needs no key; not asked"
        return _warn_of_open_files(ServiceCheck(service, "ok", detail, chosen=is_chosen))
    error = await _run_probe(service, probe)
    if error is not None:
        return _describe_failure(service, error, is_chosen)
    detail = "answers and accepts the credentials" if has_credentials else "answers"
    check = ServiceCheck(service, "ok", detail, reachable=True, chosen=is_chosen)
    return _warn_of_open_files(check)


async def _run_probe(
    service: Service, probe: Callable[[], Awaitable[None]]
) -> WebquarryError | None:
    """Send one probe and return its error, or None."""
    try:
        async with asyncio.timeout(_PROBE_SECONDS):
            await probe()
    except TimeoutError:
        return NetworkFailure(f"No answer came within {_PROBE_SECONDS} seconds.")
    except WebquarryError as error:
        return error
    except Exception as error:  # of a provider from another package
        log.warning("the probe of %s raised an unexpected exception", service.name, exc_info=True)
        return ProviderFailure(f"{service.label} failed: {type(error).__name__}.")
    return None


def _describe_incomplete(service: Service) -> ServiceCheck:
    """Describe missing credentials: off without any, broken with some."""
    missing = " and ".join(service.missing)
    files = []
    for credential in service.credentials:
        if credential.variable in service.missing:
            files.append(f"~/.config/webquarry/{credential.file}")
    cure = f"Set {missing}"
    if files:
        cure += f", or write {' and '.join(files)}"
    cure += f"; get it from {service.sign_up}"
    if service.sources():
        return ServiceCheck(service, "broken", f"half configured: {missing} was not found", cure)
    return ServiceCheck(service, "off", "not configured", cure)


def _describe_failure(service: Service, error: WebquarryError, is_chosen: bool) -> ServiceCheck:
    """Describe an error, without the notice, which is shown separately."""
    detail = error.sentence.replace(service.notice, "").strip()
    detail = detail.removeprefix(f"{service.label}: ")
    if error.message == service.credentials_text:
        detail = "answers, but does not accept the credentials"
    cure = error.suggested_action.replace(service.notice, "").strip()
    return ServiceCheck(
        service,
        "broken" if is_chosen else "warning",
        redact(detail),
        redact(cure),
        reachable=not isinstance(error, NetworkFailure | Refused),
        chosen=is_chosen,
    )


def _warn_of_open_files(check: ServiceCheck) -> ServiceCheck:
    """Warn of credential files that other users can read."""
    if os.name != "posix":
        return check
    exposed = []
    for source in check.provider.sources().values():
        path = Path(source)
        if not path.is_absolute() or not path.exists():
            continue
        if path.stat().st_mode & _READABLE_BY_OTHERS:
            exposed.append(str(path))
    if not exposed:
        return check
    detail = f"{check.detail}, but others can read {' and '.join(exposed)}"
    return replace(check, state="warning", detail=detail, cure=f"chmod 600 {' '.join(exposed)}")
