"""Results and instant answers -> the Markdown of this tool set, to the letter.

Everything that was not written here comes from the web, or from a caller who may repeat what the
web told it: it becomes text in one line that reads as it was and can open nothing, neither a
heading nor a link, a fence or a chat's turn.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from webquarry.read.markdown.links import Links
from webquarry.read.text.characters import strip_invisible, without_surrogates
from webquarry.read.text.delimiters import defuse_prose
from webquarry.read.text.escape import escape, escape_heading, escape_line_starts
from webquarry.search.instant import InstantAnswer, Topic
from webquarry.search.models import Result

_TILDE = re.compile(r"(?<![\\~])~(?!~)")
_EDGE = re.compile(r"^[*_]+|(?<![\\*_])[*_]+$")  # what stands beside the text may be a mark of ours
_REFERENCE = re.compile(r"(&#?\w{1,32});")
_NO_ENTRIES = ("No results found.", "_Source: DuckDuckGo_")
_NO_ANSWER = "No instant answer available for this query."
_API = "_Source: DuckDuckGo Instant Answer API_"


def search_page(query: str, results: Sequence[Result]) -> str:
    """The results of a search."""
    parts = [f'## Web Search Results for "{inline(query)}"']
    shown = [(result, url) for result in results if (url := address(result.url))]
    if not shown:
        return _document([*parts, *_NO_ENTRIES])
    for number, (result, url) in enumerate(shown, 1):
        parts += [_entry(number, result, url), "---"]
    return _document([*parts, f"_Source: DuckDuckGo ({len(shown)} results)_"])


def answer_page(query: str, answer: InstantAnswer) -> str:
    """An instant answer; "none available" only when there is nothing at all."""
    sections = [
        *_section("Abstract", answer.abstract, answer.abstract_source, answer.abstract_url),
        *_section("Answer", answer.answer),
        *_section("Definition", answer.definition, answer.definition_source, answer.definition_url),
        *_related(answer.topics),
    ]
    return _document(
        [f'## Instant Answer for "{inline(query)}"', *(sections or [_NO_ANSWER]), _API]
    )


def inline(text: str) -> str:
    """Text for the middle of a line."""
    visible = " ".join(
        strip_invisible(without_surrogates(" ".join(text.split())), Counter()).split()
    )
    escaped = _TILDE.sub(r"\\~", escape(visible))
    return _EDGE.sub(lambda found: "".join(f"\\{mark}" for mark in found[0]), escaped)


def line(text: str) -> str:
    """Text for a line of its own."""
    return escape_line_starts(inline(text))


def address(url: str) -> str:
    """An absolute http or https URL, itself and nothing but itself; empty for anything else."""
    whole = Links(url).absolute(url) or ""
    if not whole.startswith(("http://", "https://")):
        return ""
    return _REFERENCE.sub(
        r"\1%3B", whole
    )  # marks of emphasis stay: they reach no further than the URL


def _document(parts: Iterable[str]) -> str:
    return defuse_prose("\n\n".join(parts), Counter())


def _lines(*lines: str) -> str:
    return "\n".join(filter(None, lines))


def _entry(number: int, result: Result, url: str) -> str:
    title = escape_heading(inline(result.title)) or url
    return _lines(f"### {number}. {title}", f"**URL:** {url}", line(result.snippet))


def _section(name: str, text: str, source: str = "", url: str = "") -> Iterator[str]:
    """The text under its heading, then where it is from; nothing without the text."""
    if not (said := line(text)):
        return
    yield f"### {name}\n{said}"
    where, place = inline(source), address(url)
    if where or place:
        yield _lines(where and f"**Source:** {where}", place and f"**URL:** {place}")


def _related(topics: Sequence[Topic]) -> Iterator[str]:
    """The topics without a group first, then each group under its name."""
    heading = "### Related Topics"
    for group, members in groupby(topics, lambda topic: topic.group):
        name, items = inline(group), _lines(*map(_item, members))
        if items:
            yield _lines(heading, name and f"#### {escape_heading(name)}", items)
            heading = ""


def _item(topic: Topic) -> str:
    name, text = inline(topic.name), inline(topic.text)
    if not name:
        return text and f"- {line(topic.text)}"
    if text:
        return f"- **{name}** - {text}"
    return f"- **{name}**"
