"""Report on the configuration, what works, and how to repair the rest.

Every configured provider, index, register, model vendor and Redis is asked once, concurrently,
unless `offline`. A configured service that fails is broken; one without a key that does not
answer is a warning.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from webquarry import __version__
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
    def name(self) -> str:
        return self.provider.label

    def as_dict(self) -> dict[str, Any]:
        """The fields as JSON, without an empty cure or notice."""
        fields: dict[str, Any] = {
            "name": self.provider.name,
            "label": self.provider.label,
            "state": self.state,
            "configured": self.provider.configured,
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
    def ok(self) -> bool:
        """Whether everything that the user configured works."""
        return not self._list_broken()

    def _list_broken(self) -> list[str]:
        """Names of configured services and parts that do not work."""
        services = [*self.providers, *self.indexes, *self.registers]
        broken = [check.name for check in services if check.state == "broken"]
        return broken + [part.name for part in self.parts if part.state == "broken"]

    @property
    def _web(self) -> list[ServiceCheck]:
        """The configured providers that search the web."""
        ready = [check for check in self.providers if check.provider.configured]
        return [check for check in ready if getattr(check.provider, "kind", "") == "web"]

    @property
    def can_search(self) -> bool:
        """Whether a provider of web search is usable, as far as known."""
        return any(check.reachable is not False for check in self._web)

    @property
    def advice(self) -> str:
        """The result and what to do next."""
        broken = self._list_broken()
        if broken:
            return f"Something that you have configured does not work: {', '.join(broken)}."
        if not self.can_search:
            return "Searching would fail now: check the connection, or set BRAVE_API_KEY."
        names = ", ".join(check.name for check in self._web if check.reachable is not False)
        answered = any(check.reachable for check in self._web)
        asked = "" if answered else " None of them was asked."
        if any(check.chosen for check in self._web):
            return f"All that is configured works: searches go to {names}.{asked}"
        return (
            f"No key is configured: searches go to {names}, without a key.{asked} A key, such as "
            "BRAVE_API_KEY, adds another provider."
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
    broken: list[CheckResult] = []
    try:
        settings = Settings.from_environment(environ)
    except BadInput as error:
        broken.append(CheckResult.broken_by("settings", error))
        settings = Settings.from_environment({})
        offline = True
    parts = examine_parts(settings, environ)
    if broken:
        parts = [part for part in parts if part.name != "settings"]
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
        providers, indexes, registers, probed_parts = await asyncio.gather(
            check_services(kit.router.services, settings, offline=offline),
            check_services(kit.scholar.services, settings, offline=offline),
            check_services(kit.patents.services, settings, offline=offline),
            asyncio.gather(*map(probe_part, parts)),
        )
    return Report(providers, [*broken, *probed_parts], indexes, registers)


async def check_services(
    services: Services[Any], settings: Settings, *, offline: bool
) -> list[ServiceCheck]:
    """Check all services of a kind concurrently."""

    async def check(service: Service) -> ServiceCheck:
        is_chosen = (
            bool(service.sources())
            or service.name in settings.origins
            or service.name == settings.search_provider
        )
        unusable = _check_credentials(service)
        if unusable is not None:
            return unusable
        error = None if offline else await _run_probe(services, service)
        if error is not None:
            return _describe_failure(service, error, is_chosen)
        detail = "answers"
        if offline:
            detail = "configured; not asked" if is_chosen else "needs no key; not asked"
        elif service.sources():
            detail = "answers and accepts the credentials"
        reachable = None if offline else True
        return ServiceCheck(service, "ok", detail, "", reachable, is_chosen)

    return list(await asyncio.gather(*map(check, services.all())))


def _check_credentials(service: Service) -> ServiceCheck | None:
    """Describe unusable or missing credentials: off without any, broken with some."""
    if service.unusable:
        cure = f"Replace it; get one from {service.sign_up}"
        if not service.missing:
            cure += ", or remove it: it works without"
        return ServiceCheck(service, "broken", " ".join(service.unusable.values()), cure)
    if service.configured:
        return None
    missing = " and ".join(service.missing)
    cure = f"Set {missing}"
    for credential in service.credentials:
        if credential.variable in service.missing:
            cure += f", or write ~/.config/webquarry/{credential.file}"
    cure += f"; get it from {service.sign_up}"
    if service.sources():
        return ServiceCheck(service, "broken", f"half configured: {missing} was not found", cure)
    return ServiceCheck(service, "off", "not configured", cure)


async def _run_probe(services: Services[Any], service: Service) -> WebquarryError | None:
    """Send one probe and return its error, or None."""
    try:
        async with asyncio.timeout(_PROBE_SECONDS):
            await services.probe(service, _PROBE_SECONDS)
    except TimeoutError:
        return NetworkFailure(f"No answer came within {_PROBE_SECONDS} seconds.")
    except WebquarryError as error:
        return error
    except Exception as error:  # of a provider from another package
        log.warning("the probe of %s raised an unexpected exception", service.name, exc_info=True)
        return ProviderFailure(f"{service.label} failed: {type(error).__name__}.")
    return None


def _describe_failure(service: Service, error: WebquarryError, is_chosen: bool) -> ServiceCheck:
    """Describe an error, without the notice, which is shown separately."""
    detail = error.sentence.replace(service.notice, "").strip()
    if error.message == service.credentials_text:
        detail = "answers, but does not accept the credentials"
    cure = error.suggested_action.replace(service.notice, "").strip()
    return ServiceCheck(
        service,
        "broken" if is_chosen else "warning",
        redact(detail.removeprefix(f"{service.label}: ")),
        redact(cure),
        reachable=not isinstance(error, NetworkFailure | Refused),
        chosen=is_chosen,
    )
