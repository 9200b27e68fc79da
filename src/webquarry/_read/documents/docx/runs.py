"""The inside of a Word paragraph -> runs of text, each with its look.

Insertions are text, deletions are not; of a field its result is; of alternative contents the first.
What stands in text boxes, charts and diagrams is collected for whoever writes the paragraph.
"""

from __future__ import annotations

import re

from webquarry._read.documents.docx.context import (
    DELETED,
    HIDDEN,
    SAME_COLOUR,
    TINY,
    DocxContext,
    NoteKind,
    WordField,
)
from webquarry._read.documents.docx.shading import (
    colour_of_highlight,
    colour_of_text,
    ground_of_shading,
)
from webquarry._read.documents.docx.styles import RunProperties, Style, is_on, run_properties
from webquarry._read.documents.office import (
    Element,
    child_of,
    children_of,
    choose_alternative,
    name_of,
    parse_number,
    value_of,
)
from webquarry._read.documents.omml import to_tex
from webquarry._read.documents.paragraph import DocumentParagraph, TextStyle
from webquarry._read.documents.symbols import symbol_of
from webquarry._read.markdown.inline import (
    BREAK,
    EMPHASIS,
    LOWERED,
    RAISED,
    STRONG,
    STRUCK,
    Literal,
    Span,
)
from webquarry._read.style.colours import Colour, alike

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
_SIGNS = {"w:tab": "\t", "w:ptab": "\t", "w:cr": BREAK, "w:noBreakHyphen": "\u2011"}
_NOTES: dict[str, NoteKind] = {
    "w:footnoteReference": "footnote",
    "w:endnoteReference": "endnote",
}
_MARKS = (
    (STRONG, ("w:b",)),
    (EMPHASIS, ("w:i",)),
    (STRUCK, ("w:strike", "w:dstrike")),
)
_HYPERLINK = re.compile(r'\s*HYPERLINK\s+(?:"([^"]*)"|([^\s\\"]\S*))', re.IGNORECASE)
_LONGEST_INSTRUCTION = 5_000  # characters
_SMALLEST_TEXT = 4  # half points


