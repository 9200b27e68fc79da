"""An exported session -> one HTML file that opens anywhere and prints well: timeline, source cards,
quotes in context, the bill. It needs no script and asks nobody for anything.

Whatever users and the web have written is escaped, and an address becomes a link only if it leads
to the web. The data for programs is JSON-LD by the words of schema.org.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from typing import Any
from urllib.parse import quote as encode

from webquarry.evidence.styles.work import Work
from webquarry.pages.clean import clean_url
from webquarry.sessions.export import ExportedQuote, ExportedSource, SessionExport
from webquarry.sessions.models import FOUND_TIERS, Stage
from webquarry.sessions.quote_context import QuoteContext, QuoteKey
from webquarry.sessions.views import FullStep
from webquarry.terminal import count_noun

_WEB = re.compile(r"https?://[^\s<>\"]+", re.IGNORECASE)
_MANY_WORDS = 12  # from so many on, a link names the first and the last words of a quote
_EDGE_WORDS = 5
_STAGE_WORDS: dict[Stage, str] = {"quoted": "quoted", "read": "read", "found": "found only"}
_STYLE = """
:root{color-scheme:light dark;--bg:#fbfaf7;--ink:#1d2023;--dim:#5b6168;--line:#d9d6ce;
--link:#0b5a8a;--mark:#ffe49a;--warn:#7d5200}
@media (prefers-color-scheme:dark){:root{--bg:#15181b;--ink:#e6e4df;--dim:#a4abb2;--line:#363c42;
--link:#8cc8f0;--mark:#5a4708;--warn:#f0c46a}}
body{margin:0 auto;max-width:48em;padding:1.5em 1.2em 4em;background:var(--bg);color:var(--ink);
font:16px/1.55 system-ui,sans-serif;overflow-wrap:anywhere}
a{color:var(--link)}h1{line-height:1.25}h2{margin-top:2em;border-bottom:1px solid var(--line)}h3{
margin:1.2em 0 .3em;font-size:1em}
.dim{color:var(--dim);font-size:.9em}.warn{color:var(--warn)}p{margin:.4em 0;white-space:pre-line}
.tag{border:1px solid currentColor;border-radius:3px;padding:0 .4em;font-size:.8em}
article{border-bottom:1px solid var(--line);padding:.6em 0}blockquote{margin:.5em 0;
padding:.1em .9em;border-left:3px solid var(--mark)}
mark{background:var(--mark);color:inherit}code{font-size:.85em}table{border-collapse:collapse}
td,th{text-align:left;padding:.2em 1.2em .2em 0}
@media print{:root{--bg:#fff;--ink:#000;--dim:#444;--link:#000;--line:#999;--mark:#eee}body{
max-width:none;padding:0;font-size:10.5pt}
article,blockquote,li{break-inside:avoid}h2,h3{break-after:avoid}mark{text-decoration:underline}
nav{display:none}}
"""


@dataclass(frozen=True)
class SessionBill:
    """What a session has taken: calls of tools, those answered from what is kept, and money."""

    calls: int = 0
    kept: int = 0
    failed: int = 0
    usd: float = 0.0


def write_report(
    export: SessionExport,
    contexts: Mapping[QuoteKey, QuoteContext],
    bill: SessionBill,
) -> str:
    """The whole file."""
    title = escape(export.goal or "Research session")
    digest = b64encode(sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    parts = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{title}</title>",
        f"<style>{_STYLE}</style>",
        f'<script type="application/ld+json">{_write_data(export)}</script>',
        "</head>",
        "<body>",
        "<main>",
        f"<h1>{title}</h1>",
        *_write_overview(export),
        "<h2 id=timeline>Timeline</h2>",
        *(line for step in export.steps for line in _write_step(step)),
        "<h2 id=sources>Sources</h2>",
        *_write_sources(export, contexts),
        *_write_errors(export),
        "<h2 id=bill>Bill</h2>",
        _write_bill(bill),
        "</main>",
        "</body>",
        "</html>",
    ]
    return "\n".join(parts) + "\n"


def _write_overview(export: SessionExport) -> Iterator[str]:
    stages = Counter(source.stage for source in export.sources)
    counts = ", ".join(f"{stages[stage]} {word}" for stage, word in _STAGE_WORDS.items())
    status = escape(export.status.replace("_", " "))
    steps = count_noun(len(export.steps), "step")
    yield (
        f"<p class=dim>{status}; {steps}; sources: {counts}; begun "
        f"{escape(export.began_at)}; exported {escape(export.exported_at)}; session "
        f"<code>{escape(export.id)}</code></p>"
    )
    yield (
        '<nav aria-label="Parts"><a href="#timeline">Timeline</a> · <a href="#sources">Sources</a>'
        ' · <a href="#bill">Bill</a></nav>'
    )
    if export.summary:
        yield f"<p>{escape(export.summary)}</p>"


def _write_step(step: FullStep) -> Iterator[str]:
    """A step: what became of it, its texts, and what it rests on."""
    marks = []
    if step.revises_step:
        marks.append(f'revises <a href="#step-{step.revises_step}">step {step.revises_step}</a>')
    if step.superseded_by:
        link = f'<a href="#step-{step.superseded_by}">step {step.superseded_by}</a>'
        marks.append(f"<span class=warn>superseded by {link}</span>")
    if step.branch_id:
        marks.append(f"branch {escape(step.branch_id)} from step {step.branch_from_step}")
    if step.confidence:
        marks.append(f"confidence {escape(step.confidence)}")
    yield f'<article id="step-{step.step_number}">'
    yield f"<h3>Step {step.step_number}</h3>"
    if marks:
        yield f"<p class=dim>{'; '.join(marks)}</p>"
    yield f"<p>{escape(step.text)}</p>"
    if step.reasoning:
        yield f"<p>Reasoning: {escape(step.reasoning)}</p>"
    if step.knowledge_gap:
        yield f"<p>Still unknown: {escape(step.knowledge_gap)}</p>"
    for approach in step.rejected_approaches or ():
        yield f"<p>Rejected: {escape(approach)}</p>"
    if step.sources:
        links = [f'<a href="#source-{number}">{number}</a>' for number in step.sources]
        yield f"<p class=dim>Sources {', '.join(links)}</p>"
    yield "</article>"


def _write_sources(
    export: SessionExport, contexts: Mapping[QuoteKey, QuoteContext]
) -> Iterator[str]:
    if not export.sources:
        yield "<p>None was recorded.</p>"
    for source, work in zip(export.sources, export.works, strict=True):
        yield from _write_source(source, work, contexts)


def _write_source(
    source: ExportedSource, work: Work, contexts: Mapping[QuoteKey, QuoteContext]
) -> Iterator[str]:
    """A card: what the source is, how far it was used, its citation, and its quotes."""
    yield f'<article id="source-{source.number}">'
    yield (
        f"<h3>{source.number}. {escape(source.title or work.title or source.url)} "
        f"<span class=tag>{_STAGE_WORDS[source.stage]}</span></h3>"
    )
    facts = [write_link(source.url)]
    if source.published_at:
        facts.append(escape(source.published_at[:10]))
    steps = ", ".join(f'<a href="#step-{number}">{number}</a>' for number in source.steps)
    facts.append(f"steps {steps}")
    facts.append(escape(", ".join(source.tools)))
    if source.link:
        facts.append(f"link {escape(source.link.state)}")
    yield f"<p class=dim>{' · '.join(facts)}</p>"
    if source.citation:
        yield f"<p>{escape(source.citation)}</p>"
    for quote in source.quotes or ():
        yield from _write_quote(quote, source, contexts.get((quote.text_hash or "", quote.quote)))
    yield "</article>"


def _write_quote(
    quote: ExportedQuote, source: ExportedSource, context: QuoteContext | None
) -> Iterator[str]:
    """A quote in its context, or alone; how it stands there; and a link to its place."""
    matched = " … ".join(quote.matched or ())
    yield "<blockquote>"
    if quote.tier not in FOUND_TIERS:
        yield f"<p><span class=warn>Quoted as:</span> “{escape(quote.quote)}”</p>"
    if context is not None:
        yield (
            f"<p>{escape(context.before)}<mark>{escape(context.words)}</mark>"
            f"{escape(context.behind)}</p>"
        )
    else:
        yield f"<p><mark>{escape(matched or quote.quote)}</mark></p>"
    facts = [escape(quote.tier)]
    if quote.section:
        facts.append(f"in “{escape(quote.section)}”")
    spans = [f"{start}–{end}" for start, end in quote.spans or ()]
    if spans and quote.text_hash:
        facts.append(f"characters {', '.join(spans)} of <code>{escape(quote.text_hash)}</code>")
    if quote.read_at:
        facts.append(f"read {escape(quote.read_at[:16].replace('T', ' '))}")
    if quote.reason:
        facts.append(escape(quote.reason))
    place = link_to_words(source.url, (quote.matched or [""])[0])
    if place:
        facts.append(f'<a href="{escape(place)}" rel="noreferrer">its place on the page</a>')
    yield f"<p class=dim>{' · '.join(facts)}</p>"
    yield "</blockquote>"


def _write_errors(export: SessionExport) -> Iterator[str]:
    if not export.errors:
        return
    yield "<h2>Errors</h2>"
    yield "<ul>"
    for error in export.errors:
        tools = escape(", ".join(error.tools))
        advice = escape(error.advice or "")
        yield f"<li>{escape(error.kind)}: {error.count} ({tools}). {advice}</li>"
    yield "</ul>"


def _write_bill(bill: SessionBill) -> str:
    rows = [
        ("Calls of tools in the log", str(bill.calls)),
        ("answered from what is kept", str(bill.kept)),
        ("failed", str(bill.failed)),
        ("US dollars", f"{bill.usd:.4f}"),
    ]
    cells = [f"<tr><th scope=row>{name}</th><td>{value}</td></tr>" for name, value in rows]
    return f"<table>{''.join(cells)}</table>"


def write_link(url: str) -> str:
    """An address as a link if it leads to the web, else as text."""
    url = clean_url(url)
    if _WEB.fullmatch(url):
        return f'<a href="{escape(url)}" rel="noreferrer">{escape(url)}</a>'
    return escape(url)


def link_to_words(url: str, words: str) -> str:
    """The address of words on a page, which browsers scroll to and mark; empty where there is no
    such.
    """
    url = clean_url(url).partition("#")[0]
    parts = words.split()
    if not parts or not _WEB.fullmatch(url):
        return ""
    pieces = [" ".join(parts)]
    if len(parts) >= _MANY_WORDS:
        pieces = [" ".join(parts[:_EDGE_WORDS]), " ".join(parts[-_EDGE_WORDS:])]
    encoded = [encode(piece, safe="", errors="replace").replace("-", "%2D") for piece in pieces]
    return f"{url}#:~:text={','.join(encoded)}"


def _write_data(export: SessionExport) -> str:
    """The session as JSON-LD. No letter of it can end the element that it stands in."""
    citations = []
    quotations = []
    for source in export.sources:
        id = f"#source-{source.number}"
        work: dict[str, Any] = {
            "@type": "CreativeWork",
            "@id": id,
            "position": source.number,
            "name": source.title,
            "url": source.url,
            "creativeWorkStatus": source.stage,
        }
        if source.published_at:
            work["datePublished"] = source.published_at
        citations.append(work)
        for quote in source.quotes or ():
            quotations.append(_describe_quote(quote, id))
    data = {
        "@context": "https://schema.org",
        "@type": "Report",
        "identifier": export.id,
        "name": export.goal or "Research session",
        "abstract": export.summary or None,
        "dateCreated": export.began_at,
        "dateModified": export.exported_at,
        "citation": citations,
        "hasPart": quotations,
        "text": [step.text for step in export.steps],
    }
    filled = {name: value for name, value in data.items() if value}
    text = json.dumps(filled, ensure_ascii=False, indent=1)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _describe_quote(quote: ExportedQuote, source: str) -> dict[str, Any]:
    """A quote as schema.org has it; how it stands in its source is a property of ours."""
    properties = {
        "tier": quote.tier,
        "textHash": quote.text_hash,
        "spans": quote.spans,
        "readAt": quote.read_at,
    }
    listed = [
        {"@type": "PropertyValue", "name": name, "value": value}
        for name, value in properties.items()
        if value
    ]
    return {
        "@type": "Quotation",
        "text": quote.quote,
        "isBasedOn": {"@id": source},
        "additionalProperty": listed,
    }
