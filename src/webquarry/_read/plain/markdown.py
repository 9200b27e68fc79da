"""Markdown -> the words of the document, without the marks that Markdown has and the document has
not. For documents that are no HTML: there the tree itself is read (`html.py`).

Read line by line: what a heading, a quote, a list or a table puts before a line goes, and of the
line the marks of emphasis, code, links and escapes. A number of a list stays, but may be left out
by whoever quotes. Lines `[page 3]`, which our own conversion of PDF writes, are places, not words.
"""

from __future__ import annotations

import re

from webquarry._read.plain.words import PageWords
from webquarry._read.plain.writer import WordWriter

_PAGE = re.compile(r"\[page (\d{1,6})\]\s*$")
_QUOTE = re.compile(r"(?:\s{0,3}>\s?)+")
_HEADING = re.compile(r"\s{0,3}(#{1,6})(?:\s+|$)")
_BULLET = re.compile(r"\s*[-*+]\s+(?:\[[ xX]\]\s+)?")
_NUMBER = re.compile(r"\s*(\d{1,9}[.)])\s+")
_RULE = re.compile(r"\s{0,3}(?:[-*_]\s*){3,}$|\s*\|?(?:\s*:?-{2,}:?\s*\|)+\s*(?::?-{2,}:?)?\s*$")
_FENCE = re.compile(r"\s{0,12}(`{3,}|~{3,})")
_DEFINITION = re.compile(r"\s{0,3}\[[^\]\n]{1,200}\]:\s+\S+")
# What is taken out of a line, the longest first; possessive, so that no line is read twice.
_INLINE = re.compile(
    r"\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|!\[(?P<alt>[^\[\]\n]{0,500})\]\((?:[^()\n]|\([^()\n]*\)){0,2000}\)"
    r"|\[\^(?P<note>[^\[\]\s]{1,40})\](?P<colon>:?)"
    r"|\]\((?:[^()\s]|\([^()\s]*\)){0,2000}(?:\s+\"[^\"\n]{0,500}\")?\)"
    r"|(?P<sup></?su[pb]>)"
    r"|<(?P<auto>https?://[^\s<>]{1,2000})>"
    r"|(?P<tag></?[a-zA-Z][^<>\n]{0,500}>)"
    r"|(?P<mark>\*{1,3}|~~|`+|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|\|)"
    r"|(?P<open>\[)"
    r"|(?P<close>\])"
)
_LINK_BEHIND = re.compile(r"[^\[\]\n]{0,500}\]\(")


def read_markdown_words(title: str, markdown: str, *, verbatim: bool = False) -> PageWords:
    """The words of a document; a `verbatim` one is text, every mark of which is its own."""
    writer = WordWriter()
    if verbatim:
        if title:
            writer.add_title(title)
        writer.add_verbatim(markdown)
        return writer.finish(may_have_furniture=True)
    writer.add_title(title)
    reading = _MarkdownReading(writer)
    for line in markdown.split("\n"):
        reading.add_line(line)
    return writer.finish()


class _MarkdownReading:
    """Reads a document line by line."""

    def __init__(self, writer: WordWriter) -> None:
        self._writer = writer
        self._fence = ""

    def add_line(self, line: str) -> None:
        """The words of one line."""
        writer = self._writer
        fence = _FENCE.match(line)
        if self._fence:
            if fence and fence[1].startswith(self._fence) and not line[fence.end() :].strip():
                self._fence = ""
                return
            writer.break_line()
            writer.add(line, verbatim=True)
            writer.break_line()
            return
        if fence:
            self._fence = fence[1]
            return
        page = _PAGE.match(line)
        if page:
            writer.mark_page(int(page[1]))
            return
        if not line.strip() or _RULE.match(line) or _DEFINITION.match(line):
            writer.break_line()
            return
        self._add_words(line)

    def _add_words(self, line: str) -> None:
        writer = self._writer
        place = 0
        quote = _QUOTE.match(line)
        if quote:
            place = quote.end()
        heading = _HEADING.match(line, place)
        if heading:
            writer.break_line()
            writer.open_heading(len(heading[1]))
            self._add_inline(line[heading.end() :].rstrip("# \t") or line[heading.end() :])
            writer.close_heading()
            writer.break_line()
            return
        bullet = _BULLET.match(line, place)
        number = _NUMBER.match(line, place)
        if bullet:
            writer.break_line()
            place = bullet.end()
        elif number:
            writer.break_line()
            start = writer.open_aside()
            writer.add(number[1])
            writer.mark_aside(start)
            writer.add(" ")
            place = number.end()
        self._add_inline(line[place:])
        writer.add(" ")

    def _add_inline(self, text: str) -> None:
        """A line without the marks in it."""
        writer = self._writer
        place = 0
        raised = -1
        brackets: list[bool] = []  # of those that are open, whether it is a link
        for found in _INLINE.finditer(text):
            writer.add(text[place : found.start()])
            place = found.end()
            if found["escaped"]:
                writer.add(found["escaped"])
            elif found["note"]:
                start = writer.open_aside()
                writer.add(f"[{found['note']}]")
                writer.mark_aside(start)
            elif found["sup"] == "<sup>":
                raised = writer.open_aside()
            elif found["sup"] == "</sup>" and raised >= 0:
                writer.close_aside(raised, is_reading=False, is_linked=False)
                raised = -1
            elif found["auto"]:
                writer.add(found["auto"])
            elif found["mark"] == "|":
                writer.break_cell()
            elif found["open"]:
                is_link = _LINK_BEHIND.match(text, place) is not None
                brackets.append(is_link)
                if not is_link:
                    writer.add("[")
            elif found["close"]:
                if not brackets or not brackets.pop():
                    writer.add("]")
            elif found[0].startswith("](") and not (brackets and brackets.pop()):
                writer.add(found[0])
        writer.add(text[place:])
