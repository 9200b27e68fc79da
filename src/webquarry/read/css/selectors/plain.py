"""The text of a selector of nothing but tags, classes and ids -> the selector. Most are such, and
are read without a look at each sign.
"""

from __future__ import annotations

import re

from webquarry.read.css.selectors.model import ANCESTOR, RELATIONS, Compound, Selector
from webquarry.read.css.selectors.names import PLAIN_SELECTOR

MOST_STEPS = 64
_STEP = re.compile(
    r"(\s*+[>+~]?+\s*+)(?=[a-zA-Z.#])([a-zA-Z][\w-]*+)?+((?:[.#][\w-]++)*+)", re.ASCII
)


def parse_plain(text: str, *, folds: bool) -> Selector | None:
    """The selector of a text without blanks around it; None where the text needs a closer look.
    With `folds`, case does not count in names.
    """
    if PLAIN_SELECTOR.fullmatch(text) is None:
        return None
    steps: list[tuple[int, Compound]] = []
    ids = classes = tags = 0
    for sign, tag, names in _STEP.findall(text):
        if names.count("#") > 1 or len(steps) >= MOST_STEPS:
            return None
        compound = _build_compound(tag, names, folds=folds)
        steps.append((RELATIONS.get(sign.strip(), ANCESTOR), compound))
        own_ids, own_classes, own_tags = compound.specificity
        ids += own_ids
        classes += own_classes
        tags += own_tags
    return Selector(tuple(steps), (ids, classes, tags))


def _build_compound(tag: str, names: str, *, folds: bool) -> Compound:
    """A compound of a tag and of names, each behind its sign; one of them at most is an id."""
    identity = ""
    classes: list[str] = []
    folded = names
    if folds:
        folded = names.lower()
    for name in folded.replace("#", ".#").split(".")[1:]:
        if name[0] == "#":
            identity = name[1:]
        else:
            classes.append(name)
    text = tag + names
    tag = tag.lower()
    key = tag
    if identity:
        key = f"#{identity}"
    elif classes:
        key = f".{min(classes)}"
    weight = (int(bool(identity)), len(classes), int(bool(tag)))
    return Compound(text, tag, identity, frozenset(classes), (), (key,), weight)
