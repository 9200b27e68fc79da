"""Texts, a question and a budget in bytes -> of each text the passages that bear on the question,
within the budget.

The best chunks are chosen first and shown in the order of the page: rows with the head of their
table, the first of a section with its heading, a mark where something was left out. All chunks of
all texts compete for the budget, so a text gets as much of it as it is worth. Where nothing in a
text bears on the question, a short beginning is all that is given of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from webquarry._read.slices.chunks import Chunk, Frame, Grain, Section, split_chunks
from webquarry._read.slices.pieces import GAP, cut
from webquarry._read.slices.text import WrittenText
from webquarry.evidence.language.rank import Bearing, ChunkedText, RankedText, rank_texts
from webquarry.evidence.language.terms import Terms

MOST_PASSAGES = 12  # that are listed for a text
_SHORT_BEGINNING = 800  # bytes of a text that holds no term
_WEAK_PART = 2_000  # bytes of a text that hardly bears on the question
_WORTH_SHOWING = 0.25  # of the best score, where the budget need not be filled
_LONGEST_HEADING = 0.125  # of the budget, which is shown
_LONGEST_HEAD = 0.5  # the same for the head of a table
_LONGEST_BETWEEN = 0.5  # the same for what stands between two chunks
_LONGEST_SECTION = 120  # characters of the section that a passage names
_SAMPLE_CHARACTERS = 3_000  # of the texts together, that tell their language
_ROW_GAP = b"|[...]|\n"
_LINE_GAP = b"[...]\n"


@dataclass(frozen=True)
class Passage:
    """A run of chunks that is shown: the headings it stands under, and its place in the text."""

    section: str
    start: int  # bytes


@dataclass(frozen=True)
class Excerpt:
    """What is given of one text."""

    content: bytes
    passages: Sequence[Passage]
    bearing: Bearing
    left_out: int  # chunks that are not shown
    bytes_left_out: int
    ran_out: bool  # whether there was no room for something that bears on the question

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out."""
        return not self.left_out


@dataclass
class _Selection:
    """The chunks of one text that are chosen, and what they cost."""

    text: ChunkedText
    ranked: RankedText
    budget: int  # of all texts together: what is too long for it is not shown
    most: int  # bytes that this text may have
    chosen: dict[int, int] = field(default_factory=dict)  # place -> bytes shown before it
    used: int = len(GAP) + 1  # the mark at the end
    ran_out: bool = False
    is_closed: bool = False  # whether nothing more is chosen
    _sections: set[Section] = field(default_factory=set)
    _frames: set[Frame] = field(default_factory=set)

    def cost_of(self, place: int) -> int:
        """How many bytes more are shown with a chunk."""
        cost = self.text.chunks[place].size + self._lead_of(place)
        if self._joins_next(place):
            cost += self._between(place + 1) - self.chosen[place + 1]
        return cost

    def add(self, place: int) -> None:
        """Choose a chunk."""
        chunk = self.text.chunks[place]
        lead = self._lead_of(place)
        self.used += self.cost_of(place)
        self.chosen[place] = lead
        if self._joins_next(place):
            self.chosen[place + 1] = self._between(place + 1)
        self._sections.add(chunk.section)
        if chunk.frame is not None:
            self._frames.add(chunk.frame)

    def drop_worst(self) -> None:
        """Give up the chosen chunk that is worth the least."""
        scores = self.ranked.scores
        worst = min(self.chosen, key=lambda place: (scores[place], -place))
        del self.chosen[worst]

    def joins(self, place: int) -> bool:
        """Whether a chunk is shown without a gap before it."""
        if place > 0 and place - 1 not in self.chosen:
            return False
        return self._between(place) <= _LONGEST_BETWEEN * self.budget

    def _joins_next(self, place: int) -> bool:
        """Whether the next chunk is chosen, and would stand right behind this one."""
        if place + 1 not in self.chosen:
            return False
        return self._between(place + 1) <= _LONGEST_BETWEEN * self.budget

    def _lead_of(self, place: int) -> int:
        """The bytes that are shown before a chunk."""
        if self.joins(place):
            return self._between(place)
        chunk = self.text.chunks[place]
        lead = len(GAP) + 2
        if self.shows_heading(chunk.section) and chunk.section not in self._sections:
            lead += chunk.section.stop - chunk.section.start
        frame = chunk.frame
        if frame is not None and frame not in self._frames and self.shows_head(frame):
            lead += frame.stop - frame.start + len(frame.tail)
        return lead

    def _between(self, place: int) -> int:
        """The bytes from the end of the chunk before to the beginning of this one."""
        before = 0
        if place:
            before = self.text.chunks[place - 1].stop
        return self.text.chunks[place].start - before

    def shows_heading(self, section: Section) -> bool:
        """Whether there is a heading, and room for it."""
        length = section.stop - section.start
        return 0 < length <= _LONGEST_HEADING * self.budget

    def shows_head(self, frame: Frame) -> bool:
        """Whether there is room for the head of a table."""
        return frame.stop - frame.start <= _LONGEST_HEAD * self.budget


