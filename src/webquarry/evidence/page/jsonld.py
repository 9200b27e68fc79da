"""The JSON-LD of a page: texts in, the things it speaks of out, and the one that the page is about.

Real blocks are often not quite JSON: comments around them, line breaks in strings, a comma too
many, several objects in a row. They are read all the same where that needs no guess, within limits:
a megabyte, 200 things, 64 levels.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from webquarry._read.text.characters import without_surrogates
from webquarry.evidence.language.text import clean_html_line
from webquarry.evidence.page.tags import ARTICLE_TYPES

Node = Mapping[str, Any]

PAGE_TYPES = frozenset(
    {"webpage", "itempage", "aboutpage", "medicalwebpage", "collectionpage", "faqpage"}
)
_OFTEN_EMBEDDED = frozenset({"videoobject", "audioobject", "podcastepisode"})
_MOST_CHARACTERS = 1_000_000
_MOST_NODES = 200
_DEEPEST = 64
_DEEPEST_NODE = 5  # lists and graphs around a thing
_BLANKS = " \t\r\n"  # that may stand around a value
_NO_TYPES: frozenset[str] = frozenset()
_VOCABULARY_END = re.compile(r"[/#:]")
_OPENINGS, _CLOSINGS = ("<!--", "<![CDATA["), ("-->", "]]>")
# A string without an end is taken to the end of the text: else each quote in it would be tried
# anew.
_STRING_OR_COMMA = re.compile(r'("[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z))|,(?=\s*+[\]}])', re.DOTALL)
_ROOTS = ("@graph", "mainEntity", "mainEntityOfPage")


@dataclass(frozen=True)
class Graph:
    """The things of a page, top level and `@graph` alike, in order."""

    nodes: tuple[Node, ...] = ()
    by_id: Mapping[str, Node] = field(default_factory=dict)

    def resolve(self, value: Any) -> Any:
        """A bare reference becomes the thing that it names, where the page has it."""
        if not isinstance(value, dict) or "name" in value:
            return value
        identifier = value.get("@id")
        if not isinstance(identifier, str):
            return value
        return self.by_id.get(identifier, value)

    def get_values(self, node: Node, name: str) -> list[Any]:
        """The values of a property, references resolved."""
        values = node.get(name)
        if not isinstance(values, list):
            values = [values]
        return [self.resolve(value) for value in values if value is not None]

    def name_of(self, value: Any) -> str:
        """The name of a thing, or the text that stands in its place."""
        value = self.resolve(value)
        if isinstance(value, dict):
            value = value.get("name")
        return clean_html_line(value)


class JsonLdBlock:
    """One block of JSON-LD, read when it is first asked for and then known."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._is_read = self._is_json = False
        self._value: Any = None

    @property
    def is_json(self) -> bool:
        """Whether it is JSON as the standard has it, without numbers and depths that JSON does not
        have.
        """
        if not self._is_read:
            self._is_read = True
            bare = self.text.strip(_BLANKS)
            try:
                self._value, end = _STRICT.raw_decode(bare)
            except (ValueError, RecursionError):
                return False
            self._is_json = end == len(bare) and _is_shallow(self._value)
        return self._is_json

    @property
    def values(self) -> list[Any]:
        """The values that it holds, also where it is not quite JSON."""
        if self.is_json:
            return [self._value]
        return _parse_lenient(self.text)

    @property
    def encodable(self) -> Any:
        """The value of one that is JSON, without lone surrogates, which no encoding takes."""
        if "\\u" in self.text:
            return _strip_surrogates(self._value)
        return self._value


def read_graph(blocks: Iterable[JsonLdBlock]) -> Graph:
    """All the things in the blocks of a page; a block that cannot be read is passed over."""
    nodes: list[Node] = []
    left = _MOST_CHARACTERS
    for block in blocks:
        length = len(block.text)
        if length > left:
            continue
        left -= length
        for value in block.values:
            _collect_nodes(value, 0, nodes)
    nodes = nodes[:_MOST_NODES]
    by_id: dict[str, Node] = {}
    for node in nodes:
        identifier = node.get("@id")
        if not isinstance(identifier, str):
            continue
        known = by_id.get(identifier, {})
        if len(node) > len(known):
            by_id[identifier] = node
    return Graph(tuple(nodes), by_id)


def types_of(node: Any) -> frozenset[str]:
    """The types of a thing, in lower case and without the vocabulary in front."""
    if not isinstance(node, dict):
        return _NO_TYPES
    names = node.get("@type")
    if isinstance(names, str) and names.isalnum():  # as nearly all: one, of no named vocabulary
        return frozenset((names.lower(),))
    if not isinstance(names, list):
        names = [names]
    types = []
    for name in names:
        if isinstance(name, str):
            bare = _VOCABULARY_END.split(name)[-1]
            types.append(bare.lower())
    return frozenset(types)


