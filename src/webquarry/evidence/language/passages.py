"""Passages of texts that are relevant to a question, within a budget in bytes.

The best chunks are chosen first and shown in the order of the page: rows with the head of their
table, the first chunk of a section with its heading, a mark for each gap. The chunks of all texts
compete for the budget. Of a text in which nothing is relevant only a short beginning is returned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from webquarry._read.slices.chunks import Chunk, Frame, Section
from webquarry._read.slices.pieces import GAP, cut
from webquarry._read.slices.text import WrittenText
from webquarry.evidence.language.rank import Bearing, RankedText, rank_texts
from webquarry.evidence.language.terms import Terms

MOST_PASSAGES = 12  # listed for a text
_SHORT_BEGINNING = 800  # bytes of a text without any term
_WEAK_PART = 2_000  # bytes of a text with few terms
_WORTH_SHOWING = 0.25  # of the best score, if the budget need not be filled
_MAX_HEADING = 0.125  # of the budget, for a heading that is shown
_MAX_HEAD = 0.5  # of the budget, for the head of a table
_MAX_BETWEEN = 0.5  # of the budget, for the text between two chunks
_MAX_SECTION = 120  # characters of the section of a passage
_SAMPLE = 3_000  # characters of the texts together, for language detection
_ROW_GAP = b"|[...]|\n"
_LINE_GAP = b"[...]\n"


@dataclass(frozen=True)
class Passage:
    """A run of chunks: its headings and its position in the text."""

    section: str
    start: int  # bytes


@dataclass(frozen=True)
class Excerpt:
    """The returned part of a text."""

    content: bytes
    passages: Sequence[Passage]
    bearing: Bearing
    left_out: int  # chunks
    bytes_left_out: int
    ran_out: bool  # relevant chunks did not fit

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out."""
        return not self.left_out


@dataclass
class _Selection:
    """The chosen chunks of one text, and the bytes that they take."""

    ranked: RankedText
    budget: int  # of all texts
    most: int  # bytes for this text
    chosen: dict[int, int] = field(default_factory=dict)  # place -> bytes shown before it
    used: int = len(GAP) + 1  # the mark at the end
    ran_out: bool = False
    is_closed: bool = False
    _shown: set[Section | Frame] = field(default_factory=set)

    def cost_of(self, place: int) -> int:
        """Return the number of bytes that showing a chunk adds."""
        cost = self.ranked.chunks[place].size + self._lead_of(place)
        if self._joins_next(place):
            cost += self._gap_before(place + 1) - self.chosen[place + 1]
        return cost

    def add(self, place: int) -> None:
        """Choose a chunk."""
        chunk = self.ranked.chunks[place]
        self.used += self.cost_of(place)
        self.chosen[place] = self._lead_of(place)
        if self._joins_next(place):
            self.chosen[place + 1] = self._gap_before(place + 1)
        self._shown.add(chunk.section)
        if chunk.frame is not None:
            self._shown.add(chunk.frame)

    def drop_worst(self) -> None:
        """Remove the chosen chunk with the lowest score."""
        del self.chosen[min(self.chosen, key=lambda place: (self.ranked.scores[place], -place))]

    def joins(self, place: int) -> bool:
        """Return whether a chunk is shown without a gap before it."""
        is_next = place == 0 or place - 1 in self.chosen
        return is_next and self._gap_before(place) <= _MAX_BETWEEN * self.budget

    def _joins_next(self, place: int) -> bool:
        is_near = place + 1 in self.chosen
        return is_near and self._gap_before(place + 1) <= _MAX_BETWEEN * self.budget

    def _lead_of(self, place: int) -> int:
        """Return the number of bytes that are shown before a chunk."""
        if self.joins(place):
            return self._gap_before(place)
        chunk = self.ranked.chunks[place]
        lead = len(GAP) + 2
        if chunk.section not in self._shown:
            lead += len(self.heading_of(chunk))
        if chunk.frame is not None and chunk.frame not in self._shown:
            lead += len(self.head_of(chunk)) + len(chunk.frame.tail)
        return lead

    def _gap_before(self, place: int) -> int:
        """Return the number of bytes between a chunk and the one before it."""
        before = self.ranked.chunks[place - 1].stop if place else 0
        return self.ranked.chunks[place].start - before

    def heading_of(self, chunk: Chunk) -> bytes:
        """Return the heading of a chunk, empty if it is too long."""
        heading = self.ranked.data[chunk.section.start : chunk.section.stop]
        return heading if len(heading) <= _MAX_HEADING * self.budget else b""

    def head_of(self, chunk: Chunk) -> bytes:
        """Return the table head or opening fence of a chunk, empty if it is too long."""
        if chunk.frame is None:
            return b""
        head = self.ranked.data[chunk.frame.start : chunk.frame.stop]
        return head if len(head) <= _MAX_HEAD * self.budget else b""


