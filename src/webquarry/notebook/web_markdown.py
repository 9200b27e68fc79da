"""Markdown of somebody else -> HTML for a cell, in which nothing but its form is markup.

HTML in it is shown as it is written, pictures are their words (nothing is loaded from anywhere),
and only addresses of the web are links.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from webquarry.cli.layout import link_target
from webquarry.notebook.inline import escape_html
from webquarry.surfaces.terminal import printable


def render_markdown(text: str) -> str:
    """The text as HTML; where no parser can read it, as it is written."""
    parser = MarkdownIt("commonmark", {"html": False})
    parser.enable(["table", "strikethrough"]).disable("reference")
    parser.add_render_rule("image", _write_picture)
    try:
        tokens = parser.parse(printable(text))
        _clean_tokens(tokens)
        rendered: str = parser.renderer.render(tokens, parser.options, {})
    except Exception:  # a page may nest what no parser has seen
        return f"<pre>{escape_html(printable(text))}</pre>"
    return rendered


def _clean_tokens(tokens: Iterable[Token]) -> None:
    """Take out what a parser made of entities, and the targets that are no addresses."""
    for token in tokens:
        token.content = printable(token.content)
        if token.type == "link_open":
            target = link_target(str(token.attrs.get("href", "")))
            token.attrs = {}
            if target is not None:
                token.attrs = {"href": target, "target": "_blank", "rel": "noopener noreferrer"}
        elif token.type == "fence":
            token.info = ""
        _clean_tokens(token.children or ())


def _write_picture(self: Any, tokens: Sequence[Token], place: int, *_: Any) -> str:
    """The words of a picture, in its place."""
    words = "".join(child.content for child in tokens[place].children or ())
    return f"[{escape_html(words or 'picture')}]"
