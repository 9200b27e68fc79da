"""The toolkit: what cannot work is told when it is opened."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from webquarry.errors import BadInput
from webquarry.settings import Settings
from webquarry.toolkit import Toolkit


def lens(folder: Path, **more: object) -> Settings:
    content = {"name": "mine", "description": "Mine.", "domains": ["example.org"], **more}
    (folder / "mine.json").write_text(json.dumps(content))
    return Settings(lenses=folder)


def test_a_lens_that_names_a_provider_that_nobody_is_is_told_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(
        BadInput, match="lens 'mine' cannot be used: There is no search provider 'bravee'"
    ) as caught:
        Toolkit(lens(tmp_path, routing=["bravee"]), {})

    assert "brave" in caught.value.suggested_action


def test_a_lens_with_providers_that_there_are_is_fine(tmp_path: Path) -> None:
    assert "mine" in Toolkit(lens(tmp_path, routing=["brave", "DuckDuckGo"]), {}).lenses


def test_a_search_loads_nothing_that_only_tls_and_what_is_kept_need() -> None:
    code = (
        "import sys\n"
        "from webquarry.toolkit import import_parts\n"
        "import_parts(('calls', 'router'))\n"
        "print([name for name in ('anyio', 'httpcore2', 'cryptography', 'lxml', 'numpy')"
        " if name in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert told.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("variable", "value", "has_tls"),
    [("BRAVE_API_KEY", "canary-key-1234", True), ("SEARXNG_URL", "http://127.0.0.1:9", False)],
)
def test_what_tls_needs_is_warmed_where_the_first_search_goes_over_it(
    variable: str, value: str, has_tls: bool, tmp_path: Path
) -> None:
    code = (
        "import asyncio, os, sys\n"
        "from webquarry.toolkit import Toolkit\n"
        "async def warm():\n"
        "    async with Toolkit.open() as kit:\n"
        "        await kit.warm_up()\n"
        "    print('httpcore2' in sys.modules)\n"
        "asyncio.run(warm())"
    )
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), variable: value}
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True, env=environ
    )
    assert told.stdout.strip() == str(has_tls)
