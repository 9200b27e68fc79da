"""Answers of tools as text: results, papers, patents, pages, fields, and descriptions of tools."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from webquarry._search.ask import describe_age
from webquarry.cli.layout import (
    link,
    link_urls,
    print_command,
    print_hanging,
    text_width,
    write_date,
)
from webquarry.terminal import count_noun, one_line, printable

if TYPE_CHECKING:
    from webquarry.tool import Answer

_MOST_ABSTRACT = 400  # characters of an abstract in a list
_NO_DATE = "n.d."
_HEADING = re.compile(r"\s*#{1,6}[ \t]+(.+)\n*")
_MARKS = re.compile(r"[\\*_`\[\]]|\(https?://[^()\s]*\)")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|_")
_LIMITS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "maxLength": "at most {} characters",
    "maxItems": "at most {} items",
}


def show_answer(console: Console, answer: Answer) -> None:
    """Show an answer in a form of its own, as its Markdown, or field by field."""
    data = answer.as_dict()
    if {"content", "citation", "url"} <= data.keys():
        notes = answer.meta.get("webquarry/routing", {}).get("notes", [])
        show_page(console, data, notes, data["url"])
        return
    if {"results", "urls"} <= data.keys():
        show_results(console, data)
        return
    if {"papers", "resultCount"} <= data.keys():
        show_papers(console, data)
        return
    if {"patents", "resultCount"} <= data.keys():
        show_patents(console, data)
        return
    text = answer.as_markdown()
    if text is None and data.keys() == {"text"}:
        text = data["text"]
    if text is None:
        show_fields(console, data)
    else:
        from webquarry.cli.markdown import show_markdown

        show_markdown(console, text.rstrip("\n"))


def show_fields(console: Console, fields: Mapping[str, Any], indent: str = "") -> None:
    """Show one field per line, lists and objects below their names."""
    for name, value in fields.items():
        label = _HUMP.sub(" ", name).lower()
        if isinstance(value, dict) and value:
            console.print(Text(f"{indent}{label}:", "bold"), soft_wrap=True)
            show_fields(console, value, f"{indent}  ")
        elif isinstance(value, list) and value:
            console.print(Text(f"{indent}{label}:", "bold"), soft_wrap=True)
            _show_list(console, value, f"{indent}  ")
        elif isinstance(value, str) and "\n" in value.strip():
            console.print(Text(f"{indent}{label}:", "bold"), soft_wrap=True)
            for line in printable(value).rstrip("\n").split("\n"):
                print_hanging(console, f"{indent}  ", link_urls(line))
        else:
            lead = Text(f"{indent}{label}: ", "bold")
            print_hanging(console, lead, link_urls(_write_value(value)), indent=len(indent) + 4)


def _show_list(console: Console, items: list[Any], indent: str) -> None:
    for number, item in enumerate(items, 1):
        if isinstance(item, dict):
            console.print(Text(f"{indent}{number}.", "dim"), soft_wrap=True)
            show_fields(console, item, f"{indent}  ")
        elif isinstance(item, list):
            _show_list(console, item, f"{indent}  ")
        else:
            print_hanging(console, f"{indent}- ", link_urls(_write_value(item)))


def _write_value(value: Any) -> str:
    """A single value as text."""
    if value is None or value in ([], {}):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return one_line(str(value))


def show_results(console: Console, found: Mapping[str, Any]) -> None:
    """Show results of the web or of the library."""
    if found.get("note"):
        print_hanging(console, "", Text(one_line(found["note"]), "yellow"))
    for number, result in enumerate(found["results"], 1):
        facts = []
        if result.get("publishedAt"):
            facts.append(write_date(one_line(result["publishedAt"])))
        reputation = result.get("sourceReputation")
        if reputation:
            facts.append(f"reputation: {one_line(reputation['tier'])}")
        if result.get("ageSeconds") is not None:
            facts.append(f"read {describe_age(result['ageSeconds'])} ago")
        _show_title(console, number, result, "  ".join(facts))
        _show_words(console, result["snippet"])
        if result.get("claimSignal"):
            claim = Text(one_line(result["claimSignal"]), "green")
            print_hanging(console, Text("    > ", "green"), claim)
    _show_hints(console, found, found["results"])


def show_papers(console: Console, found: Mapping[str, Any]) -> None:
    """Show papers: authors, journal, year, citations, retractions."""
    for number, paper in enumerate(found["papers"], 1):
        facts = [_join_names(paper["authors"]), one_line(paper.get("journal") or "")]
        facts.append(str(paper.get("year") or ""))
        if paper.get("citationCount") is not None:
            facts.append(f"cited {paper['citationCount']} times")
        if paper.get("openAccess"):
            facts.append("open access")
        _show_title(console, number, paper)
        _show_facts(console, facts)
        _show_words(console, paper.get("abstract") or "")
        status = paper.get("retractionStatus")
        if status:
            kind = status["kind"].replace("_", " ")
            date = write_date(one_line(status.get("date") or ""))
            words = f"Warning: there is a notice about this paper: {kind} {date}".rstrip()
            print_hanging(console, "    ", Text(f"{words}.", "bold red"))
        if paper.get("pdfUrl"):
            print_hanging(console, "    PDF: ", link(one_line(paper["pdfUrl"])))
    _show_hints(console, found, found["papers"])


def show_patents(console: Console, found: Mapping[str, Any]) -> None:
    """Show patents: number, assignee, inventor, dates."""
    for number, patent in enumerate(found["patents"], 1):
        facts = [patent["number"]]
        for name in ("assignee", "inventor"):
            facts.append(one_line(patent.get(name) or ""))
        for name in ("filed", "published", "granted"):
            if patent.get(name):
                facts.append(f"{name} {write_date(one_line(patent[name]))}")
        facts.append(one_line(patent.get("status") or ""))
        _show_title(console, number, patent)
        _show_facts(console, facts)
        _show_words(console, patent.get("abstract") or patent.get("snippet") or "")
    for cluster in found.get("assigneeClusters") or ():
        share = f"{cluster['count']} ({cluster['share']:.0%})"
        print_hanging(console, "    ", Text(f"{one_line(cluster['assignee'])}: {share}"))
    _show_hints(console, found, found["patents"])


def _show_title(console: Console, number: int, item: Mapping[str, Any], beside: str = "") -> None:
    """Show a title and its URL, with a few words beside it if they fit."""
    print_hanging(console, Text(f"{number:>2}. ", "dim"), Text(one_line(item["title"]), "bold"))
    address = link(one_line(item["url"]))
    width = text_width(console)
    if width is None or len("    ") + address.cell_len + len(f"  {beside}") <= width:
        print_hanging(console, "    ", Text.assemble(address, (f"  {beside}".rstrip(), "dim")))
        return
    print_hanging(console, "    ", address)
    _show_facts(console, [beside])


def _show_facts(console: Console, facts: Sequence[str]) -> None:
    """Show facts of a source in one line."""
    about = " · ".join(fact for fact in facts if fact)
    if about:
        print_hanging(console, "    ", Text(about, "dim"))


def _show_words(console: Console, words: str) -> None:
    """Show a snippet or the beginning of an abstract."""
    line = one_line(words)
    if len(line) > _MOST_ABSTRACT:
        line = f"{line[:_MOST_ABSTRACT].rsplit(' ', 1)[0]} ..."
    if line:
        print_hanging(console, "    ", link_urls(line))


def _join_names(names: Sequence[str]) -> str:
    """Join at most three names."""
    shown = [one_line(name) for name in names[:3]]
    if len(names) > len(shown):
        shown.append("and others")
    return ", ".join(shown)


def _show_hints(console: Console, found: Mapping[str, Any], items: Sequence[Any]) -> None:
    """Show what to try if nothing was found."""
    if items:
        return
    console.print(Text("Nothing was found.", "yellow"))
    hints = found.get("hints") or {}
    for action in hints.get("suggestedActions", ()):
        if action["action"] == "remove-filter":
            flag = f"without --{action['filter'].replace('_', '-')}"
        else:
            flag = f"--provider {action['provider']}"
        print_hanging(console, "  Try: ", Text(flag))


def show_page(console: Console, page: Mapping[str, Any], notes: Sequence[str], url: str) -> None:
    """Show a page: its head, its text (Markdown is rendered on a terminal), its citation."""
    if page.get("raw"):
        _show_raw(console, page, url)
    else:
        from webquarry.cli.markdown import show_markdown

        content = _show_head(console, page)
        show_markdown(console, content.strip("\n"))
    console.print()
    show_foot(console, page, notes, url)


def _show_raw(console: Console, page: Mapping[str, Any], url: str) -> None:
    """Show the server's text; refuse binary data."""
    if page.get("encoding") != "base64":
        console.print(Text(printable(page["content"]).rstrip("\n")), soft_wrap=True)
        return
    kind = one_line(page["contentType"])
    sentence = f"This is {kind}, not text, so a terminal cannot show it. To write it to a file:"
    print_hanging(console, "", Text(sentence))
    words = ["webquarry", "read", shlex.quote(url), "--raw", "--text", ">", "FILE"]
    print_command(console, "  ", words, "bold")


