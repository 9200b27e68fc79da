"""What the tests of seed 000 share: its own examples, and a provider that answers its searches."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.executables import BRAVE, GOOGLE, SCRIPTS, Done, InProcess, Site, as_json
from tests.search.replies import recorded

SEED = Path(__file__).with_name("000_a207db76786f23a0.txt").read_text("utf-8")
SECTIONS = dict(zip(SCRIPTS, SEED.split("\n---\n"), strict=False))  # in the seed's own order
BLOCKS: dict[str, list[str]] = {
    script: re.findall(r"```json\n(.*?\n)```", section, re.DOTALL)
    for script, section in SECTIONS.items()
}
SEARCHES = (BRAVE, GOOGLE)
REPLIES = {BRAVE: "brave/ok_200", GOOGLE: "google/ok_200"}
INVALID = {BRAVE: "brave/auth_422_token_invalid", GOOGLE: "google/auth_400_key_invalid"}
QUERY = {"query": "tidal turbine"}

each_script = pytest.mark.parametrize("script", SCRIPTS)
each_search = pytest.mark.parametrize("script", SEARCHES)


def seed_json(script: str, key: str) -> Any:
    """The example in a script's section of the seed whose object has this key."""
    return next(found for block in BLOCKS[script] if key in (found := json.loads(block)))


def seed_schema(script: str) -> str:
    return next(block for block in BLOCKS[script] if "parameters" in json.loads(block))


def search(
    run: InProcess, script: str, given: dict[str, Any], answer: Any = None
) -> tuple[Done, Site]:
    """Run a search against a provider that gives this answer, or the recorded one."""
    with Site(as_json(answer if answer is not None else recorded(REPLIES[script]))) as site:
        return run(script, given, site.environ), site
