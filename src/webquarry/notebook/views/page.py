"""A page that was read -> who wrote it and when, its text, and how to cite it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webquarry.cli.layout import write_date
from webquarry.evidence.citation import NO_DATE
from webquarry.notebook.inline import Link
from webquarry.notebook.view import View
from webquarry.surfaces.cite_output import write_reference

if TYPE_CHECKING:
    from webquarry.tools.research.scrape_page import ScrapeOutput


def build_view(page: ScrapeOutput) -> View:
    cited = page.citation.metadata
    view = View()
    view.add_title(Link(cited.title or page.url, page.url))
    date = ""
    if cited.date != NO_DATE:
        date = write_date(cited.date)
    facts = [cited.author, date, cited.site, page.url]
    view.add_facts(dict.fromkeys(facts))
    if page.retraction_status:
        kind = page.retraction_status.kind.replace("_", " ")
        view.add_note(f"Crossref has a notice about this paper: {kind}.")
    if page.encoding == "base64":
        size = f"{page.content_length:,} bytes"
        view.add_note(f"This is {page.content_type}, not text: {size} in base64.")
    elif page.raw:
        view.add_verbatim(page.content)
    else:
        view.add_page(page.content)
    view.add_line("Cite: ", write_reference(page.citation))
    if page.note:
        view.add_note(page.note)
    if page.next_cursor:
        total = page.total_length or 0
        view.add_note(
            f"{page.content_length:,} of {total:,} bytes are here; go on with "
            f"read(url, cursor={page.next_cursor!r})."
        )
    return view
