"""Text in drawings: only `<text>` and `<foreignObject>` of `<svg>` are painted.

Other elements with text are renamed to `<desc>`, a description that is never painted. The
presentation attributes of painted text become its style. Where in the drawing a text is placed is
not computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from lxml import etree

from webquarry._read.html.tree import has_text

_NOT_PAINTED = "desc"
_WRITTEN = frozenset({"text", "tspan", "textpath", "tref", "a"})
_GROUPS = frozenset({"svg", "g", "a", "switch", "text", "tspan", "textpath", "foreignobject"})
_BLOCKS = ("p", "div", "h1", "h2", "h3", "ul", "ol", "table", "section", "article", "main")
_SHAPES = ("rect", "path", "circle", "ellipse", "polygon", "image", "use")
_ATTRIBUTES = ("font-size", "opacity", "visibility", "display")
_MAX_TEXTS = 2_000  # in all drawings of a page
_MAX_VALUE = 200  # characters

Element = etree._Element


def mark_drawn_text(roots: Sequence[Element]) -> None:
    """Rename text that is not painted, and write the style of the rest."""
    room = _MAX_TEXTS
    for root in roots:
        for drawing in root.iter("svg"):
            is_inner = next(drawing.iterancestors("svg"), None) is not None
            if is_inner or not has_text(drawing) or _is_never_closed(drawing):
                continue
            _hide_other_text(drawing)
            for text in list(drawing.iter("text", "foreignobject")):
                room -= 1
                if room < 0 or (text.getparent() is not None and _is_inert(text, drawing)):
                    text.tag = _NOT_PAINTED
            is_plain = next(drawing.iter(*_SHAPES), None) is None
            for element in list(drawing.iter("svg", "g", "text", "tspan")):
                _add_style(element, is_plain=is_plain)


def _is_never_closed(drawing: Element) -> bool:
    """Whether a drawing contains the rest of the page, because its end tag is missing."""
    for box in islice(drawing.iter(*_BLOCKS), _MAX_TEXTS):
        if next(box.iterancestors("foreignobject"), None) is None:
            return True
    return False


def _hide_other_text(drawing: Element) -> None:
    """Rename elements whose text browsers do not paint, and remove text between them."""
    inner = [drawing]
    while inner:
        element = inner.pop()
        is_written = element.tag in _WRITTEN
        if not is_written:
            element.text = None if element.text is None else " "
        for child in element:
            if not is_written and child.tail is not None:
                child.tail = " "
            if child.tag == "foreignobject":
                continue
            if child.tag in _GROUPS:
                inner.append(child)
            elif has_text(child):
                child.tag = _NOT_PAINTED


def _is_inert(text: Element, drawing: Element) -> bool:
    """Whether a text is in a definition, or its drawing has no size."""
    for around in text.iterancestors():
        if around is drawing:
            break
        if around.tag not in _GROUPS:
            return True
    if text.tag == "foreignobject" and not (text.get("width") and text.get("height")):
        return True
    if text.tag == "text" and not _has_line(text):
        return True
    sizes = [drawing.get(name) or text.get(name) or "" for name in ("width", "height")]
    return any(size.strip().removesuffix("px") in ("0", "1") for size in sizes)


def _has_line(text: Element) -> bool:
    """Whether a text is moved down from the upper edge, above which it is not painted."""
    for element in (*islice(text.iter("text", "tspan", "textpath"), 5), *text.iterancestors()):
        if any(element.get(name) for name in ("y", "dy", "transform", "dominant-baseline")):
            return True
        if element.tag in ("svg", "textpath"):
            return element.tag == "textpath" or element.get("viewbox") is not None
    return False


def _add_style(element: Element, *, is_plain: bool) -> None:
    """Write the presentation attributes of an element as its style; a colour only in a drawing
    without shapes, which may be behind the text.
    """
    parts: list[str] = []
    for name in _ATTRIBUTES:
        value = (element.get(name) or "").strip()[:_MAX_VALUE]
        if value:
            unit = "px" if name == "font-size" and value[-1:].isdigit() else ""
            parts.append(f"{name}:{value}{unit}")
    fill, stroke = element.get("fill") or "", element.get("stroke") or "none"
    if "fill:none" in (element.get("style") or "").replace(" ", "").lower():
        fill = "none"
    if fill.strip().lower() in ("none", "transparent") and stroke.strip().lower() == "none":
        parts.append("color:transparent")
    elif is_plain and element.tag == "text":
        parts.append(f"color:{fill or 'black'}")
    if (element.get("fill-opacity") or "").strip():
        parts.append(f"opacity:{element.get('fill-opacity')}")
    if parts:
        element.set("style", f"{';'.join(parts)};{element.get('style') or ''}")
