"""The toolkit opens its parts on first use and reports unusable lenses at the start."""

from __future__ import annotations

import asyncio
import json
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


def test_lens_with_an_unknown_provider_is_reported_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(
        BadInput, match="lens 'mine' cannot be used: There is no search provider 'bravee'"
    ) as caught:
        Toolkit(lens(tmp_path, routing=["bravee"]), {})

    assert "brave" in caught.value.suggested_action


def test_opening_the_router_imports_no_parsers_and_no_encryption() -> None:
    code = (
        "import sys\n"
        "from webquarry.settings import Settings\n"
        "from webquarry.toolkit import Toolkit\n"
        "Toolkit(Settings(), {}).router.services.by_name()\n"
        "print([name for name in ('cryptography', 'lxml', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "[]"


def test_warm_up_opens_what_searching_and_reading_need() -> None:
    async def run() -> set[str]:
        async with Toolkit.open(Settings(replay=Path("demo")), {}, runner="threads") as kit:
            await kit.warm_up()
            return set(vars(kit))

    assert asyncio.run(run()) >= {"router", "cache", "reader", "runner", "pages"}
