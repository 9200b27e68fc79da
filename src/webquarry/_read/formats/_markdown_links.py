"""Markdown that somebody else wrote -> the same with links and images as pages have them.

An image is its alternative text. A link keeps its text and its address, made absolute; where the
address could do harm or leads nowhere, only the text stays. Titles, and definitions that no link
uses, are seen by nobody and go.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from webquarry._read.formats._markdown_scan import SourceMark, find_blocks, find_marks
from webquarry._read.markdown.links import Links

_TITLE = r"(?:\"[^\"]{0,1000}+\"|'[^']{0,1000}+'|\([^()]{0,1000}+\))"
_GAP = r"[ \t]*+(?:\n[ \t]*+)?+"
# Parentheses within an address; a sign that is escaped is none of them, or an address would be read
# again from each place where it seems to begin.
_INNER = r"\((?:[^\s()\\]|\\.){0,1000}+\)"
_TARGET = re.compile(
    rf"\({_GAP}(?P<url><[^<>\n]{{0,5000}}+>|(?:[^\s()\\]++|\\.|{_INNER})*+)"
    rf"(?:{_GAP}{_TITLE})?+{_GAP}\)"
)
_LABEL = re.compile(r"\[(?P<label>(?:[^\[\]\\]++|\\.){0,999}+)\]")
_DEFINITION = re.compile(
    r"^(?:[ \t>]|(?:[-+*]|\d{1,9}[.)])(?=[ \t])){0,20}+\[(?P<label>(?:[^\[\]\\]++|\\.){1,999}+)\]:"
    rf"{_GAP}(?P<url><[^<>\n]{{0,5000}}+>|\S++)(?:{_GAP}{_TITLE}(?=[ \t]*+$))?+[ \t]*+(?:\n|\Z)",
    re.MULTILINE,
)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_FOOTNOTE = "^"
_LONGEST_LABEL = 999  # characters, by CommonMark


class _Cut(NamedTuple):
    """A stretch that goes, and what stands in its place."""

    start: int
    stop: int
    added: str = ""


class _Definition(NamedTuple):
    """An address that links may name by a label."""

    start: int
    stop: int
    head: str  # up to the end of the label
    written: str


def rewrite_links(text: str, page_url: str) -> str:
    """The text with its links and images as pages have them."""
    if "](" not in text and "]:" not in text and "<" not in text and "![" not in text:
        return text
    return _Rewriting(text, page_url).run()


class _Rewriting:
    """One pass over the marks of a text."""

    def __init__(self, text: str, page_url: str) -> None:
        self._text = text
        self._links = Links(page_url)
        self._cuts: list[_Cut] = []
        self._used: set[str] = set()  # labels that a link names
        self._definitions = self._find_definitions()

    def run(self) -> str:
        """The text after its marks have been looked at."""
        opened: list[SourceMark] = []
        innermost: SourceMark | None = None  # an opening with no bracket behind it so far
        done = 0
        definitions = iter(sorted(self._definitions.values()))
        definition = next(definitions, None)
        for mark in find_marks(self._text, knows_html=False):
            while definition and definition.stop <= mark.start:
                definition = next(definitions, None)
            is_defined_here = definition is not None and definition.start <= mark.start
            if mark.start < done or is_defined_here:
                continue
            if mark.kind == "open":
                opened.append(mark)
                innermost = mark
            elif mark.kind == "close" and opened:
                opening = opened.pop()
                done = self._close(opening, mark, has_brackets=opening is not innermost)
                innermost = None
            elif mark.kind == "address":
                self._check_address(mark)
            elif mark.kind == "less":  # no tag is left, and none may come of what is
                self._cuts.append(_Cut(mark.start, mark.stop, "\\<"))
        self._cut_definitions()
        return apply_cuts(self._text, self._cuts)

    def _close(self, opening: SourceMark, closing: SourceMark, *, has_brackets: bool) -> int:
        """A pair of brackets, with others in between or not: an image, a link or neither. Gives
        where the marks go on.
        """
        text = self._text
        is_image = text[opening.start] == "!"
        target = _TARGET.match(text, closing.stop)
        if target:
            if is_image:
                self._drop_marks(opening, closing, target.end())
            else:
                self._rewrite_target(opening, closing, target)
            return target.end()
        label = _LABEL.match(text, closing.stop)
        stop = label.end() if label else closing.stop
        name = label["label"] if label else ""
        # Looking at what is no label would take the square of the text where brackets are nested.
        is_label = not has_brackets and closing.start - opening.stop <= _LONGEST_LABEL
        if is_label and not name.strip():
            name = text[opening.stop : closing.start]
        key = fold_label(name)
        if key in self._definitions:
            if is_image:
                self._drop_marks(opening, closing, stop)
            elif self._definitions[key].written:
                self._used.add(key)
            else:
                self._drop_marks(opening, closing, stop)
            return stop
        if is_image and label:
            self._drop_marks(opening, closing, stop)
            return stop
        return closing.stop

    def _drop_marks(self, opening: SourceMark, closing: SourceMark, stop: int) -> None:
        """Only the text between the brackets stays."""
        self._cuts += [_Cut(opening.start, opening.stop), _Cut(closing.start, stop)]

    def _rewrite_target(
        self, opening: SourceMark, closing: SourceMark, target: re.Match[str]
    ) -> None:
        written = self._resolve(target["url"])
        if written:
            self._cuts.append(_Cut(closing.start, target.end(), f"]({written})"))
        else:
            self._drop_marks(opening, closing, target.end())

    def _check_address(self, mark: SourceMark) -> None:
        """`<https://...>` stays, but for what could do harm: that becomes text."""
        if not self._resolve(self._text[mark.start : mark.stop]):
            self._cuts.append(_Cut(mark.start, mark.start + 1, "\\<"))

    def _resolve(self, written: str) -> str:
        """The whole address as Markdown has it; empty where it leads nowhere or does harm."""
        if written.startswith("<"):
            written = written[1:-1]
        return self._links.absolute(_ESCAPED.sub(r"\1", written)) or ""

    def _find_definitions(self) -> dict[str, _Definition]:
        """The addresses by their labels; the first of a label counts."""
        definitions: dict[str, _Definition] = {}
        if "]:" not in self._text:
            return definitions
        end = len(self._text)
        code = find_blocks(self._text, knows_html=False).code
        blocks = iter([*code, (end, end)])
        start, stop = next(blocks)
        for found in _DEFINITION.finditer(self._text):
            while stop <= found.start() and stop < end:
                start, stop = next(blocks)
            if start <= found.start() < stop or found["label"].startswith(_FOOTNOTE):
                continue
            key = fold_label(found["label"])
            if key in definitions:
                self._cuts.append(_Cut(found.start(), found.end()))
                continue
            head = self._text[found.start() : found.end("label")]
            written = self._resolve(found["url"])
            definitions[key] = _Definition(found.start(), found.end(), head, written)
        return definitions

    def _cut_definitions(self) -> None:
        """Definitions that links use are written anew, the others go."""
        for key, definition in self._definitions.items():
            added = ""
            if key in self._used:
                added = f"{definition.head}]: {definition.written}\n"
            self._cuts.append(_Cut(definition.start, definition.stop, added))


def fold_label(label: str) -> str:
    """A label as labels are compared."""
    return " ".join(label.casefold().split())


def apply_cuts(text: str, cuts: Sequence[_Cut]) -> str:
    """The text with every cut made; one that begins within another is left out."""
    parts: list[str] = []
    done = 0
    for cut in sorted(cuts):
        if cut.start < done:
            continue
        parts += [text[done : cut.start], cut.added]
        done = cut.stop
    parts.append(text[done:])
    return "".join(parts)
