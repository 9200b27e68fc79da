"""Patents that were found -> a numbered list: number, whose they are, and their dates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webquarry.cli.layout import write_date
from webquarry.notebook.inline import Inline, Link
from webquarry.notebook.view import View
from webquarry.notebook.views._found import add_found, shorten_words

if TYPE_CHECKING:
    from webquarry.tools.research._patents import PatentResult, PatentSearchOutput


def build_view(found: PatentSearchOutput) -> View:
    view = View()
    view.add_title(f"Patents for {found.query}")
    add_found(view, found, [_write_patent(patent) for patent in found.patents])
    for cluster in found.assignee_clusters or ():
        view.add_line(f"{cluster.assignee}: {cluster.count} ({cluster.share:.0%})")
    return view


def _write_patent(patent: PatentResult) -> list[list[Inline]]:
    facts = [patent.number, patent.assignee, patent.inventor]
    for name in ("filed", "published", "granted"):
        date = getattr(patent, name)
        if date:
            facts.append(f"{name} {write_date(date)}")
    facts.append(patent.status)
    lines: list[list[Inline]] = [[Link(patent.title or patent.number, patent.url)]]
    lines.append([" · ".join(filter(None, facts))])
    words = shorten_words(patent.abstract or patent.snippet)
    if words:
        lines.append([words])
    return lines
