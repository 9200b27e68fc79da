"""All checks of parts. None of them connects or writes a file."""

from __future__ import annotations

from collections.abc import Mapping

from webquarry.doctor import browser, configuration, installation, models
from webquarry.doctor.check_result import Check, CheckResult
from webquarry.settings import Settings

CHECKS: tuple[Check, ...] = (
    installation.check_python,
    configuration.check_variables,
    installation.check_libxml2,
    installation.check_compiled,
    installation.check_http2,
    installation.check_brotli,
    installation.check_zstd,
    installation.check_socks,
    installation.check_trust_store,
    browser.check_browser,
    installation.check_cache_folder,
    installation.check_state_folder,
    configuration.check_proxy,
    configuration.check_redis,
    configuration.check_recording,
    configuration.check_routing,
    configuration.check_scholarly,
    configuration.check_patents,
    models.check_model,
    configuration.check_lenses,
)


def examine_parts(settings: Settings, environ: Mapping[str, str]) -> list[CheckResult]:
    """Run all checks, in the order of the report."""
    return [check(settings, environ) for check in CHECKS]
