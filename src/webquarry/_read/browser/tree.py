"""Converts a DOM snapshot (`DOMSnapshot.captureSnapshot`) to HTML for the ordinary page reader.

The snapshot is untrusted and large, so this runs in a worker. The HTML has no scripts, no styles
and no hidden content; frames of the same site are inlined, and shadow trees are written as
declarative templates.
"""

from __future__ import annotations

import json
from html import escape
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from webquarry._read.browser.shown import STYLES, Bounds, Inherited, Styles, VisibleBoxes
from webquarry._read.html.class_names import FOR_SCREEN_READERS, HIDDEN_CLASS, judge_classes
from webquarry.errors import TooComplex
from webquarry.net.domains import is_same_site

_ELEMENT, _TEXT, _DOCUMENT, _FRAGMENT = 1, 3, 9, 11
_MAX_LENGTH = 32_000_000  # characters
_MAX_FRAME_DEPTH = 3
_MIN_FRAME = 10.0  # pixels
_VOID = frozenset({
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr",
})  # fmt: skip
_DROPPED = frozenset({
    "script", "style", "noscript", "template", "object", "embed", "canvas", "audio", "video",
    "iframe", "frame", "frameset", "noframes", "portal", "fencedframe",
})  # fmt: skip
_FRAMES = frozenset({"iframe", "frame"})
_METADATA = frozenset({"meta", "link", "base", "title"})  # written without a layout box
_IMAGES = frozenset({"img", "picture", "video", "canvas", "svg"})
# Visible without text inside.
_REPLACED = frozenset({"br", "hr", "td", "th", "input", "wbr", *_IMAGES, *_FRAMES})
_SKELETON = frozenset({"html", "head", "body"})
_TRANSPARENT = frozenset({"", "transparent", "rgba(0, 0, 0, 0)"})
_DROPPED_ATTRIBUTES = frozenset(
    {"style", "hidden", "aria-hidden", "inert", "nonce", "integrity", "srcdoc", "open"}
)
_WHITESPACE = " \t\r\n\f"
_HIDING_CLASSES = frozenset({FOR_SCREEN_READERS, HIDDEN_CLASS})
_DATA = "application/ld+json"


def read_tree(packed: bytes) -> tuple[str, bytes]:
    """Return the final URL of a page and its HTML."""
    snapshot = json.loads(packed)["result"]
    documents = snapshot["documents"]
    strings = snapshot["strings"]
    url = _get_string(strings, documents[0].get("documentURL", -1))
    writer = _TreeWriter(documents, strings, url)
    return url, writer.write().encode("utf-8", "replace")


