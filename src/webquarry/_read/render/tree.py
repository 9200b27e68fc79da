"""The tree that a browser has computed -> HTML of what can be seen, for the reader that reads every
page.

The packed answer of `DOMSnapshot.captureSnapshot` comes in; it is from the web and large, so this
is work for a job. Out goes HTML without scripts and styles: what is hidden is not there, frames of
the same site stand in their places, and shadow trees are written as templates, which the reader
puts together.
"""

from __future__ import annotations

import json
from html import escape
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from webquarry._read.html.class_names import FOR_SCREEN_READERS, HIDDEN_CLASS, judge_classes
from webquarry._read.render.shown import Bounds, InheritedLook, ShownParts, Styles
from webquarry._read.render.styles import STYLES
from webquarry.errors import TooComplex
from webquarry.net.domains import is_same_site

_ELEMENT, _TEXT, _DOCUMENT, _FRAGMENT = 1, 3, 9, 11
_LARGEST = 32_000_000  # characters
_DEEPEST_FRAME = 3
_SMALLEST_FRAME = 10.0  # pixels
_VOID = frozenset(
    {
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source",
        "track", "wbr",
    }
)  # fmt: skip
_LEFT_OUT = frozenset(
    {
        "script", "style", "noscript", "template", "object", "embed", "canvas", "audio", "video",
        "iframe", "frame", "frameset", "noframes", "portal", "fencedframe",
    }
)  # fmt: skip
_FRAMES = frozenset({"iframe", "frame"})
_INFORMATION = frozenset({"meta", "link", "base", "title"})  # seen or not
_PICTURES = frozenset({"img", "picture", "video", "canvas", "svg"})
# Shown without a text in them.
_ALONE = frozenset({"br", "hr", "td", "th", "input", "wbr", *_PICTURES, *_FRAMES})
_SKELETON = frozenset({"html", "head", "body"})
_NO_GROUND = frozenset({"", "transparent", "rgba(0, 0, 0, 0)"})
_DROPPED_ATTRIBUTES = frozenset(
    {"style", "hidden", "aria-hidden", "inert", "nonce", "integrity", "srcdoc", "open"}
)
_WHITE = " \t\r\n\f"
_HIDING_CLASSES = frozenset({FOR_SCREEN_READERS, HIDDEN_CLASS})
_DATA = "application/ld+json"


def read_tree(packed: bytes) -> tuple[str, bytes]:
    """The address that the page ended at, and its HTML."""
    snapshot = json.loads(packed)["result"]
    documents = snapshot["documents"]
    strings = snapshot["strings"]
    url = _get_string(strings, documents[0].get("documentURL", -1))
    writer = _TreeWriter(documents, strings, url)
    return url, writer.write().encode("utf-8", "replace")


def choose_address(address: str, document: str) -> str:
    """The address of a page whose scripts have run: where it ended, with a fragment only where that
    names a view of it; that of its document where it ended nowhere.
    """
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https"):
        return document
    if parts.fragment.startswith(("/", "!")):
        return address
    return urlunsplit(parts._replace(fragment=""))


def _get_string(strings: list[str], place: int) -> str:
    """A string of the snapshot; none is empty."""
    if 0 <= place < len(strings):
        return strings[place]
    return ""


class _TreeWriter:
    """Writes the documents of a snapshot into one text."""

    def __init__(self, documents: list[dict[str, Any]], strings: list[str], url: str) -> None:
        self._documents = documents
        self._strings = strings
        self._host = (urlsplit(url).hostname or "").lower()
        self._out: list[str] = []
        self._size = 0

    def write(self) -> str:
        self._put("<!doctype html>")
        _DocumentWriter(self, 0, 0).write()
        return "".join(self._out)

    def _put(self, text: str) -> None:
        self._size += len(text)
        if self._size > _LARGEST:
            raise TooComplex("The page has more text after its scripts have run than can be read.")
        self._out.append(text)


