"""Objects that notebooks show as HTML and plain text."""

from __future__ import annotations

import importlib


class Displayable:
    """Implements the protocols of Jupyter (`_repr_mimebundle_`) and marimo (`_mime_`)."""

    __slots__ = ()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        html, plain = self._render()
        return {"text/html": html, "text/plain": plain}

    def _repr_html_(self) -> str:
        return self._render()[0]

    def _mime_(self) -> tuple[str, str]:
        return "text/html", self._repr_html_()

    def _render(self) -> tuple[str, str]:
        # Imported by name on first use: the renderer is above this package.
        module = importlib.import_module("webquarry.notebook.html")
        rendered: tuple[str, str] = module.render(self)
        return rendered
