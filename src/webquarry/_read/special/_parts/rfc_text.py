"""The plain text of an RFC or a draft -> Markdown: headings by their numbers, paragraphs joined,
figures in fences; page breaks, running heads and the table of contents are left out.
"""

from __future__ import annotations

import re

from webquarry._read.markdown.compose import Composer
from webquarry._read.special._parts.site_markdown import join_blocks, write_code

_FOOTER = re.compile(r"\S.{0,90}\[Page [0-9ivxl]{1,6}\]\s*")
_HEADER = re.compile(r"(?:RFC [0-9]{1,5}|Internet-Draft) {2,40}\S.{0,90}[0-9]{4}\s*")
_NUMBERED = re.compile(r"((?:[0-9]{1,3}\.){1,8}|[0-9]{1,3}(?:\.[0-9]{1,3}){1,7}) {1,3}(\S.{0,150})")
_APPENDIX = re.compile(r"(?:Appendix )?[A-Z](?:\.[0-9]{1,3}){0,6}\.? {1,3}\S.{0,150}")
_ITEM = re.compile(r"(?:[o*+-]|[0-9]{1,3}[.)]|\([a-z0-9]{1,3}\)) {1,4}(?=\S)")
_CONTENTS = re.compile(r"table of contents", re.IGNORECASE)
_TEXT_INDENT = 3


def write_rfc_text(text: str, composer: Composer) -> str:
    """The text from its abstract on; what stands above it the record says better."""
    lines = _drop_page_breaks(text.replace("\r\n", "\n").split("\n"))
    blocks = []
    skipping = True  # the head of the first page, later the table of contents
    for paragraph in _split_paragraphs(lines):
        heading = _read_heading(paragraph)
        if heading:
            level, title = heading
            skipping = bool(_CONTENTS.fullmatch(title))
            if not skipping:
                blocks.append(f"{'#' * level} {composer.name(title)}")
        elif not skipping:
            blocks.append(_write_paragraph(paragraph, composer))
    return join_blocks(blocks)


def _drop_page_breaks(lines: list[str]) -> list[str]:
    """The lines without feet and heads of pages; a paragraph that goes on behind them is one."""
    kept: list[str] = []
    after_break = False
    for raw in lines:
        line = raw.replace("\f", "").rstrip()
        if _FOOTER.fullmatch(line):
            after_break = True
            while kept and not kept[-1]:
                kept.pop()
            continue
        if after_break and (not line or _HEADER.fullmatch(line)):
            continue
        if after_break:
            after_break = False
            if not _goes_on(kept, line):
                kept.append("")
        kept.append(line)
    return kept


def _goes_on(kept: list[str], line: str) -> bool:
    """Whether a line behind a page break continues the sentence before it."""
    if not kept or not kept[-1]:
        return False
    is_open = not kept[-1].endswith((".", ":", "!", "?"))
    return is_open and line.startswith(" " * _TEXT_INDENT) and line.strip()[:1].islower()


def _split_paragraphs(lines: list[str]) -> list[list[str]]:
    """Lines between blank ones."""
    paragraphs: list[list[str]] = []
    current: list[str] = []
    for line in lines:
        if line:
            current.append(line)
        elif current:
            paragraphs.append(current)
            current = []
    if current:
        paragraphs.append(current)
    return paragraphs


def _read_heading(paragraph: list[str]) -> tuple[int, str] | None:
    """The level and the title of a heading: it stands at the margin, alone."""
    first = paragraph[0]
    if first.startswith(" ") or len(paragraph) > 2:
        return None
    title = " ".join(" ".join(paragraph).split())
    numbered = _NUMBERED.fullmatch(first)
    if numbered:
        depth = numbered[1].strip(".").count(".")
        return min(2 + depth, 6), title
    is_title = title[:1].isupper() and len(title) < 100 and not title.endswith((".", ",", ";"))
    if _APPENDIX.fullmatch(first) or is_title:
        return 2, title
    return None


def _write_paragraph(paragraph: list[str], composer: Composer) -> str:
    """Prose in one line, an item as an item; what is indented further is a figure."""
    indent = min(len(line) - len(line.lstrip()) for line in paragraph)
    texts = [line.strip() for line in paragraph]
    item = _ITEM.match(texts[0])
    if item and indent <= _TEXT_INDENT + 3:
        rest = " ".join([texts[0][item.end() :], *texts[1:]])
        return f"- {composer.name(rest)}"
    if indent > _TEXT_INDENT or _is_drawn(texts):
        figure = "\n".join(line[indent:] for line in paragraph)
        return write_code(composer, figure)
    return composer.paragraphs(" ".join(texts))


def _is_drawn(texts: list[str]) -> bool:
    """Whether lines are a drawing or a table, not prose."""
    drawn = sum("   " in text or text.startswith(("+-", "|")) for text in texts)
    return drawn * 2 > len(texts)
