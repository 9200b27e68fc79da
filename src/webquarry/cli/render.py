"""Answers as text for a person: sources, pages, Markdown, descriptions of tools.

On a terminal text is wrapped with hanging indents and has links; in a pipe it is not wrapped.
Texts of the web are cleaned by `printable` and `one_line` before they are printed.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar

from rich.console import Console
from rich.markdown import Heading, Markdown
from rich.style import Style
from rich.text import Text

from webquarry.terminal import count_noun, link_target, one_line, printable

if TYPE_CHECKING:
    from markdown_it.token import Token

    from webquarry.tool import Answer

_URL = re.compile(r"https?://(?:[^\s<>\"'`|\\()]|\([^\s<>\"'`|\\()]*\))+(?<![.,;:!?*_\]])")
_PARAGRAPHS = re.compile(r"\n(?=\[\^?[^\]\s]+\]: )")  # footnotes and link targets
_HEADING = re.compile(r"\s*#{1,6}[ \t]+(.+)\n*")
_MARKUP = re.compile(r"[\\*_`\[\]]|\(https?://[^()\s]*\)")
_MOST_RENDERED = 1_000_000  # characters of Markdown
_MOST_WORDS = 400  # characters of a snippet or an abstract
_LIMITS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "maxLength": "at most {} characters",
    "maxItems": "at most {} items",
}


def link(url: str, style: str = "cyan") -> Text:
    """The URL as a link."""
    linked = Text(url, style)
    target = link_target(url)
    if target is not None:
        linked.stylize(Style(link=target))
    return linked


def link_urls(text: str, style: str = "") -> Text:
    """The text with every URL as a link."""
    linked = Text(text, style)
    for found in _URL.finditer(text):
        target = link_target(found[0])
        if target is not None:
            linked.stylize(Style(link=target), *found.span())
    return linked


def print_hanging(
    console: Console, lead: Text | str, text: Text, indent: int | None = None
) -> None:
    """Print a lead and a text, whose further lines start below its beginning, or at `indent`."""
    line = Text.assemble(lead, text)
    if not console.is_terminal:
        console.print(line, soft_wrap=True)
        return
    width = console.width
    lead_width = line.cell_len - text.cell_len
    indent = min(lead_width if indent is None else indent, width // 2)
    first = Text("")
    if lead_width < width:
        first = next(iter(text.wrap(console, width - lead_width, overflow="fold")), first)
        first.rstrip()
    rest = text[len(first) :]
    rest = rest[len(rest.plain) - len(rest.plain.lstrip()) :]
    console.print(Text.assemble(lead, first), soft_wrap=True)
    for part in rest.wrap(console, width - indent, overflow="fold") if rest.plain else ():
        part.rstrip()
        console.print(Text.assemble(" " * indent, part), soft_wrap=True)


def shorten(text: str, limit: int) -> str:
    """Cut a text after a word."""
    return text if len(text) <= limit else f"{text[:limit].rsplit(' ', 1)[0]} ..."


def write_date(text: str) -> str:
    """`2026-09-14T06:00:00` -> `14 September 2026`; other texts stay."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    return f"{moment.day} {moment:%B %Y}"


def write_moment(text: str) -> str:
    """`2026-11-10T09:00:00Z` -> `10 November 2026, 09:00 UTC`."""
    try:
        moment = datetime.fromisoformat(text).astimezone(UTC)
    except ValueError:
        return text
    return f"{write_date(moment.isoformat())}, {moment:%H:%M} UTC"


class _LeftHeading(Heading):
    """A left-aligned heading."""

    LEVEL_ALIGN: ClassVar[dict[str, Any]] = {}


class CleanMarkdown(Markdown):
    """Untrusted Markdown: entities such as `&#27;` are cleaned after parsing, HTML is text."""

    elements: ClassVar[dict[str, Any]] = {**Markdown.elements, "heading_open": _LeftHeading}

    def __init__(self, text: str) -> None:
        from markdown_it import MarkdownIt

        super().__init__("", code_theme="ansi_dark")
        parser = MarkdownIt("commonmark", {"html": False})
        parser.enable(["table", "strikethrough"]).disable("reference")
        self.parsed = parser.parse(text)
        for token in _walk(self.parsed):
            token.content = printable(token.content)
            for name in ("href", "src"):
                if name in token.attrs:
                    token.attrs[name] = link_target(str(token.attrs[name])) or ""


