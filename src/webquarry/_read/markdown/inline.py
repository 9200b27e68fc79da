"""Convert the pieces of one block to inline Markdown.

A piece is text of the page, a `Literal` that is Markdown already, a `Span` that opens, or CLOSE for
the innermost one. Whitespace is collapsed once for the whole block, and marks never touch spaces.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from webquarry._read.markdown.blocks import LINK_END, mark_link
from webquarry._read.text.characters import strip_invisible
from webquarry._read.text.escape import (
    escape,
    finish_line,
    fold_white,
    is_plain,
)

BREAK = "\u2028"  # a line break; the character means the same in a text
STRONG, EMPHASIS, STRUCK, LINK, RAISED, LOWERED = "**", "*", "~~", "link", "^", "~"
_MAX_USES = 16  # blocks that one link may cover; the rest of them is plain text
_MARKS_NEARBY = 3  # parts next to a mark in which the nearest character is searched

_AROUND_BREAK = re.compile("[ \u2028\u2029]*[\u2028\u2029][ \u2028\u2029]*")
_INSIDE_TEX = r"(?:[^\\]|\\[^()\[\]])"  # anything but another delimiter
_TEX = re.compile(
    rf"\\\(({_INSIDE_TEX}{{1,800}}?)\\\)"
    r"|(?<![\\$\w])\$(?![\s$])([^$]{1,300}?)(?<![\s\\])\$(?![\w$])"
    rf"|\\\[({_INSIDE_TEX}{{1,2000}}?)\\\]|(?<!\\)\$\$([^$]{{1,2000}}?)\$\$"
)
_SUPERSCRIPTS = str.maketrans("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ")
_SUBSCRIPTS = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
_RAISED_PLAIN = re.compile(
    r"(?:st|nd|rd|th|er|re|ère|e|ème|o|a|os|as|TM|SM|MD|®|™|©|\\?\*+|†|‡|§|#)", re.IGNORECASE
)


class Literal(str):
    """Text that is Markdown already: inline code, a formula, the mark of a note."""

    __slots__ = ()


class _Start(str):
    """The mark that starts emphasis."""

    __slots__ = ()


class _End(str):
    """The mark that ends emphasis."""

    __slots__ = ()


@dataclass(slots=True, eq=False)
class Span:
    """Emphasis or a link."""

    kind: str
    target: str = ""
    uses: int = 0


class Close:
    """The end of the innermost span."""


CLOSE = Close()
Piece = str | Span | Close


def render_inline(pieces: list[Piece], removed: Counter[str], *, typesets_tex: bool = False) -> str:
    """Return the Markdown of a block, in which all spans are closed.

    Removed characters are counted in `removed`. With `typesets_tex` a script of the page renders
    TeX between delimiters.
    """
    outer: list[str] = []
    levels: list[tuple[list[str], Span]] = []  # the parts around each open span, and the span
    texts: list[str] = []  # adjacent ones
    for piece in (*pieces, None):
        if type(piece) is str:
            texts.append(piece)
            continue
        if texts:
            outer.append(_write_text("".join(texts), removed, typesets_tex))
            texts = []
        if isinstance(piece, Span):
            levels.append((outer, piece))
            outer = []
        elif piece is CLOSE:
            content = _join_parts(outer)
            outer, span = levels.pop()
            _close_span(span, content, outer)
        elif piece is not None:
            outer.append(str(piece))
    return finish_line(_join_parts(outer))


def _write_text(text: str, removed: Counter[str], typesets_tex: bool) -> str:
    """Escape text and remove invisible characters."""
    if is_plain(text) and not typesets_tex:
        return text
    text = strip_invisible(fold_white(text), removed)
    return _escape_around_tex(text) if typesets_tex else escape(text)


def _escape_around_tex(text: str) -> str:
    """Escape text and put TeX between dollar signs."""
    parts: list[str] = []
    place = 0
    for found in _TEX.finditer(text):
        inline, display = found[1] or found[2], found[3] or found[4]
        formula = f"${inline}$" if inline else f"$${display}$$"
        parts += (escape(text[place : found.start()]), formula.replace("`", "'"))
        place = found.end()
    parts.append(escape(text[place:]))
    return "".join(parts)


def _close_span(span: Span, content: str, outer: list[str]) -> None:
    """Add the content of a span to the parts around it, with its outer spaces outside."""
    inner = content.strip()
    if not inner:
        outer.append(content)
        return
    start = len(content) - len(content.lstrip())
    if start:
        outer.append(content[:start])
    kind = span.kind
    if kind == LINK:
        _close_link(span, inner, outer)
    elif kind == LOWERED:
        outer.append(_shift(inner, _SUBSCRIPTS, "~"))
    elif kind != RAISED:
        _close_emphasis(kind, inner, outer)
    elif inner[0] in "[\x02" or _RAISED_PLAIN.fullmatch(inner):
        outer.append(inner)
    else:
        outer.append(_shift(inner, _SUPERSCRIPTS, "^"))
    end = start + len(inner)
    if end < len(content):
        outer.append(content[end:])


def _close_emphasis(mark: str, inner: str, outer: list[str]) -> None:
    """Add emphasis; directly after emphasis of the same kind it continues that."""
    follows_emphasis = bool(outer) and type(outer[-1]) is _End
    if follows_emphasis and outer[-1] == mark:
        outer[-1:] = [inner, _End(mark)]
        return
    if follows_emphasis:
        outer.append(" ")  # otherwise both marks would be read as one
    outer += [_Start(mark), inner, _End(mark)]


def _join_parts(parts: list[str]) -> str:
    """Join the parts of a line, without marks that are none in Markdown: those with a letter
    directly outside and none directly inside.
    """
    if len(parts) == 1:
        return parts[0]
    start = 0
    for place, part in enumerate(parts):
        if type(part) is _Start:
            start = place
            continue
        if type(part) is not _End:
            continue
        first = parts[start + 1].lstrip("*~")[:1]
        last = parts[place - 1].rstrip("*~")[-1:]
        parts_before = reversed(parts[max(start - _MARKS_NEARBY, 0) : start])
        before = next(filter(None, parts_before), " ")[-1]
        parts_after = parts[place + 1 : place + 1 + _MARKS_NEARBY]
        after = next(filter(None, parts_after), " ")[0]
        is_start_lost = before.isalnum() and not first.isalnum()
        is_end_lost = after.isalnum() and not last.isalnum()
        if is_start_lost or is_end_lost:
            parts[start] = parts[place] = ""
    return "".join(parts)


def _close_link(span: Span, inner: str, outer: list[str]) -> None:
    span.uses += 1
    if span.uses > _MAX_USES:
        outer.append(inner)
        return
    before = outer[-1] if outer else ""
    if before.endswith("!"):
        outer[-1] = before[:-1] + "\\!"  # otherwise the link would be an image
    elif before.endswith(LINK_END):
        outer.append(" ")  # the page's style separates adjacent links
    inner = _AROUND_BREAK.sub(" ", inner)
    outer.append(mark_link(inner, span.target))


def _shift(inner: str, characters: dict[int, int], mark: str) -> str:
    """Return raised or lowered characters if there are such, otherwise text between marks."""
    shifted = inner.translate(characters)
    if any(map(str.isascii, shifted)):
        return f"{mark}{inner}{mark}"
    return shifted
