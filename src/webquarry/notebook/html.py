"""HTML and plain text of answers, tables and sessions in a notebook.

One renderer shows the fields of any object: its title, texts, lists and tables. Nothing from the
web becomes markup: texts are escaped, Markdown is rendered without HTML and images, and only http
and https URLs are links. The HTML has no script, loads nothing, and uses the colours of the page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from html import escape, unescape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from webquarry.sql.progress import summarize
from webquarry.terminal import link_target, one_line, printable

_RULE = "1px solid rgba(128, 128, 128, .4)"
_STYLE = f"""<style>
div.webquarry {{ line-height: 1.45; max-width: 64em; overflow-wrap: anywhere; }}
div.webquarry a {{ text-decoration: underline; color: var(--jp-content-link-color,
  var(--vscode-textLink-foreground, inherit)); }}
div.webquarry .title {{ font-weight: 600; font-size: 1.1em; }}
div.webquarry .facts {{ opacity: .75; font-size: .92em; }}
div.webquarry .note {{ border-left: 3px solid #b98500; padding-left: .6em; }}
div.webquarry .page {{ max-height: 30em; overflow: auto; border: {_RULE}; padding: .1em 1em; }}
div.webquarry h1, div.webquarry h2, div.webquarry h3 {{ font-size: 1.1em; margin: .8em 0 .3em; }}
div.webquarry pre {{ white-space: pre-wrap; background: none; }}
div.webquarry .rows {{ overflow-x: auto; }}
div.webquarry th, div.webquarry td {{ border-bottom: {_RULE}; padding: .2em .7em;
  text-align: left; vertical-align: top; max-width: 36em; background: none; color: inherit; }}
</style>"""
_MOST_ROWS = 50
_LONGEST_CELL = 300
_LONGEST_TEXT = 20_000
_LONGEST_FACT = 80  # longer texts have a line of their own
_TITLES = ("title", "query", "name", "text", "quote", "input", "heading", "number", "url")
_MARKDOWN = frozenset({"answer", "content", "combinedContent", "markdown"})
_NOTES = frozenset(
    {"error", "extractionNote", "hints", "note", "notes", "retractionStatus", "searchFailed"}
)
# Fields for programs.
_HIDDEN = frozenset({
    "contentLength", "cslJson", "cursor", "encoding", "jsonLd", "leftOut", "linksLeftOut",
    "modified", "sizeCategory", "structuredData", "trust", "urls",
})  # fmt: skip


def render(thing: Any) -> tuple[str, str]:
    """Return an object as HTML and as plain text."""
    page = _Page()
    title = getattr(thing, "title", None)
    if isinstance(thing, list):
        page.add("title", f"Bill: {sum(row.get('usd', 0) for row in thing):.4f} USD")
        page.add_table(thing)
    elif isinstance(getattr(thing, "rows", None), list):
        for warning in getattr(thing, "warnings", ()):
            page.add("note", str(warning))
        rows = thing.rows
        if hasattr(thing, "types"):  # a result of SQL
            rows = [dict(zip(thing.columns, row, strict=True)) for row in rows]
        page.add_table(rows)
        page.add("facts", summarize(thing.progress))
    elif hasattr(thing, "as_dict"):
        page.add_fields(thing.as_dict(), title if isinstance(title, str) else None)
    elif is_dataclass(thing) and not isinstance(thing, type):
        page.add_fields(asdict(thing))
    else:
        page.add("title", type(thing).__name__)
        page.add_fields(thing.describe())
    # The classes keep notebooks from looking for formulas: $5 is a price.
    body = "\n".join([_STYLE, *page.html])
    html = f'<div class="webquarry tex2jax_ignore mathjax_ignore">{body}\n</div>'
    return html, _strip_tags("\n".join(page.html))


def _strip_tags(html: str) -> str:
    """Return HTML of ours as plain text."""
    separated = re.sub(r"</t[dh]>(?=<t)", " | ", html)
    lines = re.sub(r"</?(?:tr|li|p|div|h\d)\b[^>]*>", "\n", separated)
    text = unescape(re.sub(r"<[^>]*>", "", lines))
    return printable(re.sub(r"\n{2,}", "\n", text)).strip()


class _Page:
    """The HTML of an object, part by part."""

    def __init__(self) -> None:
        self.html: list[str] = []

    def add(self, kind: str, text: str, url: Any = None) -> None:
        """Add one line: a title, facts or a note."""
        line = one_line(text)
        if line:
            self.html.append(f'<div class="{kind}">{_write_link(line, url)}</div>')

    def add_fields(self, fields: Mapping[str, Any], title: str | None = None) -> None:
        """Add the fields of an object: title and facts, then notes, texts and lists."""
        shown = {name: value for name, value in fields.items() if value and name not in _HIDDEN}
        title_name = next((name for name in _TITLES if isinstance(shown.get(name), str)), "")
        if title or title_name:
            url = shown.pop("url", None)
            self.add("title", title or str(shown.get(title_name, url)), url)
            shown.pop(title_name, None)
        self.add("facts", " · ".join(dict.fromkeys(_list_facts(shown))))
        self._add_texts(shown)

    def _add_texts(self, fields: Mapping[str, Any]) -> None:
        """Add the notes, texts and lists of an object, and of the objects in it."""
        for name, value in fields.items():
            if name in _HIDDEN or not value:
                continue
            if name in _NOTES:
                self.add("note", _write_text(value))
            elif name in _MARKDOWN and isinstance(value, str):
                self.html.append(f'<div class="page">{render_markdown(_cut(value))}</div>')
            elif isinstance(value, Mapping):
                self._add_texts(value)
            elif isinstance(value, str) and not _is_fact(value):
                text = printable(_cut(value))
                tag = "pre" if "\n" in text else "div"
                self.html.append(f"<{tag}>{escape(text)}</{tag}>")
            elif isinstance(value, list | tuple) and isinstance(value[0], Mapping):
                self._add_list(value)

    def add_table(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add the first rows with their columns that are not empty."""
        names = dict.fromkeys(name for row in rows for name in row)
        if len(rows) > 1:
            names = dict.fromkeys(name for name in names if any(row.get(name) for row in rows))
        lines = [[escape(one_line(name)) for name in names]]
        for row in rows[:_MOST_ROWS]:
            lines.append([_write_cell(row.get(name)) for name in names])
        head, *body = ["".join(f"<td>{cell}</td>" for cell in line) for line in lines]
        html = f"<tr>{head}</tr>".replace("td>", "th>") + "".join(f"<tr>{row}</tr>" for row in body)
        self.html.append(f'<div class="rows"><table>{html}</table></div>')
        facts = f"{len(rows):,} rows"
        if len(rows) > _MOST_ROWS:
            facts += f" · {len(rows) - _MOST_ROWS:,} more are in .rows"
        self.add("facts", facts)

    def _add_list(self, items: Sequence[Mapping[str, Any]]) -> None:
        """Add a numbered list of objects."""
        html = []
        for item in items:
            part = _Page()
            part.add_fields(item)
            html.append(f"<li>{''.join(part.html)}</li>")
        self.html.append(f"<ol>{''.join(html)}</ol>")


def render_markdown(text: str) -> str:
    """Return the Markdown of a page or a model as HTML, without HTML and images of its own."""
    parser = MarkdownIt("commonmark", {"html": False})
    parser.enable(["table", "strikethrough"]).disable("reference")
    parser.add_render_rule("image", _write_image)
    try:
        tokens = parser.parse(printable(text))
        _clean_tokens(tokens)
        rendered: str = parser.renderer.render(tokens, parser.options, {})
    except Exception:  # the parser fails on some nesting
        return f"<pre>{escape(printable(text))}</pre>"
    return rendered


def _clean_tokens(tokens: Iterable[Token]) -> None:
    """Remove control characters that were entities, and links to anything but web pages."""
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


def _write_image(self: Any, tokens: Sequence[Token], place: int, *_: Any) -> str:
    words = "".join(child.content for child in tokens[place].children or ())
    return f"[{escape(words or 'image')}]"


def _list_facts(fields: Mapping[str, Any]) -> Iterable[str]:
    """Yield the short values of an object, and of the objects in it, with their names."""
    for name, value in fields.items():
        if name in _NOTES | _MARKDOWN | _HIDDEN | {"title", "url"} or not value:
            continue
        if isinstance(value, Mapping):
            yield from _list_facts(value)
        elif _is_fact(value):
            words = "".join(f" {char.lower()}" if char.isupper() else char for char in name)
            yield f"{words.replace('_', ' ').strip()}: {_write_text(value)}"


def _is_fact(value: Any) -> bool:
    """Whether a value fits in the line of facts."""
    if isinstance(value, str):
        return len(value) <= _LONGEST_FACT and "\n" not in value
    if isinstance(value, list | tuple):
        return all(isinstance(part, str | int | float) for part in value)
    return not isinstance(value, Mapping)


def _write_text(value: Any) -> str:
    """Return a value in one line."""
    if value is None:
        return ""
    if isinstance(value, list | tuple) and _is_fact(value):
        value = ", ".join(map(str, value))
    elif isinstance(value, Mapping | list | tuple):
        value = json.dumps(value, ensure_ascii=False, default=str)
    elif isinstance(value, float):
        value = f"{value:.6g}"
    elif isinstance(value, bytes):
        value = f"{len(value):,} bytes"
    return one_line(str(value))


def _write_cell(value: Any) -> str:
    """Return the HTML of a cell; URLs and sources are links."""
    if isinstance(value, str) and value.startswith(("http://", "https://")):
        return _write_link(value, value)
    is_list = isinstance(value, list | tuple) and bool(value)
    if is_list and all(isinstance(part, Mapping) and part.get("url") for part in value):
        links = [_write_link(str(part.get("title") or part["url"]), part["url"]) for part in value]
        return " · ".join(links)
    return escape(_shorten(_write_text(value)))


def _write_link(text: str, url: Any) -> str:
    words = escape(_shorten(one_line(text)))
    target = link_target(url) if isinstance(url, str) else None
    if target is None:
        return words
    return f'<a href="{escape(target)}" target="_blank" rel="noopener noreferrer">{words}</a>'


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST_CELL else f"{text[:_LONGEST_CELL]} ..."


def _cut(text: str) -> str:
    rest = len(text) - _LONGEST_TEXT
    if rest <= 0:
        return text
    return f"{text[:_LONGEST_TEXT]}\n\n... {rest:,} characters more are in the object."
