"""The answer of any tool that has no view of its own -> the text that it offers, or its fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webquarry.notebook.cells import write_cell
from webquarry.notebook.inline import Inline
from webquarry.notebook.view import View

if TYPE_CHECKING:
    from webquarry.tool import Answer


def build_view(answer: Answer) -> View:
    data = answer.as_dict()
    view = View()
    view.add_title(type(answer).__name__)
    text = answer.as_markdown()
    if text is None and data.keys() == {"text"}:
        text = str(data["text"])
    if text is not None:
        view.add_page(text)
        return view
    rows: list[list[list[Inline]]] = []
    for name, value in data.items():
        rows.append([[name], write_cell(value)])
    view.add_table(["Field", "Value"], rows, [False, False])
    return view
