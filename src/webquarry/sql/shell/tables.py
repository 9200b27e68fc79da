"""Cells of text -> a table that fits the terminal.

Where the columns do not fit beside each other, the widest are cut; where too little would be left
of them, each row stands as a record, a line for each column. Numbers are never cut. Widths are
those of a terminal, where some characters take two cells.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

from webquarry.reprs.counts import count_noun

_WIDEST_CELL = 80  # where no width is known
_LEAST_CELL = 10  # a text of which less is left says nothing
_MOST_LINES = 4  # of one value in a record
_LEAST_WIDTH = 20


def render_table(
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    are_numbers: Sequence[bool],
    width: int | None = None,
) -> str:
    """The rows for a person, no line wider than `width`; None: as wide as the cells are."""
    footer = f"({count_noun(len(rows), 'row')})\n"
    if width is not None:
        width = max(width, _LEAST_WIDTH)
    widths = _find_widths(names, rows, are_numbers, width)
    if widths is None:
        return _render_records(names, rows, width or _LEAST_WIDTH) + footer
    lines = [_render_row(names, widths, [False] * len(names))]
    lines.append("+".join("-" * (cells + 2) for cells in widths))
    for row in rows:
        lines.append(_render_row(row, widths, are_numbers))
    return "\n".join(lines) + "\n" + footer


def _find_widths(
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    are_numbers: Sequence[bool],
    width: int | None,
) -> list[int] | None:
    """How wide each column is; None where the columns do not fit beside each other."""
    widest = width or _WIDEST_CELL
    natural = []
    for column in zip(names, *rows, strict=True):
        natural.append(min(widest, max(map(cell_len, column))))
    if width is None:
        return natural
    room = width - 3 * len(natural) + 1  # the rule has two dashes more for each, and a + between
    room -= sum(cells for cells, is_number in zip(natural, are_numbers, strict=True) if is_number)
    texts = [cells for cells, is_number in zip(natural, are_numbers, strict=True) if not is_number]
    most = _find_most(texts, room)
    if most is None:
        return None
    widths = []
    for cells, is_number in zip(natural, are_numbers, strict=True):
        widths.append(cells if is_number else min(cells, most))
    return widths


def _find_most(widths: Sequence[int], room: int) -> int | None:
    """The width to which all wider columns are cut so that they fit into the room; None where too
    little would be left.
    """
    most = room
    left = len(widths)
    for cells in sorted(widths):
        most = room // left
        if cells > most:
            return most if most >= _LEAST_CELL else None
        room -= cells
        left -= 1
    return max(widths, default=0) if room >= 0 else None


def _render_row(cells: Sequence[str], widths: Sequence[int], are_numbers: Sequence[bool]) -> str:
    """Cells beside each other; numbers stand on the right."""
    padded = []
    for cell, width, is_number in zip(cells, widths, are_numbers, strict=True):
        text = shorten(cell, width)
        blanks = " " * (width - cell_len(text))
        padded.append(blanks + text if is_number else text + blanks)
    return (" " + " | ".join(padded)).rstrip()


def _render_records(names: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> str:
    """Each row as a record: the names on the left, the values over some lines beside them."""
    left = min(max(map(cell_len, names)), width // 3)
    lines = []
    for number, row in enumerate(rows, 1):
        title = f"-[ {number:,} ]"
        lines.append(title + "-" * (width - len(title)))
        for name, value in zip(names, row, strict=True):
            label = shorten(name, left)
            label += " " * (left - cell_len(label))
            for piece in _wrap(value, width - left - 4):
                lines.append(f" {label} | {piece}".rstrip())
                label = " " * left
    return "".join(f"{line}\n" for line in lines)


def _wrap(text: str, width: int) -> list[str]:
    """A text in lines at its blanks; of a long one the first lines."""
    lines = [""]
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}".strip()
        if cell_len(joined) <= width:
            lines[-1] = joined
            continue
        rest = word
        if not lines[-1]:
            lines.pop()
        while rest and len(lines) <= _MOST_LINES:
            lines.append(_take_cells(rest, width))
            rest = rest[len(lines[-1]) :]
        if len(lines) > _MOST_LINES:
            last = shorten(lines[_MOST_LINES - 1], width - 1)
            return [*lines[: _MOST_LINES - 1], last.removesuffix("\u2026") + "\u2026"]
    return lines


def _take_cells(text: str, width: int) -> str:
    """The beginning of a text that takes no more cells; one character at the least."""
    end = cells = 0
    for character in text:
        cells += cell_len(character)
        if cells > width and end:
            break
        end += 1
    return text[:end]


def shorten(text: str, width: int) -> str:
    """The beginning of a text that is too wide."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip() + "\u2026"
