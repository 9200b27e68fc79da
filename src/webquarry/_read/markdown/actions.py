"""Actions of tags: what the walker does at the start and the end of an element.

An action is a generator: it runs to its `yield` at the start of the element and continues at the
end. If it returns without yielding, the content of the element is skipped. A tag without an action
is a part of its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lxml import etree

from webquarry._read.html.panel_buttons import is_panel_button
from webquarry._read.html.tree import beginning_of, get_value
from webquarry._read.markdown import code, formulas
from webquarry._read.markdown.blocks import Block
from webquarry._read.markdown.inline import (
    BREAK,
    EMPHASIS,
    LINK,
    LOWERED,
    RAISED,
    STRONG,
    STRUCK,
    Literal,
)
from webquarry._read.markdown.links import PERMALINK, PERMALINK_WORDS
from webquarry._read.markdown.lists import LIST_ACTIONS, NOTE_INDENT
from webquarry._read.markdown.tables import TABLE_ACTIONS
from webquarry._read.markdown.walker import BOX_TAGS, ROLE_HEADING, Action, Element, skip
from webquarry._read.style.judge import NO_SIZE
from webquarry._read.style.styles import NAVIGATION

if TYPE_CHECKING:
    from webquarry._read.markdown.walker import Walker

UNSAFE_LINK = "unsafe link"
LONG_ALTERNATIVE = "long image text"
FORM = "form control"
TEMPLATE = "template"
FALLBACK = "fallback text"
DRAWING = "text in a drawing"
EMBEDDED = "embedded object"

_MAX_ALTERNATIVE = 250  # characters
_MAX_SIGN = 2  # characters; an image with such a text is a part of the adjacent word
_MAX_ANCHOR = 60  # characters
_BLOCKS_IN_SVG = """
    p div h1 h2 h3 ul ol table section article main foreignobject text
