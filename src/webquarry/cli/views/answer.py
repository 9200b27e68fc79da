"""The answer of any tool -> text for a person: by a view of its own where there is one, else as the
Markdown that the tool offers, else field by field.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from webquarry.cli.views.markdown import show_markdown
from webquarry.cli.views.page import show_page
from webquarry.cli.views.results import show_papers, show_patents, show_results
from webquarry.surfaces.display.layout import link_urls, print_hanging
from webquarry.surfaces.terminal import one_line, printable

if TYPE_CHECKING:
    from webquarry.tool import Answer

_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|_")
_VIEWS: dict[frozenset[str], Callable[[Console, Mapping[str, Any]], None]] = {
    frozenset({"results", "urls"}): show_results,
    frozenset({"papers", "resultCount"}): show_papers,
    frozenset({"patents", "resultCount"}): show_patents,
}


def show_answer(console: Console, answer: Answer) -> None:
    """Whatever a tool gave back."""
    data = answer.as_dict()
    if {"content", "citation", "url"} <= data.keys():
        notes = answer.meta.get("webquarry/routing", {}).get("notes", [])
        show_page(console, data, notes, data["url"])
        return
    for fields, view in _VIEWS.items():
        if fields <= data.keys():
            view(console, data)
            return
    text = answer.as_markdown()
    if text is None and data.keys() == {"text"}:
        text = data["text"]
    if text is None:
        show_fields(console, data)
    else:
        show_markdown(console, text.rstrip("\n"))


def show_fields(console: Console, fields: Mapping[str, Any], indent: str = "") -> None:
    """One field a line, lists and objects below their names."""
    for name, value in fields.items():
        label = _HUMP.sub(" ", name).lower()
        if isinstance(value, dict) and value:
            console.print(Text(f"{indent}{label}:", "bold"), soft_wrap=True)
            show_fields(console, value, f"{indent}  ")
        elif isinstance(value, list) and value:
            console.print(Text(f"{indent}{label}:", "bold"), soft_wrap=True)
            _show_list(console, value, f"{indent}  ")
        elif isinstance(value, str) and "\n" in value.strip():
            console.print(Text(f"{indent}{label}:", "bold"), soft_wrap=True)
            for line in printable(value).rstrip("\n").split("\n"):
                print_hanging(console, f"{indent}  ", link_urls(line))
        else:
            lead = Text(f"{indent}{label}: ", "bold")
            print_hanging(console, lead, link_urls(_write_value(value)), indent=len(indent) + 4)


def _show_list(console: Console, items: list[Any], indent: str) -> None:
    for number, item in enumerate(items, 1):
        if isinstance(item, dict):
            console.print(Text(f"{indent}{number}.", "dim"), soft_wrap=True)
            show_fields(console, item, f"{indent}  ")
        elif isinstance(item, list):
            _show_list(console, item, f"{indent}  ")
        else:
            print_hanging(console, f"{indent}- ", link_urls(_write_value(item)))


def _write_value(value: Any) -> str:
    """A single value in words."""
    if value is None or value in ([], {}):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return one_line(str(value))