def _show_head(console: Console, page: Mapping[str, Any]) -> str:
    """Show title, author, date and URL. Return the text, without a title that repeats them."""
    content: str = page["content"]
    cited = page["citation"]["metadata"]
    title = one_line(cited.get("title") or "")
    heading = _HEADING.match(content)
    is_repeated = heading is not None and title and _fold(heading[1]) == _fold(title)
    if is_repeated and heading and console.is_terminal:
        content = content[heading.end() :]
    if title and (console.is_terminal or not is_repeated):
        print_hanging(console, "", Text(title, "bold"))
    facts = [one_line(cited.get("author") or "")]
    if cited.get("date") and cited["date"] != _NO_DATE:
        facts.append(write_date(one_line(cited["date"])))
    site = one_line(cited.get("site") or "")
    if site not in facts:
        facts.append(site)
    about = " · ".join(fact for fact in facts if fact)
    if about:
        print_hanging(console, "", Text(about, "dim"))
    print_hanging(console, "", link(one_line(page["url"])))
    console.print()
    return content


def _fold(text: str) -> str:
    """Normalize a title for comparison."""
    return one_line(_MARKS.sub("", text)).casefold()


def show_foot(console: Console, page: Mapping[str, Any], notes: Sequence[str], url: str) -> None:
    """Show the citation, notes, and how to get the rest of the page."""

    def show(name: str, text: str) -> None:
        print_hanging(console, Text(name, "bold"), link_urls(one_line(text), "dim"), indent=4)

    def show_command(name: str, *words: str) -> None:
        command = ["webquarry", "read", shlex.quote(url), *words]
        print_command(console, Text(name, "bold"), command, "dim")

    (reference,) = page["citation"]["formatted"].values()
    if not isinstance(reference, str):
        reference = json.dumps(reference, ensure_ascii=False)
    show("Cite: ", reference)
    status = page.get("retractionStatus")
    if status:
        kind = status["kind"].replace("_", " ")
        show("Warning: ", f"Crossref has a notice about this paper: {kind}.")
    if "note" in page:
        show("Note: ", page["note"])
    for note in notes:
        show("Note: ", note)
    for passage in page.get("passages", ()):
        section = one_line(passage.get("section", "the beginning"))
        show_command(f"From {section}: ", "--cursor", passage["cursor"])
    if "linksLeftOut" in page:
        count = page["linksLeftOut"]
        targets = count_noun(count, "target is", "targets are")
        show("Links: ", f"{targets} left out; --links list or inline shows what links lead to.")
    if "leftOut" in page:
        left_out = page["leftOut"]
        parts = [f"{left_out['bytes']} bytes", *left_out["headings"]]
        show("Left out: ", f"{'; '.join(parts)}. --whole shows it.")
    if "matches" in page:
        show("Found: ", f"in {page['matches']} of the page's blocks.")
    if "nextCursor" in page:
        sizes = f"{page['contentLength']} bytes are shown, the page has {page['totalLength']}."
        show("Cut: ", f"{sizes} To go on:")
        modes = [f"--{mode}" for mode in ("raw", "whole") if page.get(mode)]
        show_command("  ", "--cursor", page["nextCursor"], *modes)


