"""What each tag means: a dict from tag to an action, called when the walk comes to an element.

An action may return what is to be done when the walk leaves the element, or SKIP to go past
everything in it. A tag that has no action is part of the line it stands in.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

from webquarry._read.html.panel_buttons import is_panel_button
from webquarry._read.html.tree import beginning_of, get_value
from webquarry._read.markdown import code, formulas
from webquarry._read.markdown.actions import SKIP, Action, Element, Leave, Vocabulary, skip
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
from webquarry._read.markdown.table_elements import TABLE_ACTIONS
from webquarry._read.style.styles import NAVIGATION, NO_SIZE

if TYPE_CHECKING:
    from webquarry._read.markdown.walker import Walker

UNSAFE_LINK = "unsafe link"
LONG_ALTERNATIVE = "long image text"
FORM = "form control"
TEMPLATE = "template"
FALLBACK = "fallback text"
DRAWING = "text in a drawing"
EMBEDDED = "embedded object"

_LONGEST_ALTERNATIVE = 250  # characters
_LONGEST_SIGN = 2  # characters; an image with so short a text is a part of the word beside it
_BLOCKS_IN_SVG = """
    p div h1 h2 h3 ul ol table section article main foreignobject text
""".split()  # noqa: SIM905
_MOST_DRAWINGS = 300  # that are looked into
_PIECES_BESIDE = 4  # in which the words of a heading are looked for
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_SKIP_LINK = re.compile(
    r"\s*(?:skip|jump) (?:to|navigation|links?|over)\b.*", re.IGNORECASE | re.DOTALL
)


def count_and_skip(reason: str) -> Action:
    """An action that counts what it leaves out under a reason."""

    def action(walker: Walker, element: Element) -> Leave:
        walker.leave_out(element, reason)
        return SKIP

    return action


def start_block(walker: Walker, element: Element) -> Leave:
    """A box: what stands before it is a block of its own, and so is what stands in it."""
    if walker.pieces:
        walker.end_block()
    return end_block


def end_block(walker: Walker, element: Element) -> None:
    if walker.pieces:
        walker.end_block()


def start_box(walker: Walker, element: Element) -> Leave:
    """A block that may be a footnote."""
    if walker.pieces:
        walker.end_block()
    if not walker.footnotes.labels:
        return end_block
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
    """`h1` to `h6`."""
    level = int(str(element.tag)[1])
    walker.start_heading(element, level)
    return end_heading


def start_role_heading(walker: Walker, element: Element) -> Leave:
    """A box or a piece of a line that is a heading by its role."""
    level = (element.get("aria-level") or "").strip()
    if level not in ("1", "2", "3", "4", "5", "6"):
        level = "2"  # as browsers take it
    walker.start_heading(element, int(level))
    return end_heading


def end_heading(walker: Walker, element: Element) -> None:
    """What follows is no heading any more, even if this one was empty."""
    walker.flush()
    walker.heading = 0


def start_quote(walker: Walker, element: Element) -> Leave:
    """A quotation; in a cell, which cannot hold one, a plain block."""
    walker.flush()
    if walker.cells:
        return end_block
    walker.blocks.open("> ", "> ")
    return end_container


def add_rule(walker: Walker, element: Element) -> Leave:
    """A thematic break, but neither in front of everything nor twice in a row."""
    walker.flush()
    blocks = walker.blocks
    if blocks and not walker.cells and not blocks.ends_with_rule():
        blocks.add(Block("rule"))
    return SKIP


def break_line(walker: Walker, element: Element) -> Leave:
    walker.break_line()
    return SKIP


def mark_span(kind: str) -> Action:
    """An action that marks the text in an element, unless text around it is marked like that."""

    def action(walker: Walker, element: Element) -> Leave:
        if walker.open_span(kind):
            return end_span
        return None

    return action


def start_strong(walker: Walker, element: Element) -> Leave:
    """Strong emphasis, which says nothing in a heading."""
    if not walker.heading and walker.open_span(STRONG):
        return end_span
    return None


def end_span(walker: Walker, element: Element) -> None:
    walker.close_span()


def start_link(walker: Walker, element: Element) -> Leave:
    """A link, or the mark of a footnote. Links that lead nowhere are plain text."""
    href = get_value(element, "href")
    if not href:
        return None
    if href[0] == "#":
        label = walker.footnotes.find_mark_label(element, href)
        if label is not None:
            if walker.visibility.muted is None:
                walker.add_mark(Literal(f"[^{label}]"))
            return SKIP
        # It may be for keyboards only, show that one can link here, or lead back from a note.
        text = beginning_of(element, 60)
        if _SKIP_LINK.fullmatch(text) or walker.footnotes.is_backlink(element, href):
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
    """A link from a heading to its own place: it shows that one can link here, or is the heading
    itself, which is no link then.
    """
    text = beginning_of(element, 60)
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
    """An image is its alternative text, in the line that it stands in."""
    if formulas.is_formula_image(element):
        tex = formulas.read_image(element, walker.removed)
        walker.add_mark(Literal(tex))
        return SKIP
    alternative = get_value(element, "alt") or ""
    text = " ".join(alternative.split())
    if not text:
        return SKIP
    reason = walker.visibility.muted
    if _is_speck(element):
        reason = NO_SIZE
    if reason is not None:
        walker.removed[reason] += 1
        return SKIP
    if len(text) > _LONGEST_ALTERNATIVE:
        text = text[:_LONGEST_ALTERNATIVE]
        whole_words = text.rpartition(" ")[0]
        text = f"{whole_words or text}…"
        walker.removed[LONG_ALTERNATIVE] += 1
    if len(text) > _LONGEST_SIGN:
        text = f" {text} "
    walker.pieces.append(text)
    return SKIP


def add_unclosed_image(walker: Walker, element: Element) -> Leave:
    """To browsers `<image>` is an image; the parser takes what follows for its content."""
    add_image(walker, element)
    return None


def _is_speck(element: Element) -> bool:
    """Whether an image is too small to be seen, as those are that only count visits."""
    for name in ("width", "height"):
        size = (element.get(name) or "").strip().removesuffix("px")
        if size in ("0", "1"):
            return True
    return False


def enclose(before: str, after: str) -> Action:
    """An action that puts signs before and after what an element holds."""

    def leave(walker: Walker, element: Element) -> None:
        walker.pieces.append(after)

    def action(walker: Walker, element: Element) -> Leave:
        walker.pieces.append(before)
        return leave

    return action


def start_summary(walker: Walker, element: Element) -> Leave:
    """What is always seen of something that can be opened: its title."""
    walker.end_block()
    opened = not walker.heading and walker.open_span(STRONG)

    def leave(walker: Walker, element: Element) -> None:
        if opened:
            walker.close_span()
        walker.end_block()

    return leave


def start_button(walker: Walker, element: Element) -> Leave:
    """Buttons go, but for those that are the title of what they open."""
    if (
        walker.heading
        or is_panel_button(element)
        or walker.visibility.revealed.is_the_page(element)
    ):
        return start_block(walker, element)
    walker.leave_out(element, FORM)
    return SKIP


def start_navigation(walker: Walker, element: Element) -> Leave:
    """Menus go, but not one whose end the parser missed, with the page inside it."""
    if walker.visibility.revealed.is_the_page(element):
        return start_block(walker, element)
    walker.leave_out(element, NAVIGATION)
    return SKIP


def add_checkbox(walker: Walker, element: Element) -> Leave:
    """Of all inputs only the box of a task list says something."""
    is_task = element.get("type") == "checkbox" and element.get("disabled") is not None
    if is_task and walker.lists and not walker.pieces:
        box = "[ ] " if element.get("checked") is None else "[x] "
        walker.add_mark(Literal(box))
    return SKIP


def start_preformatted(walker: Walker, element: Element) -> Leave:
    """A block of code, unless it is the column of numbers beside one."""
    walker.flush()
    if code.is_beside_code(element):
        return SKIP
    walker.collect_code()
    return end_preformatted


def end_preformatted(walker: Walker, element: Element) -> None:
    raw = walker.finish_code()
    language = code.find_language(element)
    _add_code(walker, raw, language)


def _add_code(walker: Walker, raw: str, language: str) -> None:
    """Add a block of code; in a cell, where none fits, a code span for each of its lines."""
    if not walker.cells:
        text = code.clean_code(raw, walker.removed)
        if text:
            walker.blocks.add(Block("code", text, language=language))
        return
    spans = [code.format_code_span(line, walker.removed) for line in code.split_lines(raw)]
    text = " ".join(filter(None, map(str.strip, spans)))
    if text:
        walker.blocks.add(text)


def start_code_span(walker: Walker, element: Element) -> Leave:
    """Code in a line."""
    if code.has_blocks(element):  # never closed, and everything behind it swallowed
        return None
    walker.collect_code()
    return end_code_span


def end_code_span(walker: Walker, element: Element) -> None:
    """A code span, or a block where the code has lines of its own."""
    raw = walker.finish_code()
    if code.has_lines(raw) and not walker.heading and not walker.spans:
        walker.flush()
        language = code.find_language(element)
        _add_code(walker, raw, language)
    else:
        span = code.format_code_span(raw, walker.removed)
        walker.add_mark(Literal(span))


def add_formula(walker: Walker, element: Element) -> Leave:
    """A formula in MathML."""
    if walker.visibility.muted is None:
        tex = formulas.read_mathml(element, walker.removed)
        walker.add_mark(Literal(tex))
    return SKIP


def add_tex_script(walker: Walker, element: Element) -> Leave:
    """A script with TeX in it, unless MathJax has put the formula right before it already."""
    if not walker.typesets_tex:
        return SKIP
    if not (element.get("type") or "").startswith("math/tex"):
        return SKIP
    before = element.getprevious()
    classes = ""
    if before is not None:
        classes = before.get("class") or ""
    if "MathJax" not in classes.replace("MathJax_Preview", ""):
        tex = formulas.read_script(element, walker.removed)
        walker.add_mark(Literal(tex))
    return SKIP


def start_drawing(walker: Walker, element: Element) -> Leave:
    """What is drawn goes, but not text, or the rest of a page that never closes its drawing."""
    walker.drawings += 1
    if walker.drawings <= _MOST_DRAWINGS and not _is_speck(element):
        block = next(element.iterdescendants(*_BLOCKS_IN_SVG), None)
        if block is not None:
            return None
    walker.leave_out(element, DRAWING)
    return SKIP


def start_template(walker: Walker, element: Element) -> Leave:
    """Browsers show nothing of a template. Shadow trees are none any more at this point."""
    if "template" in walker.scope.fallback_tags:
        return start_block(walker, element)
    walker.fallbacks.append(element)
    walker.leave_out(element, TEMPLATE)
    return SKIP


def start_fallback(walker: Walker, element: Element) -> Leave:
    """Browsers show a fallback only without scripts or frames."""
    if element.tag in walker.scope.fallback_tags:
        return start_block(walker, element)
    walker.fallbacks.append(element)
    walker.leave_out(element, FALLBACK)
    return SKIP


# The head too: unless its end is written, the parser takes `<main>` and whatever else it does not
# know for parts of it.
_BLOCKS = """
    address article aside body caption center details dialog fieldset figcaption figure footer form
    head header hgroup html legend main marquee optgroup search section
