"""Answers as text for a person: sources, pages, Markdown, descriptions of tools.

On a terminal text is wrapped and has links; in a pipe it is printed as it is. Texts of the web are
cleaned by `printable` and `one_line` before they are printed.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from webquarry.terminal import count_noun, link_target, one_line, printable

if TYPE_CHECKING:
    from markdown_it.token import Token
    from rich.console import Console
    from rich.text import Text

    from webquarry.cli.output import Output
    from webquarry.tool import Answer

_URL = re.compile(r"https?://(?:[^\s<>\"'`|\\()]|\([^\s<>\"'`|\\()]*\))+(?<![.,;:!?*_\]])")
_PARAGRAPHS = re.compile(r"\n(?=\[\^?[^\]\s]+\]: )")  # footnotes and link targets
_MOST_RENDERED = 1_000_000  # characters of Markdown
_MOST_WORDS = 400  # characters of a snippet or an abstract
_MOST_AUTHORS = 3
# Fields of a source that are not listed among its facts.
_NO_FACTS = {
    "title", "url", "snippet", "abstract", "claimSignal", "displayLink", "sourceReputation",
    "retractionStatus", "doi", "pdfUrl",
}  # fmt: skip

Print = Callable[[str, str], None]  # text and lead


def link_urls(text: str, style: str = "") -> Text:
    """Return the text with every URL as a link."""
    from rich.style import Style
    from rich.text import Text

    linked = Text(text, style)
    for found in _URL.finditer(text):
        target = link_target(found[0])
        if target is not None:
            linked.stylize(Style(link=target), *found.span())
    return linked


def print_wrapped(console: Console, text: str, lead: str = "", style: str = "") -> None:
    """Print a text after a lead; further lines start below it. Commands are not wrapped."""
    from rich.text import Text

    linked = link_urls(text, style)
    indent = min(Text(lead).cell_len, console.width // 2)
    if text.startswith("webquarry "):
        console.print(Text.assemble(lead, linked), soft_wrap=True)
        return
    if Text(lead).cell_len > indent:
        console.print(lead, soft_wrap=True)
        lead = " " * indent
    for part in linked.wrap(console, console.width - indent, overflow="fold"):
        part.rstrip()
        console.print(Text.assemble(lead, part), soft_wrap=True)
        lead = " " * indent


def shorten(text: str, limit: int) -> str:
    """Cut a text after a word."""
    return text if len(text) <= limit else f"{text[:limit].rsplit(' ', 1)[0]} ..."


def show_markdown(output: Output, markdown: str) -> None:
    """Render on a terminal; elsewhere print the text unchanged."""
    text = printable(markdown).rstrip("\n")
    if output.is_terminal and len(text) <= _MOST_RENDERED:
        try:
            output.console.print(_parse_markdown(_PARAGRAPHS.sub("\n\n", text)))
        except Exception:  # such as deep nesting
            output.write(text)
    else:
        output.write(text)


def _parse_markdown(text: str) -> Any:
    """Return untrusted Markdown for rich. Entities such as `&#27;` are cleaned after parsing, HTML
    is text.
    """
    from markdown_it import MarkdownIt
    from rich.markdown import Heading, Markdown

    class LeftHeading(Heading):
        LEVEL_ALIGN: ClassVar[dict[str, Any]] = {}

    class LeftMarkdown(Markdown):
        elements: ClassVar[dict[str, Any]] = {**Markdown.elements, "heading_open": LeftHeading}

    parser = MarkdownIt("commonmark", {"html": False})
    parser.enable(["table", "strikethrough"]).disable("reference")
    markdown = LeftMarkdown("", code_theme="ansi_dark")
    markdown.parsed = parser.parse(text)
    for token in _walk(markdown.parsed):
        token.content = printable(token.content)
        for name in ("href", "src"):
            if name in token.attrs:
                token.attrs[name] = link_target(str(token.attrs[name])) or ""
    return markdown


def _walk(tokens: Iterable[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _walk(token.children or ())


def show_answer(output: Output, answer: Answer) -> None:
    """Show sources in a list, a page with its citation, any other answer as Markdown."""
    data = answer.as_dict()
    if {"content", "citation", "url"} <= data.keys():
        notes = answer.meta.get("webquarry/routing", {}).get("notes", [])
        show_page(output, data, notes, data["url"])
        return
    for kind in ("results", "papers", "patents"):
        if isinstance(data.get(kind), list) and "resultCount" in data:
            _show_sources(output, data, data[kind])
            return
    text = answer.as_markdown()
    if text is None:
        from webquarry.answer_text import render_markdown

        text = data["text"] if data.keys() == {"text"} else render_markdown(data)
    show_markdown(output, text)


def _show_sources(
    output: Output, found: Mapping[str, Any], sources: Sequence[Mapping[str, Any]]
) -> None:
    """Show results, papers or patents, or what to try if there are none."""
    if found.get("note"):
        output.print(found["note"], style="yellow")
    for number, source in enumerate(sources, 1):
        output.print(source["title"], f"{number:>2}. ", "bold")
        output.print(source["url"], "    ", "cyan")
        facts = " · ".join(_list_facts(source))
        words = one_line(source.get("snippet") or source.get("abstract") or "")
        for text, style in ((facts, "dim"), (words, ""), (source.get("claimSignal"), "green")):
            if text:
                output.print(shorten(text, _MOST_WORDS), "    ", style)
        status = source.get("retractionStatus")
        if status:
            notice = f"{status['kind'].replace('_', ' ')} {status.get('date') or ''}".rstrip()
            output.print(f"Warning: there is a notice about this paper: {notice}.", "    ", "red")
        if source.get("pdfUrl"):
            output.print(source["pdfUrl"], "    PDF: ")
    for cluster in found.get("assigneeClusters") or ():
        output.print(f"{cluster['assignee']}: {cluster['count']} ({cluster['share']:.0%})", "    ")
    if not sources:
        output.print("Nothing was found.", style="yellow")
        for action in (found.get("hints") or {}).get("suggestedActions", ()):
            flag = f"--provider {action.get('provider')}"
            if action["action"] == "remove-filter":
                flag = f"without --{action['filter'].replace('_', '-')}"
            output.print(flag, "  Try: ")


def _list_facts(source: Mapping[str, Any]) -> Iterator[str]:
    """Yield the facts of a result, a paper or a patent; numbers and flags with their names."""
    for name, value in source.items():
        if name in _NO_FACTS or value in (None, "", [], {}, False):
            continue
        label = re.sub("([A-Z])", r" \1", name).lower()
        if isinstance(value, list):
            others = ["and others"] if len(value) > _MOST_AUTHORS else []
            yield ", ".join([*map(str, value[:_MOST_AUTHORS]), *others])
        elif value is True:
            yield label
        elif name == "year" or name == "publishedAt":
            yield str(value)[:10]
        elif not isinstance(value, dict):
            yield f"{label} {value}"


def show_page(output: Output, page: Mapping[str, Any], notes: Sequence[str], url: str) -> None:
    """Show a page: its text, its citation."""
    if not page.get("raw"):
        show_markdown(output, page["content"].strip("\n"))
    elif page.get("encoding") == "base64":
        kind = page["contentType"]
        output.print(f"This is {kind}, not text. To write it to a file:")
        output.print(f"webquarry read {shlex.quote(url)} --raw --text > FILE", "  ")
    else:
        output.write(printable(page["content"]).rstrip("\n"))
    output.write("")
    show_foot(output.print, page, notes, url)


def show_foot(print: Print, page: Mapping[str, Any], notes: Sequence[str], url: str) -> None:
    """Show the citation, notes, and how to get the rest of the page."""
    command = f"webquarry read {shlex.quote(url)}"
    print(write_reference(page["citation"]), "Cite: ")
    if page.get("retractionStatus"):
        kind = page["retractionStatus"]["kind"].replace("_", " ")
        print(f"Crossref has a notice about this paper: {kind}.", "Warning: ")
    for note in (page.get("note"), *notes):
        if note:
            print(note, "Note: ")
    for passage in page.get("passages", ()):
        section = one_line(passage.get("section", "the beginning"))
        print(f"{command} --cursor {passage['cursor']}", f"From {section}: ")
    if "linksLeftOut" in page:
        targets = count_noun(page["linksLeftOut"], "target is", "targets are")
        print(f"{targets} left out; --links list or inline shows what links lead to.", "Links: ")
    if "leftOut" in page:
        parts = [f"{page['leftOut']['bytes']} bytes", *page["leftOut"]["headings"]]
        print(f"{'; '.join(parts)}. --whole shows it.", "Left out: ")
    if "matches" in page:
        print(f"in {page['matches']} of the page's blocks.", "Found: ")
    if "nextCursor" in page:
        modes = "".join(f" --{mode}" for mode in ("raw", "whole") if page.get(mode))
        shown = f"{page['contentLength']} of {page['totalLength']} bytes are shown. To go on:"
        print(shown, "Cut: ")
        print(f"{command} --cursor {page['nextCursor']}{modes}", "  ")


def write_reference(citation: Mapping[str, Any], indent: int | None = None) -> str:
    """Return the reference of a citation as text."""
    (reference,) = citation["formatted"].values()
    if isinstance(reference, str):
        return reference
    return json.dumps(reference, ensure_ascii=False, indent=indent)


def show_tool(output: Output, row: Mapping[str, Any], parameters: Mapping[str, Any]) -> None:
    """Show the fields of a tool and its parameters."""
    output.print(row["name"], style="bold")
    output.print(row.get("description", ""), "  ")
    for name, value in row.items():
        if name not in ("name", "description"):
            for line in value if isinstance(value, list | tuple) else [value]:
                output.print(str(line), f"  {name}: ")
    output.print("Parameters", style="bold")
    for name, schema in parameters["properties"].items():
        facts = [str(schema["type"])] if "type" in schema else []
        if name in parameters.get("required", ()):
            facts.append("required")
        if schema.get("enum"):
            facts.append(f"one of {', '.join(map(str, schema['enum']))}")
        if schema.get("default") is not None:
            facts.append(f"default {schema['default']}")
        output.print(f"{schema.get('description') or ''} ({'; '.join(facts)})", f"  {name}  ")