""".split()  # noqa: SIM905
_MAX_DRAWINGS = 300  # that are searched for text
_PIECES_NEARBY = 4  # in which the words of a heading are searched
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_SKIP_LINK = re.compile(
    r"\s*(?:skip|jump) (?:to|navigation|links?|over)\b.*", re.IGNORECASE | re.DOTALL
)


def count_and_skip(reason: str) -> Action:
    """Return an action that counts the element and skips it."""

    def action(walker: Walker, element: Element) -> Iterator[None]:
        walker.leave_out(element, reason)
        yield from ()

    return action


def mark_span(kind: str) -> Action:
    """Return an action that marks the text of an element."""

    def action(walker: Walker, element: Element) -> Iterator[None]:
        is_open = walker.open_span(kind)
        yield
        if is_open:
            walker.close_span()

    return action


def enclose(before: str, after: str) -> Action:
    """Return an action that adds characters before and after an element."""

    def action(walker: Walker, element: Element) -> Iterator[None]:
        walker.pieces.append(before)
        yield
        walker.pieces.append(after)

    return action


def read_box(walker: Walker, element: Element) -> Iterator[None]:
    """Separate a box from the text before and after it."""
    walker.end_block()
    yield
    walker.end_block()


def read_note_box(walker: Walker, element: Element) -> Iterator[None]:
    """Read a box that may be a footnote."""
    walker.end_block()
    label = walker.footnotes.find_note_label(element)
    if label is None:
        yield
        walker.end_block()
    else:
        yield from _contain(walker, f"[^{label}]: ", NOTE_INDENT)


def _contain(walker: Walker, marker: str, indent: str) -> Iterator[None]:
    walker.flush()
    walker.blocks.open(marker, indent)
    yield
    walker.flush()
    walker.blocks.close()


def read_heading(walker: Walker, element: Element) -> Iterator[None]:
    """Read a heading; the default level of one by its role is 2, as in browsers."""
    level = (element.get("aria-level") or "").strip()
    if element.tag in _HEADINGS:
        level = str(element.tag)[1]
    walker.start_heading(element, int(level) if level in ("1", "2", "3", "4", "5", "6") else 2)
    yield
    walker.flush()
    walker.heading = 0


def read_quote(walker: Walker, element: Element) -> Iterator[None]:
    """Read a quotation; in a cell a plain block."""
    if not walker.cells:
        yield from _contain(walker, "> ", "> ")
        return
    walker.flush()
    yield
    walker.end_block()


def add_rule(walker: Walker, element: Element) -> Iterator[None]:
    """Add a thematic break, except at the beginning and after another one."""
    walker.flush()
    blocks = walker.blocks
    if blocks and not walker.cells and not blocks.ends_with_rule():
        blocks.add(Block("rule"))
    yield from ()


def break_line(walker: Walker, element: Element) -> Iterator[None]:
    """Add a line break."""
    walker.break_line()
    yield from ()


def read_strong(walker: Walker, element: Element) -> Iterator[None]:
    """Mark strong text, except in headings."""
    is_open = not walker.heading and walker.open_span(STRONG)
    yield
    if is_open:
        walker.close_span()


def read_link(walker: Walker, element: Element) -> Iterator[None]:
    """Mark a link, or add the mark of a footnote. Links without a target are plain text."""
    href = get_value(element, "href") or ""
    if href.startswith("#"):
        label = walker.footnotes.find_mark_label(element, href)
        if label is not None:
            if walker.muted is None:
                walker.pieces.append(Literal(f"[^{label}]"))
            return
        is_skip_link = _SKIP_LINK.fullmatch(beginning_of(element, _MAX_ANCHOR))
        if is_skip_link or walker.footnotes.is_backlink(element, href):
            return
    url = walker.links.absolute(href) if href else ""
    if url and walker.links.leads_into_page(url):
        if walker.heading:
            if _is_anchor(walker, element):
                return
            url = ""
        elif len(element) and element[0].tag in _HEADINGS:
            url = ""
    if url is None:
        walker.removed[UNSAFE_LINK] += 1
    is_open = bool(url) and walker.open_span(LINK, url or "")
    yield
    if is_open:
        walker.close_span()


def _is_anchor(walker: Walker, element: Element) -> bool:
    """Return whether a link from a heading to itself is only an anchor."""
    text = beginning_of(element, _MAX_ANCHOR)
    if PERMALINK.fullmatch(text):
        return True
    if not PERMALINK_WORDS.fullmatch(text):
        return False
    texts = [piece for piece in walker.pieces[-_PIECES_NEARBY:] if isinstance(piece, str)]
    return any(map(str.strip, [*texts, element.tail or ""]))


def add_image(walker: Walker, element: Element) -> Iterator[None]:
    """Add the alternative text of an image to the line. The parser treats what follows an `<image>`
    as its content.
    """
    if formulas.is_formula_image(element):
        walker.pieces.append(Literal(formulas.read_image(element, walker.removed)))
    else:
        _add_alternative(walker, element)
    if element.tag == "image":
        yield


def _add_alternative(walker: Walker, element: Element) -> None:
    text = " ".join((get_value(element, "alt") or "").split())
    reason = NO_SIZE if _has_no_size(element) else walker.muted
    if text and reason is not None:
        walker.removed[reason] += 1
    elif text:
        if len(text) > _MAX_ALTERNATIVE:
            text = text[:_MAX_ALTERNATIVE]
            text = f"{text.rpartition(' ')[0] or text}…"
            walker.removed[LONG_ALTERNATIVE] += 1
        walker.pieces.append(f" {text} " if len(text) > _MAX_SIGN else text)


def _has_no_size(element: Element) -> bool:
    """Return whether an image is as small as those that only count visits."""
    sizes = ((element.get(name) or "").strip() for name in ("width", "height"))
    return any(size.removesuffix("px") in ("0", "1") for size in sizes)


def read_summary(walker: Walker, element: Element) -> Iterator[None]:
    """Read the title of an element that can be opened."""
    walker.end_block()
    yield from read_strong(walker, element)
    walker.end_block()


def read_button(walker: Walker, element: Element) -> Iterator[None]:
    """Skip a button, unless it is the title of what it opens."""
    is_title = walker.heading or is_panel_button(element)
    if is_title or walker.hidden.revealed.is_the_page(element):
        yield from read_box(walker, element)
    else:
        walker.leave_out(element, FORM)


def read_navigation(walker: Walker, element: Element) -> Iterator[None]:
    """Skip a menu, unless it was never closed and contains the page."""
    if walker.hidden.revealed.is_the_page(element):
        yield from read_box(walker, element)
    else:
        walker.leave_out(element, NAVIGATION)


def add_checkbox(walker: Walker, element: Element) -> Iterator[None]:
    """Add the box of a task list; other inputs are skipped."""
    is_task = element.get("type") == "checkbox" and element.get("disabled") is not None
    if is_task and walker.lists and not walker.pieces:
        walker.pieces.append(Literal("[ ] " if element.get("checked") is None else "[x] "))
    yield from ()


def read_preformatted(walker: Walker, element: Element) -> Iterator[None]:
    """Read a code block, unless it is a column of line numbers."""
    walker.flush()
    if not code.is_beside_code(element):
        walker.collect_code()
        yield
        _add_code(walker, element, walker.finish_code())


def read_code_span(walker: Walker, element: Element) -> Iterator[None]:
    """Read inline code; with several lines it is a code block. If it was never closed and contains
    paragraphs, it is no code.
    """
    if code.has_blocks(element):
        yield
        return
    walker.collect_code()
    yield
    raw = walker.finish_code()
    is_block = BREAK in raw.strip(" \n\t" + BREAK) and not walker.heading and not walker.spans
    if is_block:
        walker.flush()
        _add_code(walker, element, raw)
    else:
        walker.pieces.append(Literal(code.format_code_span(raw, walker.removed)))


def _add_code(walker: Walker, element: Element, raw: str) -> None:
    """Add a code block; in a cell a code span for each line."""
    if not walker.cells:
        text = code.clean_code(raw, walker.removed)
        if text:
            walker.blocks.add(Block("code", text, language=code.find_language(element)))
        return
    spans = [code.format_code_span(line, walker.removed) for line in code.split_lines(raw)]
    text = " ".join(filter(None, map(str.strip, spans)))
    if text:
        walker.blocks.add(text)


def add_formula(walker: Walker, element: Element) -> Iterator[None]:
    """Add a formula in MathML."""
    if walker.muted is None:
        walker.pieces.append(Literal(formulas.read_mathml(element, walker.removed)))
    yield from ()


def read_drawing(walker: Walker, element: Element) -> Iterator[None]:
    """Skip a drawing, unless it has text or was never closed and contains the page."""
    walker.drawings += 1
    is_examined = walker.drawings <= _MAX_DRAWINGS and not _has_no_size(element)
    if is_examined and next(element.iterdescendants(*_BLOCKS_IN_SVG), None) is not None:
        yield
    else:
        walker.leave_out(element, DRAWING)


def read_fallback(walker: Walker, element: Element) -> Iterator[None]:
    """Skip text for browsers without scripts or frames, and templates, unless they are read."""
    if element.tag in walker.scope.fallback_tags:
        yield from read_box(walker, element)
    else:
        walker.leave_out(element, TEMPLATE if element.tag == "template" else FALLBACK)


def break_code_line(walker: Walker, element: Element) -> Iterator[None]:
    """End a line of code."""
    walker.pieces.append(BREAK)
    yield from ()


def read_code_line(walker: Walker, element: Element) -> Iterator[None]:
    """Read a box in code, which is a line."""
    if not code.is_beside_code(element):
        walker.end_code_line()
        yield
        walker.end_code_line()


def read_code_part(walker: Walker, element: Element) -> Iterator[None]:
    """Read a part of a line, or skip a part next to the code."""
    if not code.is_beside_code(element):
        yield


_SKIPPED = """
    title meta link base style area param col colgroup frame frameset rp desc metadata defs symbol
    mask pattern clippath marker
