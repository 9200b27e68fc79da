"""An article as Markdown and a fragment of a URL -> the article with that section in front."""

from __future__ import annotations

from urllib.parse import unquote


def put_section_first(article: str, fragment: str) -> str:
    """The article with the section that a URL names in front."""
    wanted = unquote(fragment).replace("_", " ").strip()
    if not wanted:
        return article
    lines = article.split("\n")
    for start, line in enumerate(lines):
        if line.startswith("#") and line.lstrip("# ").strip() == wanted:
            level = len(line) - len(line.lstrip("#"))
            stop = _find_end(lines, start + 1, level)
            section = "\n".join(lines[start:stop]).strip()
            rest = "\n".join(lines[:start] + lines[stop:]).strip()
            return f"{section}\n\n---\n\n{rest}"
    return article


def _find_end(lines: list[str], start: int, level: int) -> int:
    """The line behind a section: that of the next heading which is as high."""
    for number in range(start, len(lines)):
        line = lines[number]
        depth = len(line) - len(line.lstrip("#"))
        if 0 < depth <= level and line[depth : depth + 1] == " ":
            return number
    return len(lines)
