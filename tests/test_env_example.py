"""`.env.example` lists every variable, and copying it sets none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from webquarry._search.provider import Provider
from webquarry.registry import members_of
from webquarry.settings import Settings

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / ".env.example").read_text("utf-8")
KINDS: list[type[Provider]] = members_of("webquarry._search.providers", Provider)


def test_file_and_settings_table_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/generate.py", "--check", "env", "settings"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.parametrize("field", Settings.fields())
def test_every_setting_is_listed_with_all_its_variables(field: str) -> None:
    for variable in Settings.fields()[field].variables:
        assert variable in TEXT


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_credentials_of_every_provider_are_listed_with_the_sign_up_page(
    kind: type[Provider],
) -> None:
    provider = kind.configure(Settings(), {"HOME": "/nonexistent"})

    for variable in provider.missing:
        assert f"#{variable}=\n" in TEXT
        assert provider.sign_up in TEXT
