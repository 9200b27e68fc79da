"""Selection of the main content of a parsed page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webquarry._read.html.fallbacks import drop_fallbacks, is_read_without_scripts
from webquarry._read.html.parse import Document
from webquarry._read.main_content.blocks import Flow, build_flow
from webquarry._read.main_content.choose import RULES, Rule, choose
from webquarry._read.main_content.model import (
    Model,
    Probabilities,
    build_features,
    load_shipped_model,
)
from webquarry._read.main_content.tags import FALLBACK_FLAG

_MIN_VISIBLE = 0.5  # share of the selected words


@dataclass(frozen=True)
class Selection:
    """The kept blocks of a page, rendered to Markdown by `render.py`."""

    flow: Flow
    kept: list[int]  # indexes of blocks in page order
    confidence: float  # expected F1, from 0 to 1; 0 for a page without blocks

    @property
    def texts(self) -> list[str]:
        """The plain text of each kept block."""
        return [self.flow.texts[index] for index in self.kept]


def select_main_content(
    document: Document,
    model: Model | None = None,
    probabilities: Probabilities | None = None,
    rules: Sequence[Rule] = RULES,
) -> Selection:
    """Select the main content of a page.

    Keeps nothing of a page without text, such as a script shell, or with too many blocks. Given
    `probabilities` replace those of the model; ValueError if they belong to another page.
    """
    flow = build_flow(document)
    if not flow.texts or flow.cut:
        return Selection(flow, [], 0.0)
    model = model or load_shipped_model()
    features = build_features(flow, model.lifts)
    is_given = probabilities is not None
    if probabilities is None:
        probabilities = model.predict(features)
    elif len(probabilities.final) != len(flow.texts):
        raise ValueError("The probabilities belong to another page.")
    words = features.words
    kept = choose(flow, probabilities, words, rules)
    if has_fallback(flow, kept) and not is_read_without_scripts(document.roots):
        visible = [index for index in kept if not has_fallback(flow, [index])]
        visible_words = sum(words[index] for index in visible)
        kept_words = sum(words[index] for index in kept)
        if visible_words < _MIN_VISIBLE * kept_words and not is_given:
            # most of the selection is invisible in browsers with scripts: select again without it
            drop_fallbacks(document.roots)
            return select_main_content(document, model)
        kept = visible
    return Selection(flow, kept, _expect_f1(kept, probabilities.final, words))


def _expect_f1(kept: list[int], probabilities: Sequence[float], words: Sequence[float]) -> float:
    """Return the expected F1 of keeping some blocks."""
    size = hits = 0.0
    for index in range(len(words)):
        chance, own_words = probabilities[index], words[index]
        size += chance * own_words
    for index in kept:
        chance, own_words = probabilities[index], words[index]
        size += own_words
        hits += chance * own_words
    return round(2 * hits / size, 4) if size else 0.0


def has_fallback(flow: Flow, blocks: list[int]) -> bool:
    """Return whether browsers show one of the blocks only if scripts are disabled."""
    return any(flow.flags[flow.boxes[block]] & FALLBACK_FLAG for block in blocks)
