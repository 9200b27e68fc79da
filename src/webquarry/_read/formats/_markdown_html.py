"""Markdown with HTML in it -> Markdown without: its tags are read as those of a page are.

Every stretch of text between two tags becomes a token, the tags and tokens are converted as a page
is, and the texts are put back in place of the tokens that are still there. So what a tag or a style
sheet hides is gone with its text, images are their alternative texts, and the Markdown around the
tags stays as it was written. The tokens hold a digest of the text, so that no text can name one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from hashlib import sha256
from typing import NamedTuple

from webquarry._read.formats._markdown_scan import SourceMark, find_blocks, find_marks
from webquarry._read.html.parse import parse_html
from webquarry._read.markdown.convert import to_markdown

_KNOWN = frozenset(
    """
    a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big
    blink blockquote body br button canvas caption center cite code col colgroup command content
    data datalist dd del details dfn dialog dir div dl dt element em embed fieldset figcaption
    figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe
    image img input ins isindex kbd keygen label legend li link listing main map mark marquee math
    menu menuitem meta meter multicol nav nextid nobr noembed noframes noscript object ol optgroup
    option output p param picture plaintext portal pre progress q rb rp rt rtc ruby s samp script
    search section select shadow slot small source spacer span strike strong style sub summary sup
    svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr
    xmp
    """.split()  # noqa: SIM905
)
# Elements in whose content Markdown goes on, blank lines and all.
_BOXES = frozenset(
    """
    article aside blockquote body center details dialog div fieldset figure footer form header html
    main nav section
    """.split()  # noqa: SIM905
)
# Elements in which a line of Markdown cannot end.
_ROWS = frozenset("table ul ol dl dir menu select".split())  # noqa: SIM905
_VERBATIM = frozenset("script style pre textarea xmp listing noscript".split())  # noqa: SIM905
_VOID = frozenset(
    """
    area base br col embed hr image img input link meta param source track wbr
    """.split()  # noqa: SIM905
)
_NAME = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_LINE_PARTS = re.compile(r"[ \t\r\n]+|[^\n]*[^ \t\r\n]")


class WithoutHtml(NamedTuple):
    """Markdown without HTML, and what was taken out of it."""

    text: str
    removed: Mapping[str, int]


def convert_tags(text: str, page_url: str) -> WithoutHtml:
    """The text with its HTML read as that of a page is."""
    if "<" not in text:
        return WithoutHtml(text, {})
    writing = _TokenWriter(text)
    writing.run()
    if not writing.has_html:
        return WithoutHtml(writing.write_escaped(), {})
    page = to_markdown(parse_html(writing.page()), page_url)
    return WithoutHtml(writing.put_back(page.text), page.removed)


class _TokenWriter:
    """Writes a page of tags and tokens, and knows the text of each token."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self._texts: list[str] = []
        self._parts: list[str] = []
        self._segment: list[str] = []  # of text since the last tag
        self._opened: list[str] = []
        self._counts: Counter[str] = Counter()  # of those that are open
        self._rows = 0  # how many of those keep their lines together
        self._has_styles = "<style" in text.lower()
        self.has_html = False

    def run(self) -> None:
        """Walk through the text."""
        text = self._text
        lowered = text.lower()
        marks = [mark for mark in find_marks(text) if mark.kind in ("tag", "comment", "less")]
        blocks = [SourceMark("block", start, stop) for start, stop in find_blocks(text).html]
        done = 0
        for mark in sorted([*marks, *blocks], key=lambda mark: mark.start):
            if mark.start < done:
                continue
            self._segment.append(text[done : mark.start])
            done = mark.stop
            if mark.kind == "comment":
                self.has_html = True
                continue
            if mark.kind == "block":
                self.has_html = True
                self._write_segment()
                block = text[mark.start : mark.stop].rstrip("\n")
                self._parts.append(block)
                done = mark.start + len(block)
                continue
            tag = text[mark.start : mark.stop]
            name = "" if mark.kind == "less" else self._read_name(tag)
            if not name:
                self._segment.append("\\" + tag)
                continue
            self.has_html = True
            self._write_segment()
            if name in _VERBATIM and tag[1] != "/":
                end = lowered.find(f"</{name}", mark.stop)
                done = len(text) if end < 0 else end
                tag = text[mark.start : done]
            self._write_tag(tag, name)
        self._segment.append(text[done:])
        self._write_segment()

    def _read_name(self, tag: str) -> str:
        """The name of a tag; empty where it is a word in angle brackets, such as `Vec<T>`."""
        found = _NAME.match(tag)
        assert found is not None
        name = found[1].lower()
        is_word = name not in _KNOWN and not tag[found.end() : -1].strip(" /\n\t")
        if is_word and not self._has_styles and not self._counts[name]:
            return ""
        return name

    def _write_tag(self, tag: str, name: str) -> None:
        if tag[1] == "/":
            while self._counts[name]:
                closed = self._opened.pop()
                self._counts[closed] -= 1
                self._rows -= closed in _ROWS
                if closed == name:
                    break
        elif name not in _VOID and name not in _VERBATIM and not tag.endswith("/>"):
            self._opened.append(name)
            self._counts[name] += 1
            self._rows += name in _ROWS
        self._parts.append(tag)

    def _write_segment(self) -> None:
        """The text since the last tag, as tokens: as one, or where its lines belong together, as
        one for each line.
        """
        segment = "".join(self._segment)
        self._segment = []
        if not segment:
            return
        is_in_box = not self._opened or self._opened[-1] in _BOXES
        has_blank_line = _BLANK_LINE.search(segment) is not None
        if not self._rows and (is_in_box or has_blank_line):
            self._write_token(segment)
            return
        for part in _LINE_PARTS.findall(segment):
            if part.isspace():
                self._parts.append(part)
            else:
                self._write_token(part)

    def _write_token(self, text: str) -> None:
        self._parts.append(f"\ue000{self._digest}x{len(self._texts)}\ue001")
        self._texts.append(text)

    def page(self) -> str:
        """The page to be converted."""
        return "".join(self._parts)

    def write_escaped(self) -> str:
        """The text where there was no tag in it."""
        return "".join(self._texts)

    def put_back(self, converted: str) -> str:
        """A converted page with the texts in place of their tokens."""
        token = re.compile(f"\ue000{self._digest}x(\\d+)\ue001")
        parts: list[str] = []
        blank_lines = 2  # line ends at the end of what is written, at most two
        pieces = token.split(converted)
        for place, piece in enumerate(pieces):
            text = self._texts[int(piece)] if place % 2 else piece
            bare = text.lstrip("\n")
            breaks = min(len(text) - len(bare), 2 - blank_lines)
            parts += ["\n" * breaks, bare]
            if bare:
                blank_lines = min(2, len(bare) - len(bare.rstrip("\n")))
            else:
                blank_lines += breaks
        return "".join(parts).strip("\n")
