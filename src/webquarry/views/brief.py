"""The part of a view that fits in one answer, and its text for a model or a person.

The sources used most, the words around the quotes and the most expensive lines of the bill, in the
shape of the whole. Texts of users and of the web stay text, as in an exported session.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from webquarry._read.text.escape import escape_line_starts
from webquarry.sessions.markdown import escape_block, escape_inline, escape_markup, write_link
from webquarry.terminal import count_noun
from webquarry.views.describe import STAGES

_MOST_SOURCES = 12
_MOST_QUOTES = 20  # of a page
_MOST_QUOTES_OF_SOURCE = 3
_MOST_LINES = 8
_AROUND = 240  # characters on each side of a quote
_BEGINNING = 600  # characters of a text without quotes
_GAP = " … "
_MARK = "=="
_SESSION_FIELDS = (
    "id", "status", "goal", "summary", "beganAt", "touchedAt", "calls", "kept", "usd",
)  # fmt: skip
_SOURCE_FIELDS = (
    "number", "stage", "title", "url", "host", "type", "published", "reputation", "session",
)  # fmt: skip
_QUOTE_FIELDS = ("quote", "tier", "found", "id", "url")

Fields = dict[str, Any]


def shorten_session(session: Fields) -> Fields:
    """Return a session with its counts and the sources used most."""
    sources = sorted(session["sources"], key=lambda source: -STAGES.index(source["stage"]))
    shown = []
    for source in sources[:_MOST_SOURCES]:
        kept = {name: source[name] for name in _SOURCE_FIELDS if source.get(name) is not None}
        quotes = source["quotes"][:_MOST_QUOTES_OF_SOURCE]
        kept["quotes"] = [{name: quote[name] for name in _QUOTE_FIELDS} for quote in quotes]
        shown.append(kept)
    stages = [source["stage"] for source in sources]
    return {
        **{name: session[name] for name in _SESSION_FIELDS},
        **{stage: stages.count(stage) for stage in STAGES},
        "steps": len(session["steps"]),
        "sources": shown,
        "sourcesOmitted": max(0, len(sources) - _MOST_SOURCES),
    }


def shorten_page(page: Fields) -> Fields:
    """Return a page with its first quotes and the text around them, or its beginning."""
    quotes = page["quotes"][:_MOST_QUOTES]
    return {
        **page,
        "quotes": quotes,
        "quotesOmitted": len(page["quotes"]) - len(quotes),
        "pieces": cut_excerpts(page["pieces"], len(quotes)),
        "excerpt": True,
    }


def cut_excerpts(pieces: Sequence[Fields], quotes: int) -> list[Fields]:
    """Return the pieces of the first quotes and the text next to them, or the beginning of the
    text if there is no quote.
    """
    marked = []
    for piece in pieces:
        marks = [number for number in piece.get("marks", ()) if number < quotes]
        bare = {name: value for name, value in piece.items() if name != "marks"}
        marked.append({**bare, "marks": marks} if marks else bare)
    if not any("marks" in piece for piece in marked):
        text = "".join(piece.get("text", "") for piece in marked)
        if len(text) > _BEGINNING:
            text = text[:_BEGINNING] + _GAP.rstrip()
        return [{"text": text}] if text else []
    excerpts: list[Fields] = []
    for place, piece in enumerate(marked):
        text = piece.get("text", "")
        if "marks" not in piece:
            is_behind = place > 0 and "marks" in marked[place - 1]
            is_before = any("marks" in following for following in marked[place + 1 : place + 2])
            text = _cut_middle(text, is_behind=is_behind, is_before=is_before)
        if text:
            excerpts.append({**piece, "text": text})
    return excerpts


def _cut_middle(text: str, *, is_behind: bool, is_before: bool) -> str:
    """Return the part of a text behind one quote and before another."""
    if not is_behind and not is_before:
        return ""
    if len(text) <= _AROUND * (is_behind + is_before):
        return text
    beginning = text[:_AROUND] if is_behind else ""
    return beginning + _GAP + (text[-_AROUND:] if is_before else "")


def shorten_bill(bill: Fields) -> Fields:
    """Return the bill with the days that have calls, and the first lines of each kind."""
    lines = {kind: bill[kind][:_MOST_LINES] for kind in ("tool", "provider", "model")}
    return {**bill, **lines, "days": [day for day in bill["days"] if day["calls"]]}


def write_session(session: Fields) -> Iterator[str]:
    """Yield the lines of a session: its numbers, and the sources that were used most."""
    yield f"# {escape_inline(session['goal']) or 'Research session'}"
    yield ""
    yield (
        f"{_say(session['status'])}, {count_noun(session['steps'], 'step')}; sources: "
        f"{session['quoted']} quoted, {session['read']} read, {session['found']} found only; "
        f"{count_noun(session['calls'], 'call')}, {session['kept']} answered from the cache, "
        f"${session['usd']:.4f}."
    )
    if session["summary"]:
        yield ""
        yield escape_block(session["summary"])
    yield ""
    for source in session["sources"]:
        stage = "found only" if source["stage"] == "found" else source["stage"]
        title = escape_inline(source["title"])
        yield f"{source['number']}. {title} ({stage}) {write_link(source['url'])}"
        for quote in source["quotes"]:
            tier = quote["tier"] if quote["found"] else f"{_say(quote['tier'])}: not as quoted"
            yield f'   - "{escape_inline(quote["quote"])}" ({tier})'
    if session["sourcesOmitted"]:
        more = count_noun(session["sourcesOmitted"], "more source")
        yield f"{more}: get_research_session lists them."


def write_page(page: Fields) -> Iterator[str]:
    """Yield the lines of a page: its quotes, and their places in the text between `==`."""
    yield f"# {escape_inline(page['title'] or page['url'])}"
    yield ""
    yield write_link(page["url"])
    if not page["kept"]:
        problem = escape_inline(page.get("problem", ""))
        yield f"Its text is not stored, and it cannot be read now: {problem}"
    else:
        yield f"Read {page['readAt']}, {page['characters']} characters, sha256 {page['textHash']}."
    yield ""
    for number, quote in enumerate(page["quotes"], 1):
        detail = _say(quote["tier"])
        if not page["kept"]:
            matched = escape_inline(" … ".join(quote["matched"]))
            detail += f'; at the check the text was: "{matched}"'
        elif quote["state"] == "gone":
            detail += "; it does not occur in this text"
        elif quote["state"] == "moved":
            detail += "; the page was read again since, the same words are marked"
        yield f'{number}. "{escape_inline(quote["quote"])}" ({detail})'
    if not page["quotes"]:
        yield "No quote of it was checked: check_quotes does that."
    if page["pieces"]:
        yield ""
        marked = "".join(_mark_piece(piece) for piece in page["pieces"])
        for line in marked.splitlines():
            yield f"> {escape_line_starts(line)}".rstrip()


def _mark_piece(piece: Fields) -> str:
    text = escape_markup(piece["text"]).replace(_MARK, "=\\=")
    words = text.strip()
    if "marks" not in piece or not words:
        return text
    before, _, behind = text.partition(words)
    return f"{before}{_MARK}{words}{_MARK}{behind}"


def write_bill(bill: Fields) -> Iterator[str]:
    """Yield the lines of the bill."""
    total = bill["total"]
    yield "# Bill of 30 days"
    yield ""
    yield (
        f"${total['usd']:.4f}; {count_noun(total['calls'], 'call')}, {total['kept']} answered from "
        f"the cache, {total['failed']} failed."
    )
    limits = bill["limits"]
    if limits.get("perDay") is not None:
        yield f"Models today: ${limits['today']:.4f} of ${limits['perDay']:.4f}."
    for kind in ("tool", "provider", "model"):
        if not bill[kind]:
            continue
        yield ""
        yield f"By {kind}:"
        for line in bill[kind]:
            calls = count_noun(line["calls"], "call")
            counts = f"{calls}, {line['kept']} cached, {line['failed']} failed"
            yield f"- {escape_inline(line['name'])}: {counts}, ${line['usd']:.4f}"


def _say(word: str) -> str:
    return word.replace("_", " ")
