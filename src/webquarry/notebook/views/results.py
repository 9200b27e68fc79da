"""Results of a search -> a numbered list of links, each with its words and its date."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webquarry.cli.layout import write_date
from webquarry.notebook.inline import Inline, Link
from webquarry.notebook.view import View
from webquarry.notebook.views._found import add_found

if TYPE_CHECKING:
    from webquarry.tools.research._search import SearchOutput, SearchResult


def build_view(found: SearchOutput) -> View:
    view = View()
    view.add_title(f"Results for {found.query}")
    add_found(view, found, [_write_result(result) for result in found.results])
    return view


def _write_result(result: SearchResult) -> list[list[Inline]]:
    facts = [result.display_link]
    if result.published_at:
        facts.append(write_date(result.published_at))
    if result.source_reputation:
        facts.append(f"reputation: {result.source_reputation.tier}")
    lines: list[list[Inline]] = [[Link(result.title or result.url, result.url)]]
    lines.append([" · ".join(filter(None, facts))])
    lines.append([result.snippet])
    if result.claim_signal:
        lines.append([f"Nearest to the claim: {result.claim_signal}"])
    return lines
