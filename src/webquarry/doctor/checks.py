"""What doctor looks at besides those who are asked: settings and environment come in, one
`CheckResult` per part comes out. Nothing here goes to the network or writes a file.
"""

from __future__ import annotations

from collections.abc import Mapping

from webquarry.doctor import browser, configuration, installation, models
from webquarry.doctor.check_result import Check, CheckResult
from webquarry.settings import Settings

# In the order in which they are shown.
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
    """Every part, in the order in which they are shown."""
    return [check(settings, environ) for check in CHECKS]
