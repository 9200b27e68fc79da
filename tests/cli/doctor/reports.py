"""Reports of doctor that ask nobody beyond this machine, and their findings by name."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from rich.console import Console

from tests.cli.test_app import without_colours
from tests.net.loopback import serve
from webquarry._search.service import Service
from webquarry._search.services import Services
from webquarry.cli.doctor import show_report
from webquarry.cli.output import Output
from webquarry.doctor.checks import CheckResult
from webquarry.doctor.examine import Report, ServiceCheck, examine
from webquarry.errors import NetworkFailure

BRAVE_PATH = "/res/v1/web/search"
CANARY = "canary-5up3r-53cr3t"


def look(
    environ: Mapping[str, str], *, offline: bool = False, brave: bytes | None = None
) -> Report:
    """Doctor's report; where an answer of Brave's is given, a server on this machine gives it."""

    async def run() -> Report:
        if brave is None:
            return await examine(environ, offline=offline)
        async with serve({BRAVE_PATH: brave}) as origin:
            return await examine({**environ, "WEBQUARRY_BRAVE_URL": origin}, offline=offline)

    with asking_nobody_else():
        return asyncio.run(run())


REAL_PROBE = Services.probe


@contextmanager
def asking_nobody_else() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Services, "probe", probe_on_this_machine)
        yield


async def probe_on_this_machine(
    self: Services[Any], service: Service, seconds: float | None = None
) -> None:
    """The real probe, but to nobody beyond this machine."""
    if "127.0.0.1" not in service.base:
        raise NetworkFailure("Nobody is there.")
    await REAL_PROBE(self, service, seconds)


def provider(report: Report, name: str) -> ServiceCheck:
    return next(finding for finding in report.providers if finding.provider.name == name)


def member(findings: list[ServiceCheck], name: str) -> ServiceCheck:
    return next(finding for finding in findings if finding.provider.name == name)


def part(report: Report, name: str) -> CheckResult:
    return next(finding for finding in report.parts if finding.name == name)


def shown(report: Report, *, everything: bool = True) -> str:
    printed = io.StringIO()
    console = Console(file=printed, force_terminal=True, width=10_000, highlight=False)
    show_report(Output(False, console), report, everything=everything)
    return without_colours(printed.getvalue())
