"""A view: parts come in one after the other, and stand in HTML, Markdown and text at once.

The HTML has no script and loads nothing. Its colours are those of the page around it, so that it
can be read in a light theme and in a dark one; signs that begin a formula elsewhere begin none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from webquarry.notebook.inline import (
    Inline,
    escape_html,
    escape_markdown,
    write_html,
    write_markdown,
    write_plain,
)
from webquarry.notebook.web_markdown import render_markdown
from webquarry.surfaces.terminal import one_line, printable

_RULE = "1px solid rgba(128, 128, 128, .4)"
_STYLE = f"""<style>
div.webquarry {{ line-height: 1.45; max-width: 64em; overflow-wrap: anywhere; }}
div.webquarry a {{ text-decoration: underline; color: var(--jp-content-link-color,
  var(--vscode-textLink-foreground, inherit)); }}
div.webquarry .title {{ font-weight: 600; font-size: 1.1em; }}
div.webquarry .facts {{ opacity: .75; font-size: .92em; }}
div.webquarry .note {{ border-left: 3px solid #b98500; padding-left: .6em; }}
div.webquarry .page {{ max-height: 30em; overflow: auto; border: {_RULE}; border-radius: 4px;
  padding: .1em 1em; margin: .5em 0; }}
div.webquarry h1, div.webquarry h2, div.webquarry h3 {{ font-size: 1.1em; margin: .8em 0 .3em; }}
div.webquarry pre {{ white-space: pre-wrap; background: none; }}
div.webquarry ol {{ margin: .3em 0; padding-left: 2em; }}
div.webquarry li {{ margin: .35em 0; }}
div.webquarry .rows {{ overflow-x: auto; }}
div.webquarry table {{ border-collapse: collapse; margin: .4em 0; background: none; }}
div.webquarry th, div.webquarry td {{ border-bottom: {_RULE}; padding: .2em .7em;
  text-align: left; vertical-align: top; max-width: 36em; white-space: normal;
  overflow-wrap: break-word; background: none; color: inherit; }}
div.webquarry .number {{ text-align: right; white-space: nowrap; }}
</style>"""
_TICKS = re.compile("`+")
_LONGEST_TEXT = 20_000  # characters of a page or an answer that a cell shows

Line = Sequence[Inline]


class View:
    """What a cell shows of one thing."""

    def __init__(self) -> None:
        self._html: list[str] = []
        self._markdown: list[str] = []
        self._plain: list[str] = []

    @property
    def html(self) -> str:
        body = "\n".join(self._html)
        # These classes keep formulas from being looked for in what somebody wrote: $5 is a price.
        return f'<div class="webquarry tex2jax_ignore mathjax_ignore">{_STYLE}\n{body}\n</div>'

    @property
    def markdown(self) -> str:
        return "\n\n".join(self._markdown) + "\n"

    @property
    def plain(self) -> str:
        return "\n".join(self._plain)

    def add_title(self, *parts: Inline) -> None:
        """What it is."""
        self._html.append(f'<div class="title">{write_html(parts)}</div>')
        self._markdown.append(f"**{write_markdown(parts)}**")
        self._plain.append(write_plain(parts))

    def add_line(self, *parts: Inline) -> None:
        """A line of its own."""
        self._html.append(f"<div>{write_html(parts)}</div>")
        self._markdown.append(write_markdown(parts))
        self._plain.append(write_plain(parts))

    def add_facts(self, facts: Iterable[str | None]) -> None:
        """What is known besides, in one line; what is not known is left out."""
        line = one_line(" · ".join(fact for fact in facts if fact))
        if line:
            self._html.append(f'<div class="facts">{escape_html(line)}</div>')
            self._markdown.append(escape_markdown(line))
            self._plain.append(line)

    def add_note(self, text: str) -> None:
        """Something that a reader should notice."""
        self._html.append(f'<div class="note">{write_html([text])}</div>')
        self._markdown.append(f"*{write_markdown([text]).strip()}*")
        self._plain.append(write_plain([text]))

    def add_answer(self, text: str) -> None:
        """What a model wrote: its Markdown rendered, and quoted where it cannot be."""
        shown = self._cut(text)
        self._html.append(f"<div>{render_markdown(shown)}</div>")
        lines = [escape_markdown(line) for line in printable(shown).strip("\n").split("\n")]
        self._markdown.append("\n".join(f"> {line}".rstrip() for line in _break_lines(lines)))
        self._plain.append(printable(shown))

    def add_page(self, text: str) -> None:
        """What a page says, in Markdown: rendered, and as it is written where it cannot be."""
        shown = self._cut(text)
        self._html.append(f'<div class="page">{render_markdown(shown)}</div>')
        self._add_as_written(shown)

    def add_verbatim(self, text: str) -> None:
        """A text for other programs, line by line."""
        shown = self._cut(text)
        self._html.append(f"<pre>{escape_html(printable(shown))}</pre>")
        self._add_as_written(shown)

    def add_list(self, items: Iterable[Sequence[Line]]) -> None:
        """A numbered list: of each item its lines, the first of them in bold."""
        html, markdown, plain = [], [], []
        for number, (first, *rest) in enumerate(items, 1):
            html.append(f"<li><strong>{write_html(first)}</strong>")
            markdown.append(f"{number}. **{write_markdown(first)}**")
            plain.append(f"{number:>2}. {write_plain(first)}")
            for line in rest:
                html.append(f"<div>{write_html(line)}</div>")
                markdown[-1] += f"  \n   {write_markdown(line)}"
                plain.append(f"    {write_plain(line)}")
            html.append("</li>")
        items_html = "".join(html)
        self._html.append(f"<ol>{items_html}</ol>")
        self._markdown.append("\n".join(markdown))
        self._plain.extend(plain)

    def add_table(
        self, columns: Sequence[str], rows: Sequence[Sequence[Line]], numbers: Sequence[bool]
    ) -> None:
        """Columns with their names; numbers stand on the right."""
        kinds = ["number" if is_number else "text" for is_number in numbers]
        names = [[name] for name in columns]
        head = _write_html_row("th", names, kinds)
        body = "".join(_write_html_row("td", row, kinds) for row in rows)
        table = f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"
        self._html.append(f'<div class="rows">{table}</div>')
        sides = ["---:" if is_number else "---" for is_number in numbers]
        lines = [_write_markdown_row(names), f"| {' | '.join(sides)} |"]
        lines.extend(map(_write_markdown_row, rows))
        self._markdown.append("\n".join(lines))
        for row in [names, *rows]:
            self._plain.append(" | ".join(map(write_plain, row)))

    def _add_as_written(self, text: str) -> None:
        """Lines in a fence that nothing in them ends."""
        text = printable(text).strip("\n")
        longest = max(map(len, _TICKS.findall(text)), default=0)
        fence = "`" * max(3, longest + 1)
        self._markdown.append(f"{fence}text\n{text}\n{fence}")
        self._plain.append(text)

    def _cut(self, text: str) -> str:
        """The beginning of a long text, which says so."""
        if len(text) <= _LONGEST_TEXT:
            return text
        left = len(text) - _LONGEST_TEXT
        return f"{text[:_LONGEST_TEXT]}\n\n... {left:,} characters more are in the object."


def _break_lines(lines: Sequence[str]) -> list[str]:
    """Lines of Markdown that stay lines."""
    broken = []
    for line, following in pairwise(lines):
        goes_on = line and following  # an empty line ends a paragraph anyway
        broken.append(f"{line}\\" if goes_on else line)
    return [*broken, lines[-1]]


def _write_html_row(tag: str, cells: Iterable[Line], kinds: Iterable[str]) -> str:
    """A row of cells, each of its kind."""
    written = []
    for cell, kind in zip(cells, kinds, strict=True):
        written.append(f'<{tag} class="{kind}">{write_html(cell)}</{tag}>')
    return f"<tr>{''.join(written)}</tr>"


def _write_markdown_row(cells: Iterable[Line]) -> str:
    """A row of a table in Markdown."""
    return f"| {' | '.join(map(write_markdown, cells))} |"
