"""Markdown -> the words a person reads in it, and how many.

Link targets and images are not read; neither is the backslash in front of an escaped character.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from webquarry._read.text.remember import found_once
from webquarry._read.text.signs import count_ascii_words

_IMAGE = re.compile(r"!\[[^\[\]]*\]\([^()\s]*\)")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)*+(?:\s+\"[^\"\n]*\")?\)")
_ESCAPE = re.compile(r"\\([^\w\s])")
# Begins with what is written, which is looked for faster than the start of each line.
_HEADING = re.compile(r"#(?<=^#)#{0,5}\s+(.+)$", re.MULTILINE)
# Whole runs only, so that a long one is looked at once.
_EMPHASIS = re.compile(
    r"(?<![\\*`])[*`]++(?=\S)|(?<=[^\s\\*`])[*`]++|(?<![\\\w])_++(?=\S)|(?<=[^\s\\_])_++(?!\w)"
)
_WORD = re.compile(r"[^\W_]+")
# Scripts that are written without blanks.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_CHARACTERS_PER_WORD = 2  # in those scripts


@dataclass(frozen=True)
class Words:
    """The words of one Markdown text."""

    markdown: str

    @found_once
    def text(self) -> str:
        """What is read, line by line."""
        text = self.markdown
        if "](" in text:
            if "!" in text:  # one sign is found many times as fast as the two of an image
                text = _IMAGE.sub("", text)
            text = _LINK.sub(r"\1", text)
        if "\\" not in text:
            return text
        return _ESCAPE.sub(r"\1", text)

    def read_without_links(self, is_excluded: Callable[[str], bool]) -> str:
        """Return the text without the links whose text is excluded."""
        if "](" not in self.markdown:
            return self.text

        def read_link(link: re.Match[str]) -> str:
            return "" if is_excluded(link[1]) else link[1]

        return _ESCAPE.sub(r"\1", _LINK.sub(read_link, _IMAGE.sub("", self.markdown)))

    @found_once
    def headings(self) -> list[str]:
        """The headings, in order."""
        return [heading.strip() for heading in _HEADING.findall(self.text)]

    @found_once
    def count(self) -> int:
        """How many words there are in all."""
        return count_words(self.text)

    @found_once
    def prose_count(self) -> int:
        """Words outside links and headings: a menu has none, an article almost nothing else."""
        prose = self.markdown
        if "](" in prose:
            if "!" in prose:
                prose = _IMAGE.sub("", prose)
            prose = _LINK.sub("", prose)
        if "#" in prose:
            prose = _HEADING.sub("", prose)
        return count_words(prose)


def read_line(markdown: str) -> str:
    """A line of Markdown as plain words, with one blank between them: without links, emphasis and
    escapes.
    """
    line = markdown
    if "*" in line or "`" in line or "_" in line:
        line = _EMPHASIS.sub("", line)
    return " ".join(Words(line).text.split())


def count_words(text: str) -> int:
    """How many words; scripts without blanks count two characters as one."""
    if text.isascii():
        return count_ascii_words(text)
    spaced, unspaced_characters = _UNSPACED.subn(" ", text)
    words = len(_WORD.findall(spaced))
    return words + unspaced_characters // _CHARACTERS_PER_WORD
