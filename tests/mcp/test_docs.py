"""The examples of docs/mcp.md work."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from webquarry.settings import Settings

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "mcp.md").read_text("utf-8")
SCRIPTS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]


def blocks(language: str) -> list[str]:
    found: list[str] = re.findall(rf"```{language}(?: \S+)?\n(.*?)```", PAGE, re.DOTALL)
    return found


def servers() -> Iterator[dict[str, Any]]:
    """Every server that a block for a client sets up."""
    for block in [*map(json.loads, blocks("json")), *map(tomllib.loads, blocks("toml"))]:
        (named,) = block.values()
        yield from named.values()


def test_every_block_starts_an_existing_script_with_existing_settings() -> None:
    found = list(servers())

    assert len(found) == 3
    for server in found:
        assert server["command"] in SCRIPTS
        assert Settings.from_environment(server["env"]) != Settings()


def test_every_websearch_setting_is_listed_with_its_default() -> None:
    engine = {
        "websearch_timeout_secs": "timeout_seconds",
        "websearch_cache_ttl_secs": "cache_search_seconds",
        "websearch_max_retries": "retries",
    }
    for field in [field for field in Settings.fields() if field.startswith("websearch_")]:
        default = getattr(Settings(), engine.get(field, field))
        shown = "our own" if default is None else f"{default:g}"
        assert f"| `{Settings.fields()[field].variables[-1]}` | {shown} |" in PAGE
