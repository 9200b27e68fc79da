"""What doctor says of the browser: which one, how far it is shut in, how to get one."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.read.browser.site import BROWSER, needs_browser
from webquarry.doctor.checks import check_browser
from webquarry.doctor.probes import probe_browser
from webquarry.settings import Settings


def test_without_a_browser_doctor_says_how_to_get_one() -> None:
    check = check_browser(Settings(), {})

    assert check.state == "off"
    assert "apt install chromium-headless-shell" in check.cure


def test_configured_browser_that_is_missing_is_broken(tmp_path: Path) -> None:
    check = check_browser(Settings(browser=str(tmp_path / "chromium")), {})

    assert check.state == "broken"
    assert "WEBQUARRY_BROWSER" in check.cure


@needs_browser
def test_isolation_is_reported_and_missing_sandbox_is_a_warning() -> None:
    usual = check_browser(Settings(browser=BROWSER), {})
    without = check_browser(Settings(browser=BROWSER, browser_sandbox=False), {})

    assert usual.state == "ok"
    assert "sandbox on" in usual.detail
    assert "network" in usual.detail or "proxy" in usual.detail
    assert without.state == "warning"
    assert "sandbox OFF" in without.detail


@needs_browser
def test_a_probe_starts_the_browser_as_it_is_shut_in() -> None:
    settings = Settings(browser=BROWSER)
    probed = asyncio.run(probe_browser(check_browser(settings, {}), settings))

    assert probed.state == "ok"
    assert probed.detail.endswith("starts")
    assert "Chrome" in probed.detail
