"""Answers of `scrape_page` as Markdown: title, author and date, text, citation, missing parts.

Other texts of the page stay on one line, so that they cannot look like ours.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from webquarry._read.slices.pieces import GAP
from webquarry.evidence.citation import NO_DATE

_FIRST_HEADING = re.compile(r"\s*#{1,6}[ \t]+(.+)")
_MARKS = re.compile(r"[\\*_`\[\]]|\(https?://[^()\s]*\)")
_DAY = len("2026-11-16")
_GAP = GAP.decode()  # before passages, which may start with the title
_TRUST = "untrusted content"


def render_page(page: Mapping[str, Any], notes: Sequence[str]) -> str:
    """Return an answer, given as JSON values, as Markdown."""
    (reference,) = page["citation"]["formatted"].values()
    if not isinstance(reference, str):
        reference = json.dumps(reference, ensure_ascii=False)
    lines = [
        *_head_lines(page, reference),
        page["content"].strip("\n"),
        "",
        f"Cite: {reference.strip()}",
        *_foot_lines(page, notes),
    ]
    return "\n".join(lines) + "\n"


def _head_lines(page: Mapping[str, Any], reference: str) -> Iterator[str]:
    """Yield the lines before the text."""
    stated = page.get("metadata", {})
    title = _one_line(stated.get("title", ""))
    if title and not _begins_with(page["content"], title):
        yield f"# {title}"
    facts = []
    author = _one_line(stated.get("author", ""))
    if author and author not in reference:
        facts.append(author)
    published = page["citation"]["metadata"]["date"]
    if published != NO_DATE:
        facts.append(published[:_DAY])
    facts.append(_TRUST)
    yield " · ".join(facts)
    yield ""


def _foot_lines(page: Mapping[str, Any], notes: Sequence[str]) -> Iterator[str]:
    """Yield the lines after the text: warnings, notes, and how to get the rest."""
    status = page.get("retractionStatus")
    if status:
        kind = status["kind"].replace("_", " ")
        yield f"Warning: Crossref has a notice about this paper: {kind}."
    partial = page.get("extractionNote", "")
    if partial:
        yield f"Partial: {_one_line(partial)}"
    if "note" in page:
        yield f"Note: {page['note']}"
    for note in notes:
        if note in partial:
            continue
        yield f"Note: {_one_line(note)}"
    for passage in page.get("passages", ()):
        section = _one_line(passage.get("section", "the beginning"))
        yield f"Read on from {section}: cursor {passage['cursor']}"
    if "matches" in page:
        yield f"Found in {page['matches']} blocks."
    if "nextCursor" in page:
        sizes = f"{page['contentLength']} of {page['totalLength']} bytes"
        yield f"Cut: {sizes}; go on with cursor {page['nextCursor']}"
    left_out = []
    if "linksLeftOut" in page:
        left_out.append(f"{page['linksLeftOut']} link targets")
    if "leftOut" in page:
        left_out.append(f"{page['leftOut']['bytes']} bytes")
    if left_out:
        yield f"Left out: {', '.join(left_out)}"


def _begins_with(content: str, title: str) -> bool:
    """Return whether the first heading of a text and its title contain each other."""
    found = _FIRST_HEADING.match(content.removeprefix(_GAP))
    if found is None:
        return False
    heading, wanted = _fold(found[1]), _fold(title)
    return bool(heading) and (heading in wanted or wanted in heading)


def _fold(text: str) -> str:
    return _one_line(_MARKS.sub("", text)).casefold()


def _one_line(text: str) -> str:
    return " ".join(text.split())