class RunReader:
    """Reads the inside of one paragraph."""

    def __init__(self, context: DocxContext, style: Style, ground: Colour | None) -> None:
        self._context = context
        self._style = style
        self._ground = ground  # what the paragraph stands on; None where it cannot be told
        self._link: Span | None = None
        self.paragraph = DocumentParagraph()

    def read(self, element: Element) -> None:
        """Take everything in an element."""
        for child in element:
            name = name_of(child.tag)
            if name == "w:r":
                self._read_run(child)
            elif name == "w:hyperlink":
                link = self._context.link_to(value_of(child, "id"))
                self._read_linked(child, link)
            elif name in _TRANSPARENT:
                self.read(child)
            elif name in _DELETED:
                self._context.removed[DELETED] += _has_text(child)
            elif name == "w:fldSimple":
                link = self._find_hyperlink(value_of(child, "instr") or "")
                self._read_linked(child, link)
            elif name in ("m:oMath", "m:oMathPara"):
                self.read_formula(child)
            elif name == "mc:AlternateContent":
                self.read(choose_alternative(child))

    def _read_linked(self, element: Element, link: Span | None) -> None:
        """Take everything in an element, linked; without a link of its own, by that around it."""
        outer = self._link
        self._link = link or outer
        self.read(element)
        self._link = outer

    def read_formula(self, element: Element) -> None:
        """Take one formula, or several in a display."""
        formulas = children_of(element, "m:oMath") or [element]
        style = TextStyle(self._link)
        for formula in formulas:
            tex = to_tex(formula, self._context.removed)
            if tex:
                self.paragraph.add(Literal(tex), style)

    def _read_run(self, run: Element) -> None:
        """Take one run of text, unless nobody can see it."""
        properties = run_properties(child_of(run, "w:rPr"))
        character_style = properties.get("w:rStyle")
        if character_style:
            properties = self._context.styles.get(character_style).run | properties
        all_properties = self._context.styles.run | self._style.run | properties
        reason = self._why_hidden(all_properties)
        marks = _marks_of(properties)
        style = TextStyle(self._current_link(), marks)
        has_hidden = False
        for child in run:
            name = name_of(child.tag)
            if name in ("w:fldChar", "w:instrText"):
                self._read_field_part(name, child)
                style = TextStyle(self._current_link(), marks)
            elif any(not field.in_result for field in self._context.fields):
                continue  # it belongs to an instruction
            elif reason is None:
                self._read_content(name, child, style)
            elif name != "w:rPr":
                has_hidden = True
        if has_hidden and reason:
            self._context.removed[reason] += 1

    def _read_content(self, name: str, child: Element, style: TextStyle) -> None:
        """Take one element of a run."""
        add = self.paragraph.add
        if name == "w:t":
            add(child.text or "", style)
        elif name in _SIGNS:
            add(_SIGNS[name], style)
        elif name == "w:br":
            if value_of(child, "type") in (None, "textWrapping"):
                add(BREAK, style)
            else:
                add(" ", style)
        elif name == "w:sym":
            font = value_of(child, "font") or ""
            code = value_of(child, "char") or ""
            add(symbol_of(font, code), style)
        elif name in _NOTES:
            identity = value_of(child, "id") or ""
            label = self._context.notes.label(_NOTES[name], identity)
            if label is not None:
                add(Literal(f"[^{label}]"), TextStyle())
        elif name == "w:ruby":
            self._read_ruby(child)
        elif name in ("w:drawing", "w:pict", "w:object"):
            self._read_drawing(child)
        elif name == "mc:AlternateContent":
            self._read_drawing(choose_alternative(child))

    def _read_ruby(self, element: Element) -> None:
        """Characters with their reading above them, which goes into brackets."""
        plain = TextStyle()
        add = self.paragraph.add
        base = child_of(element, "w:rubyBase")
        if base is not None and _has_text(base):
            add("", plain)
            self.read(base)
            add("", plain)
        reading = child_of(element, "w:rt")
        if reading is not None and _has_text(reading):
            add("(", plain)
            self.read(reading)
            add(")", plain)

    def _read_drawing(self, element: Element) -> None:
        """Collect what has words in a drawing; alternatives in it say the same twice."""
        for child in element:
            name = name_of(child.tag)
            if name in ("w:txbxContent", "c:chart", "dgm:relIds"):
                self.paragraph.boxes.append(child)
            elif name == "mc:AlternateContent":
                self._read_drawing(choose_alternative(child))
            elif len(child):
                self._read_drawing(child)

    def _read_field_part(self, name: str, element: Element) -> None:
        """The beginning or the end of a field, or a piece of its instruction."""
        fields = self._context.fields
        if name == "w:instrText":
            if fields and not fields[-1].in_result:
                fields[-1].instruction += element.text or ""
            return
        kind = value_of(element, "fldCharType")
        if kind == "begin":
            fields.append(WordField())
        elif kind == "separate" and fields:
            field = fields[-1]
            field.in_result = True
            field.link = self._find_hyperlink(field.instruction[:_LONGEST_INSTRUCTION])
        elif kind == "end" and fields:
            fields.pop()

    def _find_hyperlink(self, instruction: str) -> Span | None:
        """The link that the instruction of a field makes; None for any other instruction."""
        found = _HYPERLINK.match(instruction)
        if found is None:
            return None
        return self._context.build_link(found[1] or found[2] or "")

    def _current_link(self) -> Span | None:
        """The link around what is read now: that of an element, else of the innermost field."""
        if self._link:
            return self._link
        for field in reversed(self._context.fields):
            if field.link:
                return field.link
        return None

    def _why_hidden(self, properties: RunProperties) -> str | None:
        """Why nobody sees text with these properties; None for text that is plain to see."""
        if is_on(properties, "w:vanish"):
            return HIDDEN
        size = parse_number(properties.get("w:sz"), most_digits=5)
        if size is not None and size < _SMALLEST_TEXT:
            return TINY
        if properties.get("textFill") == "True":
            return SAME_COLOUR
        theme = self._context.theme
        colour = colour_of_text(properties.get("w:color"), theme)
        if colour is None:
            return None
        ground = colour_of_highlight(properties.get("w:highlight"))
        if ground is None:
            is_shaded, ground = ground_of_shading(properties.get("w:shd"), theme)
            if not is_shaded:
                ground = self._ground
        if ground is not None and alike(colour, ground):
            return SAME_COLOUR
        return None


def _marks_of(properties: RunProperties) -> tuple[str, ...]:
    """The marks of Markdown for a look."""
    marks: list[str] = []
    for mark, names in _MARKS:
        if any(is_on(properties, name) for name in names):
            marks.append(mark)
    position = properties.get("w:vertAlign")
    if position == "superscript":
        marks.append(RAISED)
    elif position == "subscript":
        marks.append(LOWERED)
    return tuple(marks)


def _has_text(element: Element) -> bool:
    """Whether there is any text in an element, deleted text included."""
    for one in element.iter():
        if name_of(one.tag) in ("w:t", "w:delText") and (one.text or "").strip():
            return True
    return False