def excerpt_of(text: WrittenText, question: str, budget: int, *, fill: bool = True) -> Excerpt:
    """The passages of one text."""
    (excerpt,) = excerpts_of([text], question, budget, fill=fill)
    return excerpt


def excerpts_of(
    texts: Sequence[WrittenText],
    question: str,
    budget: int,
    *,
    most_each: int | None = None,
    priors: Sequence[float] | None = None,
    fill: bool = True,
) -> list[Excerpt]:
    """The passages of each text, together within the budget. `priors` say how much the chunks of
    each text count; without `fill` only what bears on the question is shown.
    """
    grain = Grain.for_budget(budget)
    chunked = [ChunkedText(text.data, split_chunks(text, grain)) for text in texts]
    terms = Terms(question, _take_sample(texts))
    ranked = rank_texts(chunked, terms)
    if most_each is None:
        most_each = budget
    selections = []
    for text, one in zip(chunked, ranked, strict=True):
        most = min(most_each, budget)
        if one.bearing == "none":
            most = min(most, _SHORT_BEGINNING)
        elif one.bearing == "weak" and not fill:
            most = min(most, _WEAK_PART)
        selections.append(_Selection(text, one, budget, most))
    _choose(selections, budget, priors or [1.0] * len(texts), fill)
    return _write_out(selections, budget)


def _take_sample(texts: Sequence[WrittenText]) -> str:
    """Some of each text, to tell the language."""
    if not texts:
        return ""
    share = _SAMPLE_CHARACTERS // len(texts)
    samples = [text.data[: 4 * share].decode("utf-8", "ignore")[:share] for text in texts]
    return " ".join(samples)


def _choose(
    selections: Sequence[_Selection], budget: int, priors: Sequence[float], fill: bool
) -> None:
    """Choose chunks as long as there is room, the best first."""
    queue = _Queue(selections, budget, priors)
    enough = 0.0
    if not fill:
        enough = _WORTH_SHOWING * queue.best
    used = sum(selection.used for selection in selections)
    is_first = True
    for score, place, selection in queue:
        is_beginning = selection.ranked.bearing == "none"
        if selection.is_closed or (not fill and not is_beginning and score <= enough):
            continue
        cost = selection.cost_of(place)
        if used + cost > budget or selection.used + cost > selection.most:
            selection.ran_out = selection.ran_out or score > 0
            if is_first:  # what matters most is cut rather than left out for something else
                return
            selection.is_closed = is_beginning  # which ends here, whatever else would fit
            continue
        is_first = False
        selection.add(place)
        used += cost


class _Queue:
    """The chunks of all texts in the order in which they are chosen: the best of each text that
    bears on the question, then the best of all. What a text has already counts against it, so that
    none takes all for a small advantage.
    """

    def __init__(
        self, selections: Sequence[_Selection], budget: int, priors: Sequence[float]
    ) -> None:
        self._selections = selections
        self._fair_share = budget / max(1, len(selections))
        self._waiting: list[list[tuple[float, int]]] = []  # of each text, the best at the end
        for selection, prior in zip(selections, priors, strict=True):
            scored = [
                (prior * score, -place) for place, score in enumerate(selection.ranked.scores)
            ]
            self._waiting.append(sorted(scored))
        self.best = max((waiting[-1][0] for waiting in self._waiting if waiting), default=0.0)

    def __iter__(self) -> Iterator[tuple[float, int, _Selection]]:
        clear = []
        for number, selection in enumerate(self._selections):
            if self._waiting[number] and selection.ranked.bearing == "clear":
                clear.append(number)
        clear.sort(key=lambda number: -self._waiting[number][-1][0])
        for number in clear:
            yield self._take(number)
        worths = [self._worth(number) for number in range(len(self._waiting))]
        while any(self._waiting):
            number = worths.index(max(worths))
            yield self._take(number)
            worths[number] = self._worth(number)  # of the others nothing has changed

    def _take(self, number: int) -> tuple[float, int, _Selection]:
        """The best chunk that is left of a text."""
        score, place = self._waiting[number].pop()
        return score, -place, self._selections[number]

    def _worth(self, number: int) -> float:
        """What the best chunk that is left of a text is worth now."""
        waiting = self._waiting[number]
        if not waiting:
            return -1.0
        if len(self._waiting) == 1:
            return waiting[-1][0]
        return waiting[-1][0] / (1 + self._selections[number].used / self._fair_share)


