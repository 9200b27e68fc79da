"""The inside of a Word paragraph -> runs of text, each with its look.

Insertions are text, deletions are not; of a field its result is; of alternative contents the first.
What stands in text boxes, charts and diagrams is collected for whoever writes the paragraph.
"""

from __future__ import annotations

import re

from lxml import etree

from webquarry.read.documents.docx.story import DELETED, HIDDEN, SAME_COLOUR, TINY, Field, Story
from webquarry.read.documents.docx.styles import Style, is_on, run_properties
from webquarry.read.documents.office import child_of, choose_alternative, name_of, value_of
from webquarry.read.documents.omml import to_tex
from webquarry.read.documents.paragraph import DocumentParagraph, TextStyle
from webquarry.read.documents.symbols import symbol_of
from webquarry.read.markdown.inline import (
    BREAK,
    EMPHASIS,
    LOWERED,
    RAISED,
    STRONG,
    STRUCK,
    Literal,
    Span,
)

_TRANSPARENT = frozenset(
    {
        "w:ins",
        "w:moveTo",
        "w:smartTag",
        "w:customXml",
        "w:sdt",
        "w:sdtContent",
        "w:dir",
        "w:bdo",
        "w:rubyBase",
    }
)
_DELETED = frozenset({"w:del", "w:moveFrom"})
_HYPERLINK = re.compile(r'\s*HYPERLINK\s+(?:"([^"]*)"|([^\s\\"]\S*))', re.IGNORECASE)
_SMALLEST_TEXT = 4  # half points
_WHITE = frozenset({"ffffff", "white"})
_NO_GROUND = frozenset({"", "auto", "ffffff"})


