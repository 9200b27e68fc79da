"""Markdown written by others (files, READMEs, posts, package descriptions).

`read_markdown(text, url)` is the whole interface: it returns blocks as safe as those of a page.
The text is rendered to HTML by markdown-it (CommonMark with tables, strikethrough, task lists
and front matter) and converted by the HTML reader, which drops hidden text and resolves
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
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.{0,8000}?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
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
    """Return the parser: CommonMark with tables, strikethrough and tasks."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    # Targets are checked by the HTML reader.
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    parser.core.ruler.push("tasks", _mark_tasks)
    parser.add_render_rule("html_inline", _render_tag)
    return parser


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


def _render_tag(
    renderer: Any, tokens: Sequence[Token], index: int, options: Any, environment: Any
) -> str:
    """Render a tag in a line; one that looks like a type parameter becomes text."""
    tag = tokens[index].content
    if _TYPE_PARAMETER.fullmatch(tag) and tag.strip("</>").lower() not in _ELEMENTS:
        return escape(tag)
    return tag