def choose_url(final: str, document: str) -> str:
    """Return the URL of a rendered page: the final one, with its fragment only if that names a view
    (`#/letters/2`); that of the document if the final one is not HTTP.
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


class _TreeWriter:
    """Writes the documents of a snapshot as one HTML text."""

    def __init__(self, documents: list[dict[str, Any]], strings: list[str], url: str) -> None:
        self.documents = documents
        self.strings = strings
        self.host = (urlsplit(url).hostname or "").lower()
        self._parts: list[str] = []
        self._length = 0

    def write(self) -> str:
        self.add("<!doctype html>")
        _DocumentWriter(self, 0, 0).write()
        return "".join(self._parts)

    def add(self, text: str) -> None:
        self._length += len(text)
        if self._length > _MAX_LENGTH:
            raise TooComplex("The rendered page is too large.")
        self._parts.append(text)


class _DocumentWriter:
    """Writes one document: the page, or a frame inside it."""

    def __init__(self, writer: _TreeWriter, number: int, depth: int) -> None:
        self._writer = writer
        self._depth = depth
        self._strings = writer.strings
        document = writer.documents[number]
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
        for box, node in enumerate(layout["nodeIndex"]):
            self._boxes.setdefault(node, box)
        self._bounds: list[Bounds] = layout["bounds"]
        self._styles: list[list[int]] = layout["styles"]
        self._style_cache: dict[tuple[int, ...], Styles] = {}
        self._visible_boxes = VisibleBoxes(self._list_painted(), self._parents)
        self._visible = self._find_visible()

    def write(self, *, only_body: bool = False) -> None:
        """Write the visible nodes in document order."""
        stack: list[int | str] = list(reversed(self._children.get(0, ())))
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                self._writer.add(item)
                continue
            kind = self._types[item]
            if kind == _TEXT:
                self._write_text(item)
            elif kind == _FRAGMENT and item in self._shadow_roots:
                self._writer.add('<template shadowrootmode="open">')
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
        if only_body and is_skeleton:
            if name != "head":
                stack.extend(reversed(self._children.get(node, ())))
            return
        attributes = self._read_attributes(node)
        text = ""
        if name in ("script", "title"):
            text = "".join(self._get_value(child) for child in self._children.get(node, ()))
        if name == "script" and attributes.get("type", "").strip().lower() == _DATA:
            text = text.replace("</", "<\\/")
            self._writer.add(f'<script type="{_DATA}">{text}</script>')
            return
        if name in _DROPPED or (name == "link" and "stylesheet" in attributes.get("rel", "")):
            return
        if not is_skeleton and name not in _METADATA and node not in self._visible:
            return
        self._writer.add(f"<{name}{_write_attributes(attributes)}>")
        if name == "title":
            self._writer.add(f"{escape(text, quote=False)}</title>")
        elif name not in _VOID:
            stack.append(f"</{name}>")
            stack.extend(reversed(self._children.get(node, ())))

    def _write_text(self, node: int) -> None:
        text = self._get_value(node)
        if node in self._visible:
            self._writer.add(escape(text, quote=False))
        elif not text.strip(_WHITESPACE):
            self._writer.add("\n")

    def _write_frame(self, node: int) -> None:
        """Write a visible frame whose document belongs to the site of the page."""
        number = self._frames.get(node)
        if number is None or node not in self._visible or self._depth >= _MAX_FRAME_DEPTH:
            return
        _, _, width, height = self._bounds[self._boxes[node]]
        if min(width, height) < _MIN_FRAME:
            return
        url = _get_string(self._strings, self._writer.documents[number].get("documentURL", -1))
        host = (urlsplit(url).hostname or "").lower()
        if url.startswith("about:") or is_same_site(self._writer.host, host):
            self._writer.add("<section>")
            _DocumentWriter(self._writer, number, self._depth + 1).write(only_body=True)
            self._writer.add("</section>")

    def _find_visible(self) -> set[int]:
        """Return the visible text nodes and replaced elements, with their ancestors."""
        found: set[int] = set()
        stack = [(0, Inherited())]
        while stack:
            node, outer = stack.pop()
            if node in self._pseudo:
                continue
            box, kind = self._boxes.get(node), self._types[node]
            if kind == _TEXT and box is not None:
                length = len(self._get_value(node).strip(_WHITESPACE))
                if self._visible_boxes.shows_text(outer, self._bounds[box], node, length):
                    found.add(node)
            elif kind == _ELEMENT and box is not None:
                name, styles = self._get_name(node), self._read_styles(box)
                is_root = name in _SKELETON
                outer = self._visible_boxes.enter(outer, styles, self._bounds[box], is_root=is_root)
                if name in _REPLACED and outer.is_visible and not outer.is_hidden:
                    found.add(node)
            stack += [(child, outer) for child in self._children.get(node, ())]
        visible = set(found)
        for node in found:
            parent = self._parents[node]
            while parent >= 0 and parent not in visible:
                visible.add(parent)
                parent = self._parents[parent]
        return visible

    def _list_painted(self) -> list[tuple[int, Bounds]]:
        """Return the nodes and boxes with an image or a background."""
        painted = []
        for node, box in self._boxes.items():
            if self._types[node] != _ELEMENT:
                continue
            styles = self._read_styles(box)
            has_background = styles.get("background-color", "") not in _TRANSPARENT
            has_image = styles.get("background-image", "none") != "none"
            if has_background or has_image or self._get_name(node) in _IMAGES:
                painted.append((node, self._bounds[box]))
        return painted

    def _read_styles(self, box: int) -> Styles:
        indexes = tuple(self._styles[box])
        styles = self._style_cache.get(indexes)
        if styles is None:
            values = [_get_string(self._strings, index) for index in indexes]
            styles = self._style_cache[indexes] = dict(zip(STYLES, values, strict=False))
        return styles

    def _read_attributes(self, node: int) -> dict[str, str]:
        texts = [_get_string(self._strings, index) for index in self._attributes[node]]
        return {name.lower(): value for name, value in zip(texts[::2], texts[1::2], strict=False)}

    def _get_name(self, node: int) -> str:
        return _get_string(self._strings, self._names[node]).lower()

    def _get_value(self, node: int) -> str:
        return _get_string(self._strings, self._values[node])


def _list_children(parents: list[int]) -> dict[int, list[int]]:
    """Return the children of each node in document order."""
    children: dict[int, list[int]] = {}
    for node, parent in enumerate(parents):
        if parent >= 0:
            children.setdefault(parent, []).append(node)
    return children


def _write_attributes(attributes: dict[str, str]) -> str:
    """Write attributes as HTML, without those that hide: hidden nodes are already removed."""
    written: list[str] = []
    for name, value in attributes.items():
        is_name = name.replace("-", "").replace(":", "").replace("_", "").isalnum()
        if not is_name or name in _DROPPED_ATTRIBUTES or name.startswith("on"):
            continue
        if name == "class" and judge_classes(value) in _HIDING_CLASSES:
            continue
        written.append(f' {name}="{escape(value)}"')
    return "".join(written)