def excerpt_of(text: WrittenText, question: str, budget: int, *, fill: bool = True) -> Excerpt:
    """Return the relevant passages of one text."""
    return excerpts_of([text], question, budget, fill=fill)[0]


def excerpts_of(
    texts: Sequence[WrittenText],
    question: str,
    budget: int,
    *,
    most_each: int | None = None,
    priors: Sequence[float] = (),
    fill: bool = True,
) -> list[Excerpt]:
    """Return the relevant passages of each text, together within the budget.

    `priors` are weights of the texts. With `fill` other chunks fill the rest of the budget.
    """
    share = _SAMPLE // max(1, len(texts))
    samples = [text.data[: 4 * share].decode("utf-8", "ignore")[:share] for text in texts]
    limits = {"none": _SHORT_BEGINNING, "weak": budget if fill else _WEAK_PART, "clear": budget}
    most = min(budget, budget if most_each is None else most_each)
    ranked = rank_texts(texts, Terms(question, " ".join(samples)), budget)
    selections = [_Selection(one, budget, min(most, limits[one.bearing])) for one in ranked]
    _choose(selections, budget, priors or [1.0] * len(texts), fill)
    return _write_excerpts(selections, budget)


def _choose(
    selections: Sequence[_Selection], budget: int, priors: Sequence[float], fill: bool
) -> None:
    """Choose chunks in order until the budget is used."""
    scores = [
        prior * score
        for selection, prior in zip(selections, priors, strict=True)
        for score in selection.ranked.scores
    ]
    least = _WORTH_SHOWING * max(scores, default=0.0)
    used = sum(selection.used for selection in selections)
    is_first = True
    for score, place, selection in _order_chunks(selections, budget, priors):
        is_beginning = selection.ranked.bearing == "none"
        if selection.is_closed or (not fill and not is_beginning and score <= least):
            continue
        cost = selection.cost_of(place)
        if used + cost > budget or selection.used + cost > selection.most:
            selection.ran_out = selection.ran_out or score > 0
            if is_first:  # the best chunk is cut rather than replaced
                return
            selection.is_closed = is_beginning  # a beginning is one piece
            continue
        is_first = False
        selection.add(place)
        used += cost


def _order_chunks(
    selections: Sequence[_Selection], budget: int, priors: Sequence[float]
) -> Iterator[tuple[float, int, _Selection]]:
    """Yield the scores and places of chunks: the best of each relevant text, then the best of all.
    What a text already has lowers the rank of its other chunks.
    """
    waiting = [
        sorted((prior * score, -place) for place, score in enumerate(selection.ranked.scores))
        for selection, prior in zip(selections, priors, strict=True)
    ]
    fair_share = budget / max(1, len(selections))

    def rank(number: int) -> float:
        return waiting[number][-1][0] / (1 + selections[number].used / fair_share)

    first = [
        number
        for number, selection in enumerate(selections)
        if waiting[number] and selection.ranked.bearing == "clear"
    ]
    first.sort(key=lambda number: waiting[number][-1][0])
    while any(waiting):
        number = (
            first.pop()
            if first
            else max(filter(waiting.__getitem__, range(len(waiting))), key=rank)
        )
        score, place = waiting[number].pop()
        yield score, -place, selections[number]


