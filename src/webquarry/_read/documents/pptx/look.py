"""A slide with its layout, master and theme -> whether the text of a shape can be told from what is
behind it.

Behind a text are, from front to back: the fill of its own shape, the shapes of the slide that were
drawn before it, those of the layout and of the master, and the background of the first of them
that has one. Where a picture or a gradient is in between, nothing is known, and text is seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from webquarry._read.documents.look.theme import Theme, find_theme
from webquarry._read.documents.office import (
    Element,
    Package,
    child_of,
    children_of,
    choose_alternative,
    find_child,
    name_of,
)
from webquarry._read.documents.pptx.shapes import (
    Layout,
    Place,
    own_extent,
    own_place,
    placeholder_of,
)
from webquarry._read.style.colours import WHITE, Colour, alike

_UNSEEN = 0.05  # opacity
_COVERS = 0.5
_OPAQUE = 0.95
_MOST_AREAS = 2_000
_PLAIN_FILL = "1"  # of the fills of a theme: the one without a gradient
_DEEPEST = 10
_TITLES = ("title", "ctrTitle")
_SAMPLE = 9_525  # of a slide's units: a dot inside a shape whose size is not known


class _SlideArea(NamedTuple):
    """Something painted: where, and in which colour if that is known."""

    element: Element
    place: Place
    extent: Place
    colour: Colour | None

    def holds(self, point: Place) -> bool:
        """Whether a point lies in it."""
        for start, length, at in zip(self.place, self.extent, point, strict=True):
            if not start <= at <= start + length:
                return False
        return True


class _Placeholders:
    """The placeholders of a layout or a master."""

    def __init__(self, root: Element | None) -> None:
        self._by_number: dict[str, Element] = {}
        self._by_kind: dict[str, Element] = {}
        tree = find_child(root, "p:cSld", "p:spTree")
        for shape in children_of(tree, "p:sp"):
            placeholder = placeholder_of(shape)
            if placeholder is None:
                continue
            number = placeholder.get("idx")
            if number is not None:
                self._by_number.setdefault(number, shape)
            self._by_kind.setdefault(placeholder.get("type") or "", shape)

    def find(self, wanted: Element | None) -> Element | None:
        """The shape that a placeholder of a slide fills; None where there is none."""
        if wanted is None:
            return None
        found = self._by_number.get(wanted.get("idx") or "")
        if found is not None:
            return found
        return self._by_kind.get(wanted.get("type") or "")


class Looks:
    """The layouts, masters and themes of a presentation, each read once."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._roots: dict[str, Element | None] = {}
        self._related: dict[tuple[str, str], str] = {}
        self._placeholders: dict[str, _Placeholders] = {}

    def read(self, part: str) -> Element | None:
        """A part of the file; None where there is none."""
        if part not in self._roots:
            self._roots[part] = self._package.xml_if_sound(part) if part else None
        return self._roots[part]

    def list_placeholders(self, part: str) -> _Placeholders:
        """The placeholders of a layout or a master."""
        if part not in self._placeholders:
            self._placeholders[part] = _Placeholders(self.read(part))
        return self._placeholders[part]

    def find_related(self, part: str, kind: str) -> str:
        """The part of a kind that belongs to another; empty where there is none."""
        key = (part, kind)
        if key not in self._related:
            self._related[key] = ""
            for relation in self._package.relations(part).values() if part else ():
                if relation.kind == kind and not relation.external:
                    self._related[key] = relation.target
                    break
        return self._related[key]


