"""Deployment files use only known variables and flags."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from webquarry.cli.app import cli as app
from webquarry.settings import Settings
from webquarry.store.redis_config import REDIS_URL, STORE_KEY

ROOT = Path(__file__).parent.parent
FILES = [ROOT / "Dockerfile", *sorted((ROOT / "deploy").iterdir())]
KNOWN = {f"WEBQUARRY_{name.upper()}" for name in Settings.fields()} | {
    REDIS_URL.variable,
    STORE_KEY.variable,
}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_variable_in_it_is_one_of_ours(file: Path) -> None:
    named = set(re.findall(r"\bWEBQUARRY_[A-Z_]+", file.read_text("utf-8")))

    assert named <= KNOWN


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_flag_of_the_server_in_it_is_one_of_ours(file: Path) -> None:
    known = CliRunner(env={"COLUMNS": "200", "TERM": "dumb"}).invoke(app, ["mcp", "--help"]).output
    commands = re.findall(r'webquarry"?,? "?mcp"?[^\n\]]*', file.read_text("utf-8"))

    for flag in {flag for command in commands for flag in re.findall(r"--[a-z-]+", command)}:
        assert flag in known, f"{flag} is not known"


def test_the_paths_that_are_probed_are_those_that_are_served() -> None:
    probed = {
        path for file in FILES for path in re.findall(r"/health/\w+", file.read_text("utf-8"))
    }

    assert probed == {"/health/live", "/health/ready"}