""".split()  # noqa: SIM905
_SKIPPED = """
    title meta link base style area param col colgroup frame frameset rp
""".split()  # noqa: SIM905
_DRAWN = "desc metadata defs symbol mask pattern clippath marker".split()  # noqa: SIM905
_CONTROLS = ("select", "textarea", "option", "datalist", "progress", "meter")
_EMBEDDED = ("object", "applet", "iframe", "video", "audio", "canvas")

# Tags that are nothing but boxes; those of them that a scope names may be headings by their role.
BOX_TAGS = frozenset({*_BLOCKS, "div", "p"})

_ACTIONS: dict[object, Action] = {
    etree.Comment: skip,
    etree.ProcessingInstruction: skip,
    etree.Entity: skip,
    **dict.fromkeys(_SKIPPED, skip),
    **dict.fromkeys(_DRAWN, skip),
    **dict.fromkeys(_BLOCKS, start_block),
    **dict.fromkeys(("div", "p"), start_box),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), start_heading),
    **dict.fromkeys(("strong", "b"), start_strong),
    **dict.fromkeys(("em", "i"), mark_span(EMPHASIS)),
    **dict.fromkeys(("del", "s", "strike"), mark_span(STRUCK)),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), start_code_span),
    **dict.fromkeys(("pre", "listing", "xmp", "plaintext"), start_preformatted),
    **dict.fromkeys(_CONTROLS, count_and_skip(FORM)),
    **dict.fromkeys(_EMBEDDED, count_and_skip(EMBEDDED)),
    **dict.fromkeys(("noscript", "noframes", "noembed"), start_fallback),
    **LIST_ACTIONS,
    **TABLE_ACTIONS,
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
    "rt": enclose("(", ")"),  # how to read the characters before it
    "script": add_tex_script,
    "sub": mark_span(LOWERED),
    "summary": start_summary,
    "sup": mark_span(RAISED),
    "svg": start_drawing,
    "template": start_template,
    **dict.fromkeys(("text", "tspan"), enclose(" ", " ")),  # pieces of a drawing
}

_IN_CODE: dict[object, Action] = {
    etree.Comment: skip,
    etree.ProcessingInstruction: skip,
    etree.Entity: skip,
    **dict.fromkeys(_SKIPPED, skip),
    **dict.fromkeys(
        ("script", "svg", "button", "select", "textarea", "noscript", "template", "nav"), skip
    ),
    **code.CODE_ACTIONS,
}

VOCABULARY = Vocabulary(_ACTIONS, _IN_CODE, start_role_heading)
