"""What holds for every test: nobody's keys, settings or home folder are seen, and CI accepts no
skips.
"""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Generator, Iterator, Mapping
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

import webquarry
from webquarry.logs import RedactingFormatter
from webquarry.settings import Settings

if TYPE_CHECKING:
    from tests.redis_server import RedisServer

REQUIRE_ALL = "WEBQUARRY_REQUIRE_ALL"
KEPT = {REQUIRE_ALL, "WEBQUARRY_FUZZ_EXAMPLES"}
PRIVATE_ENDINGS = ("_API_KEY", "_ENGINE_ID", "_PROXY", "_proxy", "_TOKEN")
PRIVATE = {
    "EPO_OPS_KEY",
    "EPO_OPS_SECRET",
    "ANTHROPIC_BASE_URL",
    "OPENAI_BASE_URL",
    "REDIS_URL",
    "SEARXNG_URL",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "XDG_STATE_HOME",
    "XDG_DATA_HOME",
}

settings.register_profile(
    "untimed", deadline=None
)  # on busy cores any example may take long, the first above all
settings.load_profile("untimed")

if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # begun in the background of a shell: children would ignore it too
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure() -> None:
    """Refuse to test an extension module that is older than its sources."""
    package = Path(webquarry.__file__).parent
    modules = [package / f"_native{suffix}" for suffix in EXTENSION_SUFFIXES]
    compiled = max(path.stat().st_mtime for path in modules if path.exists())
    for source in [package / "_native.pyx", *package.rglob("*.pxi")]:
        if source.stat().st_mtime > compiled:
            raise pytest.UsageError(f"{source} was changed after it was compiled: make setup")


@pytest.fixture(autouse=True)
def clean_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The developer's own environment must not decide whether a test passes, nor must a test reach
    for it.
    """
    for name in list(os.environ):
        ours = name.startswith(("WEBQUARRY_", "WEBSEARCH_", "SEARCH_")) and name not in KEPT
        if ours or name in PRIVATE or name.endswith(PRIVATE_ENDINGS):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path_factory.getbasetemp()))


@pytest.fixture(autouse=True)
def constants_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process a test can set a constant by an entry of the environment that is named like
    the field: `{"retries": "0"}`.
    """
    read = Settings.from_environment
    names = [name for name, field in Settings.fields().items() if field.is_constant]

    def read_with_constants(environ: Mapping[str, str] | None = None) -> Settings:
        given = os.environ if environ is None else environ
        return read(environ).replace(**{name: given[name] for name in names if name in given})

    monkeypatch.setattr(Settings, "from_environment", read_with_constants)


@pytest.fixture(autouse=True)
def no_workers_unless_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that opens a door in this process reads its pages here: a worker takes most of a second
    to start. Those that set the number of workers get them, and so does every process of its own.
    """
    monkeypatch.setattr(
        "webquarry._read.workers.pool.count_workers", lambda settings: settings.read_workers or 0
    )


@pytest.fixture(autouse=True)
def no_browser_unless_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide an installed Chromium, so that results do not depend on it. Tests that name a browser
    in their settings use it, and so do subprocesses.
    """
    from webquarry._read.browser import chromium

    real = chromium.find_program

    def find_named(settings: Settings, environ: Mapping[str, str] | None = None) -> str | None:
        return real(settings, environ) if settings.browser else None

    monkeypatch.setattr("webquarry._read.browser.chromium.find_program", find_named)
    monkeypatch.setattr("webquarry._read.browser.renderer.find_program", find_named)


@pytest.fixture(autouse=True)
def no_lasting_log_handler() -> Iterator[None]:
    """A command sets up the log on the stderr of its own test; the next test has another."""
    yield
    log = logging.getLogger()
    for handler in list(log.handlers):
        if isinstance(handler.formatter, RedactingFormatter):
            log.removeHandler(handler)


@pytest.fixture
def redis_server() -> Iterator[RedisServer]:
    """A real Redis that forgets everything when it is stopped."""
    from tests.redis_server import running

    with running() as server:
        yield server


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With WEBQUARRY_REQUIRE_ALL=1 a skip is a failure: what is optional elsewhere is installed
    there.
    """
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get(REQUIRE_ALL) == "1":
        report.outcome = "failed"
        report.longrepr = f"skipped although {REQUIRE_ALL}=1: {report.longrepr}"
    return report