def _write_out(selections: Sequence[_Selection], budget: int) -> list[Excerpt]:
    """What is shown of each text; where no chunk fits, the beginning of the best one."""
    contents = [_compose(selection) for selection in selections]
    total = sum(map(len, contents))
    for number, selection in enumerate(selections):
        # costs are rounded up, so this hardly ever happens
        while selection.chosen and (total > budget or len(contents[number]) > selection.most):
            selection.drop_worst()
            total -= len(contents[number])
            contents[number] = _compose(selection)
            total += len(contents[number])
    excerpts = []
    for selection, content in zip(selections, contents, strict=True):
        passages = _list_passages(selection)
        if not selection.chosen and selection.text.chunks and total < budget:
            room = min(selection.most, budget - total)
            content, passages = _cut_best(selection, room)
            total += len(content)
        left_out = [
            chunk.size
            for place, chunk in enumerate(selection.text.chunks)
            if place not in selection.chosen
        ]
        excerpts.append(
            Excerpt(
                content=content,
                passages=passages,
                bearing=selection.ranked.bearing,
                left_out=len(left_out),
                bytes_left_out=sum(left_out),
                ran_out=selection.ran_out,
            )
        )
    return excerpts


def _compose(selection: _Selection) -> bytes:
    """The chosen chunks of a text in order, with what they stand under and marks for gaps."""
    text = selection.text
    if not selection.chosen:
        return b""
    pieces: list[bytes] = []
    last = -1
    section: Section | None = None
    frame: Frame | None = None
    for place in sorted(selection.chosen):
        chunk = text.chunks[place]
        if selection.joins(place):
            before = text.chunks[place - 1].stop if place else 0
            pieces.append(text.data[before : chunk.stop])
        else:
            in_same_frame = frame is not None and chunk.frame is frame
            if in_same_frame:
                pieces.append(_ROW_GAP if chunk.is_row else _LINE_GAP)
            else:
                _end_run(pieces, frame)
                _start_run(pieces, selection, chunk, section)
            pieces.append(text.data[chunk.start : chunk.stop])
        last = place
        section = chunk.section
        frame = chunk.frame
    if last == len(text.chunks) - 1:
        pieces.append(text.data[text.chunks[-1].stop :])
    else:
        _end_run(pieces, frame)
    return b"".join(pieces)


def _end_run(pieces: list[bytes], frame: Frame | None) -> None:
    """Close what is open, and mark that something is left out."""
    if frame is not None and frame.tail:
        pieces.append(frame.tail)
    if pieces and not pieces[-1].endswith(b"\n\n"):
        pieces.append(b"\n" if pieces[-1].endswith(b"\n") else b"\n\n")
    pieces.append(GAP)


def _start_run(
    pieces: list[bytes], selection: _Selection, chunk: Chunk, section: Section | None
) -> None:
    """The heading and the head of a table that a chunk stands under."""
    data = selection.text.data
    if chunk.section is not section and selection.shows_heading(chunk.section):
        pieces.append(data[chunk.section.start : chunk.section.stop])
    frame = chunk.frame
    if frame is not None and selection.shows_head(frame):
        pieces.append(data[frame.start : frame.stop])


def _cut_best(selection: _Selection, room: int) -> tuple[bytes, list[Passage]]:
    """The beginning of the best chunk, where not even one fits."""
    scores = selection.ranked.scores
    best = max(range(len(scores)), key=lambda place: (scores[place], -place))
    chunk = selection.text.chunks[best]
    data = selection.text.data[chunk.start : chunk.stop]
    mark = b"\n\n" + GAP.rstrip()
    limit = room - len(mark)
    if limit < len(mark):  # then the mark would be most of it
        limit, mark = room, b""
    end = cut(WrittenText(data), 0, limit)
    if end > room:  # less than a character is never given
        return b"", []
    return data[:end].rstrip() + mark, [_passage_at(chunk)]


def _list_passages(selection: _Selection) -> list[Passage]:
    """The runs of chunks that are shown, in order; where there are many, the best of them."""
    runs: list[tuple[float, Chunk]] = []
    scores = selection.ranked.scores
    last = None
    for place in sorted(selection.chosen):
        if last == place - 1 and runs:
            best, first = runs[-1]
            runs[-1] = (max(best, scores[place]), first)
        else:
            runs.append((scores[place], selection.text.chunks[place]))
        last = place
    if len(runs) > MOST_PASSAGES:
        least = sorted((score for score, _ in runs), reverse=True)[MOST_PASSAGES - 1]
        runs = [(score, chunk) for score, chunk in runs if score >= least][:MOST_PASSAGES]
    return [_passage_at(chunk) for _, chunk in runs]


def _passage_at(chunk: Chunk) -> Passage:
    """The passage that begins with a chunk."""
    section = " > ".join(chunk.section.path)
    if len(section) > _LONGEST_SECTION:
        section = "…" + section[1 - _LONGEST_SECTION :]
    start = chunk.start
    if chunk.frame is not None and chunk.frame.stop == start:
        start = chunk.frame.start
    return Passage(section, start)
