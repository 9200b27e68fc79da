"""An exported session -> Markdown that a person reads and keeps.

Whatever users and the web have written stays text: a title cannot open a heading, a list, a table,
a link or HTML. The same session gives the same bytes but for the line that says when it was
exported.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from webquarry.evidence.styles.apa import format_apa
from webquarry.evidence.styles.work import Work
from webquarry.pages.clean import clean_url
from webquarry.read.text.delimiters import defuse_prose
from webquarry.read.text.escape import escape_line_starts
from webquarry.tools.research._export import ErrorCount, ExportedSource
from webquarry.tools.research._session import FullStep

# More than `read.escape` does, which may look at a whole run of text: these are pieces that stand
# beside markup of ours.
_MARKUP = re.compile(r"[\\`*\[\]~|]|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?])|&(?=[#\w])")
_WEB = re.compile(r"https?://[^\s<>]+", re.IGNORECASE)


@dataclass(frozen=True)
class Exported:
    """What the Markdown is made of."""

    id: str
    status: str
    goal: str
    summary: str
    began_at: str
    exported_at: str
    steps: Sequence[FullStep]
    sources: Sequence[ExportedSource]
    works: Sequence[Work]
    errors: Sequence[ErrorCount]


def as_markdown(export: Exported) -> str:
    """The whole document."""
    blocks = ["# Research session", *_about(export)]
    if export.goal:
        blocks += ["## Goal", block(export.goal)]
    if export.summary:
        blocks += ["## Summary", block(export.summary)]
    blocks += ["## Steps", *(part for step in export.steps for part in _step(step))]
    blocks += ["## Sources", *_sources(export)]
    if export.errors:
        blocks += ["## Errors", "\n".join(_error(one) for one in export.errors)]
    return defuse_prose("\n\n".join(blocks) + "\n", Counter())


def inline(text: str) -> str:
    """A text for the middle of a line of ours."""
    return _marked(" ".join(text.split()))


def block(text: str) -> str:
    """A text of its own: blank lines divide its paragraphs, and its lines stay lines."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(
        "\\\n".join(_line(line) for line in part.split("\n") if line.strip()) for part in paragraphs
    )


def linked(url: str) -> str:
    """An address that can be followed."""
    url = clean_url(url)
    if _WEB.fullmatch(url):
        return f"<{url}>"
    return inline(url)


def _marked(text: str) -> str:
    return _MARKUP.sub(lambda found: "\\" + found[0], text)


def _line(text: str) -> str:
    return escape_line_starts(inline(text))


def _about(export: Exported) -> Iterator[str]:
    counts = f"{_counted(len(export.steps), 'step')}, {_counted(len(export.sources), 'source')}"
    status = export.status.replace("_", " ")
    yield f"- Session: {export.id}\n- Begun: {export.began_at}\n- Status: {status}, {counts}\n- Exported: {export.exported_at}"


def _step(step: FullStep) -> Iterator[str]:
    marks = []
    if step.revises_step:
        marks.append(f"revises step {step.revises_step}")
    if step.superseded_by:
        marks.append(f"superseded by step {step.superseded_by}")
    yield f"### Step {step.step_number}" + (f" ({', '.join(marks)})" if marks else "")
    if step.branch_id:
        yield f"Branch {inline(step.branch_id)}, from step {step.branch_from_step}."
    yield block(step.text)
    for name, text in (("Reasoning", step.reasoning), ("Still unknown", step.knowledge_gap)):
        if text:
            yield f"**{name}:** {block(text)}"
    if step.rejected_approaches:
        yield "**Rejected:**"
        yield "\n".join(f"- {_line(one)}" for one in step.rejected_approaches)
    facts = []
    if step.confidence:
        facts = [f"Confidence: {step.confidence}."]
    facts += [f"Sources: {_numbers(step.sources)}."] if step.sources else []
    if facts:
        yield " ".join(facts)


def _sources(export: Exported) -> Iterator[str]:
    if not export.sources:
        yield "None was recorded."
        return
    if states := [one.link.state for one in export.sources if one.link]:
        counts = Counter(states).most_common()
        yield f"Links checked: {', '.join(f'{count} {state}' for state, count in counts)}."
    yield "\n".join(
        _source(one, work) for one, work in zip(export.sources, export.works, strict=True)
    )


def _source(source: ExportedSource, work: Work) -> str:
    """An item of the list: the citation, and below it where the source comes from."""
    bare = format_apa(replace(work, doi="", url=""), markdown=True, escape=_marked)
    place = work.location or source.url
    lines = [f"{escape_line_starts(bare)} {linked(place)}"]
    found = f"Found in {_steps(source.steps)} by {inline(', '.join(source.tools))}."
    lines.append(found if place == source.url else f"{found} Address: {linked(source.url)}")
    if source.link:
        lines.append(_link(source))
    margin = " " * len(f"{source.number}. ")
    return f"{source.number}. " + f"\\\n{margin}".join(lines)


def _link(source: ExportedSource) -> str:
    assert source.link
    to = ""
    if source.link.new_url:
        to = f" to {linked(source.link.new_url)}"
    why = ""
    if source.link.reason:
        why = f" ({inline(source.link.reason)})"
    return f"Link: {source.link.state}{to}{why}"


def _error(error: ErrorCount) -> str:
    advice = f" {inline(error.advice)}" if error.advice else ""
    return f"- {inline(error.kind)}: {error.count} ({inline(', '.join(error.tools))}).{advice}"


def _steps(numbers: Iterable[int]) -> str:
    written = [str(number) for number in numbers]
    return ("step " if len(written) == 1 else "steps ") + ", ".join(written)


def _numbers(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))


def _counted(count: int, name: str) -> str:
    if count == 1:
        return f"{count} {name}"
    return f"{count} {name}s"
