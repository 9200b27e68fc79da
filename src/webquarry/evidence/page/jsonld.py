"""The JSON-LD of a page: texts in, the things it speaks of out, and the one that the page is about.

Real blocks are often not quite JSON: comments around them, line breaks in strings, a comma too
many, several objects in a row. They are read all the same where that needs no guess, within limits:
a megabyte, 200 things, 64 levels.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from webquarry.evidence.language.text import line_from_html
from webquarry.evidence.page.tags import ARTICLE_TYPES
from webquarry.read.text.characters import without_surrogates

Node = Mapping[str, Any]

PAGE_TYPES = frozenset(
    {"webpage", "itempage", "aboutpage", "medicalwebpage", "collectionpage", "faqpage"}
)
_OFTEN_EMBEDDED = frozenset({"videoobject", "audioobject", "podcastepisode"})
_MOST_CHARACTERS = 1_000_000
_MOST_NODES = 200
_DEEPEST = 64
_OPENINGS, _CLOSINGS = ("<!--", "<![CDATA["), ("-->", "]]>")
# A string without an end is taken to the end of the text: else each quote in it would be tried
# anew.
_STRING_OR_COMMA = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|,(?=\s*+[\]}])', re.DOTALL)
_ROOTS = ("mainEntity", "mainEntityOfPage")


@dataclass(frozen=True)
class Graph:
    """The things of a page, top level and `@graph` alike, in order."""

    nodes: tuple[Node, ...] = ()
    by_id: Mapping[str, Node] = field(default_factory=dict)

    def resolved(self, value: Any) -> Any:
        """A bare reference becomes the thing that it names, where the page has it."""
        if isinstance(value, Mapping) and isinstance(value.get("@id"), str) and "name" not in value:
            return self.by_id.get(value["@id"], value)
        return value

    def members(self, node: Node, name: str) -> list[Any]:
        """The values of a property, references resolved."""
        value = node.get(name)
        return [
            self.resolved(one)
            for one in (value if isinstance(value, list) else [value])
            if one is not None
        ]

    def name_of(self, value: Any) -> str:
        """The name of a thing, or the text that stands in its place."""
        value = self.resolved(value)
        return line_from_html(value.get("name") if isinstance(value, Mapping) else value)


def strict_json(text: str) -> Any:
    """The value of a JSON text; ValueError for any other, also for numbers and depths that JSON
    does not have.
    """
    try:
        value = json.loads(text, parse_constant=_refuse, parse_float=_finite)
        if not _is_shallow(value):
            raise ValueError("nested too deep")
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    if "\\u" in text:
        return _encodable(value)
    return value


def read_graph(texts: Iterable[str]) -> Graph:
    """All the things in the blocks of a page; a block that cannot be read is passed over."""
    nodes: list[Node] = []
    left = _MOST_CHARACTERS
    for text in texts:
        if len(text) > left:
            continue
        left -= len(text)
        for value in _lenient(text):
            nodes.extend(_flat(value, 0))
    nodes = nodes[:_MOST_NODES]
    by_id: dict[str, Node] = {}
    for node in nodes:
        if isinstance(node.get("@id"), str) and len(node) > len(by_id.get(node["@id"], {})):
            by_id[node["@id"]] = node
    return Graph(tuple(nodes), by_id)


def types_of(node: Any) -> frozenset[str]:
    """The types of a thing, in lower case and without the vocabulary in front."""
    stated = None
    if isinstance(node, Mapping):
        stated = node.get("@type")
    names = stated if isinstance(stated, list) else [stated]
    return frozenset(
        re.split(r"[/#:]", name)[-1].lower() for name in names if isinstance(name, str)
    )


def main_node(graph: Graph, addresses: Iterable[str]) -> Node | None:
    """The thing that the page is about: an article or its like, else the page itself.

    Of several, the one that bears the page's address, else the one with the longest text, else the
    first if all have one headline. A list of other articles has none of these, and so lends its
    page neither author nor date. A film stands in many pages that are not about it, so it must bear
    the page's address.
    """
    own = {_bare(address) for address in addresses if address}
    films = (
        node
        for node in graph.nodes
        if types_of(node) & _OFTEN_EMBEDDED and own.intersection(_addresses(node))
    )
    return _pick(graph, ARTICLE_TYPES, own) or next(films, None) or _pick(graph, PAGE_TYPES, own)


def _pick(graph: Graph, types: frozenset[str], own: set[str]) -> Node | None:
    nodes = [node for node in graph.nodes if types_of(node) & types]
    if len(nodes) < 2:
        if nodes:
            return nodes[0]
        return None
    for node in nodes:
        if own.intersection(_addresses(node)):
            return node
    longest = max(nodes, key=lambda node: len(_body(node)))
    same = len({line_from_html(node.get("headline") or node.get("name")) for node in nodes}) == 1
    if _body(longest) or same:
        return longest
    return None


def _body(node: Node) -> str:
    body = node.get("articleBody")
    if isinstance(body, str):
        return body
    return ""


def _addresses(node: Node) -> Iterator[str]:
    for name in ("url", "mainEntityOfPage", "@id"):
        value = node.get(name)
        if isinstance(value, Mapping):
            value = value.get("@id") or value.get("url")
        if isinstance(value, str):
            yield _bare(value)


def _bare(address: str) -> str:
    return address.partition("#")[0].partition("://")[2].rstrip("/").removeprefix("www.")


def _flat(value: Any, depth: int) -> Iterator[Node]:
    """A thing, the members of lists and graphs, and what a page calls its main entity."""
    if depth > 5:
        return
    if isinstance(value, list):
        for member in value[:_MOST_NODES]:
            yield from _flat(member, depth + 1)
    elif isinstance(value, dict):
        if "@type" in value:
            yield value
        for name in ("@graph", *_ROOTS):
            if isinstance(value.get(name), dict | list):
                yield from _flat(value[name], depth + 1)


def _lenient(text: str) -> list[Any]:
    """The values of a block, as it is or else without its needless commas; none where neither can
    be read.
    """
    bare = _unwrapped(text)
    try:
        values = _values(bare)
    except (ValueError, RecursionError):
        try:
            values = _values(
                _STRING_OR_COMMA.sub(lambda found: "" if found[0] == "," else found[0], bare)
            )
        except (ValueError, RecursionError):
            return []
    return [value for value in values if _is_shallow(value)]


def _values(text: str) -> list[Any]:
    """The values that stand in a row; raw line breaks and other control characters in strings are
    let through.
    """
    decoder = json.JSONDecoder(strict=False, parse_constant=_refuse)
    values, at = [], 0
    while at < len(text):
        value, at = decoder.raw_decode(text, at)
        values.append(value)
        at = next((place for place in range(at, len(text)) if not text[place].isspace()), len(text))
    return values


def _unwrapped(text: str) -> str:
    """Without the comment or CDATA marks that some put around a block."""
    bare = text.strip().removeprefix("//").lstrip()
    for opening in _OPENINGS:
        bare = bare.removeprefix(opening)
    for closing in _CLOSINGS:
        bare = bare.removesuffix(closing)
    return bare.strip().removesuffix("//").rstrip().rstrip(";")


def _is_shallow(value: Any) -> bool:
    level = [value]
    for _ in range(_DEEPEST):
        level = [
            member
            for one in level
            if isinstance(one, dict | list)
            for member in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return True
    return False


def _encodable(value: Any) -> Any:
    """The value without lone surrogates, which an escape can bring in and no encoding takes out
    again.
    """
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, list):
        return [_encodable(one) for one in value]
    if isinstance(value, dict):
        return {without_surrogates(name): _encodable(one) for name, one in value.items()}
    return value


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite(written: str) -> float:
    number = float(written)
    if not math.isfinite(number):
        raise ValueError("a number beyond all bounds")
    return number
