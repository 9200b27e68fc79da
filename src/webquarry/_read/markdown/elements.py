"""Actions of tags. A tag without an action is a part of its line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

from webquarry._read.html.panel_buttons import is_panel_button
from webquarry._read.html.tree import beginning_of, get_value
from webquarry._read.markdown import code, formulas
from webquarry._read.markdown.actions import (
    BOX_TAGS,
    ROLE_HEADING,
    SKIP,
    Action,
    Element,
    Leave,
    skip,
)
from webquarry._read.markdown.blocks import Block
from webquarry._read.markdown.inline import (
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
_MAX_SIGN = 2  # characters; an image with such a text is a part of the word beside it
_MAX_ANCHOR = 60  # characters
_BLOCKS_IN_SVG = """
    p div h1 h2 h3 ul ol table section article main foreignobject text
""".split()  # noqa: SIM905
_MAX_DRAWINGS = 300  # that are searched for text
_PIECES_BESIDE = 4  # in which the words of a heading are searched
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_SKIP_LINK = re.compile(
    r"\s*(?:skip|jump) (?:to|navigation|links?|over)\b.*", re.IGNORECASE | re.DOTALL
)


def count_and_skip(reason: str) -> Action:
    """Return an action that counts the element and skips it."""

    def action(walker: Walker, element: Element) -> Leave:
        walker.leave_out(element, reason)
        return SKIP

    return action


def start_block(walker: Walker, element: Element) -> Leave:
    """Start a box: it does not share a block with the text before and after it."""
    if walker.pieces:
        walker.end_block()
    return end_block


def end_block(walker: Walker, element: Element) -> None:
    if walker.pieces:
        walker.end_block()


def start_box(walker: Walker, element: Element) -> Leave:
    """Start a box that may be a footnote."""
    if walker.pieces:
        walker.end_block()
    label = walker.footnotes.find_note_label(element)
    if label is None:
        return end_block
    walker.flush()
    walker.blocks.open(f"[^{label}]: ", NOTE_INDENT)
    return end_container


def end_container(walker: Walker, element: Element) -> None:
    walker.flush()
    walker.blocks.close()


def start_heading(walker: Walker, element: Element) -> Leave:
    level = int(str(element.tag)[1])
    walker.start_heading(element, level)
    return end_heading


def start_role_heading(walker: Walker, element: Element) -> Leave:
    """Start a heading by its role; the default level is 2, as in browsers."""
    level = (element.get("aria-level") or "").strip()
    if level not in ("1", "2", "3", "4", "5", "6"):
        level = "2"
    walker.start_heading(element, int(level))
    return end_heading


def end_heading(walker: Walker, element: Element) -> None:
    walker.flush()
    walker.heading = 0


def start_quote(walker: Walker, element: Element) -> Leave:
    """Start a quotation; in a cell a plain block."""
    walker.flush()
    if walker.cells:
        return end_block
    walker.blocks.open("> ", "> ")
    return end_container


def add_rule(walker: Walker, element: Element) -> Leave:
    """Add a thematic break, except at the beginning and after another one."""
    walker.flush()
    blocks = walker.blocks
    if blocks and not walker.cells and not blocks.ends_with_rule():
        blocks.add(Block("rule"))
    return SKIP


def break_line(walker: Walker, element: Element) -> Leave:
    walker.break_line()
    return SKIP


def mark_span(kind: str) -> Action:
    """Return an action that marks the text of an element."""

    def action(walker: Walker, element: Element) -> Leave:
        if walker.open_span(kind):
            return end_span
        return None

    return action


def start_strong(walker: Walker, element: Element) -> Leave:
    """Start strong text; in a heading it means nothing."""
    if not walker.heading and walker.open_span(STRONG):
        return end_span
    return None


def end_span(walker: Walker, element: Element) -> None:
    walker.close_span()


def start_link(walker: Walker, element: Element) -> Leave:
    """Start a link, or add the mark of a footnote. Links without a target are plain text."""
    href = get_value(element, "href")
    if not href:
        return None
    if href[0] == "#":
        label = walker.footnotes.find_mark_label(element, href)
        if label is not None:
            if walker.muted is None:
                walker.pieces.append(Literal(f"[^{label}]"))
            return SKIP
        is_skip_link = _SKIP_LINK.fullmatch(beginning_of(element, _MAX_ANCHOR))
        if is_skip_link or walker.footnotes.is_backlink(element, href):
            return SKIP
    url = walker.links.absolute(href)
    if url and walker.links.leads_into_page(url):
        if walker.heading:
            return _start_anchor(walker, element)
        if len(element) and element[0].tag in _HEADINGS:
            return None
    if url is None:
        walker.removed[UNSAFE_LINK] += 1
    elif url and walker.open_span(LINK, url):
        return end_span
    return None


def _start_anchor(walker: Walker, element: Element) -> Leave:
    """Skip a link from a heading to itself that is only an anchor; the text of others stays."""
    text = beginning_of(element, _MAX_ANCHOR)
    if PERMALINK.fullmatch(text):
        return SKIP
    if not PERMALINK_WORDS.fullmatch(text):
        return None
    texts = [piece for piece in walker.pieces[-_PIECES_BESIDE:] if isinstance(piece, str)]
    texts.append(element.tail or "")
    if any(map(str.strip, texts)):
        return SKIP
    return None


def add_image(walker: Walker, element: Element) -> Leave:
    """Add the alternative text of an image to the line."""
    if formulas.is_formula_image(element):
        tex = formulas.read_image(element, walker.removed)
        walker.pieces.append(Literal(tex))
        return SKIP
    alternative = get_value(element, "alt") or ""
    text = " ".join(alternative.split())
    if not text:
        return SKIP
    reason = walker.muted
    if _has_no_size(element):
        reason = NO_SIZE
    if reason is not None:
        walker.removed[reason] += 1
        return SKIP
    if len(text) > _MAX_ALTERNATIVE:
        text = text[:_MAX_ALTERNATIVE]
        whole_words = text.rpartition(" ")[0]
        text = f"{whole_words or text}…"
        walker.removed[LONG_ALTERNATIVE] += 1
    if len(text) > _MAX_SIGN:
        text = f" {text} "
    walker.pieces.append(text)
    return SKIP


def add_unclosed_image(walker: Walker, element: Element) -> Leave:
    """Add an `<image>`: an image in browsers, but the parser treats what follows as its content."""
    add_image(walker, element)
    return None


def _has_no_size(element: Element) -> bool:
    """Whether an image is as small as those that only count visits."""
    for name in ("width", "height"):
        size = (element.get(name) or "").strip()
        if size.removesuffix("px") in ("0", "1"):
            return True
    return False


def enclose(before: str, after: str) -> Action:
    """Return an action that adds characters before and after an element."""

    def leave(walker: Walker, element: Element) -> None:
        walker.pieces.append(after)

    def action(walker: Walker, element: Element) -> Leave:
        walker.pieces.append(before)
        return leave

    return action


def start_summary(walker: Walker, element: Element) -> Leave:
    """Start the title of an element that can be opened."""
    walker.end_block()
    if not walker.heading and walker.open_span(STRONG):
        return end_summary_span
    return end_summary


def end_summary_span(walker: Walker, element: Element) -> None:
    walker.close_span()
    walker.end_block()


def end_summary(walker: Walker, element: Element) -> None:
    walker.end_block()


def start_button(walker: Walker, element: Element) -> Leave:
    """Skip a button, unless it is the title of what it opens."""
    is_title = walker.heading or is_panel_button(element)
    if is_title or walker.hidden.revealed.is_the_page(element):
        return start_block(walker, element)
    walker.leave_out(element, FORM)
    return SKIP


def start_navigation(walker: Walker, element: Element) -> Leave:
    """Skip a menu, unless it was never closed and contains the page."""
    if walker.hidden.revealed.is_the_page(element):
        return start_block(walker, element)
    walker.leave_out(element, NAVIGATION)
    return SKIP


def add_checkbox(walker: Walker, element: Element) -> Leave:
    """Add the box of a task list; other inputs are skipped."""
    is_task = element.get("type") == "checkbox" and element.get("disabled") is not None
    if is_task and walker.lists and not walker.pieces:
        box = "[ ] "
        if element.get("checked") is not None:
            box = "[x] "
        walker.pieces.append(Literal(box))
    return SKIP


def start_preformatted(walker: Walker, element: Element) -> Leave:
    """Start a code block, unless it is a column of line numbers."""
    walker.flush()
    if code.is_beside_code(element):
        return SKIP
    walker.collect_code()
    return end_preformatted


def end_preformatted(walker: Walker, element: Element) -> None:
    raw = walker.finish_code()
    _add_code(walker, element, raw)


def _add_code(walker: Walker, element: Element, raw: str) -> None:
    """Add a code block; in a cell a code span for each line."""
    if not walker.cells:
        text = code.clean_code(raw, walker.removed)
        if text:
            language = code.find_language(element)
            walker.blocks.add(Block("code", text, language=language))
        return
    spans = [code.format_code_span(line, walker.removed) for line in code.split_lines(raw)]
    text = " ".join(filter(None, map(str.strip, spans)))
    if text:
        walker.blocks.add(text)


def start_code_span(walker: Walker, element: Element) -> Leave:
    """Start inline code, unless it was never closed and contains paragraphs."""
    if code.has_blocks(element):
        return None
    walker.collect_code()
    return end_code_span


def end_code_span(walker: Walker, element: Element) -> None:
    """Add inline code, or a code block if it has several lines."""
    raw = walker.finish_code()
    if code.has_lines(raw) and not walker.heading and not walker.spans:
        walker.flush()
        _add_code(walker, element, raw)
    else:
        span = code.format_code_span(raw, walker.removed)
        walker.pieces.append(Literal(span))


def add_formula(walker: Walker, element: Element) -> Leave:
    if walker.muted is None:
        tex = formulas.read_mathml(element, walker.removed)
        walker.pieces.append(Literal(tex))
    return SKIP


def add_tex_script(walker: Walker, element: Element) -> Leave:
    """Add the TeX of a script, unless MathJax has added the formula before it."""
    kind = element.get("type") or ""
    if not walker.typesets_tex or not kind.startswith("math/tex"):
        return SKIP
    before = element.getprevious()
    classes = ""
    if before is not None:
        classes = before.get("class") or ""
    if "MathJax" not in classes.replace("MathJax_Preview", ""):
        tex = formulas.read_script(element, walker.removed)
        walker.pieces.append(Literal(tex))
    return SKIP


def start_drawing(walker: Walker, element: Element) -> Leave:
    """Skip a drawing, unless it has text or was never closed and contains the page."""
    walker.drawings += 1
    if walker.drawings <= _MAX_DRAWINGS and not _has_no_size(element):
        block = next(element.iterdescendants(*_BLOCKS_IN_SVG), None)
        if block is not None:
            return None
    walker.leave_out(element, DRAWING)
    return SKIP


def start_fallback(walker: Walker, element: Element) -> Leave:
    """Skip text for browsers without scripts or frames, and templates, unless they are read."""
    if element.tag in walker.scope.fallback_tags:
        return start_block(walker, element)
    reason = FALLBACK
    if element.tag == "template":
        reason = TEMPLATE
    walker.leave_out(element, reason)
    return SKIP


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
    **dict.fromkeys(BOX_TAGS, start_block),
    **dict.fromkeys(("div", "p"), start_box),
    **dict.fromkeys(_HEADINGS, start_heading),
    **dict.fromkeys(("strong", "b"), start_strong),
    **dict.fromkeys(("em", "i"), mark_span(EMPHASIS)),
    **dict.fromkeys(("del", "s", "strike"), mark_span(STRUCK)),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), start_code_span),
    **dict.fromkeys(("pre", "listing", "xmp", "plaintext"), start_preformatted),
    **dict.fromkeys(_CONTROLS, count_and_skip(FORM)),
    **dict.fromkeys(_EMBEDDED, count_and_skip(EMBEDDED)),
    **dict.fromkeys(("noscript", "noframes", "noembed", "template"), start_fallback),
    **dict.fromkeys(("text", "tspan"), enclose(" ", " ")),  # in drawings
    **LIST_ACTIONS,
    **TABLE_ACTIONS,
    ROLE_HEADING: start_role_heading,
    "a": start_link,
    "blockquote": start_quote,
    "br": break_line,
    "button": start_button,
    "hr": add_rule,
    "image": add_unclosed_image,
    "img": add_image,
    "input": add_checkbox,
    "math": add_formula,
    "nav": start_navigation,
    "q": enclose("“", "”"),
    "rt": enclose("(", ")"),  # the reading of the characters before it
    "script": add_tex_script,
    "sub": mark_span(LOWERED),
    "summary": start_summary,
    "sup": mark_span(RAISED),
    "svg": start_drawing,
}
ACTIONS_IN_CODE: dict[object, Action] = {
    **_SKIP_ACTIONS,
    **dict.fromkeys(
        ("script", "svg", "button", "select", "textarea", "noscript", "template", "nav"), skip
    ),
    **code.CODE_ACTIONS,
}
