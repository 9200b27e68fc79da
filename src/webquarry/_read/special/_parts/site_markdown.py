"""The shape that every page read by an interface has: a title, one line of facts, the text, and
what others said below it as nested lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from webquarry._read.markdown.compose import Composer

DEEPEST = 8  # levels of lists; what lies deeper stays there
_SIZES = ("B", "kB", "MB", "GB")


def join_blocks(blocks: Iterable[str]) -> str:
    """Blocks of Markdown one below the other; empty ones are left out."""
    return "\n\n".join(filter(None, blocks))


def join_facts(facts: Iterable[str]) -> str:
    """Facts in one line; empty ones are left out."""
    return " · ".join(filter(None, facts))


def write_markdown(composer: Composer, value: object, url: str) -> str:
    """Markdown that a site's user wrote, as safe as a page of Markdown; its links are those of a
    page at this URL.
    """
    from webquarry._read.markdown.foreign import filter_markdown

    if not isinstance(value, str) or not value.strip():
        return ""
    text, removed = filter_markdown(value, url)
    composer.removed.update(removed)
    return text.strip()


def write_code(composer: Composer, text: str, language: str = "") -> str:
    """Code in a fence that nothing in it can end."""
    from webquarry._read.markdown.code import fence_code

    return fence_code(text, language, composer.removed)


def write_nested(text: str, depth: int) -> str:
    """A text of several lines as an item of a list that is itself indented; its further lines stand
    below the first one.
    """
    indent = "    " * min(depth, DEEPEST)
    first, *others = text.split("\n")
    lines = [f"{indent}-   {first}"]
    for line in others:
        if line:
            line = f"{indent}    {line}"
        lines.append(line)
    return "\n".join(lines)


def write_rows(composer: Composer, rows: Sequence[tuple[str, str]]) -> str:
    """Facts as a table of two columns; those without a value are left out. Values are plain."""
    lines = []
    for name, value in rows:
        one_line = composer.name(value).replace("|", "\\|")
        if one_line:
            lines.append(f"| {name} | {one_line} |")
    if not lines:
        return ""
    return "\n".join(["| | |", "| --- | --- |", *lines])


def format_size(size: int | None) -> str:
    """Bytes as people read them: `20.5 kB`."""
    if size is None:
        return ""
    amount = float(size)
    for unit in _SIZES:
        if amount < 1000 or unit == _SIZES[-1]:
            break
        amount /= 1000
    if unit == "B":
        return f"{size} B"
    return f"{amount:.1f} {unit}"


def count(number: int | None, noun: str) -> str:
    """`1 point`, `2 points`; empty where the number is not known."""
    if number is None:
        return ""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun}s"
