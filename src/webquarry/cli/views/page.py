"""An answer of `scrape_page` -> what a person sees: who wrote it and when, the text, how to cite
it, and how to get what is missing.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from webquarry.reprs.counts import count_noun
from webquarry.surfaces.display.dates import write_date
from webquarry.surfaces.display.layout import link, link_urls, print_command, print_hanging
from webquarry.surfaces.terminal import one_line, printable

_NO_DATE = "n.d."
_HEADING = re.compile(r"\s*#{1,6}[ \t]+(.+)\n*")
_MARKS = re.compile(r"[\\*_`\[\]]|\(https?://[^()\s]*\)")


def show_page(console: Console, page: Mapping[str, Any], notes: Sequence[str], url: str) -> None:
    """The whole answer. What the server sent is shown as it is; Markdown is rendered on a
    terminal.
    """
    if page.get("raw"):
        _show_raw(console, page, url)
    else:
        from webquarry.cli.views.markdown import show_markdown  # not for pipes

        content = _show_head(console, page)
        show_markdown(console, content.strip("\n"))
    console.print()
    show_foot(console, page, notes, url)


def _show_raw(console: Console, page: Mapping[str, Any], url: str) -> None:
    """What the server sent; bytes that are no text are for files."""
    if page.get("encoding") != "base64":
        console.print(Text(printable(page["content"]).rstrip("\n")), soft_wrap=True)
        return
    kind = one_line(page["contentType"])
    sentence = f"This is {kind}, not text, so a terminal cannot show it. To write it to a file:"
    print_hanging(console, "", Text(sentence))
    words = ["webquarry", "read", shlex.quote(url), "--raw", "--text", ">", "FILE"]
    print_command(console, "  ", words, "bold")


def _show_head(console: Console, page: Mapping[str, Any]) -> str:
    """Title, author and date above the text; the text comes back, without its title where that was
    shown.
    """
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
    """What is compared of two titles."""
    return one_line(_MARKS.sub("", text)).casefold()


def show_foot(console: Console, page: Mapping[str, Any], notes: Sequence[str], url: str) -> None:
    """How to cite the page, what to know of the text, and how to get the rest."""

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
