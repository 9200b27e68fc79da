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


def find_relevant(parts: Sequence[Paragraph], questions: Sequence[Terms]) -> RelevantParagraphs:
    """The paragraphs that bear on any of the questions."""
    body = [at for at, part in enumerate(parts) if not part.level and part.data.strip()]
    held = {at: [len(terms.in_text(parts[at].text)) for terms in questions] for at in body}
    wanted = [2 if len(terms.weights) > 2 else 1 for terms in questions]
    hits = [at for at in body if any(map(int.__ge__, held[at], wanted))] or [
        at for at in body if any(held[at])
    ]
    shown = hits or body[:_BEGINNING]
    return RelevantParagraphs(tuple(sorted({*shown, *_headings_above(parts, shown)})), bool(hits))


def join_paragraphs(parts: Sequence[Paragraph], kept: Sequence[int]) -> bytes:
    """The kept paragraphs as a text, with a mark where something was left out."""
    pieces: list[bytes] = []
    expected = 0
    for at in kept:
        if at != expected:
            pieces.append((b"" if not pieces or pieces[-1].endswith(b"\n") else b"\n\n") + GAP)
        pieces.append(parts[at].data)
        expected = at + 1
    if kept and expected < len(parts):
        pieces.append((b"" if pieces[-1].endswith(b"\n") else b"\n\n") + GAP)
    return b"".join(pieces)


def _headings_above(parts: Sequence[Paragraph], shown: Sequence[int]) -> list[int]:
    """For each place, the heading it stands under, the one above that, and so on."""
    wanted, found = set(shown), []
    above: list[int] = []
    for at, part in enumerate(parts):
        if part.level:
            above = [*(one for one in above if parts[one].level < part.level), at]
        elif at in wanted:
            found += above
    return found
