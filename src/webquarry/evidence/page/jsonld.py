"""JSON-LD of a page: its nodes, and the node that the page is about.

Invalid blocks are common: comments around them, line breaks in strings, trailing commas, several
objects in a row. They are parsed if the meaning is clear, within limits of size and depth.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from webquarry.evidence.page.text import clean_html_line

Node = Mapping[str, Any]

ARTICLE_TYPES = frozenset(
    """
    article newsarticle reportagenewsarticle backgroundnewsarticle opinionnewsarticle
    analysisnewsarticle reviewnewsarticle advertisercontentarticle satiricalarticle
    scholarlyarticle medicalscholarlyarticle techarticle apireference blogposting
    liveblogposting socialmediaposting discussionforumposting report dataset softwaresourcecode
    question howto legislation
    """.split()  # noqa: SIM905
)
_PAGE_TYPES = frozenset(
    {"webpage", "itempage", "aboutpage", "medicalwebpage", "collectionpage", "faqpage"}
)
_OFTEN_EMBEDDED = frozenset({"videoobject", "audioobject", "podcastepisode"})
_MAX_CHARACTERS = 1_000_000
_MAX_NODES = 200
_MAX_DEPTH = 64
_MAX_NODE_DEPTH = 5  # lists and graphs around a node
_WHITESPACE = " \t\r\n"
_VOCABULARY_END = re.compile(r"[/#:]")
# An unclosed string extends to the end of the text, so that no quote is tried twice.
_STRING_OR_COMMA = re.compile(r'("[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z))|,(?=\s*+[\]}])', re.DOTALL)
_ROOTS = ("@graph", "mainEntity", "mainEntityOfPage")


@dataclass(frozen=True)
class Block:
    """A block of JSON-LD with its values; `is_json` if it is valid."""

    text: str
    values: Sequence[Any] = ()
    is_json: bool = False


@dataclass(frozen=True)
class Graph:
    """The nodes of a page in order, from all levels of lists and graphs."""

    nodes: Sequence[Node] = ()
    by_id: Mapping[str, Node] = field(default_factory=dict)

    def resolve(self, value: Any) -> Any:
        """Return the node of a bare reference, other values unchanged."""
        if not isinstance(value, dict) or "name" in value:
            return value
        identifier = value.get("@id")
        return self.by_id.get(identifier, value) if isinstance(identifier, str) else value

    def get_values(self, node: Node, name: str) -> list[Any]:
        """Return the values of a property, references resolved."""
        values = node.get(name)
        if not isinstance(values, list):
            values = [values]
        return [self.resolve(value) for value in values if value is not None]

    def name_of(self, value: Any) -> str:
        """Return the name of a node, or the text that is given for it."""
        value = self.resolve(value)
        return clean_html_line(value.get("name") if isinstance(value, dict) else value)


def parse_block(text: str) -> Block:
    """Parse a block; it has no values if it cannot be parsed."""
    if len(text) > _MAX_CHARACTERS:
        return Block(text)
    bare = text.strip(_WHITESPACE)
    try:
        value, end = _STRICT.raw_decode(bare)
        if end == len(bare) and _is_shallow(value):
            return Block(text, [value], is_json=True)
    except (ValueError, RecursionError):
        pass
    # without comments around it and commas at the end of lists
    start = next((place for place, letter in enumerate(text) if letter in "[{"), 0)
    bare = text[start : max(text.rfind("}"), text.rfind("]")) + 1]
    try:
        values = _parse_values(_STRING_OR_COMMA.sub(r"\1", bare))
    except (ValueError, RecursionError):
        return Block(text)
    return Block(text, list(filter(_is_shallow, values)))


def read_graph(blocks: Iterable[Block]) -> Graph:
    """Return the nodes of all blocks."""
    nodes: list[Node] = []
    left = _MAX_CHARACTERS
    for block in blocks:
        if len(block.text) <= left:
            left -= len(block.text)
            for value in block.values:
                _collect_nodes(value, 0, nodes)
    by_id: dict[str, Node] = {}
    for node in nodes[:_MAX_NODES]:
        identifier = node.get("@id")
        if isinstance(identifier, str) and len(node) > len(by_id.get(identifier, {})):
            by_id[identifier] = node
    return Graph(nodes[:_MAX_NODES], by_id)


def _collect_nodes(value: Any, depth: int, nodes: list[Node]) -> None:
    """Add a node, the members of lists and graphs, and the main entity of a page."""
    if depth > _MAX_NODE_DEPTH:
        return
    if isinstance(value, list):
        for member in value[:_MAX_NODES]:
            _collect_nodes(member, depth + 1, nodes)
    elif isinstance(value, dict):
        if "@type" in value:
            nodes.append(value)
        for name in _ROOTS:
            if isinstance(value.get(name), dict | list):
                _collect_nodes(value[name], depth + 1, nodes)


def types_of(node: Any) -> frozenset[str]:
    """Return the types of a node in lower case, without their vocabulary."""
    names = node.get("@type") if isinstance(node, dict) else ()
    if not isinstance(names, list):
        names = [names]
    return frozenset(
        _VOCABULARY_END.split(name)[-1].lower() for name in names if isinstance(name, str)
    )


def find_main_node(graph: Graph, urls: Iterable[str]) -> Node | None:
    """Return the node that the page is about: an article or similar, otherwise the page itself.

    Of several articles, the one with a URL of the page, the one with the longest text, or the first
    if all have the same headline. A list of other articles has none. Videos are often embedded, so
    they must have a URL of the page.
    """
    own = {_normalise_url(url) for url in urls if url}
    articles = [node for node in graph.nodes if types_of(node) & ARTICLE_TYPES]
    article = _pick(articles, own)
    if article:
        return article
    for node in graph.nodes:
        if types_of(node) & _OFTEN_EMBEDDED and own.intersection(_urls_of(node)):
            return node
    return _pick([node for node in graph.nodes if types_of(node) & _PAGE_TYPES], own)


def _pick(nodes: Sequence[Node], own: set[str]) -> Node | None:
    if len(nodes) < 2:
        return nodes[0] if nodes else None
    for node in nodes:
        if own.intersection(_urls_of(node)):
            return node
    longest = max(nodes, key=lambda node: len(_body_of(node)))
    headlines = {clean_html_line(node.get("headline") or node.get("name")) for node in nodes}
    return longest if _body_of(longest) or len(headlines) == 1 else None


def _body_of(node: Node) -> str:
    body = node.get("articleBody")
    return body if isinstance(body, str) else ""


def _urls_of(node: Node) -> Iterator[str]:
    """Yield the URLs of a node for comparison."""
    for name in ("url", "mainEntityOfPage", "@id"):
        value = node.get(name)
        if isinstance(value, Mapping):
            value = value.get("@id") or value.get("url")
        if isinstance(value, str):
            yield _normalise_url(value)


def _normalise_url(url: str) -> str:
    """Return a URL without scheme, `www.`, fragment and trailing slash."""
    return url.partition("#")[0].partition("://")[2].rstrip("/").removeprefix("www.")


def _parse_values(text: str) -> list[Any]:
    """Parse values in a row; control characters in strings are allowed."""
    values: list[Any] = []
    at = 0
    while at < len(text):
        value, at = _LENIENT.raw_decode(text, at)
        values.append(value)
        while at < len(text) and text[at].isspace():
            at += 1
    return values


def _is_shallow(value: Any) -> bool:
    """Return whether a value is nested less than 64 levels deep."""
    level = [value]
    for _ in range(_MAX_DEPTH):
        below: list[Any] = []
        for one in level:
            below += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        if not below:
            return True
        level = below
    return False


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _parse_finite(number: str) -> float:
    if not math.isfinite(float(number)):
        raise ValueError("the number is out of range")
    return float(number)


_STRICT = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_parse_finite)
_LENIENT = json.JSONDecoder(strict=False, parse_constant=_refuse_constant)