""".split()  # noqa: SIM905
_CONTROLS = ("select", "textarea", "option", "datalist", "progress", "meter")
_EMBEDDED = ("object", "applet", "iframe", "video", "audio", "canvas")
_SKIP_ACTIONS: dict[object, Action] = dict.fromkeys(
    (etree.Comment, etree.ProcessingInstruction, etree.Entity, *_SKIPPED), skip
)

ACTIONS: dict[object, Action] = {
    **_SKIP_ACTIONS,
    **dict.fromkeys(BOX_TAGS, read_box),
    **dict.fromkeys(("div", "p"), read_note_box),
    **dict.fromkeys((*_HEADINGS, ROLE_HEADING), read_heading),
    **dict.fromkeys(("strong", "b"), read_strong),
    **dict.fromkeys(("em", "i"), mark_span(EMPHASIS)),
    **dict.fromkeys(("del", "s", "strike"), mark_span(STRUCK)),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), read_code_span),
    **dict.fromkeys(("pre", "listing", "xmp", "plaintext"), read_preformatted),
    **dict.fromkeys(_CONTROLS, count_and_skip(FORM)),
    **dict.fromkeys(_EMBEDDED, count_and_skip(EMBEDDED)),
    **dict.fromkeys(("noscript", "noframes", "noembed", "template"), read_fallback),
    **dict.fromkeys(("text", "tspan"), enclose(" ", " ")),  # in drawings
    **dict.fromkeys(("img", "image"), add_image),
    **LIST_ACTIONS,
    **TABLE_ACTIONS,
    "a": read_link,
    "blockquote": read_quote,
    "br": break_line,
    "button": read_button,
    "hr": add_rule,
    "input": add_checkbox,
    "math": add_formula,
    "nav": read_navigation,
    "q": enclose("“", "”"),
    "rt": enclose("(", ")"),  # the reading of the characters before it
    "script": skip,
    "sub": mark_span(LOWERED),
    "summary": read_summary,
    "sup": mark_span(RAISED),
    "svg": read_drawing,
}
ACTIONS_IN_CODE: dict[object, Action] = {
    **_SKIP_ACTIONS,
    **dict.fromkeys(
        ("script", "svg", "button", "select", "textarea", "noscript", "template", "nav"), skip
    ),
    **dict.fromkeys(
        ("p", "div", "li", "tr", "ol", "ul", "table", "pre", "blockquote", "h1", "h2", "h3"),
        read_code_line,
    ),
    **dict.fromkeys(("span", "td", "th", "a"), read_code_part),
    "br": break_code_line,
}
