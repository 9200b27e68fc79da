"""Select the main content of a parsed page: a threshold for the probabilities, then rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from webquarry._native import find_joint_threshold
from webquarry._read.html.fallbacks import drop_fallbacks, is_read_without_scripts
from webquarry._read.html.parse import Document
from webquarry._read.main_content.blocks import Flow, build_flow
from webquarry._read.main_content.model import (
    Model,
    Probabilities,
    build_features,
    load_shipped_model,
)
from webquarry._read.main_content.rules_lists import add_units
from webquarry._read.main_content.rules_tables import add_tables
from webquarry._read.main_content.rules_text import (
    add_captions,
    add_code,
    add_ends,
    add_headings,
    drop_comments,
    drop_copies,
)
from webquarry._read.main_content.tags import FALLBACK_FLAG

Rule = Callable[[Flow, Sequence[float], bytearray], None]
# In this order: later rules complete what earlier ones keep.
RULES: tuple[Rule, ...] = (
    add_tables,
    add_code,
    add_ends,
    add_captions,
    add_units,
    drop_comments,
    drop_copies,
    add_headings,
)
_MIN_VISIBLE = 0.5  # share of the selected words


@dataclass(frozen=True)
class Selection:
    """The selected blocks of a page, rendered to Markdown by `render.py`."""

    flow: Flow
    kept: list[int]  # indexes of blocks in page order

    @property
    def texts(self) -> list[str]:
        """The plain text of each selected block."""
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
        return Selection(flow, [])
    model = model or load_shipped_model()
    features = build_features(flow, model.lifts)
    is_given = probabilities is not None
    if probabilities is None:
        probabilities = model.predict(features)
    elif len(probabilities.final) != len(flow.texts):
        raise ValueError("The probabilities belong to another page.")
    words = features.words
    kept = choose(flow, probabilities, words, rules)
    visible = [index for index in kept if not flow.flags[flow.boxes[index]] & FALLBACK_FLAG]
    if len(visible) == len(kept) or is_read_without_scripts(document.roots):
        return Selection(flow, kept)
    kept_words = sum(words[index] for index in kept)
    if sum(words[index] for index in visible) < _MIN_VISIBLE * kept_words and not is_given:
        # most of the selection is invisible in browsers with scripts: select again without it
        drop_fallbacks(document.roots)
        return select_main_content(document, model, rules=rules)
    return Selection(flow, visible)


def choose(
    flow: Flow, probabilities: Probabilities, words: Sequence[float], rules: Sequence[Rule] = RULES
) -> list[int]:
    """Return the indexes of the blocks to keep; `words` is the number of words of each block."""
    threshold = find_joint_threshold(list(probabilities.final), list(words))
    kept = bytearray([probability >= threshold for probability in probabilities.final])
    likely = list(map(max, probabilities.first, probabilities.final))
    for rule in rules:
        rule(flow, likely, kept)
    return [index for index, is_kept in enumerate(kept) if is_kept]