def show_tool(console: Console, row: Mapping[str, Any], parameters: Mapping[str, Any]) -> None:
    """Show the fields of a tool and its parameters."""
    console.print(Text(one_line(row["name"]), "bold"), soft_wrap=True)
    print_hanging(console, "  ", link_urls(one_line(row.get("description", ""))))
    for name, value in row.items():
        if name in ("name", "description"):
            continue
        lines = value if isinstance(value, list) else [value]
        for line in lines:
            print_hanging(console, Text(f"  {name}: ", "bold"), Text(one_line(str(line))), 4)
    properties = parameters.get("properties") or {}
    if not isinstance(properties, Mapping) or not properties:
        console.print("  It takes no parameters.")
        return
    console.print(Text("Parameters", "bold"))
    required = parameters.get("required") or ()
    for name, schema in properties.items():
        _show_parameter(console, name, schema, is_required=name in required)


def _show_parameter(console: Console, name: str, schema: Any, *, is_required: bool) -> None:
    """Show one parameter: type, whether it is required, choices and limits."""
    facts = []
    description = ""
    if isinstance(schema, Mapping):
        kind = schema.get("type")
        if kind is not None:
            kinds = kind if isinstance(kind, list) else [kind]
        facts.append(" or ".join(map(str, kinds)))
        if is_required:
            facts.append("required")
        if schema.get("enum"):
            facts.append(f"one of {', '.join(map(str, schema['enum']))}")
        for keyword, words in _LIMITS.items():
            if keyword in schema:
                facts.append(words.format(schema[keyword]))
        if schema.get("default") is not None:
            facts.append(f"default {schema['default']}")
        description = one_line(str(schema.get("description") or ""))
    limits = f"({one_line('; '.join(facts))})"
    line = Text.assemble(f"{description} ".lstrip(), (limits, "dim"))
    print_hanging(console, Text(f"  {one_line(name)}  ", "cyan"), line, indent=6)
