"""A thing that notebooks show well: as HTML, Markdown and text, each by the view that it names.

The views stand far above, in `notebook/views/`, one file each; they are looked up when
something is shown, so that a program that shows nothing loads none of them.
"""

from __future__ import annotations

import importlib
from typing import Any, ClassVar


class Displayable:
    """What Jupyter (`_repr_mimebundle_`) and marimo (`_mime_`) ask for."""

    __slots__ = ()

    notebook_view: ClassVar[str]  # the name of the file of its view

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """All forms at once, by their types; the front end chooses."""
        view = self._build_view()
        return {
            "text/plain": view.plain,
            "text/markdown": view.markdown,
            "text/html": view.html,
        }

    def _repr_html_(self) -> str:
        html: str = self._build_view().html
        return html

    def _repr_markdown_(self) -> str:
        markdown: str = self._build_view().markdown
        return markdown

    def _mime_(self) -> tuple[str, str]:
        """The form that marimo shows, with its type."""
        return "text/html", self._repr_html_()

    def _build_view(self) -> Any:
        module = importlib.import_module(f"webquarry.notebook.views.{self.notebook_view}")
        return module.build_view(self)
