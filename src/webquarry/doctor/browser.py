"""Check of the browser and its sandbox. `probe_browser` starts it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

from webquarry.clock import Clock
from webquarry.doctor.check_result import CheckResult
from webquarry.errors import WebquarryError
from webquarry.net.client import Client
from webquarry.secret import redact
from webquarry.settings import Settings

NAME = "browser"


def check_browser(settings: Settings, environ: Mapping[str, str]) -> CheckResult:
    """Check which browser is installed, without starting it."""
    if not settings.render:
        detail = "turned off (WEBQUARRY_RENDER=0): pages that need their scripts are errors"
        return CheckResult(NAME, "off", detail, "Unset WEBQUARRY_RENDER")
    if os.name != "posix":
        return CheckResult(NAME, "off", "not on this system: needs Linux or macOS")
    from webquarry._read.browser.chromium import INSTALL_ADVICE, choose_isolation, find_program

    program = find_program(settings, environ)
    if program is None and settings.browser is not None:
        detail = f"{settings.browser} is not there (WEBQUARRY_BROWSER)"
        return CheckResult(NAME, "broken", detail, "Correct or unset WEBQUARRY_BROWSER")
    if program is None:
        detail = "not installed: pages that need their scripts are errors"
        return CheckResult(NAME, "off", detail, INSTALL_ADVICE)
    try:
        isolation = choose_isolation(sandbox=settings.browser_sandbox)
    except WebquarryError as error:
        return CheckResult(NAME, "warning", error.sentence, error.suggested_action)
    detail = f"{program}; {isolation.description}"
    if not isolation.has_sandbox:
        cure = "Unset WEBQUARRY_BROWSER_SANDBOX, unless this is a container of its own"
        return CheckResult(NAME, "warning", detail, cure)
    return CheckResult(NAME, "ok", detail)


async def probe_browser(result: CheckResult, settings: Settings) -> CheckResult:
    """Check that the browser starts with its isolation; it loads no page."""
    if result.state not in ("ok", "warning"):
        return result
    from webquarry._read.browser.renderer import PageRenderer

    async with Client(settings, Clock()) as client:
        renderer = PageRenderer(client, settings)
        try:
            version = await renderer.start()
        except WebquarryError as error:
            detail = f"{result.detail}; {redact(error.sentence)}"
            return CheckResult(NAME, "warning", detail, redact(error.suggested_action))
        finally:
            await renderer.aclose()
    return replace(result, detail=f"{version} at {result.detail}; starts")