def _write_excerpts(selections: Sequence[_Selection], budget: int) -> list[Excerpt]:
    """Return the excerpts; if no chunk of a text fits, the beginning of its best one."""
    contents = [_compose(selection) for selection in selections]
    total = sum(map(len, contents))
    excerpts = []
    for selection, content in zip(selections, contents, strict=True):
        # costs are upper bounds, so this is rare
        while selection.chosen and (total > budget or len(content) > selection.most):
            selection.drop_worst()
            total -= len(content)
            content = _compose(selection)
            total += len(content)
        passages = _list_passages(selection)
        chunks = selection.ranked.chunks
        if not selection.chosen and chunks and total < budget:
            content, passages = _cut_best(selection, min(selection.most, budget - total))
            total += len(content)
        left_out = [one.size for place, one in enumerate(chunks) if place not in selection.chosen]
        excerpts.append(
            Excerpt(
                content,
                passages,
                selection.ranked.bearing,
                len(left_out),
                sum(left_out),
                selection.ran_out,
            )
        )
    return excerpts


def _compose(selection: _Selection) -> bytes:
    """Return the chosen chunks of a text in order, with headings, table heads and gap marks."""
    data, chunks = selection.ranked.data, selection.ranked.chunks
    if not selection.chosen:
        return b""
    pieces: list[bytes] = []
    last: Chunk | None = None
    for place in sorted(selection.chosen):
        chunk = chunks[place]
        start = chunk.start
        if selection.joins(place):
            start = chunks[place - 1].stop if place else 0
        elif last is not None and chunk.frame is not None and chunk.frame is last.frame:
            pieces.append(_ROW_GAP if chunk.is_row else _LINE_GAP)
        else:
            _end_run(pieces, last)
            if last is None or chunk.section is not last.section:
                pieces.append(selection.heading_of(chunk))
            pieces.append(selection.head_of(chunk))
        pieces.append(data[start : chunk.stop])
        last = chunk
    if last is chunks[-1]:
        pieces.append(data[last.stop :])
    else:
        _end_run(pieces, last)
    return b"".join(pieces)


def _end_run(pieces: list[bytes], last: Chunk | None) -> None:
    """Close an open fence, and mark a gap."""
    if last is not None and last.frame is not None:
        pieces.append(last.frame.tail)
    end = b"".join(pieces[-3:])
    if end and not end.endswith(b"\n\n"):
        pieces.append(b"\n" if end.endswith(b"\n") else b"\n\n")
    pieces.append(GAP)


def _cut_best(selection: _Selection, room: int) -> tuple[bytes, list[Passage]]:
    """Return the beginning of the best chunk."""
    ranked = selection.ranked
    best = max(range(len(ranked.scores)), key=lambda place: (ranked.scores[place], -place))
    chunk = ranked.chunks[best]
    data = ranked.data[chunk.start : chunk.stop]
    mark = b"\n\n" + GAP.rstrip()
    limit = room - len(mark)
    if limit < len(mark):  # the mark would be most of it
        limit, mark = room, b""
    end = cut(WrittenText(data), 0, limit)
    if end > room:  # one character does not fit
        return b"", []
    return data[:end].rstrip() + mark, [_passage_at(chunk)]


def _list_passages(selection: _Selection) -> list[Passage]:
    """Return the runs of chosen chunks in order; of many, the best."""
    scores = selection.ranked.scores
    runs: list[tuple[float, Chunk]] = []
    last = None
    for place in sorted(selection.chosen):
        if last == place - 1 and runs:
            best, first = runs[-1]
            runs[-1] = (max(best, scores[place]), first)
        else:
            runs.append((scores[place], selection.ranked.chunks[place]))
        last = place
    if len(runs) > MOST_PASSAGES:
        least = sorted((score for score, _ in runs), reverse=True)[MOST_PASSAGES - 1]
        runs = [run for run in runs if run[0] >= least][:MOST_PASSAGES]
    return [_passage_at(chunk) for _, chunk in runs]


def _passage_at(chunk: Chunk) -> Passage:
    """Return the passage that starts with a chunk."""
    section = " > ".join(chunk.section.path)
    if len(section) > _MAX_SECTION:
        section = "…" + section[1 - _MAX_SECTION :]
    is_first_row = chunk.frame is not None and chunk.frame.stop == chunk.start
    return Passage(section, chunk.frame.start if chunk.frame and is_first_row else chunk.start)
