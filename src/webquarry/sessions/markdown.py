"""An exported session as Markdown.

Texts of users and the web are escaped: a title cannot open a heading, a list, a table, a link or
HTML. The same session gives the same bytes except for the time of the export.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from webquarry._read.text.delimiters import defuse_prose
from webquarry._read.text.escape import escape_line_starts
from webquarry._search.text import shorten_text
from webquarry.evidence.styles.apa import format_apa
from webquarry.evidence.styles.work import Work
from webquarry.pages.clean import clean_url
from webquarry.sessions.models import Stage
from webquarry.sessions.views import ExportedQuote, ExportedSource, FullStep, SessionExport
from webquarry.terminal import count_noun

# Stricter than `escape_line_starts`: these texts are next to our markup.
_MARKUP = re.compile(r"[\\`*\[\]~|]|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?])|&(?=[#\w])")
_WEB = re.compile(r"https?://[^\s<>]+", re.IGNORECASE)
_LONGEST_QUOTE = 300  # characters
_STAGE_WORDS = {"quoted": ", read and quoted.", "read": " and read.", "found": "; not read."}
_STAGES: tuple[tuple[Stage, str], ...] = (
    ("quoted", "quoted"),
    ("read", "read"),
    ("found", "found and not read"),
)
_BLANK_LINES = re.compile(r"\n\s*\n")


def write_markdown(export: SessionExport) -> str:
    """Return the document."""
    status = export.status.replace("_", " ")
    steps = count_noun(len(export.steps), "step")
    sources = count_noun(len(export.sources), "source")
    stages = Counter(source.stage for source in export.sources)
    counts = [f"{stages[stage]} {word}" for stage, word in _STAGES if stages[stage]]
    if counts:
        sources += f" ({', '.join(counts)})"
    overview = [
        f"- Session: {export.id}",
        f"- Begun: {export.began_at}",
        f"- Status: {status}, {steps}, {sources}",
        f"- Exported: {export.exported_at}",
    ]
    blocks = ["# Research session", "\n".join(overview)]

    if export.goal:
        blocks += ["## Goal", escape_block(export.goal)]
    if export.summary:
        blocks += ["## Summary", escape_block(export.summary)]
    blocks.append("## Steps")
    for step in export.steps:
        blocks += _write_step(step)
    blocks.append("## Sources")
    blocks += _write_sources(export)
    if export.errors:
        items = []
        for error in export.errors:
            kind = escape_inline(error.kind)
            advice = escape_inline(error.advice or "")
            item = f"- {kind}: {error.count} ({_join_names(error.tools)}). {advice}"
            items.append(item.rstrip())
        blocks += ["## Errors", "\n".join(items)]
    document = "\n\n".join(blocks) + "\n"
    return defuse_prose(document, Counter())


def escape_inline(text: str) -> str:
    """Return a text for the middle of a line."""
    return escape_markup(" ".join(text.split()))


def escape_block(text: str) -> str:
    """Return a block of text that preserves paragraphs and lines."""
    paragraphs = []
    for paragraph in _BLANK_LINES.split(text.strip()):
        lines = [_escape_line(line) for line in paragraph.split("\n") if line.strip()]
        paragraphs.append("\\\n".join(lines))
    return "\n\n".join(paragraphs)


def write_link(url: str) -> str:
    """Return a URL as a link, if it is one."""
    url = clean_url(url)
    if _WEB.fullmatch(url):
        return f"<{url}>"
    return escape_inline(url)


def escape_markup(text: str) -> str:
    """Return the text with markup characters escaped."""
    return _MARKUP.sub(lambda match: "\\" + match[0], text)


def _escape_line(text: str) -> str:
    """Return a text for a whole line."""
    escaped = escape_inline(text)
    return escape_line_starts(escaped)


def _write_step(step: FullStep) -> Iterator[str]:
    """Yield the blocks of a step: heading, texts and sources."""
    marks = []
    if step.revises_step:
        marks.append(f"revises step {step.revises_step}")
    if step.superseded_by:
        marks.append(f"superseded by step {step.superseded_by}")
    heading = f"### Step {step.step_number}"
    if marks:
        heading += f" ({', '.join(marks)})"
    yield heading
    if step.branch_id:
        yield f"Branch {escape_inline(step.branch_id)}, from step {step.branch_from_step}."
    yield escape_block(step.text)
    if step.reasoning:
        yield f"**Reasoning:** {escape_block(step.reasoning)}"
    if step.knowledge_gap:
        yield f"**Still unknown:** {escape_block(step.knowledge_gap)}"
    if step.rejected_approaches:
        yield "**Rejected:**"
        items = [f"- {_escape_line(approach)}" for approach in step.rejected_approaches]
        yield "\n".join(items)
    facts = []
    if step.confidence:
        facts.append(f"Confidence: {step.confidence}.")
    if step.sources:
        facts.append(f"Sources: {_join_numbers(step.sources)}.")
    if facts:
        yield " ".join(facts)


def _write_sources(export: SessionExport) -> Iterator[str]:
    """Yield the blocks of the sources: states of links and the numbered list."""
    if not export.sources:
        yield "None was recorded."
        return
    links = [source.link for source in export.sources if source.link]
    if links:
        states = Counter(link.state for link in links)
        counts = [f"{count} {state}" for state, count in states.most_common()]
        yield f"Links checked: {', '.join(counts)}."
    items = []
    for source, work in zip(export.sources, export.works, strict=True):
        item = _write_source(source, work)
        items.append(item)
    yield "\n".join(items)


def _write_source(source: ExportedSource, work: Work) -> str:
    """Return a list item: the citation, and below it the origin of the source."""
    location = work.location or source.url
    without_location = replace(work, doi="", url="")
    shown = escape_inline(source.title or work.title)
    if source.citation is not None:
        shown = format_apa(without_location, escape=escape_markup)
    lines = [f"{escape_line_starts(shown)} {write_link(location)}"]

    steps = "steps"
    if len(source.steps) == 1:
        steps = "step"
    numbers = _join_numbers(source.steps)
    origin = f"Found in {steps} {numbers} by {_join_names(source.tools)}"
    origin += _STAGE_WORDS[source.stage]
    if location != source.url:
        origin += f" Address: {write_link(source.url)}"
    lines.append(origin)

    for quote in source.quotes or ():
        lines.append(_write_quote(quote))
    if source.link:
        state = f"Link: {source.link.state}"
        if source.link.new_url:
            state += f" to {write_link(source.link.new_url)}"
        if source.link.reason:
            state += f" ({escape_inline(source.link.reason)})"
        lines.append(state)

    number = f"{source.number}. "
    margin = " " * len(number)
    return number + f"\\\n{margin}".join(lines)


def _write_quote(quote: ExportedQuote) -> str:
    """Return the line of a quote with its tier."""
    words = escape_inline(shorten_text(quote.quote, _LONGEST_QUOTE))
    line = f"Quoted ({escape_inline(quote.tier)}): “{words}”"
    places = [f"{start}-{end}" for start, end in quote.spans or ()]
    if places:
        line += f" at {', '.join(places)}"
    return line


def _join_names(names: Sequence[str]) -> str:
    return escape_inline(", ".join(names))


def _join_numbers(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
