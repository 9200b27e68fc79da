"""The element table of a flow -> what each element inherits, repeats and is named.

One pass from parents to children. Everything here is a plain list, an entry an element.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from webquarry.read.main_content.blocks import Flow

_TOKEN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
COMMENT_BIT, CONTENT_BIT, THREAD_BIT = 1, 2, 4
_BITS = {
    COMMENT_BIT: "comment comments disqus reply replies respond commentlist discussion kommentare commentaires",
    CONTENT_BIT: "content article body entry story text markdown prose richtext wysiwyg",
    THREAD_BIT: "thread post posts message messages forum topic answer answers question questions bbs postbody",
}
_BIT_OF_TOKEN = {token: bit for bit, tokens in _BITS.items() for token in tokens.split()}
_REPEATS = 3  # siblings alike that make each of them a unit
NOTHING = (0.0, 0.0, 0.0, 0)


@dataclass(slots=True)
class Boxes:
    """What is known of each element."""

    jumps: list[int] = field(default_factory=list)  # nearest ancestor that holds more blocks; 0 points to itself
    units: list[int] = field(default_factory=list)  # nearest element with siblings like it; -1 for none
    siblings: list[int] = field(default_factory=list)  # how many siblings are like it, itself included
    clusters: list[int] = field(default_factory=list)  # number of its signature together with its parent's
    signatures: list[int] = field(default_factory=list)
    named: list[tuple[float, float, float, int]] = field(default_factory=list)  # what its own names say
    lowest: list[float] = field(default_factory=list)
    highest: list[float] = field(default_factory=list)
    total: list[float] = field(default_factory=list)
    path_bits: list[int] = field(default_factory=list)
    articles: list[int] = field(default_factory=list)  # the outermost article around it; -1 for none
    depths: list[int] = field(default_factory=list)


@lru_cache(maxsize=32_768)
def tokens_of(names: str) -> tuple[str, ...]:
    """Class names cut at case changes and at everything that is no letter, in lower case, each once."""
    return tuple(dict.fromkeys(map(str.lower, _TOKEN.findall(names[:400]))))


def describe_boxes(flow: Flow, lifts: Mapping[str, float]) -> Boxes:
    """Describe every element of the table."""
    boxes = Boxes()
    known: dict[tuple[str, str], tuple[float, float, float, int]] = {("", ""): NOTHING}
    kinds: dict[tuple[str, str], int] = {}  # tag and class as written -> signature, to look at names once only
    signatures: dict[tuple[str, tuple[str, ...]], int] = {}
    clusters: dict[tuple[int, int], int] = {}
    alike: dict[tuple[int, int], int] = {}
    own_signatures = boxes.signatures
    for parent, tag, names, identity in zip(flow.parents, flow.tags, flow.names, flow.ids, strict=True):
        named = known.get((names, identity))
        if named is None:
            named = known[names, identity] = _named(tokens_of(f"{names} {identity}"), lifts)
        boxes.named.append(named)
        signature = kinds.get((tag, names))
        if signature is None:
            signature = signatures.setdefault((tag, tokens_of(names)), len(signatures))
            kinds[tag, names] = signature
        own_signatures.append(signature)
        cluster = (signature, own_signatures[parent] if parent >= 0 else -1)
        boxes.clusters.append(clusters.setdefault(cluster, len(clusters)))
        place = (parent, signature)
        alike[place] = alike.get(place, 0) + 1
    boxes.siblings = [alike[place] for place in zip(flow.parents, own_signatures, strict=True)]
    _inherit(boxes, flow)
    _find_units(boxes, flow)
    return boxes


def _named(tokens: tuple[str, ...], lifts: Mapping[str, float]) -> tuple[float, float, float, int]:
    """Sum, lowest and highest of what its names speak for or against, and the bits of a few kinds of names."""
    values = [lifts.get(token, 0.0) for token in tokens]
    bits = 0
    for token in tokens:
        bits |= _BIT_OF_TOKEN.get(token, 0)
    return (sum(values), min(values), max(values), bits) if values else NOTHING


def _inherit(boxes: Boxes, flow: Flow) -> None:
    """Hand down from parents to children: names on the way, articles, depth, ancestors that hold more."""
    jumps, lowest, highest, total = boxes.jumps, boxes.lowest, boxes.highest, boxes.total
    path_bits, articles, depths = boxes.path_bits, boxes.articles, boxes.depths
    first, last, tags = flow.first, flow.last, flow.tags
    for index, parent in enumerate(flow.parents):
        own, low, high, bits = boxes.named[index]
        if parent < 0:
            jumps.append(index)
            lowest.append(low)
            highest.append(high)
            total.append(own)
            path_bits.append(0)
            articles.append(-1)
            depths.append(0)
            continue
        same = first[parent] == first[index] and last[parent] == last[index]
        jumps.append(jumps[parent] if same else parent)
        above = lowest[parent]
        lowest.append(low if low < above else above)
        above = highest[parent]
        highest.append(high if high > above else above)
        total.append(own + total[parent])
        # the body and the wrappers around everything are named after all that a page may hold
        path_bits.append(path_bits[parent] if same else path_bits[parent] | bits)
        article = articles[parent]
        articles.append(index if article < 0 and tags[index] == "article" else article)
        depths.append(depths[parent] + 1)


def _find_units(boxes: Boxes, flow: Flow) -> None:
    units = boxes.units
    for index, (parent, count) in enumerate(zip(flow.parents, boxes.siblings, strict=True)):
        units.append(index if count >= _REPEATS else units[parent] if parent >= 0 else -1)
