"""Converts a DOM snapshot (`DOMSnapshot.captureSnapshot`) to HTML for the ordinary page reader.

The snapshot is untrusted and large, so this runs in a worker. The HTML has no scripts, no styles
and no hidden content; frames of the same site are inlined, and shadow trees are written as
declarative templates.

Visibility is decided by the computed styles and layout boxes of the browser. A transparent, clipped
or moved box hides everything inside. Other properties, which descendants can override, are checked
for each text: its box, its `visibility` and its colours.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from webquarry._read.html.class_names import FOR_SCREEN_READERS, HIDDEN_CLASS, judge_classes
from webquarry._read.style.colours import WHITE, Colour, alike, lay_over, parse_colour
from webquarry._read.style.judge import FAINT, find_reason
from webquarry._read.style.values import parse_number
from webquarry.errors import TooComplex
from webquarry.net.domains import is_same_site
from webquarry.net.models import Reply

# Computed styles to request from the browser, in the order of its reply.
STYLES = (
    "visibility", "opacity", "color", "background-color", "background-image", "overflow-x",
    "overflow-y", "clip", "clip-path", "position", "filter", "mask-image",
    "-webkit-text-fill-color",
)  # fmt: skip
_ELEMENT, _TEXT, _FRAGMENT = 1, 3, 11
_MAX_LENGTH = 32_000_000  # characters
_MAX_FRAME_DEPTH = 3
_MIN_FRAME = 10.0  # pixels
_MAX_CLIPPED = 1.0  # pixels of a clipped box that shows nothing
_MAX_UNREADABLE = 2.0  # pixels of a text in one direction
_MIN_TEXT = 3  # characters; a shorter text can be a mark
_MAX_X = 8_000.0  # pixels
_MAX_OVERLAP_CHECKS = 200  # texts with the colour of their background
_HIDING = ("filter", "clip", "clip-path", "mask-image", "position", "background-color")
_VOID = frozenset({
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr",
})  # fmt: skip
_DROPPED = frozenset({
    "script", "style", "noscript", "template", "object", "embed", "canvas", "audio", "video",
    "iframe", "frame", "frameset", "noframes", "portal", "fencedframe",
})  # fmt: skip
_FRAMES = frozenset({"iframe", "frame"})
_IMAGES = frozenset({"img", "picture", "video", "canvas", "svg"})
# Visible without text inside.
_REPLACED = frozenset({"br", "hr", "td", "th", "input", "wbr", *_IMAGES, *_FRAMES})
_SKELETON = frozenset({"html", "head", "body"})
_BOXLESS = frozenset({*_SKELETON, "meta", "link", "base", "title"})  # written in any case
_DROPPED_ATTRIBUTES = frozenset({"style", "hidden", "aria-hidden", "inert", "open"})
_TRANSPARENT = ("", "transparent", "rgba(0, 0, 0, 0)")
_WHITESPACE = " \t\r\n\f"
_DATA = "application/ld+json"

_Styles = dict[str, str]
_Bounds = Sequence[float]  # x, y, width, height


class _Visibility(NamedTuple):
    """Visibility that a node inherits from the boxes around it."""

    opacity: float = 1.0
    is_hidden: bool = False
    background: Colour = WHITE
    has_image: bool = False  # behind the text, so the colour of the background is unknown
    is_visible: bool = True  # by `visibility`
    is_readable: bool = True  # the colour of the text differs from its background


_PLAIN = _Visibility()
_NO_BOX: _Bounds = (0.0, 0.0, 0.0, 0.0)


@dataclass(slots=True, eq=False)
class _Node:
    """A node of a document, with its layout box."""

    kind: int
    name: str
    value: str
    attributes: dict[str, str]
    parent: _Node | None
    is_shadow_root: bool
    frame: int | None  # number of the document inside
    bounds: _Bounds = _NO_BOX
    styles: _Styles = field(default_factory=dict)
    visibility: _Visibility = _PLAIN
    is_shown: bool = False
    is_left_out: bool = False  # with everything inside


def read_snapshot(reply: Reply) -> Reply:
    """Return the reply of a rendered page, whose body is a snapshot, with HTML and the final URL.

    Raises TooComplex for a snapshot with too much text.
    """
    snapshot = json.loads(reply.body)["result"]
    final_url = _get_string(snapshot["strings"], snapshot["documents"][0]["documentURL"])
    host = urlsplit(final_url).hostname or ""
    parts, length = ["<!doctype html>"], 0
    for part in _write_document(snapshot, 0, host, 0):
        length += len(part)
        if length > _MAX_LENGTH:
            raise TooComplex("The rendered page is too large.")
        parts.append(part)
    headers = reply.headers.copy()
    headers["content-type"] = "text/html; charset=utf-8"
    body = "".join(parts).encode("utf-8", "replace")
    return replace(reply, url=_choose_url(final_url, reply.url), headers=headers, body=body)


def _choose_url(final: str, document: str) -> str:
    """Return the final URL, with its fragment only if that names a view (`#/letters/2`); that of
    the document if the final one is not HTTP.
    """
    parts = urlsplit(final)
    if parts.scheme not in ("http", "https"):
        return document
    if parts.fragment.startswith(("/", "!")):
        return final
    return urlunsplit(parts._replace(fragment=""))


def _get_string(strings: list[str], index: int) -> str:
    """Return a string of the snapshot; empty for the index -1."""
    return strings[index] if 0 <= index < len(strings) else ""


def _list_nodes(document: dict[str, Any], strings: list[str]) -> list[_Node]:
    """Return the nodes in document order: parents are before their children."""
    table = document["nodes"]
    shadow_roots = set(table.get("shadowRootType", {}).get("index", ()))
    pseudo_elements = set(table.get("pseudoType", {}).get("index", ()))
    frames = table.get("contentDocumentIndex", {})
    numbers = dict(zip(frames.get("index", ()), frames.get("value", ()), strict=True))
    nodes: list[_Node] = []
    columns = ("nodeType", "nodeName", "nodeValue", "attributes", "parentIndex")
    rows = zip(*(table[column] for column in columns), strict=True)
    for index, (kind, name, value, attributes, parent) in enumerate(rows):
        texts = [_get_string(strings, number) for number in attributes]
        node = _Node(
            kind,
            _get_string(strings, name).lower(),
            _get_string(strings, value),
            {key.lower(): text for key, text in zip(texts[::2], texts[1::2], strict=False)},
            nodes[parent] if parent >= 0 else None,
            index in shadow_roots,
            numbers.get(index),
            is_left_out=index in pseudo_elements,
        )
        nodes.append(node)
    layout = document["layout"]
    rows = zip(layout["nodeIndex"], layout["bounds"], layout["styles"], strict=True)
    for index, bounds, styles in rows:
        node = nodes[index]
        if node.bounds is _NO_BOX:
            node.bounds = bounds
            values = [_get_string(strings, number) for number in styles]
            node.styles = dict(zip(STYLES, values, strict=False))
    return nodes


def _write_document(snapshot: dict[str, Any], number: int, host: str, depth: int) -> Iterator[str]:
    """Write the visible nodes of the page, or of a frame inside it, in document order."""
    nodes = _list_nodes(snapshot["documents"][number], snapshot["strings"])
    _inherit(nodes)
    _mark_shown(nodes)
    open_tags: list[tuple[_Node, str]] = [(nodes[0], "")]
    for node in nodes[1:]:
        parent = node.parent
        node.is_left_out |= parent is None or parent.is_left_out
        if parent is None or node.is_left_out:
            continue
        while open_tags[-1][0] is not parent:
            yield open_tags.pop()[1]
        end = ""
        if node.kind == _TEXT:
            yield _write_text(node, parent)
        elif node.kind == _FRAGMENT and node.is_shadow_root:
            yield '<template shadowrootmode="open">'
            end = "</template>"
        elif node.name in _FRAMES:
            if node.is_shown and depth < _MAX_FRAME_DEPTH:
                yield from _write_frame(snapshot, node, host, depth)
            node.is_left_out = True
        elif node.kind != _ELEMENT or not _is_written(node):
            node.is_left_out = True
        elif depth and node.name in _SKELETON:
            node.is_left_out = node.name == "head"
        else:
            yield f"<{node.name}{_write_attributes(node)}>"
            end = "" if node.name in _VOID else f"</{node.name}>"
        open_tags.append((node, end))
    for _, end in reversed(open_tags):
        yield end


def _is_written(node: _Node) -> bool:
    name = node.name
    if name == "script":
        return node.attributes.get("type", "").strip().lower() == _DATA
    if name in _DROPPED or (name == "link" and "stylesheet" in node.attributes.get("rel", "")):
        return False
    return name in _BOXLESS or node.is_shown


def _write_text(node: _Node, parent: _Node) -> str:
    if parent.name == "script":
        return node.value.replace("</", "<\\/")
    if node.is_shown or parent.name == "title":
        return escape(node.value, quote=False)
    return "" if node.value.strip(_WHITESPACE) else "\n"


def _write_frame(snapshot: dict[str, Any], node: _Node, host: str, depth: int) -> Iterator[str]:
    """Write a visible frame whose document belongs to the site of the page."""
    if node.frame is None or min(node.bounds[2:]) < _MIN_FRAME:
        return
    document = snapshot["documents"][node.frame]
    url = _get_string(snapshot["strings"], document.get("documentURL", -1))
    if url.startswith("about:") or is_same_site(host, urlsplit(url).hostname or ""):
        yield "<section>"
        yield from _write_document(snapshot, node.frame, host, depth + 1)
        yield "</section>"


def _write_attributes(node: _Node) -> str:
    """Write attributes as HTML, without those that hide: hidden nodes are already removed."""
    if node.name == "script":
        return f' type="{_DATA}"'
    written: list[str] = []
    for name, value in node.attributes.items():
        is_name = name.replace("-", "").replace(":", "").replace("_", "").isalnum()
        if not is_name or name in _DROPPED_ATTRIBUTES:
            continue
        if name == "class" and judge_classes(value) in (FOR_SCREEN_READERS, HIDDEN_CLASS):
            continue
        written.append(f' {name}="{escape(value)}"')
    return "".join(written)


def _inherit(nodes: list[_Node]) -> None:
    """Set what nodes inherit from the boxes around them."""
    for node in nodes:
        if node.parent is not None:
            node.visibility = node.parent.visibility
            node.is_left_out |= node.parent.is_left_out
        if node.kind == _ELEMENT and node.bounds is not _NO_BOX:
            node.visibility = _enter_box(node, node.visibility)


def _mark_shown(nodes: list[_Node]) -> None:
    """Mark the visible texts and replaced elements, with their ancestors."""
    painted = [node for node in nodes if _is_painted(node)]
    overlap_checks = 0
    for node in nodes:
        visibility = node.visibility
        if (
            node.is_left_out
            or node.bounds is _NO_BOX
            or visibility.is_hidden
            or not visibility.is_visible
        ):
            continue
        is_shown = node.name in _REPLACED or (node.kind == _TEXT and _has_room(node))
        if is_shown and node.kind == _TEXT and not visibility.is_readable:
            overlap_checks += 1
            is_shown = overlap_checks <= _MAX_OVERLAP_CHECKS and _overlaps(node, painted)
        shown = node if is_shown else None
        while shown is not None and not shown.is_shown:
            shown.is_shown = True
            shown = shown.parent


def _enter_box(node: _Node, outer: _Visibility) -> _Visibility:
    """Return what the children of a box inherit."""
    styles = node.styles
    own_opacity = parse_number(styles.get("opacity", ""))
    opacity = outer.opacity if own_opacity is None else outer.opacity * own_opacity
    background, has_image = outer.background, outer.has_image
    own = parse_colour(styles.get("background-color", ""))
    if own is not None and own.alpha > 0:
        background = lay_over(own, background)
        has_image = has_image and own.alpha < 1
    has_image = has_image or styles.get("background-image", "none") != "none"
    colour = parse_colour(styles.get("-webkit-text-fill-color") or styles.get("color", ""))
    is_readable = has_image or colour is None
    if colour is not None and colour.alpha >= FAINT:
        is_readable = is_readable or not alike(lay_over(colour, background), background)
    return _Visibility(
        opacity=opacity,
        is_hidden=outer.is_hidden or opacity < FAINT or _hides_content(node),
        background=background,
        has_image=has_image,
        is_visible=styles.get("visibility", "visible") == "visible",
        is_readable=is_readable,
    )


def _is_painted(node: _Node) -> bool:
    """Return whether a box has an image or a background."""
    if node.kind != _ELEMENT or node.bounds is _NO_BOX or node.is_left_out:
        return False
    has_image = node.styles.get("background-image", "none") != "none" or node.name in _IMAGES
    return has_image or node.styles.get("background-color", "") not in _TRANSPARENT


def _hides_content(node: _Node) -> bool:
    """Return whether a box hides everything inside."""
    if node.name in _SKELETON:
        return False
    styles = node.styles
    hiding = {name: styles[name] for name in _HIDING if styles.get(name, "none") != "none"}
    if styles.get("position") not in ("absolute", "fixed") or hiding.get("clip") == "auto":
        hiding.pop("clip", None)  # without effect
    if hiding and find_reason(hiding) is not None:
        return True
    sides = zip(node.bounds[2:], ("overflow-x", "overflow-y"), strict=True)
    return any(
        size <= _MAX_CLIPPED and styles.get(name) in ("hidden", "clip") for size, name in sides
    )


def _has_room(node: _Node) -> bool:
    """Return whether the box of a text is on the page and large enough to be read."""
    x, y, width, height = node.bounds
    is_long = len(node.value.strip(_WHITESPACE)) >= _MIN_TEXT
    least = _MAX_UNREADABLE if is_long else 0.0
    return min(width, height) > least and x + width > 0 and y + height > 0 and x < _MAX_X


def _overlaps(node: _Node, painted: Sequence[_Node]) -> bool:
    """Return whether a painted box that is not an ancestor is behind a text, such as an image
    behind white text.
    """
    x, y, width, height = node.bounds
    middle_x, middle_y = x + width / 2, y + height / 2
    ancestors: set[_Node | None] = set()
    inner: _Node | None = node
    while inner is not None:
        ancestors.add(inner)
        inner = inner.parent
    for other in painted:
        left, top, wide, high = other.bounds
        is_behind = left <= middle_x <= left + wide and top <= middle_y <= top + high
        if is_behind and other not in ancestors:
            return True
    return False
