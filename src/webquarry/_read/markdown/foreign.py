"""Markdown written by others (files, READMEs, posts, package descriptions).

`read_markdown(text, url)` is the whole interface: it returns blocks as safe as those of a page.
The text is rendered to HTML by markdown-it (CommonMark with tables, strikethrough, task lists,
footnotes and front matter) and converted by the HTML reader, which drops hidden text and resolves
links.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from webquarry._read.html.parse import parse_html
from webquarry._read.markdown.convert import Markdown, to_markdown

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.{0,8000}?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_NOTE_MARK = re.compile(r"\[\^([\w.-]{1,60})\]")
_NOTE = re.compile(r" {0,3}\[\^([\w.-]{1,60})\]:[ \t]*(.*)")
_TASK = re.compile(r"\[([ xX])\][ \t]")
# `Vec<T>` is meant as text; a browser would show nothing of it.
_TYPE_PARAMETER = re.compile(r"</?[A-Za-z][\w]*>")
_ELEMENTS = frozenset(
    """
    a abbr acronym address area article aside audio b base bdi bdo big blockquote body br button
    canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl
    dt em embed fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head
    header hgroup hr html i iframe img input ins kbd label legend li link main map mark math menu
    meta meter nav noscript object ol optgroup option output p param picture pre progress q rp rt
    ruby s samp script search section select slot small source span strike strong style sub summary
    sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video
    wbr xmp
    """.split()  # noqa: SIM905
)


def read_markdown(text: str, url: str) -> Markdown:
    """Return the blocks of the Markdown.

    Relative links are resolved against `url`. Front matter becomes a YAML block. Takes about a
    second per million characters; callers limit the length.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    front_matter = FRONT_MATTER.match(text)
    head = ""
    if front_matter:
        text = text[front_matter.end() :]
        head = f"<pre><code class=language-yaml>{escape(front_matter[1])}</code></pre>"
    return to_markdown(parse_html(head + _parser().render(text)), url)


@cache
def _parser() -> MarkdownIt:
    """Return the parser: CommonMark with tables, strikethrough, tasks and footnotes."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    # Targets are checked by the HTML reader.
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    parser.inline.ruler.before("link", "footnote_mark", _parse_note_mark)
    parser.block.ruler.before(
        "reference", "footnote", _parse_note, {"alt": ["paragraph", "reference"]}
    )
    parser.core.ruler.push("tasks", _mark_tasks)
    parser.core.ruler.push("footnotes", _move_notes)
    parser.add_render_rule("html_inline", _render_tag)
    return parser


def _parse_note_mark(state: StateInline, silent: bool) -> bool:
    """Parse `[^label]` as a link to the note of that label."""
    found = _NOTE_MARK.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        label = escape(found[1])
        state.push("html_inline", "", 0).content = f'<sup><a href="#fn-{label}">{label}</a></sup>'
    state.pos = found.end()
    return True


def _parse_note(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """Parse `[^label]: text` up to the next blank line as a note."""
    start, stop = state.bMarks[line] + state.tShift[line], state.eMarks[line]
    found = _NOTE.fullmatch(state.src, start, stop)
    if found is None or state.is_code_block(line):
        return False
    if silent:
        return True
    last = line + 1
    while last < end and not state.isEmpty(last) and state.sCount[last] > state.blkIndent:
        last += 1
    texts = [found[2], state.getLines(line + 1, last, state.sCount[line], False)]
    state.line = last
    token = state.push("paragraph_open", "p", 1)
    token.attrs = {"id": f"fn-{found[1]}"}
    token.map = [line, last]
    inline = state.push("inline", "", 0)
    inline.content = "\n".join(texts).strip()
    inline.map = [line, last]
    inline.children = []
    state.push("paragraph_close", "p", -1)
    return True


def _mark_tasks(state: StateCore) -> None:
    """Turn `[ ]` and `[x]` at the start of list items into checkboxes."""
    for item, paragraph, inline in zip(
        state.tokens, state.tokens[1:], state.tokens[2:], strict=False
    ):
        if item.type != "list_item_open" or paragraph.type != "paragraph_open":
            continue
        found = _TASK.match(inline.content)
        if found and inline.children and inline.children[0].type == "text":
            first = inline.children[0]
            checked = "" if found[1] == " " else " checked"
            first.type = "html_inline"
            first.content = f'<input type="checkbox" disabled{checked}>{escape(first.content[3:])}'


def _move_notes(state: StateCore) -> None:
    """Move notes to the end, since the reader pairs a note with the mark in front of it."""
    notes: list[Token] = []
    rest: list[Token] = []
    depth = 0
    for token in state.tokens:
        if str(token.attrs.get("id", "")).startswith("fn-"):
            depth = 3  # the paragraph: open, inline, close
        (notes if depth else rest).append(token)
        depth = max(0, depth - 1)
    state.tokens = rest + notes


def _render_tag(
    renderer: Any, tokens: Sequence[Token], index: int, options: Any, environment: Any
) -> str:
    """Render a tag in a line; one that looks like a type parameter becomes text."""
    tag = tokens[index].content
    if _TYPE_PARAMETER.fullmatch(tag) and tag.strip("</>").lower() not in _ELEMENTS:
        return escape(tag)
    return tag
