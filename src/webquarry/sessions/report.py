"""An exported session as one HTML file for screen and print: timeline, sources, quotes in context,
the bill. It has no script and requests nothing.

Texts of users and the web are escaped, and only web URLs become links. The data for programs is
JSON-LD of schema.org. The context of a quote is shown if the page still has its words.
"""

from __future__ import annotations

import asyncio
import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from html import escape

from webquarry._read.plain.words import PageWords, cut_out
from webquarry.errors import WebquarryError
from webquarry.evidence.styles.work import Work
from webquarry.pages.clean import clean_line, clean_text, clean_url
from webquarry.pages.pages import Pages
from webquarry.sessions.models import FOUND_TIERS, KeptQuote, ResearchSession, Stage
from webquarry.sessions.views import ExportedQuote, ExportedSource, FullStep, SessionExport
from webquarry.terminal import count_noun

_WEB = re.compile(r"https?://[^\s<>\"]+", re.IGNORECASE)
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


_CONTEXT_LENGTH = 160  # characters at each side
_MAX_PAGES = 100
_MAX_CONCURRENT = 8

QuoteKey = tuple[str, str]  # hash of the source's text, words of the quote


@dataclass(frozen=True)
class QuoteContext:
    """A quote in its source, with the text around it."""

    before: str
    words: str
    behind: str


async def collect_contexts(
    pages: Pages, session: ResearchSession, seconds: float
) -> dict[QuoteKey, QuoteContext]:
    """Return the contexts of a session's quotes that can be read within `seconds`."""
    quotes = [quote for quote in session.quotes if quote.url and quote.matched]
    texts: dict[str, PageWords] = {}
    slots = asyncio.Semaphore(_MAX_CONCURRENT)

    async def read(url: str) -> None:
        with suppress(WebquarryError, TimeoutError):  # the quote is shown without context
            async with asyncio.timeout(seconds), slots:
                texts[url] = (await pages.get_words(url)).words

    wanted = list(dict.fromkeys(quote.url for quote in quotes))[:_MAX_PAGES]
    await asyncio.gather(*map(read, wanted))
    contexts = {}
    for quote in quotes:
        context = cut_context(texts[quote.url], quote) if quote.url in texts else None
        if context:
            contexts[quote.text_hash, clean_text(quote.text)] = context
    return contexts


def cut_context(words: PageWords, quote: KeptQuote) -> QuoteContext | None:
    """Return a quote with the visible text of its block around it; None if its words are not in
    the text.
    """
    text = words.text
    if quote.spans and quote.text_hash == words.digest:
        start, end = quote.spans[0][0], quote.spans[-1][1]
    elif quote.matched and quote.matched[0] in text:
        start = text.index(quote.matched[0])
        end = start + len(quote.matched[0])
    else:
        return None
    if any(first < end and start < last for first, last in words.hidden):
        return None
    block_start = text.rfind("\n", 0, start) + 1
    before = cut_out(text, block_start, start, words.hidden)
    behind = cut_out(text, end, len(text), words.hidden).partition("\n")[0]
    if len(before) > _CONTEXT_LENGTH:
        before = "… " + before[-_CONTEXT_LENGTH:].partition(" ")[2]
    if len(behind) > _CONTEXT_LENGTH:
        behind = behind[:_CONTEXT_LENGTH].rpartition(" ")[0] + " …"
    return QuoteContext(
        clean_line(before) + " " * before[-1:].isspace(),
        clean_line(text[start:end]),
        " " * behind[:1].isspace() + clean_line(behind),
    )


@dataclass(frozen=True)
class SessionBill:
    """Tool calls of a session, those answered from the cache, and costs."""

    calls: int = 0
    cached: int = 0
    failed: int = 0
    usd: float = 0.0


