"""`webquarry doctor`: what is configured, what works, and one line of cure for what does not.

The environment comes in, a `Report` goes out. Every configured provider, scholarly index, register
of patents and the Redis are asked once, all at the same time, unless `offline`. The exit code
answers one question: would anything that the user has configured fail now? Somebody who needs no
key and does not answer is a warning; nothing configured is no failure, but earns advice.
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
from webquarry.errors import BadInput, NetworkFailure, ProviderFailure, Refused, WebquarryError
from webquarry.search.provider import Provider
from webquarry.search.services.service import Service
from webquarry.search.services.services import Services
from webquarry.secret import redact
from webquarry.settings import Settings
from webquarry.surfaces.cli.doctor.checks import Finding, ask_redis, examine_parts
from webquarry.toolkit import Toolkit

log = logging.getLogger(__name__)

_PROBE_SECONDS = 10
_IN_DETAIL = {"scholarly", "patents"}  # parts whose members are listed one by one


@dataclass(frozen=True)
class ProviderFinding:
    """One provider, index or register: configured or not, from where, reachable or not (None:
    nobody asked).
    """

    provider: Service
    state: str
    detail: str
    cure: str = ""
    reachable: bool | None = None
    chosen: bool = (
        True  # by the user, with a credential, a URL or a setting; others are simply there
    )

    @property
    def configured(self) -> bool:
        return self.provider.configured

    def as_dict(self) -> dict[str, Any]:
        fields = {
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
        also = {"cure": self.cure, "notice": self.provider.notice}
        return fields | {name: value for name, value in also.items() if value}


@dataclass(frozen=True)
class Report:
    """All that doctor found."""

    providers: list[ProviderFinding]
    parts: list[Finding]
    indexes: list[ProviderFinding] = field(default_factory=list)
    registers: list[ProviderFinding] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        asked = [*self.providers, *self.indexes, *self.registers]
        return "broken" not in [finding.state for finding in asked] + [
            finding.state for finding in self.parts
        ]

    @property
    def advice(self) -> str:
        """What to do next, in one sentence."""
        if not self.ok:
            return "Something that you have configured does not work; the cures are above."
        ready = [finding for finding in self.providers if finding.configured]
        if not ready:
            return f"No search provider is configured: set {self._example} to search. Reading pages needs no key."
        if not any(finding.chosen for finding in ready):
            web = [
                one.provider
                for one in ready
                if isinstance(one.provider, Provider) and one.provider.kind == "web"
            ]
            free = " and ".join(provider.label for provider in web)
            return f"No key is configured, so searches go to {free}. A key, such as {self._example}, adds another."
        if not any(finding.reachable for finding in ready):
            return "What is configured looks complete; nobody was asked."
        return "All that is configured works."

    @property
    def _example(self) -> str:
        """What would have to be set for one provider."""
        keyed = [
            finding.provider.credentials
            for finding in self.providers
            if finding.provider.credentials
        ]
        if keyed:
            return " and ".join(wanted.variable for wanted in keyed[0])
        return "a key"

    def as_dict(self) -> dict[str, Any]:
        return {
            "version": __version__,
            "ok": self.ok,
            "advice": self.advice,
            "providers": [finding.as_dict() for finding in self.providers],
            "indexes": [finding.as_dict() for finding in self.indexes],
            "registers": [finding.as_dict() for finding in self.registers],
            "parts": [finding.as_dict() for finding in self.parts],
        }


async def examine(environ: Mapping[str, str] | None = None, *, offline: bool = False) -> Report:
    """Look at everything. A setting that cannot be used is a finding too, and the rest is looked at
    without it.
    """
    environ = os.environ if environ is None else environ
    broken: list[Finding] = []
    try:
        settings = Settings.from_environment(environ)
    except BadInput as error:
        broken = [Finding("settings", "broken", error.message, error.suggested_action)]
        settings, offline = Settings.from_environment({}), True
    told = {"settings"} if broken else set()
    parts = [
        part for part in examine_parts(settings, environ) if part.name not in told | _IN_DETAIL
    ]
    # A probe is one question: it is not repeated, and not part of anybody's recording.
    asked = settings.model_copy(
        update={"retries": 0, "record": None, "replay": None, "lenses": None}
    )
    silent = offline or settings.replay is not None
    async with Toolkit.open(asked, environ) as kit:
        providers, indexes, registers, shared = await asyncio.gather(
            asyncio.gather(
                *(examine_provider(kit, one, offline=silent) for one in kit.router.providers())
            ),
            _examine_services(kit.scholar.services, settings, offline=silent),
            _examine_services(kit.patents.services, settings, offline=silent),
            asyncio.gather(*(_asked(part, settings, environ, offline=silent) for part in parts)),
        )
    return Report(list(providers), broken + list(shared), indexes, registers)


async def _asked(
    part: Finding, settings: Settings, environ: Mapping[str, str], *, offline: bool
) -> Finding:
    """The part, asked if it is one that can be."""
    if offline or part.name != "redis":
        return part
    return await ask_redis(part, settings, environ)


async def _examine_services(
    services: Services[Any], settings: Settings, *, offline: bool
) -> list[ProviderFinding]:
    """Its members, asked at once unless `offline`."""

    def probe(member: Service) -> Callable[[], Awaitable[None]]:
        return lambda: services.probe(member, _PROBE_SECONDS)

    members = services.all()
    return list(
        await asyncio.gather(
            *(_examined(one, settings, probe(one), offline=offline) for one in members)
        )
    )


async def examine_provider(kit: Toolkit, provider: Provider, *, offline: bool) -> ProviderFinding:
    """One provider, asked unless `offline`."""
    return await _examined(
        provider, kit.settings, lambda: kit.router.probe(provider.name), offline=offline
    )


async def _examined(
    member: Service, settings: Settings, probe: Callable[[], Awaitable[None]], *, offline: bool
) -> ProviderFinding:
    if member.unusable:
        without = ", or remove it: it works without"
        if member.missing:
            without = ""
        said = " ".join(member.unusable.values())
        return ProviderFinding(
            member, "broken", said, f"Replace it; get one from {member.sign_up}{without}"
        )
    if not member.configured:
        return _incomplete(member)
    chosen = (
        bool(member.sources())
        or member.name in settings.origins
        or member.name == settings.search_provider
    )
    if offline:
        detail = "needs no key; not asked"
        if chosen:
            detail = "configured; not asked"
        return _with_open_files(ProviderFinding(member, "ok", detail, chosen=chosen))
    try:
        async with asyncio.timeout(_PROBE_SECONDS):
            await probe()
    except TimeoutError:
        return _failed(
            member, NetworkFailure(f"No answer came within {_PROBE_SECONDS} seconds."), chosen
        )
    except WebquarryError as error:
        return _failed(member, error, chosen)
    except Exception as error:  # one from another package may do anything
        log.warning("the probe of %s failed in a way of its own", member.name, exc_info=True)
        return _failed(
            member, ProviderFailure(f"{member.label} failed: {type(error).__name__}."), chosen
        )
    accepted = "answers"
    if member.sources():
        accepted = "answers and accepts the credentials"
    return _with_open_files(ProviderFinding(member, "ok", accepted, reachable=True, chosen=chosen))


def _incomplete(provider: Service) -> ProviderFinding:
    """None of the credentials: off. Only some: somebody began and did not finish."""
    missing = " and ".join(provider.missing)
    files = [
        f"~/.config/webquarry/{one.file}"
        for one in provider.credentials
        if one.variable in provider.missing
    ]
    or_write = ""
    if files:
        or_write = f", or write {' and '.join(files)}"
    cure = f"Set {missing}{or_write}; get it from {provider.sign_up}"
    if provider.sources():
        return ProviderFinding(
            provider, "broken", f"half configured: {missing} was not found", cure
        )
    return ProviderFinding(provider, "off", "not configured", cure)


def _failed(provider: Service, error: WebquarryError, chosen: bool) -> ProviderFinding:
    """The error in two lines. The notice is shown beside them, so it need not stand in both."""
    said, cure = (
        text.replace(provider.notice, "").strip()
        for text in (error.message, error.suggested_action)
    )
    said = said.removeprefix(f"{provider.label}: ")
    if said == provider.credentials_text:
        said = "answers, but does not accept the credentials"
    reached = not isinstance(error, NetworkFailure | Refused)
    state = "broken" if chosen else "warning"
    return ProviderFinding(
        provider, state, redact(said), redact(cure), reachable=reached, chosen=chosen
    )


def _with_open_files(finding: ProviderFinding) -> ProviderFinding:
    """A credential file that others can read turns an ok into a warning."""
    if os.name != "posix":
        return finding
    sources = [
        Path(source) for source in finding.provider.sources().values() if Path(source).is_absolute()
    ]
    readable = [str(path) for path in sources if path.exists() and path.stat().st_mode & 0o077]
    if not readable:
        return finding
    detail = f"{finding.detail}, but others can read {' and '.join(readable)}"
    return replace(finding, state="warning", detail=detail, cure=f"chmod 600 {' '.join(readable)}")