class SlideLook:
    """What can be seen on one slide."""

    def __init__(self, looks: Looks, part: str, root: Element, layout: Layout) -> None:
        layout_part = looks.find_related(part, "slideLayout")
        master_part = looks.find_related(layout_part, "slideMaster")
        theme = looks.read(looks.find_related(master_part, "theme"))
        self._layout_root = looks.read(layout_part)
        self._master = looks.read(master_part)
        mapping = find_child(root, "p:clrMapOvr", "a:overrideClrMapping")
        if mapping is None:
            mapping = child_of(self._master, "p:clrMap")
        self.theme = Theme(find_theme(theme), mapping)
        self._layout = layout
        self._sheets = (
            looks.list_placeholders(layout_part),
            looks.list_placeholders(master_part),
        )
        tree = find_child(root, "p:cSld", "p:spTree")
        self._numbers: dict[Element, int] = {}
        if tree is not None:
            self._numbers = {shape: number for number, shape in enumerate(tree)}
        self._painted: dict[Element, list[Element]] = {}  # the first two in each group
        self._background = self._find_background(root)
        self._behind = [*self._list_sheet(self._master), *self._list_sheet(self._layout_root)]
        self._areas = list(self._list_areas(tree, 0))

    def look_at(self, shape: Element) -> TextLook:
        """The look of the text of a shape."""
        look = TextLook(self.theme, self._ground_of(shape), self._list_styles(shape))
        look.is_covered = self._is_covered(shape)
        return look

    def _is_covered(self, shape: Element) -> bool:
        """Whether something that nothing shines through was drawn over all of a shape."""
        place = own_place(shape)
        extent = own_extent(shape)
        is_on_slide = shape in self._numbers  # places in a group are the group's own
        if place is None or extent is None or not is_on_slide:
            return False
        corners = (place, (place[0] + extent[0], place[1] + extent[1]))
        for area in reversed(self._areas):
            if area.element is shape:
                break
            is_opaque = area.colour is not None and area.colour.alpha > _OPAQUE
            is_later = is_opaque and self._comes_later(area.element, shape)
            if is_later and all(map(area.holds, corners)):
                return True
        return False

    def _comes_later(self, one: Element, other: Element) -> bool:
        """Whether one shape of the slide was drawn after another."""
        return self._numbers.get(one, 0) > self._numbers.get(other, 0)

    def look_at_notes(self) -> TextLook:
        """The look of what the speaker says, on white paper."""
        return TextLook(self.theme, WHITE, None)

    def look_at_cell(self, cell: Element) -> TextLook:
        """The look of the text of a cell; what a style of tables paints is not looked into."""
        is_filled, colour = self.theme.read_fill(child_of(cell, "a:tcPr"))
        ground = colour if is_filled and colour and colour.alpha > _COVERS else None
        return TextLook(self.theme, ground, None)

    def _ground_of(self, shape: Element) -> Colour | None:
        """What the text of a shape stands on; None where that cannot be told."""
        is_filled, colour = self._fill_of(shape)
        if is_filled and (colour is None or colour.alpha > _COVERS):
            return colour
        outermost = shape
        above = shape.getparent()
        while above is not None and name_of(above.tag) in ("p:grpSp", "mc:AlternateContent"):
            outermost = above
            above = above.getparent()
        if outermost is not shape and self._has_painted_part(outermost, shape):
            return None
        point = self._find_point(shape, outermost)
        if point is None:
            return None if self._areas or self._behind else self._background
        behind = list(self._behind)
        for area in self._areas:
            if area.element is outermost:
                break
            behind.append(area)
        for area in reversed(behind):
            if area.holds(point):
                return area.colour
        return self._background

    def _find_point(self, shape: Element, outermost: Element) -> Place | None:
        """A point in a shape; None where nobody says where it stands."""
        place = own_place(outermost)
        extent = own_extent(outermost)
        if place is None:
            place = self._layout.place_of(shape)
            extent = None
        if place is None:
            return None
        if extent is None:
            return place[0] + _SAMPLE, place[1] + _SAMPLE
        return place[0] + extent[0] // 2, place[1] + extent[1] // 2

    def _has_painted_part(self, group: Element, text: Element) -> bool:
        """Whether something in a group may be behind one of its texts."""
        if group not in self._painted:
            self._painted[group] = list(islice(self._list_painted(group), 2))
        return any(one is not text for one in self._painted[group])

    def _list_painted(self, group: Element) -> Iterator[Element]:
        """What is painted in a group, at any depth."""
        for one in group.iter():
            name = name_of(one.tag)
            is_picture = name in ("p:pic", "p:graphicFrame")
            is_filled_group = name == "p:grpSpPr" and self.theme.read_fill(one)[0]
            if is_picture or is_filled_group or (name == "p:sp" and self._fill_of(one)[0]):
                yield one

    def _fill_of(self, shape: Element) -> tuple[bool, Colour | None]:
        """Whether a shape is filled, and with which colour."""
        is_said, colour = self.theme.read_fill(child_of(shape, "p:spPr"))
        if is_said:
            return colour is None or colour.alpha > 0, colour
        reference = find_child(shape, "p:style", "a:fillRef")
        if reference is not None and reference.get("idx") not in (None, "0"):
            colour = self.theme.read_colour(reference)
            return True, colour if reference.get("idx") == _PLAIN_FILL else None
        for sheet in self._sheets:
            below = sheet.find(placeholder_of(shape))
            is_said, colour = self.theme.read_fill(child_of(below, "p:spPr"))
            if is_said:
                return colour is None or colour.alpha > 0, colour
        return False, None

    def _list_sheet(self, root: Element | None) -> Iterator[_SlideArea]:
        """What a layout or a master paints besides its placeholders."""
        for area in self._list_areas(find_child(root, "p:cSld", "p:spTree"), 0):
            if placeholder_of(area.element) is None:
                yield area

    def _list_areas(self, tree: Element | None, depth: int) -> Iterator[_SlideArea]:
        """What is painted, from back to front; groups and pictures have no colour."""
        if tree is None:
            return
        for number, child in enumerate(tree):
            name = name_of(child.tag)
            if number > _MOST_AREAS:
                return
            if name == "mc:AlternateContent" and depth < _DEEPEST:
                yield from self._list_areas(choose_alternative(child), depth + 1)
                continue
            colour: Colour | None = None
            if name == "p:sp":
                is_filled, colour = self._fill_of(child)
                if not is_filled or (colour is not None and colour.alpha <= _COVERS):
                    continue
            elif name not in ("p:pic", "p:grpSp", "p:graphicFrame"):
                continue
            place = own_place(child)
            extent = own_extent(child)
            if place is not None and extent is not None:
                yield _SlideArea(child, place, extent, colour)

    def _find_background(self, root: Element) -> Colour | None:
        """The background of the slide, else of its layout, else of its master."""
        for sheet in (root, self._layout_root, self._master):
            background = find_child(sheet, "p:cSld", "p:bg")
            if background is None:
                continue
            reference = child_of(background, "p:bgRef")
            if reference is not None:
                return self.theme.read_colour(reference)
            _, colour = self.theme.read_fill(child_of(background, "p:bgPr"))
            if colour is not None and colour.alpha <= _COVERS:
                return WHITE
            return colour
        return self.theme.find("bg1") or WHITE

    def _list_styles(self, shape: Element) -> list[Element | None]:
        """Where the colour of a text is looked for that does not say it, the nearest first."""
        wanted = placeholder_of(shape)
        styles = [
            find_child(shape, "p:txBody", "a:lstStyle"),
            find_child(shape, "p:style", "a:fontRef"),
        ]
        for sheet in self._sheets:
            below = sheet.find(wanted)
            styles.append(find_child(below, "p:txBody", "a:lstStyle"))
        if wanted is None:
            kind = "p:otherStyle"
        elif wanted.get("type") in _TITLES:
            kind = "p:titleStyle"
        else:
            kind = "p:bodyStyle"
        styles.append(find_child(self._master, "p:txStyles", kind))
        return styles


