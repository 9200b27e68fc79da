"""A parsed page -> the blocks of it that a reader came for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webquarry._read.html.fallbacks import drop_fallbacks, is_read_without_scripts
from webquarry._read.html.parse import Document
from webquarry._read.main_content.blocks import Flow, build_flow
from webquarry._read.main_content.choose import choose
from webquarry._read.main_content.features import build_features
from webquarry._read.main_content.model import Chances, Model, load_shipped_model
from webquarry._read.main_content.tags import FALLBACK_FLAG

_FALLBACK = FALLBACK_FLAG
_MOST_OF_IT = 0.5  # of the words of a choice


@dataclass(frozen=True)
class Selection:
    """The blocks that are kept, by number, in the order of the page. `render.py` makes Markdown of
    them.
    """

    flow: Flow
    kept: list[int]
    # expected F1 of the choice, from 0 to 1; 0 where there was nothing to choose from
    confidence: float

    @property
    def texts(self) -> list[str]:
        """The plain text of the blocks."""
        return [self.flow.texts[index] for index in self.kept]


def select_main_content(
    document: Document, model: Model | None = None, chances: Chances | None = None
) -> Selection:
    """Choose what to keep of a page. A page without text, such as the shell of a script, gives
    nothing, and so does one with more pieces than any page a person reads: a part of those would be
    judged without the rest. Chances that are known already take the place of the model's.
    """
    flow = build_flow(document)
    if not flow.texts or flow.cut:
        return Selection(flow, [], 0.0)
    model = model or load_shipped_model()
    features = build_features(flow, model.lifts)
    is_given = chances is not None
    if chances is None:
        chances = model.chances(features)
    elif len(chances.final) != len(flow.texts):
        raise ValueError("The chances are those of another page.")
    words = features.words.tolist()
    kept = choose(flow, chances, words)
    if has_fallback(flow, kept) and not is_read_without_scripts(document.roots):
        seen = [index for index in kept if not has_fallback(flow, [index])]
        seen_words = sum(words[index] for index in seen)
        kept_words = sum(words[index] for index in kept)
        if seen_words < _MOST_OF_IT * kept_words and not is_given:
            # the choice was for something that nobody sees: choose again without it
            drop_fallbacks(document.roots)
            return select_main_content(document, model)
        kept = seen
    return Selection(flow, kept, _expect_f1(kept, chances.final, words))


def _expect_f1(kept: list[int], chances: Sequence[float], words: Sequence[float]) -> float:
    """The expected F1 of keeping some blocks."""
    size = hits = 0.0
    for index in range(len(words)):
        chance, own_words = chances[index], words[index]
        size += chance * own_words
    for index in kept:
        chance, own_words = chances[index], words[index]
        size += own_words
        hits += chance * own_words
    if not size:
        return 0.0
    return round(2 * hits / size, 4)


def has_fallback(flow: Flow, blocks: list[int]) -> bool:
    """Whether some of these blocks are shown only by browsers without scripts."""
    for block in blocks:
        box = flow.boxes[block]
        flags = flow.flags[box]
        if flags & _FALLBACK:
            return True
    return False
