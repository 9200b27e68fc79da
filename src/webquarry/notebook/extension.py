"""`%load_ext webquarry`: the shell of a notebook comes in, and has our magics."""

from __future__ import annotations

from typing import Any

_MAGICS = {"cell": "ask", "line": "web"}


def load(shell: Any) -> None:
    """Add the magics."""
    from webquarry.notebook.magics import WebquarryMagics

    shell.register_magics(WebquarryMagics)


def unload(shell: Any) -> None:
    """Take the magics away, and close what they opened."""
    from webquarry.notebook.asking import release_instance

    magics = shell.magics_manager.magics
    for kind, name in _MAGICS.items():
        magics[kind].pop(name, None)
    release_instance()
