"""The element table of a flow -> what each element inherits, repeats and is named.

One pass from parents to children. Everything here is a plain list, an entry an element.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from webquarry.read.main_content.blocks import Flow

_TOKEN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_REPEATS = 3  # siblings alike that make each of them a unit
_NOTHING = (0.0, 0.0, 0.0)


@dataclass(slots=True)
class Boxes:
    """What is known of each element."""

    jumps: list[int] = field(default_factory=list)  # nearest ancestor that holds more blocks; 0 points to itself
    units: list[int] = field(default_factory=list)  # nearest element with siblings like it; -1 for none
    siblings: list[int] = field(default_factory=list)  # how many siblings are like it, itself included
    clusters: list[int] = field(default_factory=list)  # number of its signature together with its parent's
    deeps: list[int] = field(default_factory=list)  # number of its cluster together with its parent's
    named: list[float] = field(default_factory=list)  # what its own names say
    lowest: list[float] = field(default_factory=list)
    highest: list[float] = field(default_factory=list)


@lru_cache(maxsize=32_768)
def tokens_of(names: str) -> tuple[str, ...]:
    """Class names cut at case changes and at everything that is no letter, in lower case, each once."""
    return tuple(dict.fromkeys([token.lower() for token in _TOKEN.findall(names[:400])]))


def describe_boxes(flow: Flow, lifts: Mapping[str, float]) -> Boxes:
    """Describe every element of the table."""
    boxes = Boxes()
    signatures = _signatures(flow)
    alike = Counter(zip(flow.parents, signatures, strict=True))
    boxes.siblings = [alike[place] for place in zip(flow.parents, signatures, strict=True)]
    pairs = _numbered(signatures, flow.parents)
    boxes.clusters, boxes.deeps = pairs, _numbered(pairs, flow.parents)
    _inherit(boxes, flow, lifts)
    return boxes


def _signatures(flow: Flow) -> list[int]:
    """A number for every tag together with the words of its classes."""
    written: dict[tuple[str, str], int] = {}  # as they stand in the page, to look at names once only
    meant: dict[tuple[str, tuple[str, ...]], int] = {}
    found = []
    for key in zip(flow.tags, flow.names, strict=True):
        number = written.get(key)
        if number is None:
            number = written[key] = meant.setdefault((key[0], tokens_of(key[1])), len(meant))
        found.append(number)
    return found


def _numbered(kinds: list[int], parents: list[int]) -> list[int]:
    """A number for every kind together with that of its parent."""
    numbers: dict[tuple[int, int], int] = {}
    new = numbers.setdefault
    return [
        new((kind, kinds[parent] if parent >= 0 else -1), len(numbers))
        for kind, parent in zip(kinds, parents, strict=True)
    ]


def _inherit(boxes: Boxes, flow: Flow, lifts: Mapping[str, float]) -> None:
    """Hand down from parents to children: names on the way, ancestors that hold more, the unit they are in."""
    known: dict[tuple[str, str], tuple[float, float, float]] = {("", ""): _NOTHING}
    jumps, units, named, lowest, highest = boxes.jumps, boxes.units, boxes.named, boxes.lowest, boxes.highest
    first, last = flow.first, flow.last
    columns = zip(flow.parents, flow.names, flow.ids, boxes.siblings, strict=True)
    for index, (parent, names, identity, siblings) in enumerate(columns):
        place = (names, identity)
        found = known.get(place)
        if found is None:
            found = known[place] = _named(tokens_of(f"{names} {identity}"), lifts)
        own, low, high = found
        named.append(own)
        if parent < 0:
            jumps.append(index)
            units.append(index if siblings >= _REPEATS else -1)
            lowest.append(low)
            highest.append(high)
        else:
            same = first[parent] == first[index] and last[parent] == last[index]
            jumps.append(jumps[parent] if same else parent)
            units.append(index if siblings >= _REPEATS else units[parent])
            above = lowest[parent]
            lowest.append(low if low < above else above)
            above = highest[parent]
            highest.append(high if high > above else above)


def _named(tokens: tuple[str, ...], lifts: Mapping[str, float]) -> tuple[float, float, float]:
    """Sum, lowest and highest of what its names speak for or against."""
    values = [lifts.get(token, 0.0) for token in tokens]
    return (sum(values), min(values), max(values)) if values else _NOTHING
