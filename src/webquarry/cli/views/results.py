"""What the search tools answered -> numbered lists: results of the web, papers, patents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from webquarry._search.ask import describe_age
from webquarry.surfaces.display.dates import write_date
from webquarry.surfaces.display.layout import link, link_urls, print_hanging, text_width
from webquarry.surfaces.terminal import one_line

_MOST_ABSTRACT = 400  # characters of an abstract in a list


def show_results(console: Console, found: Mapping[str, Any]) -> None:
    """Results of the web, or of pages that were read before."""
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
    """Papers: who, where and when, how often they are cited, and whether they were retracted."""
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
    """Patents: number, whose they are, and their dates."""
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
    """The title of a source and its address, with a few words beside that."""
    print_hanging(console, Text(f"{number:>2}. ", "dim"), Text(one_line(item["title"]), "bold"))
    address = link(one_line(item["url"]))
    width = text_width(console)
    if width is None or len("    ") + address.cell_len + len(f"  {beside}") <= width:
        print_hanging(console, "    ", Text.assemble(address, (f"  {beside}".rstrip(), "dim")))
        return
    print_hanging(console, "    ", address)
    _show_facts(console, [beside])


def _show_facts(console: Console, facts: Sequence[str]) -> None:
    """What is known of a source, in one line."""
    about = " · ".join(fact for fact in facts if fact)
    if about:
        print_hanging(console, "    ", Text(about, "dim"))


def _show_words(console: Console, words: str) -> None:
    """Some of a source's own words."""
    line = one_line(words)
    if len(line) > _MOST_ABSTRACT:
        line = f"{line[:_MOST_ABSTRACT].rsplit(' ', 1)[0]} ..."
    if line:
        print_hanging(console, "    ", link_urls(line))


def _join_names(names: Sequence[str]) -> str:
    """Three names at most."""
    shown = [one_line(name) for name in names[:3]]
    if len(names) > len(shown):
        shown.append("and others")
    return ", ".join(shown)


def _show_hints(console: Console, found: Mapping[str, Any], items: Sequence[Any]) -> None:
    """Where nothing was found: what to try."""
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
