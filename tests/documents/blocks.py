"""A page of Markdown -> its fenced blocks, and the shell script that runs them from top to bottom.

The script has the line numbers of the page, so that what fails names its place there. A block is
what the first word behind its fence says (nothing is shell); a second word names the file that the
block is, and that later commands of the page read.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

SHELL = {"", "sh", "bash", "shell"}
PYTHON = {"python", "py"}
DATA = {"json", "toml"}

# What cannot be run here, by how the command begins, and why. Everything else is run.
NOT_RUN = {
    "make test": "would run this test in itself",
    "uv tool install": "installs from the package index, into the reader's home",
    "uvx": "installs from the package index, into the reader's home",
    "webquarry ui": "serves until it is stopped; tests/ui start it",
    "WEBQUARRY_REPLAY=demo webquarry ui": "serves until it is stopped",
    "pip install": "installs from the package index",
    "export WEBQUARRY_REDIS_URL": "names a Redis of the reader's; test_cluster.py starts one",
}
NOT_RUN_LANGUAGES = {
    "conf": "the settings of a Redis of the reader's",
    "ipython": "cells of a notebook; tests/notebook/test_document.py runs them",
    "py3": "needs an engine; tests/batch/engines/test_recipes.py runs it",
    "yaml": "a profile of dbt; tests/batch/engines/test_dbt.py has the same",
    "dbt": "a model of dbt; tests/batch/engines/test_dbt.py runs one",
}


@dataclass(frozen=True)
class Block:
    """One fenced block; `line` is that of its fence, from 1."""

    line: int
    language: str
    file: str
    text: str


def find_blocks(page: str) -> list[Block]:
    """Every fenced block of a page."""
    blocks = []
    opened: tuple[int, list[str]] | None = None
    lines: list[str] = []
    for number, line in enumerate(page.splitlines(), 1):
        if not line.startswith("```"):
            lines.append(line)
        elif opened is None:
            opened = (number, line.strip("`").split())
            lines = []
        else:
            start, words = opened
            language, file = [*words, "", ""][:2]
            blocks.append(Block(start, language, file, "\n".join(lines) + "\n"))
            opened = None
    return blocks


def find_reason_not_to_run(command: str) -> str | None:
    """Why a line of a shell block is not run, if it is not."""
    for beginning, reason in NOT_RUN.items():
        if re.match(rf"{re.escape(beginning)}\b", command):
            return reason
    return None


def build_script(name: str, page: str, scratch: Path) -> str:
    """The script of a page. What its blocks need as files is written into `scratch`."""
    lines = [""] * (len(page.splitlines()) + 1)
    lines[0] = f"source ./reader.sh {quote(name)}"
    blocks = find_blocks(page)
    python = [block for block in blocks if block.language in PYTHON]
    for block in blocks:
        if block.language in SHELL:
            for offset, command in enumerate(block.text.splitlines(), 1):
                if find_reason_not_to_run(command) is None:
                    lines[block.line - 1 + offset] = command
        elif block.language == "sql":
            file = scratch / f"block-{block.line}.sql"
            file.write_text(block.text, "utf-8")
            lines[block.line - 1] = f"webquarry sql data.db < {file.name}"
        elif block.language in DATA:
            commands = "; ".join(_use_data(block, scratch))
            lines[block.line - 1] = commands
        elif block.language not in {*PYTHON, *NOT_RUN_LANGUAGES}:
            raise ValueError(f"{name}:{block.line}: no rule to run a block in {block.language!r}")
    if python:
        (scratch / "blocks.py").write_text(_join_python(python), "utf-8")
        lines[python[0].line - 1] = "run_python blocks.py"
    return "\n".join(lines) + "\n"


def _join_python(blocks: list[Block]) -> str:
    """The Python of a page as one module, each line where the page has it: a reader's notebook."""
    lines: list[str] = []
    for block in blocks:
        lines += [""] * (block.line - len(lines))
        lines += block.text.splitlines()
    return "\n".join(lines) + "\n"


def _use_data(block: Block, scratch: Path) -> Iterator[str]:
    """Commands that put a block where it belongs, and let those read it who are to."""
    parse = json.loads if block.language == "json" else tomllib.loads
    data: dict[str, Any] = parse(block.text)
    kept = scratch / f"block-{block.line}.{block.language}"
    kept.write_text(block.text, "utf-8")
    if block.file:
        yield f"mkdir -p {quote(str(Path(block.file).parent))}"
        yield f"cp {kept.name} {quote(block.file)}"
    if {"servers", "mcpServers", "mcp_servers"} & set(data):
        yield f"ask_servers {kept.name}"
    if "parameters" in data:  # what a tool says of itself
        tool = quote(str(data["name"]))
        yield f"printf '#!/bin/sh\\ncat %s\\n' \"$PWD/{kept.name}\" > {tool}"
        yield f"chmod +x {tool}"
        yield f"webquarry tools check ./{tool}"
    if block.file.endswith(".toml") and (scratch / block.file).parent == scratch:
        yield f"webquarry tools check ./{quote(Path(block.file).stem)}"
