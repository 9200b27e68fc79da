"""Report on what is configured, what works, and how to repair the rest.

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
from pathlib import Path
from typing import Any

from webquarry import __version__
from webquarry._search.provider import Provider
from webquarry._search.service import Service
from webquarry._search.services import Services
from webquarry.doctor.browser import probe_browser
from webquarry.doctor.check_result import CheckResult
from webquarry.doctor.checks import examine_parts
from webquarry.doctor.configuration import probe_redis
from webquarry.doctor.models import probe_models
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
    def ok(self) -> bool:
        """Whether everything that the user configured works."""
        services = [*self.providers, *self.indexes, *self.registers]
        states = [check.state for check in services]
        states += [part.state for part in self.parts]
        return "broken" not in states

    @property
    def can_search(self) -> bool:
        """Whether a provider of web search is usable, as far as known."""
        web = [check for check in self.providers if check.configured and self._searches_web(check)]
        return any(check.reachable is not False for check in web)

    def _list_broken(self) -> list[str]:
        """Names of what is configured and does not work."""
        services = [*self.providers, *self.indexes, *self.registers]
        names = [check.provider.label for check in services if check.state == "broken"]
        return names + [part.name for part in self.parts if part.state == "broken"]

    @property
    def advice(self) -> str:
        """The result and what to do next."""
        if not self.ok:
            names = ", ".join(self._list_broken())
            return f"Something that you have configured does not work: {names}."
        ready = [check for check in self.providers if check.configured]
        if not ready:
            return (
                f"No search provider is configured: set {self._example_variable} to search. "
                "Reading pages needs no key."
            )
        if not any(check.chosen for check in ready):
            return self._describe_free_search(ready)
        if not any(check.reachable for check in ready):
            return "What is configured looks complete; nobody was asked."
        return "All that is configured works."

    def _describe_free_search(self, ready: list[ServiceCheck]) -> str:
        """Describe search without a key."""
        names = self._free_providers(ready)
        more = f"A key, such as {self._example_variable}, adds another."
        web = [check for check in ready if self._searches_web(check)]
        if any(check.reachable for check in web):
            return f"No key is configured, so searches go to {names}. {more}"
        if self.can_search:
            return f"No key is configured; {names} needs none, but was not asked. {more}"
        return (
            f"Searching would fail now: no key is configured, and {names}, which needs none, does "
            f"not answer. Check the connection, or set {self._example_variable}."
        )

    def _free_providers(self, ready: list[ServiceCheck]) -> str:
        """Names of the providers that need no key."""
        labels = [check.provider.label for check in ready if self._searches_web(check)]
        return " and ".join(labels)

    @staticmethod
    def _searches_web(check: ServiceCheck) -> bool:
        return isinstance(check.provider, Provider) and check.provider.kind == "web"

    @property
    def _example_variable(self) -> str:
        """The variables of one provider that needs a key."""
        for check in self.providers:
            if check.provider.credentials:
                variables = [credential.variable for credential in check.provider.credentials]
                return " and ".join(variables)
        return "a key"

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

    async def check(service: Service) -> ServiceCheck:
        def probe() -> Awaitable[None]:
            return services.probe(service, _PROBE_SECONDS)

        return await _check_service(service, settings, probe, offline=offline)

    checks = [check(service) for service in services.all()]
    return list(await asyncio.gather(*checks))


async def check_provider(kit: Toolkit, provider: Provider, *, offline: bool) -> ServiceCheck:
    """Check one provider of web search."""

    def probe() -> Awaitable[None]:
        return kit.router.probe(provider.name)

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
    """Describe an error, without the notice that is shown beside it."""
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