class RunReader:
    """Reads the inside of one paragraph."""

    def __init__(self, story: Story, style: Style, *, shaded: bool) -> None:
        self._story = story
        self._style = style
        self._shaded = shaded or not story.plain_ground
        self._link: Span | None = None
        self.found = DocumentParagraph()

    def read(self, element: etree._Element) -> None:
        """Take everything in an element."""
        for child in element:
            name = name_of(child.tag)
            if name == "w:r":
                self._run(child)
            elif name == "w:hyperlink":
                self._hyperlink(child)
            elif name in _TRANSPARENT:
                self.read(child)
            elif name in _DELETED:
                self._story.removed[DELETED] += _has_text(child)
            elif name == "w:fldSimple":
                self._simple_field(child)
            elif name in ("m:oMath", "m:oMathPara"):
                self.formula(child)
            elif name == "mc:AlternateContent":
                self.read(choose_alternative(child))

    def _hyperlink(self, element: etree._Element) -> None:
        outer = self._link
        self._link = self._story.link_to(value_of(element, "id")) or outer
        self.read(element)
        self._link = outer

    def _simple_field(self, element: etree._Element) -> None:
        outer = self._link
        found = _HYPERLINK.match(value_of(element, "instr") or "")
        self._link = (self._story.link(found[1] or found[2] or "") if found else None) or outer
        self.read(element)
        self._link = outer

    def formula(self, element: etree._Element) -> None:
        """Take one formula, or several in a display."""
        inner = [one for one in element if name_of(one.tag) == "m:oMath"] or [element]
        for formula in inner:
            if tex := to_tex(formula, self._story.removed):
                self.found.add(Literal(tex), TextStyle(self._link))

    def _run(self, run: etree._Element) -> None:
        direct = run_properties(child_of(run, "w:rPr"))
        character = {}
        if direct.get("w:rStyle"):
            character = self._story.styles.get(direct["w:rStyle"]).run
        shown = character | direct
        reason = self._hidden_because(self._style.run | shown)
        look = TextStyle(self._current_link(), _marks(shown))
        seen = True
        for child in run:
            name = name_of(child.tag)
            if name in ("w:fldChar", "w:instrText"):
                self._field_part(name, child)
                look = TextStyle(self._current_link(), look.marks)
            elif self._in_instruction():
                continue
            elif reason is not None:
                seen = seen and name == "w:rPr"
            else:
                self._content(name, child, look)
        if not seen and reason:
            self._story.removed[reason] += 1

    def _content(self, name: str, child: etree._Element, look: TextStyle) -> None:
        if name == "w:t":
            self.found.add(child.text or "", look)
        elif name in _SIGNS:
            self.found.add(_SIGNS[name], look)
        elif name == "w:br":
            self.found.add(
                BREAK if value_of(child, "type") in (None, "textWrapping") else " ", look
            )
        elif name == "w:sym":
            self.found.add(
                symbol_of(value_of(child, "font") or "", value_of(child, "char") or ""), look
            )
        elif name in ("w:footnoteReference", "w:endnoteReference"):
            label = self._story.notes.label(
                "footnote" if name == "w:footnoteReference" else "endnote",
                value_of(child, "id") or "",
            )
            if label is not None:
                self.found.add(Literal(f"[^{label}]"), TextStyle())
        elif name == "w:ruby":
            self._ruby(child)
        elif name in ("w:drawing", "w:pict", "w:object"):
            self._drawing(child)
        elif name == "mc:AlternateContent":
            self._drawing(choose_alternative(child))

    def _ruby(self, element: etree._Element) -> None:
        """Characters with their reading above them, which goes into brackets."""
        for part, (before, after) in (("w:rubyBase", ("", "")), ("w:rt", ("(", ")"))):
            inner = child_of(element, part)
            if inner is not None and _has_text(inner):
                self.found.add(before, TextStyle())
                self.read(inner)
                self.found.add(after, TextStyle())

    def _drawing(self, element: etree._Element) -> None:
        """Collect what has words in a drawing; alternatives in it say the same twice."""
        for child in element:
            name = name_of(child.tag)
            if name in ("w:txbxContent", "c:chart", "dgm:relIds"):
                self.found.boxes.append(child)
            elif name == "mc:AlternateContent":
                self._drawing(choose_alternative(child))
            elif len(child):
                self._drawing(child)

    def _field_part(self, name: str, element: etree._Element) -> None:
        fields = self._story.fields
        if name == "w:instrText":
            if fields and not fields[-1].in_result:
                fields[-1].instruction += element.text or ""
            return
        kind = value_of(element, "fldCharType")
        if kind == "begin":
            fields.append(Field())
        elif kind == "separate" and fields:
            fields[-1].in_result = True
            found = _HYPERLINK.match(fields[-1].instruction[:5_000])
            if found:
                fields[-1].link = self._story.link(found[1] or found[2] or "")
            else:
                fields[-1].link = None
        elif kind == "end" and fields:
            fields.pop()

    def _in_instruction(self) -> bool:
        return any(not one.in_result for one in self._story.fields)

    def _current_link(self) -> Span | None:
        return self._link or next(
            (one.link for one in reversed(self._story.fields) if one.link), None
        )

    def _hidden_because(self, properties: dict[str, str | None]) -> str | None:
        if is_on(properties, "w:vanish"):
            return HIDDEN
        size = properties.get("w:sz") or ""
        if size.isascii() and size.isdigit() and len(size) < 6 and int(size) < _SMALLEST_TEXT:
            return TINY
        ground = (properties.get("w:shd") or "").lower() in _NO_GROUND and not properties.get(
            "w:highlight"
        )
        white = (properties.get("w:color") or "").lower() in _WHITE
        if white and ground and not self._shaded:
            return SAME_COLOUR
        return None


_SIGNS = {"w:tab": "\t", "w:ptab": "\t", "w:cr": BREAK, "w:noBreakHyphen": "\u2011"}


def _marks(properties: dict[str, str | None]) -> tuple[str, ...]:
    """The marks of Markdown for a look."""
    found = [
        mark
        for mark, names in (
            (STRONG, ("w:b",)),
            (EMPHASIS, ("w:i",)),
            (STRUCK, ("w:strike", "w:dstrike")),
        )
        if any(is_on(properties, name) for name in names)
    ]
    raised = {"superscript": RAISED, "subscript": LOWERED}.get(properties.get("w:vertAlign") or "")
    if raised:
        return (*found, raised)
    return tuple(found)


def _has_text(element: etree._Element) -> bool:
    return any(
        name_of(one.tag) in ("w:t", "w:delText") and (one.text or "").strip()
        for one in element.iter()
    )
