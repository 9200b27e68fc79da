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
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from webquarry.read.slices.outline import lines_of
from webquarry.read.slices.pieces import block_starts
from webquarry.read.text.delimiters import defuse_prose

_DEEPEST_PARENTHESES = 8
_LONGEST_INDENT = 100  # bytes in front of the first word of a line


def _build_address_pattern() -> bytes:
    """An address without blanks, in which parentheses are closed again."""
    plain = rb"[^\s()\\<>]++|\\\S"
    inside = rb"(?:" + plain + rb")*+"
    for _ in range(_DEEPEST_PARENTHESES):
        inside = rb"(?:" + plain + rb"|\(" + inside + rb"\))*+"
    return inside


_ADDRESS = _build_address_pattern()
_TITLE = rb"(?:[ \t]+(?:\"[^\"\n]{0,500}+\"|'[^'\n]{0,500}+'))?+"
_TARGET = re.compile(rb"\((?:<[^<>\n]{0,5000}+>|" + _ADDRESS + rb")" + _TITLE + rb"\)")
_TICKS = re.compile(rb"`+")
_GAP = re.compile(rb"\n[ \t]*+\n")
_ADDRESS_IN_TAIL = re.compile(rb"\]\((?:<([^<>]*)>|(\S*?))(?:[ \t]+[\"'].*)?\)\s*\Z", re.DOTALL)
_BLANK_LINES = re.compile(rb"[ \t]*+\n*+")
_SEEN = re.compile(rb"\S")
_BLANKS = frozenset(b" \t\n\r\f\v")
# What would open a list, a heading or a quotation at the beginning of a line.
_OPENS_BLOCK = re.compile(rb"(\d{0,9})(?:(?<!\d)(?:[-+*]|#{1,6}|>)|(?<=\d)[.)])(?:[ \t\n]|\Z)")
_OPENING = frozenset(b"0123456789-+*#>")  # the first byte of that
_ESCAPE = re.compile(rb"\\([!-/:-@\[-`{-~])")
_MARK = re.compile(rb"(?<!\\)\]\[(\d{1,6})\]")
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
        original = self.original
        if b"](" not in original:
            return b""
        is_plain = original.startswith(b"](") and original.endswith(b")")
        if is_plain and not original.startswith(b"](<") and len(original.split()) == 1:
            return original[2:-1]  # as nearly all; the pattern would say the same
        found = _ADDRESS_IN_TAIL.search(self.original)
        if found is None:
            return b""
        return found[1] or found[2] or b""


@dataclass(frozen=True)
class SplitText:
    """A text without link targets, and what was taken out of it, in order."""

    data: bytes
    taken_out: Sequence[TakenOut]


class _Link(NamedTuple):
    """A link or an image in the original: where its text and its target begin and end."""

    start: int
    text_start: int
    text_stop: int
    stop: int


def split_links(data: bytes) -> SplitText:
    """The text without the targets of its links."""
    links = _find_links(data)
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
        parts += [data[done:start], added]
        place += start - done
        taken_out.append(TakenOut(place, data[start:stop], added))
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
    return defuse_prose(text, Counter()) != text


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
    before = TakenOut(0, b"")
    for piece in split.taken_out:
        target = piece.target
        if target and not _is_address(split.data[before.place : piece.place], target):
            count += 1
        before = piece
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
    plain = _ESCAPE.sub(rb"\1", text).strip()
    shown = _SCHEME.sub(b"", plain).rstrip(b"/")
    return bool(shown) and shown.lower() == _SCHEME.sub(b"", target).rstrip(b"/").lower()


def _cuts_of(data: bytes, link: _Link) -> list[tuple[int, int, bytes]]:
    """What goes of a link: all that stands around its text, or the whole of an image without
    one.
    """
    is_seen = link.text_start < link.text_stop and data[link.text_start] not in _BLANKS
    if not is_seen and _SEEN.search(data, link.text_start, link.text_stop) is None:
        stop = link.stop
        is_line_start = link.start == 0 or data[link.start - 1 : link.start] == b"\n"
        if is_line_start and data[stop : stop + 1] in (b"", b"\n"):  # alone in its line
            blank = _BLANK_LINES.match(data, stop)
            assert blank is not None
            stop = blank.end()
        return [(link.start, stop, b"")]
    cuts = [(link.start, link.text_start, b""), (link.text_stop, link.stop, b"")]
    if data[link.text_start] not in _OPENING:  # as nearly all
        return cuts
    opener = _OPENS_BLOCK.match(data, link.text_start, link.text_stop)
    if opener:
        window = data[max(0, link.start - _LONGEST_INDENT) : link.start]
        before = window.rpartition(b"\n")[2]
        begins_line = b"\n" in window or link.start < _LONGEST_INDENT
        if begins_line and not before.strip(b" \t>-*+"):
            place = opener.end(1)  # behind the number, whose sign makes it a list
            cuts.insert(1, (place, place, b"\\"))
    return cuts


