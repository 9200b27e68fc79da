"""What each tag means: a dict from tag to an action, called when the walk comes to an element.

An action may return what is to be done when the walk leaves the element, or SKIP to go past
everything in it. A tag that has no action is part of the line it stands in.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

from webquarry.read.html.tree import beginning_of
from webquarry.read.markdown import code, formulas
from webquarry.read.markdown.actions import SKIP, Action, Element, Leave
from webquarry.read.markdown.inline import (
    BREAK,
    EMPHASIS,
    LINK,
    LOWERED,
    RAISED,
    STRONG,
    STRUCK,
    Literal,
)
from webquarry.read.markdown.lists import LIST_ACTIONS
from webquarry.read.markdown.table_elements import TABLE_ACTIONS
from webquarry.read.visibility.concealment import NO_SIZE
from webquarry.read.visibility.tracker import NAVIGATION

if TYPE_CHECKING:
    from webquarry.read.markdown.walker import Walker

UNSAFE_LINK = "unsafe link"
LONG_ALTERNATIVE = "long image text"
FORM = "form control"
TEMPLATE = "template"
FALLBACK = "fallback text"
DRAWING = "text in a drawing"
EMBEDDED = "embedded object"

_LONGEST_ALTERNATIVE = 250  # characters
_BLOCKS_IN_SVG = (
    "p",
    "div",
    "h1",
    "h2",
    "h3",
    "ul",
    "ol",
    "table",
    "section",
    "article",
    "main",
    "foreignobject",
)
_MOST_DRAWINGS = 300  # that are looked into
_PERMALINK = re.compile(r"[\s#¶§🔗⚓\ufe0f]*")
_SKIP_LINK = re.compile(
    r"\s*(?:skip|jump) (?:to|navigation|links?|over)\b.*", re.IGNORECASE | re.DOTALL
)
_PANEL_BUTTON = re.compile(
    r"(?i)accordion|faq|collaps|expand|question|toggle-title|summary|tabs?\b|tab[-_]"
)
_MENU_BUTTON = re.compile(r"(?i)nav|menu|hamburger|search|close|share|cookie|dropdown")


def skip(walker: Walker, element: Element) -> Leave | None:
    return SKIP


def skip_counted(reason: str) -> Action:
    def action(walker: Walker, element: Element) -> Leave | None:
        walker.leave_out(element, reason)
        return SKIP

    return action


def block(walker: Walker, element: Element) -> Leave | None:
    if walker.pieces:
        walker.end_block()
    return end_block


def end_block(walker: Walker, element: Element) -> None:
    if walker.pieces:
        walker.end_block()


def box(walker: Walker, element: Element) -> Leave | None:
    """A block that may be a note."""
    if walker.pieces:
        walker.end_block()
    if walker.footnotes.labels and (label := walker.footnotes.note(element)) is not None:
        walker.flush()
        walker.blocks.open(f"[^{label}]: ", "    ")
        return end_container
    return end_block


def end_container(walker: Walker, element: Element) -> None:
    walker.flush()
    walker.blocks.close()


def heading(walker: Walker, element: Element) -> Leave | None:
    walker.start_heading(element, int(str(element.tag)[1]))
    return end_heading


def called_heading(walker: Walker, element: Element) -> Leave | None:
    """A box or a piece of a line that is a heading by its role; no other kind of element becomes
    one.
    """
    usual = ACTIONS.get(element.tag)
    if usual is not None and usual is not box and usual is not block:
        return usual(walker, element)
    level = (element.get("aria-level") or "").strip()
    walker.start_heading(element, int(level) if level in ("1", "2", "3", "4", "5", "6") else 2)
    return end_heading


def end_heading(walker: Walker, element: Element) -> None:
    walker.flush()
    walker.heading = 0


def quote(walker: Walker, element: Element) -> Leave | None:
    walker.flush()
    if walker.cells:
        return end_block
    walker.blocks.open("> ", "> ")
    return end_container


def rule(walker: Walker, element: Element) -> Leave | None:
    walker.flush()
    if walker.blocks and not walker.cells and not walker.blocks.last_is("---"):
        walker.blocks.add("---")
    return SKIP


def line_break(walker: Walker, element: Element) -> Leave | None:
    walker.break_line()
    return SKIP


def end_span(walker: Walker, element: Element) -> None:
    walker.close_span()


def strong(walker: Walker, element: Element) -> Leave | None:
    if not walker.heading and walker.open_span(STRONG):
        return end_span
    return None


def emphasis(walker: Walker, element: Element) -> Leave | None:
    if walker.open_span(EMPHASIS):
        return end_span
    return None


def struck(walker: Walker, element: Element) -> Leave | None:
    if walker.open_span(STRUCK):
        return end_span
    return None


def raised(walker: Walker, element: Element) -> Leave | None:
    if walker.open_span(RAISED):
        return end_span
    return None


def lowered(walker: Walker, element: Element) -> Leave | None:
    if walker.open_span(LOWERED):
        return end_span
    return None


def link(walker: Walker, element: Element) -> Leave | None:
    href = element.get("href")
    if not href:
        return None
    if href[0] == "#":
        if (label := walker.footnotes.mark(element, href)) is not None:
            if walker.sight.muted is None:
                walker.add_mark(Literal(f"[^{label}]"))
            return SKIP
        if _is_decoration(walker, element, href):
            return SKIP
    url = walker.links.absolute(href)
    if url is None:
        walker.removed[UNSAFE_LINK] += 1
    if url and walker.open_span(LINK, url):
        return end_span
    return None


def _is_decoration(walker: Walker, element: Element, href: str) -> bool:
    """Whether a link inside the page is for keyboards only, shows that one can link here, or leads
    back from a note.
    """
    text = beginning_of(element, 60)
    if (walker.heading and _PERMALINK.fullmatch(text)) or _SKIP_LINK.fullmatch(text):
        return True
    return walker.footnotes.leads_back(element, href)


def image(walker: Walker, element: Element) -> Leave | None:
    if formulas.is_formula_image(element):
        walker.add_mark(Literal(formulas.from_image(element, walker.removed)))
        return SKIP
    text = " ".join((element.get("alt") or "").split())
    if not text:
        return SKIP
    unseen = NO_SIZE if _is_speck(element) else walker.sight.muted
    if unseen is not None:
        walker.removed[unseen] += 1
        return SKIP
    if len(text) > _LONGEST_ALTERNATIVE:
        text = text[:_LONGEST_ALTERNATIVE].rpartition(" ")[0] or text[:_LONGEST_ALTERNATIVE]
        text += "…"
        walker.removed[LONG_ALTERNATIVE] += 1
    walker.pieces.append(text if len(text) <= 2 else f" {text} ")
    return SKIP


def unclosed_image(walker: Walker, element: Element) -> Leave | None:
    """To browsers `<image>` is an image; the parser takes what follows for its content."""
    image(walker, element)
    return None


def _is_speck(element: Element) -> bool:
    """Whether an image is too small to be seen, as those are that only count visits."""
    return any(
        (element.get(name) or "").strip().removesuffix("px") in ("0", "1")
        for name in ("width", "height")
    )


def quotation(walker: Walker, element: Element) -> Leave | None:
    walker.pieces.append("“")
    return lambda walker, element: walker.pieces.append("”")


def reading(walker: Walker, element: Element) -> Leave | None:
    walker.pieces.append("(")
    return lambda walker, element: walker.pieces.append(")")


def summary(walker: Walker, element: Element) -> Leave | None:
    walker.end_block()
    opened = not walker.heading and walker.open_span(STRONG)

    def leave(walker: Walker, element: Element) -> None:
        if opened:
            walker.close_span()
        walker.end_block()

    return leave


def button(walker: Walker, element: Element) -> Leave | None:
    """Buttons go, but for those that are the title of what they open."""
    names = element.get("class") or ""
    opens = (
        element.get("aria-expanded")
        or element.get("aria-controls")
        or element.get("data-bs-toggle")
        or ""
    )
    titled = bool(opens) and _PANEL_BUTTON.search(names) and not _MENU_BUTTON.search(names)
    if (
        walker.heading
        or element.get("role") == "tab"
        or titled
        or walker.sight.revealed.is_the_page(element)
    ):
        return block(walker, element)
    walker.leave_out(element, FORM)
    return SKIP


def navigation(walker: Walker, element: Element) -> Leave | None:
    """Menus go, but not one whose end the parser missed, with the page inside it."""
    if walker.sight.revealed.is_the_page(element):
        return block(walker, element)
    walker.leave_out(element, NAVIGATION)
    return SKIP


def control(walker: Walker, element: Element) -> Leave | None:
    """Only the box of a task list says something."""
    if (
        element.get("type") == "checkbox"
        and element.get("disabled") is not None
        and walker.lists
        and not walker.pieces
    ):
        walker.add_mark(Literal("[x] " if element.get("checked") is not None else "[ ] "))
    return SKIP


def preformatted(walker: Walker, element: Element) -> Leave | None:
    walker.flush()
    if code.is_beside_code(element):
        return SKIP
    walker.collect(code=True)
    return end_preformatted


def end_preformatted(walker: Walker, element: Element) -> None:
    _add_code(walker, walker.collected_code(), code.language_of(element))


def _add_code(walker: Walker, raw: str, language: str) -> None:
    if walker.cells:
        lines = (code.span(line, walker.removed).strip() for line in code.lines_of(raw))
        text = " ".join(line for line in lines if line)
    else:
        text = code.fenced(raw, language, walker.removed)
    if text:
        walker.blocks.add(text)


def code_span(walker: Walker, element: Element) -> Leave | None:
    if code.has_blocks(element):  # never closed, and everything behind it swallowed
        return None
    walker.collect(code=True)
    return end_code_span


def end_code_span(walker: Walker, element: Element) -> None:
    raw = walker.collected_code()
    if code.has_lines(raw) and not walker.heading and not walker.spans:
        walker.flush()
        _add_code(walker, raw, code.language_of(element))
    else:
        walker.add_mark(Literal(code.span(raw, walker.removed)))


def break_in_code(walker: Walker, element: Element) -> Leave | None:
    walker.pieces.append(BREAK)
    return SKIP


def line_in_code(walker: Walker, element: Element) -> Leave | None:
    if code.is_beside_code(element):
        return SKIP
    end_line_in_code(walker, element)
    return end_line_in_code


def end_line_in_code(walker: Walker, element: Element) -> None:
    last = next((piece for piece in reversed(walker.pieces) if piece), "")
    if isinstance(last, str) and last and not last.endswith(("\n", BREAK)):
        walker.pieces.append(BREAK)


def part_of_code(walker: Walker, element: Element) -> Leave | None:
    if code.is_beside_code(element):
        return SKIP
    return None


def formula(walker: Walker, element: Element) -> Leave | None:
    if walker.sight.muted is None:
        walker.add_mark(Literal(formulas.from_mathml(element, walker.removed)))
    return SKIP


def script(walker: Walker, element: Element) -> Leave | None:
    if walker.typesets_tex and (element.get("type") or "").startswith("math/tex"):
        shown = element.getprevious()
        if shown is None or "MathJax" not in (shown.get("class") or "").replace(
            "MathJax_Preview", ""
        ):
            walker.add_mark(Literal(formulas.from_script(element, walker.removed)))
    return SKIP


def drawing(walker: Walker, element: Element) -> Leave | None:
    """What is drawn goes; but a drawing that was never closed holds the rest of the page."""
    walker.drawings += 1
    looked_into = walker.drawings <= _MOST_DRAWINGS and not _is_speck(element)
    if looked_into and next(element.iterdescendants(*_BLOCKS_IN_SVG), None) is not None:
        return None
    walker.leave_out(element, DRAWING)
    return SKIP


def template(walker: Walker, element: Element) -> Leave | None:
    """Browsers show nothing of a template, unless it is the shadow tree of the element around it."""
    if element.get("shadowrootmode") or "template" in walker.kept:
        return block(walker, element)
    walker.fallbacks.append(element)
    walker.leave_out(element, TEMPLATE)
    return SKIP


def fallback(walker: Walker, element: Element) -> Leave | None:
    if element.tag in walker.kept:
        return block(walker, element)
    walker.fallbacks.append(element)
    walker.leave_out(element, FALLBACK)
    return SKIP


# The head too: unless its end is written, the parser takes `<main>` and whatever else it does not
# know for parts of it.
_BLOCKS = """address article aside body caption center details dialog fieldset figcaption figure footer form
head header hgroup html legend main marquee optgroup search section""".split()  # noqa: SIM905
_SKIPPED = """title meta link base style area map param col colgroup frame frameset rp""".split()  # noqa: SIM905
_DRAWN = "desc metadata defs symbol text tspan".split()  # noqa: SIM905

ACTIONS: dict[object, Action] = {
    etree.Comment: skip,
    etree.ProcessingInstruction: skip,
    etree.Entity: skip,
    **dict.fromkeys(_SKIPPED, skip),
    **dict.fromkeys(_DRAWN, skip),
    **dict.fromkeys(_BLOCKS, block),
    **dict.fromkeys(("div", "p"), box),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), heading),
    **dict.fromkeys(("strong", "b"), strong),
    **dict.fromkeys(("em", "i"), emphasis),
    **dict.fromkeys(("del", "s", "strike"), struck),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), code_span),
    **dict.fromkeys(("pre", "listing", "xmp", "plaintext"), preformatted),
    **dict.fromkeys(
        ("select", "textarea", "option", "datalist", "progress", "meter"), skip_counted(FORM)
    ),
    **dict.fromkeys(
        ("object", "applet", "iframe", "video", "audio", "canvas"), skip_counted(EMBEDDED)
    ),
    **dict.fromkeys(("noscript", "noframes", "noembed"), fallback),
    **LIST_ACTIONS,
    **TABLE_ACTIONS,
    "a": link,
    "blockquote": quote,
    "br": line_break,
    "button": button,
    "hr": rule,
    "image": unclosed_image,
    "img": image,
    "input": control,
    "math": formula,
    "nav": navigation,
    "q": quotation,
    "rt": reading,
    "script": script,
    "sub": lowered,
    "summary": summary,
    "sup": raised,
    "svg": drawing,
    "template": template,
}

IN_CODE: dict[object, Action] = {
    etree.Comment: skip,
    etree.ProcessingInstruction: skip,
    etree.Entity: skip,
    **dict.fromkeys(_SKIPPED, skip),
    **dict.fromkeys(
        ("script", "svg", "button", "select", "textarea", "noscript", "template", "nav"), skip
    ),
    **dict.fromkeys(
        ("p", "div", "li", "tr", "ol", "ul", "table", "pre", "blockquote", "h1", "h2", "h3"),
        line_in_code,
    ),
    **dict.fromkeys(("span", "td", "th", "a"), part_of_code),
    "br": break_in_code,
}