class TextLook:
    """The look of the text of one shape or cell; without styles, only of text that says its colour
    itself.
    """

    def __init__(
        self, theme: Theme, ground: Colour | None, styles: list[Element | None] | None
    ) -> None:
        self._theme = theme
        self._ground = ground
        self._styles = styles
        self.is_covered = False

    def hides(self, settings: Element | None, level: int) -> bool:
        """Whether nobody can see a run of these settings, in a paragraph of this level."""
        if self.is_covered:
            return True
        if self._theme.read_fill(child_of(settings, "a:ln"))[0]:
            return False  # it has an outline
        is_said, colour = self._theme.read_fill(settings)
        if not is_said and child_of(settings, "a:hlinkClick") is None:
            colour = self._find_colour(level)
        if colour is None:
            return False
        if colour.alpha < _UNSEEN:
            return True
        return self._ground is not None and alike(colour, self._ground)

    def _find_colour(self, level: int) -> Colour | None:
        """The colour that the styles give to text of a level."""
        if self._styles is None:
            return None
        for style in self._styles:
            if style is None:
                continue
            if name_of(style.tag) == "a:fontRef":
                colour = self._theme.read_colour(style)
                if colour is not None:
                    return colour
                continue
            settings = find_child(style, f"a:lvl{level + 1}pPr", "a:defRPr")
            is_said, colour = self._theme.read_fill(settings)
            if is_said:
                return colour
        return self._theme.find("tx1")