def _find_links(data: bytes) -> list[_Link]:
    """Every link and image outside code, in the order in which they end."""
    if b"](" not in data:
        return []
    links: list[_Link] = []
    for start, stop in _stretches_outside_code(data):
        links.extend(_find_links_between(data, start, stop))
    return links


def _stretches_outside_code(data: bytes) -> Iterator[tuple[int, int]]:
    """Where text stands between blocks of fenced code."""
    if b"```" not in data and b"~~~" not in data:
        yield 0, len(data)
        return
    start: int | None = None
    for line in lines_of(data):
        if line.fenced:
            if start is not None:
                yield start, line.start
            start = None
        elif start is None:
            start = line.start
    if start is not None:
        yield start, len(data)


def _find_links_between(data: bytes, start: int, stop: int) -> Iterator[_Link]:
    """The links of a stretch without fenced code."""
    paragraphs = _Paragraphs(data, start, stop)
    opened: list[int] = []  # brackets that may be the beginning of a link
    place = start
    # where each sign stands next: to look for one is several times faster than for any of four
    escape = tick = opening = closing = start - 1
    while True:
        if escape < place:
            escape = _find_sign(data, b"\\", place, stop)
        if tick < place:
            tick = _find_sign(data, b"`", place, stop)
        if opening < place:
            opening = _find_sign(data, b"[", place, stop)
        if closing < place:
            closing = _find_sign(data, b"]", place, stop)
        at = min(escape, tick, opening, closing)
        if at == stop:
            return
        place = at + 1
        if at == escape:
            place += 1  # whatever is escaped
        elif at == tick:
            place = paragraphs.find_code_end(at)
        elif at == opening:
            opened.append(at)
        elif opened:
            bracket = opened.pop()
            target = _TARGET.match(data, place, stop)
            if target is None or paragraphs.ends_between(bracket, at):
                continue
            place = target.end()
            link_start = bracket
            if data[bracket - 1 : bracket] == b"!" and bracket > start:
                link_start -= 1
            else:
                opened.clear()  # a link stands in no other link
            yield _Link(link_start, bracket + 1, at, place)


def _find_sign(data: bytes, sign: bytes, start: int, stop: int) -> int:
    """Where a sign stands next; the end of the stretch where it does not."""
    at = data.find(sign, start, stop)
    if at < 0:
        return stop
    return at


class _Paragraphs:
    """Where paragraphs end, which no link and no code crosses; and where code in them does."""

    def __init__(self, data: bytes, start: int, stop: int) -> None:
        self._data = data
        self._gaps = [found.start() for found in _GAP.finditer(data, start, stop)]
        self._gaps.append(stop)
        self._runs: dict[int, list[int]] = defaultdict(list)  # of ticks, by how many they are
        if b"`" not in data:
            return
        for found in _TICKS.finditer(data, start, stop):
            self._runs[len(found[0])].append(found.start())

    def ends_between(self, start: int, stop: int) -> bool:
        """Whether a paragraph ends between two places."""
        return self._gaps[bisect_left(self._gaps, start)] < stop

    def find_code_end(self, start: int) -> int:
        """Behind the code that the ticks here open, or behind them where they open none."""
        ticks = _TICKS.match(self._data, start)
        assert ticks is not None
        length = len(ticks[0])
        runs = self._runs[length]
        at = bisect_left(runs, ticks.end())
        if at < len(runs) and not self.ends_between(start, runs[at]):
            return runs[at] + length
        return ticks.end()


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
        for piece in split.taken_out:
            if not piece.target:
                opened = piece.place
            elif opened is not None:
                self._starts.add(opened)
                self._stops.append(piece.place)
                self._sums.append(self._sums[-1] + piece.place - opened)
                opened = None

    def count_up_to(self, place: int) -> int:
        """The linked bytes of the stretches that end there or before."""
        return self._sums[bisect_right(self._stops, place)]

    def opens_at(self, start: int, block: bytes) -> bool:
        """Whether a block that starts there begins with a link, behind its marks."""
        marks = _BLOCK_MARKS.match(block)
        assert marks is not None
        return start + marks.end() in self._starts