def find_main_node(graph: Graph, addresses: Iterable[str]) -> Node | None:
    """The thing that the page is about: an article or its like, else the page itself.

    Of several, the one that bears the page's address, else the one with the longest text, else the
    first if all have one headline. A list of other articles has none of these, and so lends its
    page neither author nor date. A film stands in many pages that are not about it, so it must bear
    the page's address.
    """
    if not graph.nodes:
        return None
    articles = [node for node in graph.nodes if types_of(node) & ARTICLE_TYPES]
    if len(articles) == 1:
        return articles[0]  # as mostly, whatever address it bears
    own = {_bare_address(address) for address in addresses if address}
    article = _pick(articles, own)
    if article:
        return article
    for node in graph.nodes:
        if types_of(node) & _OFTEN_EMBEDDED and own.intersection(_addresses_of(node)):
            return node
    return _pick([node for node in graph.nodes if types_of(node) & PAGE_TYPES], own)


def _pick(nodes: Sequence[Node], own: set[str]) -> Node | None:
    """The one of some things that the page is about, where that can be told."""
    if len(nodes) < 2:
        return nodes[0] if nodes else None
    for node in nodes:
        if own.intersection(_addresses_of(node)):
            return node
    longest = max(nodes, key=lambda node: len(_body_of(node)))
    headlines = {clean_html_line(node.get("headline") or node.get("name")) for node in nodes}
    if _body_of(longest) or len(headlines) == 1:
        return longest
    return None


def _body_of(node: Node) -> str:
    """The text of an article, where the page has put it into the JSON-LD."""
    body = node.get("articleBody")
    return body if isinstance(body, str) else ""


def _addresses_of(node: Node) -> Iterator[str]:
    """The addresses that a thing bears, as they are compared."""
    for name in ("url", "mainEntityOfPage", "@id"):
        value = node.get(name)
        if isinstance(value, Mapping):
            value = value.get("@id") or value.get("url")
        if isinstance(value, str):
            yield _bare_address(value)


def _bare_address(address: str) -> str:
    """An address as it is compared: without scheme, `www.`, fragment and last slash."""
    without_fragment = address.partition("#")[0]
    without_scheme = without_fragment.partition("://")[2]
    bare = without_scheme.rstrip("/")
    return bare.removeprefix("www.")


def _collect_nodes(value: Any, depth: int, nodes: list[Node]) -> None:
    """Add a thing, the members of lists and graphs, and what a page calls its main entity."""
    if depth > _DEEPEST_NODE:
        return
    if isinstance(value, list):
        for member in value[:_MOST_NODES]:
            _collect_nodes(member, depth + 1, nodes)
    elif isinstance(value, dict):
        if "@type" in value:
            nodes.append(value)
        for name in _ROOTS:
            inner = value.get(name)
            if isinstance(inner, dict | list):
                _collect_nodes(inner, depth + 1, nodes)


def _parse_lenient(text: str) -> list[Any]:
    """The values of a block, as it is or else without its needless commas; none where neither can
    be read.
    """
    bare = text.strip().removeprefix("//").lstrip()
    for opening in _OPENINGS:  # some put a comment or CDATA around a block
        bare = bare.removeprefix(opening)
    for closing in _CLOSINGS:
        bare = bare.removesuffix(closing)
    bare = bare.strip().removesuffix("//").rstrip()
    bare = bare.rstrip(";")
    try:
        values = _parse_values(bare)
    except (ValueError, RecursionError):
        try:
            without_commas = _STRING_OR_COMMA.sub(r"\1", bare)
            values = _parse_values(without_commas)
        except (ValueError, RecursionError):
            return []
    return [value for value in values if _is_shallow(value)]


def _parse_values(text: str) -> list[Any]:
    """The values that stand in a row; raw line breaks and other control characters in strings are
    let through.
    """
    values: list[Any] = []
    at = 0
    while at < len(text):
        value, at = _LENIENT.raw_decode(text, at)
        values.append(value)
        while at < len(text) and text[at].isspace():
            at += 1
    return values


def _is_shallow(value: Any) -> bool:
    """Whether a value is nested no deeper than is looked at."""
    level = [value]
    for _ in range(_DEEPEST):
        below: list[Any] = []
        for one in level:
            if isinstance(one, dict):
                below += one.values()
            elif isinstance(one, list):
                below += one
        if not below:
            return True
        level = below
    return False


def _strip_surrogates(value: Any) -> Any:
    """The value without lone surrogates, which an escape can bring in and no encoding takes out
    again.
    """
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, list):
        return [_strip_surrogates(one) for one in value]
    if isinstance(value, dict):
        return {without_surrogates(name): _strip_surrogates(one) for name, one in value.items()}
    return value


def _refuse_constant(name: str) -> NoReturn:
    """`NaN` and `Infinity`, which Python reads and JSON does not have."""
    raise ValueError(f"{name} is not JSON")


def _parse_finite(written: str) -> float:
    """A number that is neither infinite nor none."""
    number = float(written)
    if not math.isfinite(number):
        raise ValueError("a number beyond all bounds")
    return number


_STRICT = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_parse_finite)
_LENIENT = json.JSONDecoder(strict=False, parse_constant=_refuse_constant)
