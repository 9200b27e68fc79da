"""The reference to a page -> its text, and a link to the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webquarry.notebook.inline import Link
from webquarry.notebook.view import View

if TYPE_CHECKING:
    from webquarry.surfaces.cite_output import CiteOutput


def build_view(reference: CiteOutput) -> View:
    view = View()
    view.add_title(Link(reference.title or reference.url, reference.url))
    if reference.retraction_status:
        kind = reference.retraction_status.kind.replace("_", " ")
        view.add_note(f"Crossref has a notice about this paper: {kind}.")
    view.add_verbatim(reference.text)
    view.add_facts([reference.style, f"read on {reference.accessed}"])
    return view