def write_report(
    export: SessionExport,
    contexts: Mapping[QuoteKey, QuoteContext],
    bill: SessionBill,
) -> str:
    """Return the file."""
    title = escape(export.goal or "Research session")
    digest = b64encode(sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    sources: list[str] = []
    for source, work in zip(export.sources, export.works, strict=True):
        sources += _write_source(source, work, contexts)
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
        *(sources or ["<p>None was recorded.</p>"]),
        *(_write_errors(export) if export.errors else ()),
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
    """Yield a step: its state, texts and sources."""
    marks = []
    if step.revises_step:
        marks.append(f"revises {_link_step(step.revises_step)}")
    if step.superseded_by:
        marks.append(f"<span class=warn>superseded by {_link_step(step.superseded_by)}</span>")
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


def _link_step(number: int) -> str:
    return f'<a href="#step-{number}">step {number}</a>'


def _write_source(
    source: ExportedSource, work: Work, contexts: Mapping[QuoteKey, QuoteContext]
) -> Iterator[str]:
    """Yield a source: its stage, citation and quotes."""
    title = escape(source.title or work.title or source.url)
    stage = _STAGE_WORDS[source.stage]
    facts = [write_link(source.url)]
    if source.published_at:
        facts.append(escape(source.published_at[:10]))
    facts += map(_link_step, source.steps)
    facts += map(escape, source.tools)
    if source.link:
        facts.append(f"link {escape(source.link.state)}")
    yield f'<article id="source-{source.number}">'
    yield f"<h3>{source.number}. {title} <span class=tag>{stage}</span></h3>"
    yield _join_facts(facts)
    if source.citation:
        yield f"<p>{escape(source.citation)}</p>"
    for quote in source.quotes or ():
        yield from _write_quote(quote, contexts.get((quote.text_hash or "", quote.quote)))
    yield "</article>"


def _write_quote(quote: ExportedQuote, context: QuoteContext | None) -> Iterator[str]:
    """Yield a quote in its context, or alone, and its tier."""
    matched = " … ".join(quote.matched or [quote.quote])
    context = context or QuoteContext("", matched, "")
    facts = [escape(quote.tier)]
    if quote.section:
        facts.append(f"in “{escape(quote.section)}”")
    if quote.spans and quote.text_hash:
        spans = ", ".join(f"{start}–{end}" for start, end in quote.spans)
        facts.append(f"characters {spans} of <code>{escape(quote.text_hash)}</code>")
    if quote.read_at:
        facts.append(f"read {escape(quote.read_at[:16].replace('T', ' '))}")
    if quote.reason:
        facts.append(escape(quote.reason))
    yield "<blockquote>"
    if quote.tier not in FOUND_TIERS:
        yield f"<p><span class=warn>Quoted as:</span> “{escape(quote.quote)}”</p>"
    before, words, behind = escape(context.before), escape(context.words), escape(context.behind)
    yield f"<p>{before}<mark>{words}</mark>{behind}</p>"
    yield _join_facts(facts)
    yield "</blockquote>"


def _join_facts(facts: Sequence[str]) -> str:
    return f"<p class=dim>{' · '.join(facts)}</p>"


def _write_errors(export: SessionExport) -> Iterator[str]:
    yield "<h2>Errors</h2>"
    yield "<ul>"
    for error in export.errors:
        tools = escape(", ".join(error.tools))
        advice = escape(error.advice or "")
        yield f"<li>{escape(error.kind)}: {error.count} ({tools}). {advice}</li>"
    yield "</ul>"


def _write_bill(bill: SessionBill) -> str:
    rows = {
        "Calls of tools in the log": bill.calls,
        "answered from the cache": bill.cached,
        "failed": bill.failed,
        "US dollars": f"{bill.usd:.4f}",
    }
    cells = [f"<tr><th scope=row>{name}</th><td>{value}</td></tr>" for name, value in rows.items()]
    return f"<table>{''.join(cells)}</table>"


def write_link(url: str) -> str:
    """Return a web URL as a link, any other as text."""
    url = clean_url(url)
    if _WEB.fullmatch(url):
        return f'<a href="{escape(url)}" rel="noreferrer">{escape(url)}</a>'
    return escape(url)


def _write_data(export: SessionExport) -> str:
    """Return the session as JSON-LD, safe in a script element."""
    citations = []
    quotations = []
    for source in export.sources:
        id = f"#source-{source.number}"
        work = {
            "@type": "CreativeWork",
            "@id": id,
            "position": source.number,
            "name": source.title,
            "url": source.url,
            "creativeWorkStatus": source.stage,
            "datePublished": source.published_at,
        }
        citations.append(work)
        for quote in source.quotes or ():
            properties = {
                "tier": quote.tier,
                "textHash": quote.text_hash,
                "spans": quote.spans,
                "readAt": quote.read_at,
            }
            quotation = {
                "@type": "Quotation",
                "text": quote.quote,
                "isBasedOn": {"@id": id},
                "additionalProperty": [
                    {"@type": "PropertyValue", "name": name, "value": value}
                    for name, value in properties.items()
                ],
            }
            quotations.append(quotation)
    data = {
        "@context": "https://schema.org",
        "@type": "Report",
        "identifier": export.id,
        "name": export.goal or "Research session",
        "abstract": export.summary,
        "dateCreated": export.began_at,
        "dateModified": export.exported_at,
        "citation": citations,
        "hasPart": quotations,
        "text": [step.text for step in export.steps],
    }
    text = json.dumps(data, ensure_ascii=False, indent=1)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text
