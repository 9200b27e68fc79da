"""Papers that were found -> a numbered list: who, where and when, and whether they were
retracted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from webquarry.notebook.inline import Inline, Link
from webquarry.notebook.view import View
from webquarry.notebook.views._found import add_found, shorten_words

if TYPE_CHECKING:
    from webquarry.tools.research._papers import PaperResult, PapersOutput

_MOST_AUTHORS = 3


def build_view(found: PapersOutput) -> View:
    view = View()
    view.add_title(f"Papers for {found.query}")
    add_found(view, found, [_write_paper(paper) for paper in found.papers])
    return view


def _write_paper(paper: PaperResult) -> list[list[Inline]]:
    authors = paper.authors[:_MOST_AUTHORS]
    if len(paper.authors) > _MOST_AUTHORS:
        authors.append("and others")
    facts = [", ".join(authors), paper.journal, str(paper.year or "")]
    if paper.citation_count is not None:
        facts.append(f"cited {paper.citation_count} times")
    if paper.open_access:
        facts.append("open access")
    lines: list[list[Inline]] = [[Link(paper.title or paper.url, paper.url)]]
    lines.append([" · ".join(filter(None, facts))])
    if paper.retraction_status:
        kind = paper.retraction_status.kind.replace("_", " ")
        lines.append([f"Warning: there is a notice about this paper: {kind}."])
    if paper.abstract:
        lines.append([shorten_words(paper.abstract)])
    if paper.pdf_url:
        lines.append([Link("PDF", paper.pdf_url)])
    return lines