class _DocumentWriter:
    """Writes one document: that of the page, or of a frame in it."""

    def __init__(self, writer: _TreeWriter, number: int, depth: int) -> None:
        self._writer = writer
        self._depth = depth
        self._strings = writer._strings
        document = writer._documents[number]
        nodes = document["nodes"]
        self._types: list[int] = nodes["nodeType"]
        self._names: list[int] = nodes["nodeName"]
        self._values: list[int] = nodes["nodeValue"]
        self._attributes: list[list[int]] = nodes["attributes"]
        self._shadow_roots = set(nodes.get("shadowRootType", {}).get("index", ()))
        self._pseudo = set(nodes.get("pseudoType", {}).get("index", ()))
        frames = nodes.get("contentDocumentIndex", {})
        self._frames = dict(zip(frames.get("index", ()), frames.get("value", ()), strict=True))
        self._parents: list[int] = nodes["parentIndex"]
        self._children = _list_children(self._parents)
        layout = document["layout"]
        self._boxes: dict[int, int] = {}
        for place, node in enumerate(layout["nodeIndex"]):
            self._boxes.setdefault(node, place)
        self._bounds: list[Bounds] = layout["bounds"]
        self._styles: list[list[int]] = layout["styles"]
        self._known_styles: dict[tuple[int, ...], Styles] = {}
        self._shown_parts = ShownParts(self._list_painted(), self._parents)
        self._shown = self._find_shown()

    def write(self, *, only_body: bool = False) -> None:
        """Write what is shown, in the order of the tree."""
        stack: list[int | str] = list(reversed(self._children.get(0, ())))
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                self._writer._put(item)
                continue
            kind = self._types[item]
            if kind == _TEXT:
                self._write_text(item)
            elif kind == _FRAGMENT and item in self._shadow_roots:
                self._writer._put('<template shadowrootmode="open">')
                stack.append("</template>")
                stack.extend(reversed(self._children.get(item, ())))
            elif kind == _ELEMENT and item not in self._pseudo:
                self._write_element(item, stack, only_body=only_body)

    def _write_element(self, node: int, stack: list[int | str], *, only_body: bool) -> None:
        name = self._get_name(node)
        if name in _FRAMES:
            self._write_frame(node)
            return
        is_skeleton = name in _SKELETON
        if only_body and name == "head":
            return
        if only_body and is_skeleton:
            stack.extend(reversed(self._children.get(node, ())))
            return
        attributes = self._read_attributes(node)
        is_data = name == "script" and attributes.get("type", "").strip().lower() == _DATA
        if is_data:
            text = "".join(self._get_value(child) for child in self._children.get(node, ()))
            text = text.replace("</", "<\\/")
            self._writer._put(f'<script type="{_DATA}">{text}</script>')
            return
        if name in _LEFT_OUT or (name == "link" and "stylesheet" in attributes.get("rel", "")):
            return
        if not is_skeleton and name not in _INFORMATION and node not in self._shown:
            return
        self._writer._put(f"<{name}{_write_attributes(attributes)}>")
        if name in _VOID:
            return
        if name == "title":
            text = "".join(self._get_value(child) for child in self._children.get(node, ()))
            self._writer._put(f"{escape(text, quote=False)}</title>")
            return
        stack.append(f"</{name}>")
        stack.extend(reversed(self._children.get(node, ())))

    def _write_text(self, node: int) -> None:
        text = self._get_value(node)
        if node in self._shown:
            self._writer._put(escape(text, quote=False))
        elif not text.strip(_WHITE):
            self._writer._put("\n")

    def _write_frame(self, node: int) -> None:
        """A frame of the same site as what it shows, where it can be seen."""
        number = self._frames.get(node)
        if number is None or node not in self._shown or self._depth >= _DEEPEST_FRAME:
            return
        _, _, width, height = self._bounds[self._boxes[node]]
        if min(width, height) < _SMALLEST_FRAME:
            return
        document = self._writer._documents[number]
        url = _get_string(self._strings, document.get("documentURL", -1))
        host = (urlsplit(url).hostname or "").lower()
        is_own = url.startswith("about:") or is_same_site(self._writer._host, host)
        if not is_own:
            return
        self._writer._put("<section>")
        _DocumentWriter(self._writer, number, self._depth + 1).write(only_body=True)
        self._writer._put("</section>")

    def _find_shown(self) -> set[int]:
        """The texts that can be seen, pictures and rules, and the elements around them."""
        shown: set[int] = set()
        stack = [(0, InheritedLook())]
        while stack:
            node, around = stack.pop()
            if node in self._pseudo:
                continue
            place = self._boxes.get(node)
            kind = self._types[node]
            if kind == _TEXT and place is not None:
                length = len(self._get_value(node).strip(_WHITE))
                if self._shown_parts.shows_text(around, self._bounds[place], node, length):
                    shown.add(node)
            elif kind == _ELEMENT and place is not None:
                around = self._enter(node, place, around, shown)
            for child in self._children.get(node, ()):
                stack.append((child, around))
        complete = set(shown)
        for node in shown:
            parent = self._parents[node]
            while parent >= 0 and parent not in complete:
                complete.add(parent)
                parent = self._parents[parent]
        return complete

    def _enter(
        self, node: int, place: int, around: InheritedLook, shown: set[int]
    ) -> InheritedLook:
        """What the children of an element inherit; one that shows something by itself is shown."""
        name = self._get_name(node)
        inside = self._shown_parts.enter(
            around, self._read_styles(place), self._bounds[place], is_root=name in _SKELETON
        )
        if name in _ALONE and inside.is_visible and not inside.is_hidden:
            shown.add(node)
        return inside

    def _list_painted(self) -> list[tuple[int, Bounds]]:
        """The boxes that have a picture or a ground of their own."""
        painted = []
        for node, place in self._boxes.items():
            if self._types[node] != _ELEMENT:
                continue
            styles = self._read_styles(place)
            has_ground = styles.get("background-color", "") not in _NO_GROUND
            has_picture = styles.get("background-image", "none") != "none"
            if has_ground or has_picture or self._get_name(node) in _PICTURES:
                painted.append((node, self._bounds[place]))
        return painted

    def _read_styles(self, place: int) -> Styles:
        values = tuple(self._styles[place])
        styles = self._known_styles.get(values)
        if styles is None:
            texts = [_get_string(self._strings, value) for value in values]
            styles = self._known_styles[values] = dict(zip(STYLES, texts, strict=False))
        return styles

    def _read_attributes(self, node: int) -> dict[str, str]:
        pairs = self._attributes[node]
        strings = self._strings
        attributes: dict[str, str] = {}
        for place in range(0, len(pairs) - 1, 2):
            name = _get_string(strings, pairs[place]).lower()
            attributes[name] = _get_string(strings, pairs[place + 1])
        return attributes

    def _get_name(self, node: int) -> str:
        return _get_string(self._strings, self._names[node]).lower()

    def _get_value(self, node: int) -> str:
        return _get_string(self._strings, self._values[node])


def _list_children(parents: list[int]) -> dict[int, list[int]]:
    """The children of each node, in the order of the tree."""
    children: dict[int, list[int]] = {}
    for node, parent in enumerate(parents):
        if parent >= 0:
            children.setdefault(parent, []).append(node)
    return children


def _write_attributes(attributes: dict[str, str]) -> str:
    """The attributes as HTML, without those that say what is hidden: the browser has said so."""
    written: list[str] = []
    for name, value in attributes.items():
        is_name = name.replace("-", "").replace(":", "").replace("_", "").isalnum()
        if not is_name or name in _DROPPED_ATTRIBUTES or name.startswith("on"):
            continue
        if name == "class" and judge_classes(value) in _HIDING_CLASSES:
            continue
        written.append(f' {name}="{escape(value)}"')
    return "".join(written)