def _walk(tokens: Iterable[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _walk(token.children or ())


def show_markdown(console: Console, markdown: str) -> None:
    """Render on a terminal; elsewhere print the text unchanged."""
    text = printable(markdown)
    if console.is_terminal and len(text) <= _MOST_RENDERED:
        try:
            console.print(CleanMarkdown(_PARAGRAPHS.sub("\n\n", text)))
        except Exception:  # such as deep nesting
            console.print(Text(text), soft_wrap=True)
    else:
        console.print(Text(text), soft_wrap=True)


def show_answer(console: Console, answer: Answer) -> None:
    """Show sources in a list, a page with its citation, any other answer as Markdown."""
    data = answer.as_dict()
    if {"content", "citation", "url"} <= data.keys():
        notes = answer.meta.get("webquarry/routing", {}).get("notes", [])
        show_page(console, data, notes, data["url"])
        return
    for kind in ("results", "papers", "patents"):
        if isinstance(data.get(kind), list) and "resultCount" in data:
            show_sources(console, data, data[kind])
            return
    text = answer.as_markdown()
    if text is None:
        from webquarry.answer_text import render_markdown

        text = data["text"] if data.keys() == {"text"} else render_markdown(data)
    show_markdown(console, text.rstrip("\n"))


def show_sources(
    console: Console, found: Mapping[str, Any], sources: Sequence[Mapping[str, Any]]
) -> None:
    """Show results, papers or patents, or what to try if there are none."""
    if found.get("note"):
        print_hanging(console, "", Text(one_line(found["note"]), "yellow"))
    for number, source in enumerate(sources, 1):
        title = Text(one_line(source["title"]), "bold")
        print_hanging(console, Text(f"{number:>2}. ", "dim"), title)
        print_hanging(console, "    ", link(one_line(source["url"])))
        facts = " · ".join(fact for fact in _list_facts(source) if fact)
        if facts:
            print_hanging(console, "    ", Text(facts, "dim"))
        words = one_line(source.get("snippet") or source.get("abstract") or "")
        if words:
            print_hanging(console, "    ", link_urls(shorten(words, _MOST_WORDS)))
        if source.get("claimSignal"):
            claim = Text(one_line(source["claimSignal"]), "green")
            print_hanging(console, Text("    > ", "green"), claim)
        if source.get("retractionStatus"):
            status = source["retractionStatus"]
            date = write_date(one_line(status.get("date") or ""))
            notice = f"{status['kind'].replace('_', ' ')} {date}".rstrip()
            line = f"Warning: there is a notice about this paper: {notice}."
            print_hanging(console, "    ", Text(line, "bold red"))
        if source.get("pdfUrl"):
            print_hanging(console, "    PDF: ", link(one_line(source["pdfUrl"])))
    for cluster in found.get("assigneeClusters") or ():
        share = f"{cluster['count']} ({cluster['share']:.0%})"
        console.print(Text(f"    {one_line(cluster['assignee'])}: {share}"))
    if not sources:
        console.print(Text("Nothing was found.", "yellow"))
        for action in (found.get("hints") or {}).get("suggestedActions", ()):
            flag = f"--provider {action.get('provider')}"
            if action["action"] == "remove-filter":
                flag = f"without --{action['filter'].replace('_', '-')}"
            console.print(Text(f"  Try: {flag}"))


def _list_facts(source: Mapping[str, Any]) -> Iterator[str]:
    """Yield the facts of a result, a paper or a patent."""
    names = list(map(one_line, source.get("authors") or ()))
    yield ", ".join([*names[:3], *(["and others"] if len(names) > 3 else [])])
    for field in ("journal", "number", "assignee", "inventor"):
        yield one_line(source.get(field) or "")
    yield str(source.get("year") or "")
    yield write_date(one_line(source.get("publishedAt") or ""))
    for field in ("filed", "published", "granted"):
        if isinstance(source.get(field), str):
            yield f"{field} {write_date(one_line(source[field]))}"
    yield one_line(source.get("status") or "")
    if source.get("citationCount") is not None:
        yield f"cited {source['citationCount']} times"
    if source.get("openAccess"):
        yield "open access"
    if source.get("sourceReputation"):
        yield f"reputation: {one_line(source['sourceReputation']['tier'])}"
    if source.get("ageSeconds") is not None:
        from webquarry._search.ask import describe_age

        yield f"read {describe_age(source['ageSeconds'])} ago"


def show_page(console: Console, page: Mapping[str, Any], notes: Sequence[str], url: str) -> None:
    """Show a page: its title and author, its text, its citation."""
    if not page.get("raw"):
        content = _show_head(console, page)
        show_markdown(console, content.strip("\n"))
    elif page.get("encoding") == "base64":
        kind = one_line(page["contentType"])
        sentence = f"This is {kind}, not text, so a terminal cannot show it. To write it to a file:"
        print_hanging(console, "", Text(sentence))
        command = f"  webquarry read {shlex.quote(url)} --raw --text > FILE"
        console.print(Text(command, "bold"), soft_wrap=True)
    else:
        console.print(Text(printable(page["content"]).rstrip("\n")), soft_wrap=True)
    console.print()
    show_foot(console, page, notes, url)


def _show_head(console: Console, page: Mapping[str, Any]) -> str:
    """Show title, author, date and URL. Return the text, without a heading that is the title."""
    content: str = page["content"]
    cited = page["citation"]["metadata"]
    title = one_line(cited.get("title") or "")
    heading = _HEADING.match(content)
    texts = [heading[1] if heading else "", title]
    is_repeated = len({one_line(_MARKUP.sub("", text)).casefold() for text in texts}) == 1
    if is_repeated and heading and console.is_terminal:
        content = content[heading.end() :]
    if title and (console.is_terminal or not is_repeated):
        print_hanging(console, "", Text(title, "bold"))
    facts = [one_line(cited.get("author") or ""), write_date(one_line(cited.get("date") or ""))]
    facts.append(one_line(cited.get("site") or ""))
    about = " · ".join(fact for fact in dict.fromkeys(facts) if fact and fact != "n.d.")
    if about:
        print_hanging(console, "", Text(about, "dim"))
    print_hanging(console, "", link(one_line(page["url"])))
    console.print()
    return content


def show_foot(console: Console, page: Mapping[str, Any], notes: Sequence[str], url: str) -> None:
    """Show the citation, notes, and how to get the rest of the page."""
    command = f"webquarry read {shlex.quote(url)}"

    def show(name: str, text: str) -> None:
        print_hanging(console, Text(name, "bold"), link_urls(one_line(text), "dim"), indent=4)

    def show_command(name: str, options: str) -> None:
        line = Text.assemble((name, "bold"), (f"{command} {options}", "dim"))
        console.print(line, soft_wrap=True)

    (reference,) = page["citation"]["formatted"].values()
    if not isinstance(reference, str):
        reference = json.dumps(reference, ensure_ascii=False)
    show("Cite: ", reference)
    status = page.get("retractionStatus")
    if status:
        kind = status["kind"].replace("_", " ")
        show("Warning: ", f"Crossref has a notice about this paper: {kind}.")
    for note in (page.get("note"), *notes):
        if note:
            show("Note: ", note)
    for passage in page.get("passages", ()):
        section = one_line(passage.get("section", "the beginning"))
        show_command(f"From {section}: ", f"--cursor {passage['cursor']}")
    if "linksLeftOut" in page:
        targets = count_noun(page["linksLeftOut"], "target is", "targets are")
        show("Links: ", f"{targets} left out; --links list or inline shows what links lead to.")
    if "leftOut" in page:
        parts = [f"{page['leftOut']['bytes']} bytes", *page["leftOut"]["headings"]]
        show("Left out: ", f"{'; '.join(parts)}. --whole shows it.")
    if "matches" in page:
        show("Found: ", f"in {page['matches']} of the page's blocks.")
    if "nextCursor" in page:
        sizes = f"{page['contentLength']} bytes are shown, the page has {page['totalLength']}."
        show("Cut: ", f"{sizes} To go on:")
        modes = "".join(f" --{mode}" for mode in ("raw", "whole") if page.get(mode))
        show_command("  ", f"--cursor {page['nextCursor']}{modes}")


def show_tool(console: Console, row: Mapping[str, Any], parameters: Mapping[str, Any]) -> None:
    """Show the fields of a tool and its parameters."""
    console.print(Text(one_line(row["name"]), "bold"), soft_wrap=True)
    print_hanging(console, "  ", link_urls(one_line(row.get("description", ""))))
    for name, value in row.items():
        if name in ("name", "description"):
            continue
        for line in value if isinstance(value, list) else [value]:
            print_hanging(console, Text(f"  {name}: ", "bold"), Text(one_line(str(line))), 4)
    properties = parameters.get("properties") or {}
    if not isinstance(properties, Mapping) or not properties:
        console.print("  It takes no parameters.")
        return
    console.print(Text("Parameters", "bold"))
    for name, schema in properties.items():
        is_required = name in (parameters.get("required") or ())
        line = _describe_parameter(schema if isinstance(schema, Mapping) else {}, is_required)
        print_hanging(console, Text(f"  {one_line(name)}  ", "cyan"), Text(line), indent=6)


def _describe_parameter(schema: Mapping[str, Any], is_required: bool) -> str:
    """Describe a parameter: its purpose, type, choices and limits."""
    kind = schema.get("type", "any")
    facts = [" or ".join(map(str, kind if isinstance(kind, list) else [kind]))]
    if is_required:
        facts.append("required")
    if schema.get("enum"):
        facts.append(f"one of {', '.join(map(str, schema['enum']))}")
    facts += [text.format(schema[name]) for name, text in _LIMITS.items() if name in schema]
    if schema.get("default") is not None:
        facts.append(f"default {schema['default']}")
    return one_line(f"{schema.get('description') or ''} ({'; '.join(facts)})")
