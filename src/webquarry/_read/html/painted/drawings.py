"""Text in drawings -> which of it is painted.

Of `<svg>` only what stands in `<text>` and in `<foreignObject>` is text, and only where the drawing
has room. All other elements with text in them, and what lies outside, are renamed to `<desc>`,
which is a description and never painted. What remains gets its looks, which drawings have in
attributes of their own, as a style like that of any other element.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from lxml import etree

from webquarry._read.css.declarations import Declarations, parse_declarations, parse_length
from webquarry._read.css.values.transforms import IDENTITY, Matrix, multiply, read_transform
from webquarry._read.html.tree import has_text, length_up_to

_UNSEEN = "desc"
_WRITTEN = frozenset({"text", "tspan", "textpath", "tref", "a"})
# What may stand around painted text.
_GROUPS = frozenset({"svg", "g", "a", "switch", "text", "tspan", "textpath", "foreignobject"})
_SHAPES = ("rect", "path", "circle", "ellipse", "polygon", "image", "use")
_BREAK_OUT = """
    p div h1 h2 h3 ul ol table section article main
""".split()  # noqa: SIM905
_LOOKS = ("font-size", "opacity", "visibility", "display", "fill", "fill-opacity", "stroke")
_WIDE, _HIGH = 300.0, 150.0  # pixels of a drawing that does not say
_WIDEST = 1000.0  # pixels of a drawing that fills its place
_ORDINARY_TEXT = 16.0
_LETTER = 0.6  # the width of a letter as a part of the size
_RISE = 0.8  # how far letters reach above the line
_MOST_DRAWINGS = 300
_MOST_TEXTS = 2_000  # in all drawings of a page
_MOST_CHOICES = 40  # of a `switch`
_DEEPEST = 40  # groups around a text
_LONGEST_LINE = 2_000  # characters
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?")

Element = etree._Element


def has_drawn_text(roots: Sequence[Element]) -> bool:
    """Whether a page may hold a drawing with text in it."""
    for root in roots:
        if next(root.iter("text", "foreignobject", "textpath"), None) is not None:
            return True
    return False


def mark_drawn_text(roots: Sequence[Element]) -> None:
    """Rename what is not painted of the drawings of a page, and give the rest a style."""
    _place_used_text(roots)
    drawings = [
        drawing
        for root in roots
        for drawing in root.iter("svg")
        if next(drawing.iterancestors("svg"), None) is None
    ]
    room = _MOST_TEXTS
    for number, drawing in enumerate(drawings):
        if not has_text(drawing) or _is_never_closed(drawing):
            continue
        _hide_other_text(drawing)
        for text in list(drawing.iter("text", "foreignobject")):
            room -= 1
            if room < 0 or number >= _MOST_DRAWINGS:
                text.tag = _UNSEEN  # what is not looked at is not believed
            else:
                _mark_text(drawing, text)


def _is_never_closed(drawing: Element) -> bool:
    """Whether the page goes on inside a drawing, because nobody wrote where that ends. Boxes of
    HTML end one for browsers, but not for the parser.
    """
    for box in islice(drawing.iter(*_BREAK_OUT), _MOST_TEXTS):
        if next(box.iterancestors("foreignobject"), None) is None:
            return True
    return False


def _hide_other_text(drawing: Element) -> None:
    """Rename the elements of a drawing that browsers paint no text of, and drop stray text."""
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
                child.tag = _UNSEEN


def _mark_text(drawing: Element, text: Element) -> None:
    """Rename one piece of text if it is not painted; else give it its looks as a style."""
    around: list[Element] = []
    for element in islice(text.iterancestors(), _DEEPEST):
        around.append(element)
        if element is drawing:
            break
    is_painted = all(element.tag in _GROUPS for element in around)
    inner = text
    for element in around:
        if element.tag == "switch" and inner is not _find_choice(element):
            is_painted = False
        inner = element
    if not is_painted or around[-1] is not drawing:
        text.tag = _UNSEEN
        return
    chain = [*reversed(around), text]
    looks = _collect_looks(chain)
    if not _lies_inside(drawing, chain, looks):
        text.tag = _UNSEEN
        return
    if text.tag == "text":
        is_on_shape = next(drawing.iter(*_SHAPES), None) is not None
        if "font-size" in looks:
            looks["font-size"] = f"calc({_add_unit(looks['font-size'])} * {_find_scale(drawing)})"
        style = _write_style(looks, is_on_shape=is_on_shape)
        text.set("style", f"{text.get('style') or ''};{style}")


def _find_choice(switch: Element) -> Element | None:
    """The one child of a `switch` that is painted: the first whose conditions hold."""
    for child in islice(switch, _MOST_CHOICES):
        if not isinstance(child.tag, str):
            continue
        languages = (child.get("systemlanguage") or "en").lower().replace(",", " ").split()
        is_spoken = any(language.startswith("en") for language in languages)
        if is_spoken and child.get("requiredextensions") is None:
            return child
    return None


def _place_used_text(roots: Sequence[Element]) -> None:
    """Put what a drawing defines and uses, and that holds text, to where it is first used."""
    uses: dict[str, Element] = {}
    for root in roots:
        for use in islice(root.iter("use"), _MOST_TEXTS):
            target = use.get("href") or use.get("xlink:href") or ""
            if target.startswith("#"):
                uses.setdefault(target[1:], use)
    if not uses:
        return
    for root in roots:
        for symbol in list(islice(root.iter("symbol", "text", "g"), _MOST_TEXTS)):
            name = symbol.get("id") or ""
            if name not in uses or not has_text(symbol):
                continue
            use = uses.pop(name)
            is_defined = next(symbol.iterancestors("defs"), None) is not None
            is_around = symbol in use.iterancestors()
            if (is_defined or symbol.tag == "symbol") and not is_around:
                _move_into(symbol, use)


def _move_into(symbol: Element, use: Element) -> None:
    """Make a group of the place where something is used, with that in it."""
    use.tag = "g"
    x, y = use.get("x") or "0", use.get("y") or "0"
    use.set("transform", f"{use.get('transform') or ''} translate({x},{y})")
    if symbol.tag == "symbol":
        use.text = symbol.text
        for child in list(symbol):
            use.append(child)
        return
    symbol.tail = None
    use.append(symbol)


def _collect_looks(chain: Sequence[Element]) -> dict[str, str]:
    """What is declared of the looks of a text, by itself or by what is around it."""
    looks: dict[str, str] = {}
    for element in chain:
        declared: Declarations = {}
        if element.get("style"):
            ordinary, important = parse_declarations(element.get("style") or "")
            declared = {**ordinary, **important}
        for name in _LOOKS:
            value = declared.get(name) or element.get(name)
            if value is None:
                continue
            if name == "opacity" and name in looks:
                value = f"calc({looks[name]} * {value.strip().lower()})"
            looks[name] = value.strip().lower()[:200]
    return looks


def _write_style(looks: dict[str, str], *, is_on_shape: bool) -> str:
    """The looks of a text as a style; its colour is only told where nothing else is drawn."""
    colour = looks.get("fill", "#000")
    if colour == "none" and looks.get("stroke", "none") == "none":
        colour = "transparent"
    elif colour == "none" or (is_on_shape and colour != "transparent"):
        colour = "currentcolor"  # nobody knows what is behind it
    parts = [f"color:{colour}"]
    for name in ("font-size", "opacity", "visibility", "display"):
        if name in looks:
            parts.append(f"{name}:{looks[name]}")
    if "fill-opacity" in looks and "opacity" not in looks:
        parts.append(f"opacity:{looks['fill-opacity']}")
    return ";".join(parts)


def _add_unit(size: str) -> str:
    """A size without a unit is one in pixels."""
    if size[-1:].isdigit() or size[-1:] == ".":
        return f"{size}px"
    return size


def _find_scale(drawing: Element) -> float:
    """How much larger a drawing is shown than it is written down; nobody knows of one without a
    width, which then counts as large.
    """
    box = [float(number) for number in _NUMBER.findall(drawing.get("viewbox") or "")[:4]]
    if len(box) != 4 or box[2] <= 0:
        return 1.0
    width = _parse_size(drawing, "width") or _WIDEST
    return width / box[2]


def _lies_inside(drawing: Element, chain: Sequence[Element], looks: dict[str, str]) -> bool:
    """Whether something of a text lies within the edges of its drawing."""
    edges = _find_edges(drawing)
    if edges[2] <= 1 or edges[3] <= 1:
        return False
    text = chain[-1]
    matrix = _find_matrix(chain)
    if text.tag == "foreignobject":
        room_x, room_y = _parse_size(text, "width"), _parse_size(text, "height")
        if not room_x or not room_y:
            return False
        return _overlaps(matrix, _find_place(text), (room_x, room_y), edges)
    if next(text.iter("textpath"), None) is not None:
        return True  # it goes along a path, wherever that lies
    size = parse_length(looks.get("font-size", "")) or _ORDINARY_TEXT
    x, y = _find_line(text, size)
    length = length_up_to(text, _LONGEST_LINE) * size * _LETTER
    if text.get("text-anchor"):
        x -= length
        length *= 2
    return _overlaps(matrix, (x, y - size * _RISE), (length, size), edges)


def _find_matrix(chain: Sequence[Element]) -> Matrix:
    """What the elements around a text do to its place, the outermost drawing left out."""
    matrix = IDENTITY
    for element in chain[1:]:
        if element.tag == "svg":
            x, y = _find_place(element)
            matrix = multiply(matrix, read_transform(f"translate({x}px,{y}px)"))
        if element.get("transform"):
            matrix = multiply(matrix, read_transform((element.get("transform") or "").lower()))
    return matrix


def _find_line(text: Element, size: float) -> tuple[float, float]:
    """Where the line of a text begins."""
    x, y = _find_place(text)
    if text.get("dominant-baseline") or "baseline" in (text.get("style") or ""):
        y += size * _RISE  # the line may be above the letters
    if text.get("y") is None or text.get("x") is None:
        for span in islice(text.iter("tspan"), 5):  # its pieces may say where they stand
            inner_x, inner_y = _find_place(span)
            x, y = x or inner_x, y or inner_y
    return x, y


def _find_place(element: Element) -> tuple[float, float]:
    """Where an element of a drawing says that it stands."""
    places = []
    for name, shift in (("x", "dx"), ("y", "dy")):
        place = 0.0
        for attribute in (name, shift):
            place += parse_length((element.get(attribute) or "").split(" ")[0].split(",")[0]) or 0.0
        places.append(place)
    return places[0], places[1]


def _parse_size(element: Element, name: str) -> float | None:
    """The width or height of an element; one in per cent is taken to be large."""
    ordinary, important = parse_declarations(element.get("style") or "")
    value = important.get(name) or ordinary.get(name) or element.get(name) or ""
    return parse_length(value.strip().lower(), percent=10)


def _find_edges(drawing: Element) -> tuple[float, float, float, float]:
    """Left, top, width and height of what is seen of a drawing, in its own measure."""
    width, height = _parse_size(drawing, "width"), _parse_size(drawing, "height")
    if (width is not None and width <= 1) or (height is not None and height <= 1):
        return 0.0, 0.0, 0.0, 0.0
    ordinary, _ = parse_declarations(drawing.get("style") or "")
    if ordinary.get("overflow") == "visible" or drawing.get("overflow") == "visible":
        return -_WIDE, -_HIGH, 1e4, 1e4
    box = [float(number) for number in _NUMBER.findall(drawing.get("viewbox") or "")[:4]]
    if len(box) == 4:
        return box[0], box[1], box[2], box[3]
    return 0.0, 0.0, width or _WIDE, height or _HIGH


def _overlaps(
    matrix: Matrix,
    place: tuple[float, float],
    size: tuple[float, float],
    edges: tuple[float, float, float, float],
) -> bool:
    """Whether a box, moved by a matrix, comes to lie within edges."""
    corners_x, corners_y = [], []
    for x in (place[0], place[0] + size[0]):
        for y in (place[1], place[1] + size[1]):
            corners_x.append(matrix[0][0] * x + matrix[0][1] * y + matrix[0][3])
            corners_y.append(matrix[1][0] * x + matrix[1][1] * y + matrix[1][3])
    left, top, width, height = edges
    is_beside = max(corners_x) <= left or min(corners_x) >= left + width
    # a line that only hangs in with the feet of its letters is not read
    is_above = max(corners_y) <= top + size[1] * 0.3 or min(corners_y) >= top + height
    return not is_beside and not is_above
