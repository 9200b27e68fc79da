"""What the views of searches share: the list of what was found, or what to try if it is empty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from webquarry.evidence.models import ZeroResultHints
from webquarry.notebook.inline import Inline
from webquarry.notebook.view import View

_MOST_WORDS = 400  # characters of an abstract


class SearchFindings(Protocol):
    """Any answer of a search."""

    hints: ZeroResultHints | None

    @property
    def meta(self) -> dict[str, Any]: ...


def add_found(view: View, found: SearchFindings, items: Sequence[list[list[Inline]]]) -> None:
    """The items, or how to find some; and who was asked."""
    if items:
        view.add_list(items)
    else:
        view.add_note("Nothing was found.")
    actions = found.hints.suggested_actions if found.hints else []
    for action in actions:
        name = action.filter or action.provider
        view.add_line(f"Try: {action.action.replace('-', ' ')} {name or ''}".rstrip())
    view.add_facts([*_tell_origin(found.meta)])


def shorten_words(text: str | None) -> str:
    """How an abstract begins."""
    words = " ".join((text or "").split())
    if len(words) <= _MOST_WORDS:
        return words
    return f"{words[:_MOST_WORDS].rsplit(' ', 1)[0]} ..."


def _tell_origin(meta: Mapping[str, Any]) -> list[str]:
    """Who found it, and whether it was kept from before."""
    provider = meta.get("webquarry/routing", {}).get("providerUsed")
    told = [f"found by {provider}"] if provider else []
    if meta.get("webquarry/cache", {}).get("cached"):
        told.append("kept from before")
    return told
