"""Selectors as text -> the names in them, told without parsing: what an element must be called to
be meant by one.
"""

from __future__ import annotations

import re

from webquarry._read.css.declarations import unescape
from webquarry._read.css.scan import find_closing
from webquarry._read.css.selectors.model import ANYTHING

NAMES = re.compile(r"[.#]([\w\u0080-\uffff-]+)")
_BETWEEN_COMPOUNDS = re.compile(r"[\s>+~]")
_LAST_COMPOUND = re.compile(r"[^\s>+~]*+")
_SIBLINGS = re.compile(r"([^\s>+~]++)(\s*+[+~]\s*+)?+")
_FUNCTION = re.compile(r"(?::[a-zA-Z-]+)?([(\[])")
_FIRST_NAME = re.compile(r"([.#])((?:[\w\u0080-\U0010ffff-]|\\[0-9a-fA-F]{1,6}[ \t\n]?|\\.)+)")
_TAG = re.compile(r"(?:\*?\|)?([a-zA-Z][\w-]*)")


def drop_brackets(text: str, mark: str = "") -> str:
    """A selector without `:not(...)`, `[...]` and the like, which leave a mark."""
    pieces: list[str] = []
    place = 0
    while (found := _FUNCTION.search(text, place)) is not None:
        pieces += [text[place : found.start()], mark]
        end = find_closing(text, found.end())
        if end < 0:
            return "".join(pieces)
        place = end + 1
    pieces.append(text[place:])
    return "".join(pieces)


def find_needed_names(text: str) -> list[str]:
    """The classes and ids that the elements of a selector must have: neither those of siblings nor
    those in brackets.
    """
    if "(" in text or "[" in text:
        text = drop_brackets(text)
    if "+" in text or "~" in text:
        kept = [found[1] for found in _SIBLINGS.finditer(text) if not found[2]]
        text = " ".join(kept)
    return NAMES.findall(text)


def find_last_names(text: str) -> list[str]:
    """The classes and ids of the element that a selector ends in, states and functions aside."""
    compounds = _BETWEEN_COMPOUNDS.split(text.strip())
    return NAMES.findall(compounds[-1])


def find_rough_keys(text: str) -> list[str]:
    """Return a key of the elements that a selector can match, in lower case, as `#id`, `.class` or
    tag; `ANYTHING` if its last compound has none.
    """
    if "(" in text or "[" in text:
        text = drop_brackets(text, ":")  # so that `a :is(.b)` does not end in its `a`
    text = text.strip()
    if "\\" not in text:
        text = _BETWEEN_COMPOUNDS.split(text)[-1]
    else:
        text = _LAST_COMPOUND.findall(text.replace("\\ ", "\\20 "))[-2]
    name = _FIRST_NAME.search(text)
    if name is not None:
        return [f"{name[1]}{unescape(name[2]).lower()}"]
    tag = _TAG.match(text)
    if tag is not None:
        return [tag[1].lower()]
    return [ANYTHING]
