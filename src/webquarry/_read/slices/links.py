"""Markdown -> the same text without the targets of its links, and the pieces that were taken out;
and back.

`[text](url)` becomes `text`, `![alt](url)` becomes `alt`, an image without a text goes whole. What
was taken out is kept with the places where it stood, so that the text can be had as it was, byte
for byte, or with numbers in place of the targets. Code is left as it is, and so are escaped
brackets, `<https://...>` and links by reference. Every place counts UTF-8 bytes. One pass, linear
in the size of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from webquarry._read.slices.link_places import LinkPlace
from webquarry._read.slices.pieces import block_starts
from webquarry._read.text.delimiters import defuse_prose, may_hold_delimiter
from webquarry._read.text.remember import found_once

try:
    from webquarry._read.slices._link_places import find_links, read_plain_target
except ImportError:  # not built: the same in Python
    from webquarry._read.slices.link_places import find_links, read_plain_target

_LONGEST_INDENT = 100  # bytes in front of the first word of a line
_ADDRESS_IN_TAIL = re.compile(rb"\]\((?:<([^<>]*)>|(\S*?))(?:[ \t]+[\"'].*)?\)\s*\Z", re.DOTALL)
_BLANK_LINES = re.compile(rb"[ \t]*+\n*+")
_SEEN = re.compile(rb"\S")
_BLANKS = frozenset(b" \t\n\r\f\v")
# What would open a list, a heading or a quotation at the beginning of a line.
_OPENS_BLOCK = re.compile(rb"(\d{0,9})(?:(?<!\d)(?:[-+*]|#{1,6}|>)|(?<=\d)[.)])(?:[ \t\n]|\Z)")
_OPENING = frozenset(b"0123456789-+*#>")  # the first byte of that
_ESCAPE = re.compile(rb"\\([!-/:-@\[-`{-~])")
_MARK = re.compile(rb"(?<!\\)\]\[(\d{1,6})\]")
_ODD_ENDS = frozenset({b"", b"\\", b":", b"."})
_SCHEME = re.compile(rb"(?:https?://(?:www\.)?|mailto:|tel:)")

# A text is a list of links if entries and the short blocks behind each make up most of it. An entry
# is a block that is mostly link, or that is short and begins with one.
_SHORT = 300  # bytes
_MOST_ATTACHED = 3  # short blocks that belong to one entry
_LEAST_ENTRIES = 4
_LEAST_SHARE = 0.6  # of the bytes
_LEAST_LINKED = 0.1  # of the bytes that are themselves linked
_BLOCK_MARKS = re.compile(rb"(?:[#>*+-]+|\d{1,9}[.)]|[ \t]|\*\*)*+")
_NO_ENTRY = (b"|", b"```", b"~~~")


class TakenOut(NamedTuple):
    """A piece of the original that is not in the lean text, and where it stood there. `added` is
    what stands in its place: an escape, where the rest of the line would mean something else.
    """

    place: int
    original: bytes
    added: bytes = b""

    @property
    def target(self) -> bytes:
        """The address in the piece; empty where it holds none."""
        return find_target(self.original)


@dataclass(frozen=True)
class SplitText:
    """A text without link targets, and what was taken out of it, in order."""

    data: bytes
    taken_out: Sequence[TakenOut]

    @found_once
    def targets(self) -> list[bytes]:
        """The address in each piece; empty where it holds none."""
        return [find_target(original) for _, original, _ in self.taken_out]


def find_target(piece: bytes) -> bytes:
    """The address in a piece that was taken out; empty where it holds none."""
    plain_target = read_plain_target(piece)
    if plain_target is not None:
        return plain_target
    found = _ADDRESS_IN_TAIL.search(piece)
    if found is None:
        return b""
    return found[1] or found[2] or b""


def split_links(data: bytes) -> SplitText:
    """The text without the targets of its links."""
    links = find_links(data)
    if not links:
        return SplitText(data, ())
    cuts: list[tuple[int, int, bytes]] = []  # from, to, and what stands there instead
    for link in links:
        cuts += _cuts_of(data, link)
    cuts.sort()
    parts: list[bytes] = []
    taken_out: list[TakenOut] = []
    done = 0
    place = 0
    for start, stop, added in cuts:
        if start < done:
            continue  # in a piece that has gone already
        parts.append(data[done:start])
        if added:
            parts.append(added)
        place += start - done
        taken_out.append(tuple.__new__(TakenOut, (place, data[start:stop], added)))
        place += len(added)
        done = stop
    parts.append(data[done:])
    return SplitText(b"".join(parts), tuple(taken_out))


def make_lean(data: bytes) -> SplitText:
    """The text as a reader gets it who asks for no targets: without them, unless it is a list of
    links, or the marks of links are all that keeps a delimiter of chats apart.
    """
    split = split_links(data)
    if is_link_list(split) or _joins_delimiter(split):
        return SplitText(data, ())
    return split


def _joins_delimiter(split: SplitText) -> bool:
    """Whether the rest of a text reads as a delimiter where something was taken out of it."""
    if not split.taken_out:
        return False
    text = split.data.decode("utf-8", "replace")
    return may_hold_delimiter(text) and defuse_prose(text, Counter()) != text


def join_links(split: SplitText) -> bytes:
    """The text as it was before its links were split."""
    return b"".join(_with_pieces(split, [piece.original for piece in split.taken_out]))


def number_links(split: SplitText) -> tuple[bytes, list[bytes]]:
    """The text with `[text][n]` for each link, and the targets, each once: the first has the
    number 1.
    """
    numbers: dict[bytes, int] = {}
    pieces = []
    for piece in split.taken_out:
        target = piece.target
        if target:
            number = numbers.setdefault(target, len(numbers) + 1)
            head, _, tail = piece.original.rpartition(b"](")
            behind = tail[len(tail.rstrip()) :]
            pieces.append(b"%b][%d]%b" % (head, number, behind))
        else:
            pieces.append(piece.original)
    return b"".join(_with_pieces(split, pieces)), list(numbers)


def add_targets(data: bytes, targets: Sequence[bytes]) -> bytes:
    """A text with numbered links, or a part of it, with the list of the targets that it names."""
    if not targets:
        return data
    named = {int(found[1]) for found in _MARK.finditer(data)}
    lines = []
    for number, target in enumerate(targets, 1):
        if number not in named:
            continue
        if b" " in target:
            target = b"<%b>" % target
        lines.append(b"[%d]: %b\n" % (number, target))
    if not lines:
        return data
    return data.rstrip() + b"\n\n" + b"".join(lines)


def count_targets(split: SplitText) -> int:
    """How many targets a reader of the lean text does not see. A text that is its own address
    hides nothing.
    """
    count = 0
    before = 0
    for (place, _, _), target in zip(split.taken_out, split.targets, strict=True):
        if target and not _is_address(split.data[before:place], target):
            count += 1
        before = place
    return count


def _with_pieces(split: SplitText, pieces: Sequence[bytes]) -> Iterator[bytes]:
    """The lean text with a piece at each place where something was taken out."""
    done = 0
    for taken, piece in zip(split.taken_out, pieces, strict=True):
        yield split.data[done : taken.place]
        yield piece
        done = taken.place + len(taken.added)
    yield split.data[done:]


def _is_address(text: bytes, target: bytes) -> bool:
    """Whether the text of a link says where it leads."""
    if b" " in text.strip() and b" " not in target:
        return False  # as most
    if not _ends_alike(text.strip(), target):
        return False
    plain = _ESCAPE.sub(rb"\1", text).strip()
    shown = _SCHEME.sub(b"", plain).rstrip(b"/")
    return bool(shown) and shown.lower() == _SCHEME.sub(b"", target).rstrip(b"/").lower()


def _ends_alike(text: bytes, target: bytes) -> bool:
    """Whether a text may say where a link leads, by its last sign: at a first look."""
    shown_end = text.rstrip(b"/")[-1:].lower()
    target_end = target.rstrip(b"/")[-1:].lower()
    if shown_end == target_end:
        return True
    # an escape, or the end of a scheme
    return shown_end in _ODD_ENDS or target_end in _ODD_ENDS


def _cuts_of(data: bytes, link: LinkPlace) -> list[tuple[int, int, bytes]]:
    """What goes of a link: all that stands around its text, or the whole of an image without
    one.
    """
    start, text_start, text_stop, stop = link
    is_seen = text_start < text_stop and data[text_start] not in _BLANKS
    if not is_seen and _SEEN.search(data, text_start, text_stop) is None:
        is_line_start = start == 0 or data[start - 1 : start] == b"\n"
        if is_line_start and data[stop : stop + 1] in (b"", b"\n"):  # alone in its line
            blank = _BLANK_LINES.match(data, stop)
            assert blank is not None
            stop = blank.end()
        return [(start, stop, b"")]
    cuts = [(start, text_start, b""), (text_stop, stop, b"")]
    if data[text_start] not in _OPENING:  # as nearly all
        return cuts
    opener = _OPENS_BLOCK.match(data, text_start, text_stop)
    if opener:
        window = data[max(0, start - _LONGEST_INDENT) : start]
        before = window.rpartition(b"\n")[2]
        begins_line = b"\n" in window or start < _LONGEST_INDENT
        if begins_line and not before.strip(b" \t>-*+"):
            place = opener.end(1)  # behind the number, whose sign makes it a list
            cuts.insert(1, (place, place, b"\\"))
    return cuts


def is_link_list(split: SplitText) -> bool:
    """Whether a text is first of all a list of links (an index, results, products), which is of no
    use without their targets.
    """
    data = split.data
    linked_bytes = _LinkedBytes(split)
    whole = len(data.strip())
    if not split.taken_out or linked_bytes.count_up_to(len(data)) < _LEAST_LINKED * whole:
        return False
    starts = block_starts(data)
    entries = 0
    entry_bytes = 0
    attached = _MOST_ATTACHED
    for start, stop in pairwise([*starts, len(data)]):
        block = data[start:stop].rstrip()
        size = len(block)
        linked = linked_bytes.count_up_to(stop) - linked_bytes.count_up_to(start)
        if block.startswith(_NO_ENTRY):
            attached = _MOST_ATTACHED
        elif 2 * linked >= size or (size <= _SHORT and linked_bytes.opens_at(start, block)):
            entries += 1
            entry_bytes += size
            attached = 0
        elif size <= _SHORT and attached < _MOST_ATTACHED:
            entry_bytes += size
            attached += 1
        else:
            attached = _MOST_ATTACHED
    return entries >= _LEAST_ENTRIES and entry_bytes >= _LEAST_SHARE * whole


class _LinkedBytes:
    """How many bytes of a lean text are linked before a place in it."""

    def __init__(self, split: SplitText) -> None:
        self._stops: list[int] = []  # where each linked stretch ends
        self._sums: list[int] = [0]  # bytes up to there
        self._starts: set[int] = set()
        opened: int | None = None
        for (place, _, _), target in zip(split.taken_out, split.targets, strict=True):
            if not target:
                opened = place
            elif opened is not None:
                self._starts.add(opened)
                self._stops.append(place)
                self._sums.append(self._sums[-1] + place - opened)
                opened = None

    def count_up_to(self, place: int) -> int:
        """The linked bytes of the stretches that end there or before."""
        return self._sums[bisect_right(self._stops, place)]

    def opens_at(self, start: int, block: bytes) -> bool:
        """Whether a block that starts there begins with a link, behind its marks."""
        marks = _BLOCK_MARKS.match(block)
        assert marks is not None
        return start + marks.end() in self._starts
