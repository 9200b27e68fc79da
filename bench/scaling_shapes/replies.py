"""Replies of every provider, grown from the recorded ones: with more results, or with long and
hostile texts in each.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from scaling_shapes.shape import Shape, repeat
from scaling_shapes.steps import reply_of
from webquarry._search import instant
from webquarry._search.domains import DomainFilter
from webquarry._search.paging import fuse
from webquarry._search.patents.provider import PatentProvider
from webquarry._search.patents.provider import merge as merge_patents
from webquarry._search.patents.web import each_once, patent_of
from webquarry._search.provider import Provider
from webquarry._search.scholarly.merge import merge as merge_papers
from webquarry._search.scholarly.provider import Scholarly
from webquarry.errors import WebquarryError
from webquarry.net.models import Reply
from webquarry.registry import members_of
from webquarry.sessions.references import work_of_paper
from webquarry.settings import Settings
from webquarry.tools.research._search import show_result

_TESTS = Path(__file__).resolve().parents[2] / "tests" / "search"
_FOLDERS: dict[type[Any], tuple[str, Path]] = {
    Provider: ("webquarry._search.providers", _TESTS / "replies"),
    Scholarly: ("webquarry._search.scholarly.providers", _TESTS / "scholarly" / "replies"),
    PatentProvider: ("webquarry._search.patents.providers", _TESTS / "patents" / "replies"),
}
_ENVIRON = {"SEARXNG_URL": "http://searx.example", "HOME": "/nonexistent"}
_TEXTS = {
    "words": "The tide comes in. ",
    "blanks": " \u3000",
    "marks": "<b>a</b> <i ",
    "open marks": "<b ",
    "references": "&amp;&#",
    "digits": "&#1111111",
    "initials": "A. B. ",
    "TeX": "<tex-math>\\documentclass ",
    "combining marks": "\u0301\u0316",
    "brackets": "[](<",
    "zero-width": "\u200b",
    "dois": "10.1000.10.1000",
}
_TYPES = {".json": "application/json", ".xml": "application/xml", ".html": "text/html"}
_ELEMENT_TEXT = re.compile(r">([^<>]{20,})<")


def _load(base: type[Any]) -> dict[str, tuple[Any, Path]]:
    """Every provider of a kind that has a recorded answer, by its name."""
    package, folder = _FOLDERS[base]
    found = {}
    for kind in members_of(package, base):
        paths = sorted((folder / kind.name).glob("ok_200.*"))
        environ = {wanted.variable: "canary-1234567" for wanted in kind.credentials} | _ENVIRON
        if paths:
            settings = Settings.from_environment(_ENVIRON)
            found[kind.name] = kind.configure(settings, environ), paths[0]
    return found


def _multiply(value: Any, count: int, depth: int = 0) -> Any:
    """JSON with every list of objects that is not inside of another one made as long as that."""
    if isinstance(value, dict):
        return {name: _multiply(one, count, depth) for name, one in value.items()}
    is_list = isinstance(value, list) and value and isinstance(value[0], dict)
    if not is_list or depth:
        return value
    return [_number(copy.deepcopy(value[place % len(value)]), place) for place in range(count)]


def _number(value: Any, place: int) -> Any:
    """JSON whose addresses are those of another page."""
    if isinstance(value, dict):
        return {name: _number(one, place) for name, one in value.items()}
    if isinstance(value, list):
        return [_number(one, place) for one in value]
    if isinstance(value, str) and value.startswith("http"):
        return f"{value}{'&' if '?' in value else '?'}n={place}"
    return value


def _lengthen(value: Any, text: str) -> Any:
    """JSON with a long text behind each that is no address."""
    if isinstance(value, dict):
        return {name: _lengthen(one, text) for name, one in value.items()}
    if isinstance(value, list):
        return [_lengthen(one, text) for one in value]
    if isinstance(value, str) and " " in value and not value.startswith("http"):
        return f"{value} {text}"
    return value


def _count_texts(value: Any) -> int:
    if isinstance(value, dict):
        return sum(map(_count_texts, value.values()))
    if isinstance(value, list):
        return sum(map(_count_texts, value))
    return int(isinstance(value, str) and " " in value and not value.startswith("http"))


def _grow_results(path: Path, size: int) -> Reply:
    text = path.read_text("utf-8")
    if path.suffix == ".json":
        body = json.dumps(_multiply(json.loads(text), max(1, size // 800)))
    else:
        body = _repeat_elements(text, size)
    return reply_of(body, _TYPES[path.suffix])


def _repeat_elements(text: str, size: int) -> str:
    """A document with the longest stretch between two elements of the same start repeated."""
    for start in (
        "<entry>",
        "<PubmedArticle>",
        "<exchange-document ",
        '<div class="result ',
        "<tr>",
    ):
        first, last = text.find(start), text.rfind(start)
        if 0 <= first < last:
            part = text[first:last]
            return text[:first] + part * max(1, size // len(part)) + text[last:]
    return text * max(1, size // len(text))


def _grow_texts(path: Path, piece: str, size: int) -> Reply:
    text = path.read_text("utf-8")
    if path.suffix == ".json":
        found = json.loads(text)
        long = repeat(piece, size // max(1, _count_texts(found)))
        body = json.dumps(_lengthen(found, long), ensure_ascii=False)
    else:
        count = max(1, len(_ELEMENT_TEXT.findall(text)))
        escaped = piece.replace("&", "&amp;").replace("<", "&lt;")
        long = repeat(escaped, size // count)
        body = _ELEMENT_TEXT.sub(lambda found: f">{found[1]}{long}<", text)
    return reply_of(body, _TYPES[path.suffix])


def _show_web(provider: Provider, reply: Reply) -> object:
    """Results as the tools show them, and as patents are found among them."""
    try:
        results = provider.parse_reply(reply).results
    except WebquarryError:
        return None
    merged = fuse([results, results[::-1]])
    kept = [one for one in merged if DomainFilter.of(["example.org"], []).admits(one.url)]
    found = [patent for patent in map(patent_of, merged) if patent]
    return [show_result(one, "The tide is a claim") for one in merged[:50]], kept, each_once(found)


def _show_papers(provider: Scholarly, reply: Reply) -> object:
    try:
        papers = provider.parse_reply(reply)
    except WebquarryError:
        return None
    return [work_of_paper(paper) for paper in merge_papers([*papers, *papers])]


def _show_patents(provider: PatentProvider, reply: Reply) -> object:
    try:
        patents = provider.parse_reply(reply)
    except WebquarryError:
        return None
    return merge_patents([patents, patents])


def _show_instant(reply: Reply) -> object:
    return instant.parse_reply(reply)


def _shapes_of(base: type[Any], show: Callable[..., object]) -> list[Shape]:
    shapes = []
    for name, (provider, path) in _load(base).items():
        run = partial(show, provider)
        shapes.append(Shape(f"{name}: results", partial(_grow_results, path), run))
        for kind, piece in _TEXTS.items():
            shapes.append(Shape(f"{name}: {kind}", partial(_grow_texts, path, piece), run))
    return shapes


_INSTANT = _TESTS / "replies" / "instant" / "article.json"
SHAPES = [
    *_shapes_of(Provider, _show_web),
    *_shapes_of(Scholarly, _show_papers),
    *_shapes_of(PatentProvider, _show_patents),
    Shape("instant: topics", partial(_grow_results, _INSTANT), _show_instant),
    *(
        Shape(f"instant: {kind}", partial(_grow_texts, _INSTANT, piece), _show_instant)
        for kind, piece in _TEXTS.items()
    ),
]
