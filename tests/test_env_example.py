"""`.env.example` holds every variable there is, and none of it is set by copying it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from webquarry.registry import members_of
from webquarry.search.provider import Provider
from webquarry.settings import Settings

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / ".env.example").read_text("utf-8")
KINDS: list[type[Provider]] = members_of("webquarry.search.providers", Provider)


def test_it_is_what_the_generator_makes_and_so_is_the_table_of_settings() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/generate.py", "--check", "env", "settings"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.parametrize("field", Settings.fields())
def test_every_setting_is_in_it_by_all_its_names(field: str) -> None:
    for variable in Settings.variables_of(field) or ["WEBQUARRY_<PROVIDER>_URL"]:
        assert variable in TEXT


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_everything_a_provider_needs_is_in_it_with_the_place_to_get_it(
    kind: type[Provider],
) -> None:
    provider = kind.configure(Settings(), {"HOME": "/nonexistent"})

    for variable in provider.missing:
        assert f"#{variable}=\n" in TEXT
        assert provider.sign_up in TEXT


def test_every_line_is_a_comment_so_that_copying_it_changes_nothing() -> None:
    assert [line for line in TEXT.splitlines() if line and not line.startswith("#")] == []


def test_the_values_that_are_shown_are_the_defaults() -> None:
    shown = dict(re.findall(r"(?m)^#(\w+)=(.+)$", TEXT))

    assert Settings.from_environment(shown) == Settings()
