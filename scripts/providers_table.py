"""docs/providers.md, made from the provider classes: one row each. `scripts/generate.py` writes and
checks it.
"""

from __future__ import annotations

import os

from webquarry._search.patents.provider import PatentProvider
from webquarry._search.provider import Provider
from webquarry._search.scholarly.provider import Scholarly
from webquarry._search.service import Service
from webquarry.registry import members_of
from webquarry.settings import Settings

HEAD = """# Search providers

<!-- Generated from src/webquarry/_search/providers/ by scripts/generate.py; edit the classes, then run: make generate -->

A credential is looked for in its environment variable, then in a file of `~/.config/ikigai/`, then in the same file of
`~/.config/webquarry/` (one value per file, mode 0600). `webquarry doctor --all` says which were found and whether they work.
A byte order mark in a file is dropped; what is no plain file (a pipe, a device) is passed over with a warning.
`WEBQUARRY_<NAME>_URL` puts another address in the place of a provider's own.

| Provider | Name | Searches | Environment | File | Remarks |
| --- | --- | --- | --- | --- | --- |
"""
SCHOLARLY = """
## Scholarly indexes

`academic_search` asks all of them at once; [research.md](research.md) says how. None needs a key.

| Index | Name | Key that raises the limits | File |
| --- | --- | --- | --- |
"""
PATENTS = """
## Registers of patents

`patent_search` asks those that are configured at once; [research.md](research.md) says how. Without one, it searches
pages of patent sites.

| Register | Name | Environment | File |
| --- | --- | --- | --- |
"""


def providers_table() -> str:
    """The whole page."""
    kinds = members_of("webquarry._search.providers", Provider)
    page = HEAD + "\n".join(_row(kind) for kind in sorted(kinds, key=lambda kind: kind.name)) + "\n"
    indexes = members_of("webquarry._search.scholarly.providers", Scholarly)
    page += (
        SCHOLARLY + "\n".join(map(_index_row, sorted(indexes, key=lambda kind: kind.name))) + "\n"
    )
    registers = members_of("webquarry._search.patents.providers", PatentProvider)
    return (
        page
        + PATENTS
        + "\n".join(map(_index_row, sorted(registers, key=lambda kind: kind.name)))
        + "\n"
    )


def _index_row(kind: type[Service]) -> str:
    label = f"[{kind.label}]({kind.sign_up})" if kind.sign_up else kind.label
    variables = ", ".join(f"`{wanted.variable}`" for wanted in kind.credentials)
    files = ", ".join(f"`{wanted.file}`" for wanted in kind.credentials)
    return f"| {label} | `{kind.name}` | {variables or '-'} | {files or '-'} |"


def _row(kind: type[Provider]) -> str:
    label = f"[{kind.label}]({kind.sign_up})" if kind.sign_up else kind.label
    bare = kind.configure(
        Settings.from_environment({}), {"HOME": os.devnull}
    )  # nobody's keys: all of its needs are missing
    variables = ", ".join(f"`{variable}`" for variable in bare.missing)
    files = ", ".join(f"`{wanted.file}`" for wanted in kind.credentials)
    cells = (label, f"`{kind.name}`", kind.kind, variables or "none needed", files, kind.notice)
    return "| " + " | ".join(cell.replace("|", "\\|") or "-" for cell in cells) + " |"
