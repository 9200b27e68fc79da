"""The paragraphs of a text that bear on a query or a claim, with the headings above them.

By words only, as `terms.py` compares them: of three terms or more a paragraph must hold two, of
fewer one. Where none does, one term is enough; where there is none either, nothing bears on it, and
the beginning of the text is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webquarry.evidence.language.terms import Terms
from webquarry.read.slices.paragraphs import Paragraph
from webquarry.read.slices.pieces import GAP

_BEGINNING = 2  # paragraphs that are kept of a text in which nothing bears on the question


@dataclass(frozen=True)
class RelevantParagraphs:
    """What is kept. `found` is false where it is only the beginning."""

    kept: tuple[int, ...]  # places of paragraphs, in order; headings included
    found: bool


def find_relevant(
    paragraphs: Sequence[Paragraph], questions: Sequence[Terms]
) -> RelevantParagraphs:
    """The paragraphs that bear on any of the questions."""
    needed: list[int] = []  # terms that a paragraph must hold of each question
    for terms in questions:
        fewest = 1
        if len(terms.weights) > 2:
            fewest = 2
        needed.append(fewest)
    body: list[int] = []
    hits: list[int] = []  # paragraphs that hold enough terms of a question
    touched: list[int] = []  # paragraphs that hold a term at all
    for place, paragraph in enumerate(paragraphs):
        if paragraph.level or not paragraph.data.strip():
            continue
        body.append(place)
        counts = [len(terms.in_text(paragraph.text)) for terms in questions]
        if any(map(int.__ge__, counts, needed)):
            hits.append(place)
        if any(counts):
            touched.append(place)
    relevant = hits or touched
    shown = set(relevant or body[:_BEGINNING])

    # each with the heading it stands under, the one above that, and so on
    kept = set(shown)
    above: list[int] = []  # the headings in force, the highest first
    for place, paragraph in enumerate(paragraphs):
        if paragraph.level:
            while above and paragraphs[above[-1]].level >= paragraph.level:
                above.pop()
            above.append(place)
        elif place in shown:
            kept.update(above)
    in_order = sorted(kept)
    return RelevantParagraphs(tuple(in_order), bool(relevant))


def join_paragraphs(paragraphs: Sequence[Paragraph], kept: Sequence[int]) -> bytes:
    """The kept paragraphs as a text, with a mark where something was left out."""
    pieces: list[bytes] = []
    expected = 0
    for place in kept:
        if place != expected:
            _add_gap(pieces)
        pieces.append(paragraphs[place].data)
        expected = place + 1
    is_end_missing = expected < len(paragraphs)
    if kept and is_end_missing:
        _add_gap(pieces)
    return b"".join(pieces)


def _add_gap(pieces: list[bytes]) -> None:
    """Put the mark of a gap behind the pieces, in a paragraph of its own."""
    if pieces and not pieces[-1].endswith(b"\n"):
        pieces.append(b"\n\n")
    pieces.append(GAP)
