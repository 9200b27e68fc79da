"""The pieces of one block -> a line or more of Markdown.

A piece is text as it stands in the page, a `Literal` that is Markdown already, a `Span` that opens,
or CLOSE for the innermost one. White space is folded here, once for the whole block, and marks
never touch the blanks beside them.
"""

from __future__ import annotations

import re
from collections import Counter

from webquarry._read.markdown.blocks import LINK_END, mark_link
from webquarry._read.text.characters import strip_invisible
from webquarry._read.text.escape import (
    escape,
    finish_line,
    fold_white,
    write_part,
    write_plain,
)

# a line break in the page; the character means just that, so one found in the text does too
BREAK = "\u2028"
STRONG, EMPHASIS, STRUCK, LINK, RAISED, LOWERED = "**", "*", "~~", "link", "^", "~"
_MOST_USES = 16  # blocks that one link may cover; the rest of them is plain text
_MARKS_BESIDE = 3  # parts beside a mark in which the nearest character is looked for

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
    """Text that is Markdown already: a code span, a formula, a note mark."""

    __slots__ = ()


class _Start(str):
    """The mark that starts an emphasis."""

    __slots__ = ()


class _End(str):
    """The mark that ends an emphasis."""

    __slots__ = ()


class Span:
    """Something that marks a stretch of text: emphasis, a link."""

    def __init__(self, kind: str, target: str = "") -> None:
        self.kind = kind
        self.target = target
        self.uses = 0


class Close:
    """The end of the innermost span."""

    __slots__ = ()


CLOSE = Close()
Piece = str | Span | Close


class Inline:
    """Makes Markdown of pieces; counts the characters it takes out."""

    def __init__(self, removed: Counter[str], *, typesets_tex: bool = False) -> None:
        self._removed = removed
        # a script of the page makes formulas of TeX between delimiters
        self._typesets_tex = typesets_tex

    def render_plain(self, texts: list[str]) -> str:
        """A block without any marks."""
        text = texts[0] if len(texts) == 1 else "".join(texts)
        if not self._typesets_tex:
            written = write_plain(text)
            if written is not None:  # as nearly all are
                return written
        return finish_line(self._write_text([text]))

    def render(self, pieces: list[Piece]) -> str:
        """A block with marks, all of them closed."""
        if len(pieces) == 3 and pieces[2] is CLOSE and type(pieces[1]) is str:
            return self._render_single(pieces[0], pieces[1])  # type: ignore[arg-type]
        outer: list[str] = []
        levels: list[tuple[list[str], Span]] = []  # what stands around each open span, and the span
        texts: list[str] = []  # those that stand side by side
        for piece in pieces:
            if type(piece) is str:
                texts.append(piece)
                continue
            if texts:
                outer.append(self._write_text(texts))
                texts = []
            if type(piece) is Span:
                levels.append((outer, piece))
                outer = []
            elif piece is CLOSE:
                content = _join_parts(outer)
                outer, span = levels.pop()
                _close_span(span, content, outer)
            else:
                outer.append(str(piece))
        if texts:
            outer.append(self._write_text(texts))
        return finish_line(_join_parts(outer))

    def _render_single(self, span: Span, text: str) -> str:
        """Nothing but one span of text, as in most lists of links."""
        outer: list[str] = []
        _close_span(span, self._write_text([text]), outer)
        return finish_line("".join(outer))

    def _write_text(self, texts: list[str]) -> str:
        """Adjacent texts as one: folded, cleaned, escaped."""
        text = texts[0] if len(texts) == 1 else "".join(texts)
        if not self._typesets_tex:
            written = write_part(text)
            if written is not None:
                return written
        text = strip_invisible(fold_white(text), self._removed)
        if self._typesets_tex and ("$" in text or "\\" in text):
            return _escape_around_tex(text)
        return escape(text)


def _escape_around_tex(text: str) -> str:
    """Text in which TeX stands between delimiters, which become dollar signs."""
    parts: list[str] = []
    place = 0
    for found in _TEX.finditer(text):
        parts.append(escape(text[place : found.start()]))
        inline, display = found[1] or found[2], found[3] or found[4]
        formula = f"$${display}$$"
        if inline:
            formula = f"${inline}$"
        parts.append(formula.replace("`", "'"))  # a tick would start code
        place = found.end()
    parts.append(escape(text[place:]))
    return "".join(parts)


def _close_span(span: Span, content: str, outer: list[str]) -> None:
    """Put what a span holds behind what stands before it, with its blanks outside."""
    inner = content.strip()  # of every kind of blank: no mark counts beside one
    if not inner:
        if content:
            outer.append(content)
        return
    start = 0
    if len(inner) < len(content):
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
    """Emphasis right behind emphasis of the same kind goes on where that one ended."""
    follows_emphasis = bool(outer) and type(outer[-1]) is _End
    if follows_emphasis and outer[-1] == mark:
        outer[-1] = inner
        outer.append(_End(mark))
        return
    if follows_emphasis:
        outer.append(" ")  # the two marks would be read as one
    outer += [_Start(mark), inner, _End(mark)]


def _join_parts(parts: list[str]) -> str:
    """The parts of a line; marks that Markdown would take for letters, because of what is beside
    them, are left out: a letter stands right outside where none stands right inside.
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
        first = parts[start + 1].lstrip("*~")[:1]  # nested marks aside
        last = parts[place - 1].rstrip("*~")[-1:]
        parts_before = reversed(parts[max(start - _MARKS_BESIDE, 0) : start])
        before = next(filter(None, parts_before), " ")[-1]
        parts_after = parts[place + 1 : place + 1 + _MARKS_BESIDE]
        after = next(filter(None, parts_after), " ")[0]
        is_start_lost = before.isalnum() and not first.isalnum()
        is_end_lost = after.isalnum() and not last.isalnum()
        if is_start_lost or is_end_lost:
            parts[start] = parts[place] = ""
    return "".join(parts)


def _close_link(span: Span, inner: str, outer: list[str]) -> None:
    span.uses += 1
    if span.uses > _MOST_USES:
        outer.append(inner)
        return
    before = outer[-1] if outer else ""
    if before.endswith("!"):
        outer[-1] = before[:-1] + "\\!"  # otherwise the link would be an image
    elif before.endswith(LINK_END):
        outer.append(" ")  # links side by side are set apart by the page's style
    if not inner.isascii() and (BREAK in inner or "\u2029" in inner):
        inner = _AROUND_BREAK.sub(" ", inner)
    outer.append(mark_link(inner, span.target))


def _shift(inner: str, characters: dict[int, int], mark: str) -> str:
    """Raised or lowered text in characters of its own where there are some, else between marks."""
    shifted = inner.translate(characters)
    if any(map(str.isascii, shifted)):
        return f"{mark}{inner}{mark}"
    return shifted
