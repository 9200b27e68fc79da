"""docs/providers.md, made from the provider classes: one row each. `scripts/generate.py` writes and checks it."""

from __future__ import annotations

import os

from webquarry.registry import members_of
from webquarry.search.provider import Provider
from webquarry.settings import Settings

HEAD = """# Search providers

<!-- Generated from src/webquarry/search/providers/ by scripts/generate.py; edit the classes, then run: make generate -->

A credential is looked for in its environment variable, then in a file of `~/.config/ikigai/`, then in the same file of
`~/.config/webquarry/` (one value per file, mode 0600). `webquarry doctor` says which were found and whether they work.
`WEBQUARRY_<NAME>_URL` puts another address in the place of a provider's own.

| Provider | Name | Searches | Environment | File | Remarks |
| --- | --- | --- | --- | --- | --- |
"""


def providers_table() -> str:
    """The whole page."""
    kinds = members_of("webquarry.search.providers", Provider)
    return HEAD + "\n".join(_row(kind) for kind in sorted(kinds, key=lambda kind: kind.name)) + "\n"


def _row(kind: type[Provider]) -> str:
    label = f"[{kind.label}]({kind.sign_up})" if kind.sign_up else kind.label
    bare = kind.configure(
        Settings.from_environment({}), {"HOME": os.devnull}
    )  # nobody's keys: all of its needs are missing
    variables = ", ".join(f"`{variable}`" for variable in bare.missing)
    files = ", ".join(f"`{wanted.file}`" for wanted in kind.credentials)
    cells = (label, f"`{kind.name}`", kind.kind, variables or "none needed", files, kind.notice)
    return "| " + " | ".join(cell.replace("|", "\\|") or "-" for cell in cells) + " |"
