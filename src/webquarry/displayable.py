"""Objects that notebooks show as HTML and plain text."""

from __future__ import annotations

import importlib


class Displayable:
    """Implements the protocols of Jupyter (`_repr_mimebundle_`) and marimo (`_mime_`)."""

    __slots__ = ()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        # Imported by name on first use: the renderer is above this module.
        html, plain = importlib.import_module("webquarry.notebook.html").render(self)
        return {"text/html": html, "text/plain": plain}

    def _repr_html_(self) -> str:
        return self._repr_mimebundle_()["text/html"]

    def _mime_(self) -> tuple[str, str]:
        return "text/html", self._repr_html_()
