"""The text of a selector of nothing but tags, classes and ids -> the selector. Most are such, and
are read in one pass over their letters.
"""

from __future__ import annotations

from webquarry._read.css.selectors.model import (
    ANCESTOR,
    BESIDE,
    EARLIER,
    PARENT,
    Compound,
    Selector,
)

MOST_STEPS = 64
_NO_TESTS = ()


def parse_plain(text: str, folds: bool) -> Selector | None:
    """The selector of a text; None where the text needs a closer look. With `folds`, case does not
    count in names.
    """
    size = len(text)
    steps: list[tuple[int, Compound]] = []
    ids = classes = tags = 0
    relation = ANCESTOR
    place = skip_blanks(text, 0)
    while len(steps) < MOST_STEPS:
        end = _find_compound_end(text, place)
        if end < 0:
            return None
        compound = _build_compound(text[place:end], folds)
        steps.append((relation, compound))
        own_ids, own_classes, own_tags = compound.specificity
        ids += own_ids
        classes += own_classes
        tags += own_tags
        place = skip_blanks(text, end)
        if place == size:
            return Selector(tuple(steps), (ids, classes, tags))
        relation = ANCESTOR
        sign = text[place]
        if sign == ">" or sign == "+" or sign == "~":
            relation = PARENT
            if sign == "+":
                relation = BESIDE
            elif sign == "~":
                relation = EARLIER
            place = skip_blanks(text, place + 1)
        elif place == end:
            return None
    return None


def skip_blanks(text: str, place: int) -> int:
    """Where blanks that stand at a place end."""
    size = len(text)
    while place < size:
        sign = text[place]
        if sign != " " and not "\t" <= sign <= "\r":
            break
        place += 1
    return place


def find_name_end(text: str, place: int) -> int:
    """Where a name of letters, digits and dashes ends that begins with a letter at a place; the
    place itself, where none does.
    """
    size = len(text)
    start = place
    while place < size:
        sign = text[place]
        is_letter = "a" <= sign <= "z" or "A" <= sign <= "Z" or sign == "_"
        if not is_letter and (place == start or not (sign == "-" or "0" <= sign <= "9")):
            break
        place += 1
    return place


def _find_compound_end(text: str, place: int) -> int:
    """Where a compound of a tag, classes and one id at most ends; -1 where a closer look is
    needed.
    """
    size = len(text)
    start = place
    ids = 0
    if place < size and text[place] == "_":
        return -1
    place = find_name_end(text, place)
    while place < size and (text[place] == "." or text[place] == "#"):
        if text[place] == "#":
            ids += 1
        end = find_name_end(text, place + 1)
        if end == place + 1 or ids > 1:
            return -1
        place = end
    if place == start:
        return -1
    return place


def _build_compound(text: str, folds: bool) -> Compound:
    """A compound of a tag and of names, each behind its sign; one of them at most is an id."""
    size = len(text)
    place = find_name_end(text, 0)
    tag = text[:place].lower()
    key = tag
    identity = ""
    classes: list[str] = []
    while place < size:
        end = find_name_end(text, place + 1)
        name = text[place + 1 : end]
        if folds:
            name = name.lower()
        if text[place] == "#":
            identity = name
        else:
            classes.append(name)
        place = end
    if identity:
        key = f"#{identity}"
    elif len(classes) == 1:
        key = f".{classes[0]}"
    elif classes:
        key = f".{min(classes)}"
    weight = (int(identity != ""), len(classes), int(tag != ""))
    return Compound(text, tag, identity, frozenset(classes), _NO_TESTS, (key,), weight)
