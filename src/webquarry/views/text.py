"""What an answer holds of a view -> a text that a person, or a model, can read without the page.

Whatever users and the web have written stays text, as in an exported session.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from webquarry._read.text.escape import escape_line_starts
from webquarry.sessions.markdown import escape_block, escape_inline, escape_markup, write_link
from webquarry.terminal import count_noun

_MARK = "=="

Fields = dict[str, Any]


def write_session(session: Fields) -> Iterator[str]:
    """The lines of a session: its numbers, and the sources that were used most."""
    yield f"# {escape_inline(session['goal']) or 'Research session'}"
    yield ""
    yield (
        f"{_say(session['status'])}, {count_noun(session['steps'], 'step')}; sources: "
        f"{session['quoted']} quoted, {session['read']} read, {session['found']} found only; "
        f"{count_noun(session['calls'], 'call')}, {session['kept']} answered from what is kept, "
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
            standing = quote["tier"] if quote["found"] else f"{_say(quote['tier'])}: not as quoted"
            yield f'   - "{escape_inline(quote["quote"])}" ({standing})'
    if session["sourcesOmitted"]:
        more = count_noun(session["sourcesOmitted"], "more source")
        yield f"{more}: get_research_session lists them."


def write_page(page: Fields) -> Iterator[str]:
    """The lines of a page: where its quotes stand, with the quoted words between `==`."""
    yield f"# {escape_inline(page['title'] or page['url'])}"
    yield ""
    yield write_link(page["url"])
    if not page["kept"]:
        problem = escape_inline(page.get("problem", ""))
        yield f"No text of it is kept, and it cannot be read now: {problem}"
    else:
        yield f"Read {page['readAt']}, {page['characters']} characters, sha256 {page['textHash']}."
    yield ""
    for number, quote in enumerate(page["quotes"], 1):
        standing = _describe_standing(quote, is_kept=page["kept"])
        yield f'{number}. "{escape_inline(quote["quote"])}" ({standing})'
    if not page["quotes"]:
        yield "No quote of it was checked: check_quotes does that."
    if page["pieces"]:
        yield ""
        marked = "".join(_mark_piece(piece) for piece in page["pieces"])
        for line in marked.splitlines():
            yield f"> {escape_line_starts(line)}".rstrip()


def _describe_standing(quote: Fields, *, is_kept: bool) -> str:
    tier = _say(quote["tier"])
    if not is_kept:
        matched = escape_inline(" … ".join(quote["matched"]))
        return f'{tier}; when it was checked, there stood: "{matched}"'
    if quote["state"] == "gone":
        return f"{tier}; it does not stand in this text"
    if quote["state"] == "moved":
        return f"{tier}; the page was read again since, the same words are marked"
    return tier


def _mark_piece(piece: Fields) -> str:
    text = escape_markup(piece["text"]).replace(_MARK, "=\\=")
    words = text.strip()
    if "marks" not in piece or not words:
        return text
    before, _, behind = text.partition(words)
    return f"{before}{_MARK}{words}{_MARK}{behind}"


def write_bill(bill: Fields) -> Iterator[str]:
    """The lines of the bill."""
    total = bill["total"]
    yield "# Bill of 30 days"
    yield ""
    yield (
        f"${total['usd']:.4f}; {count_noun(total['calls'], 'call')}, {total['kept']} answered from "
        f"what is kept, {total['failed']} failed."
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
            counts = f"{calls}, {line['kept']} kept, {line['failed']} failed"
            yield f"- {escape_inline(line['name'])}: {counts}, ${line['usd']:.4f}"


def _say(word: str) -> str:
    """A name of ours in words."""
    return word.replace("_", " ")
