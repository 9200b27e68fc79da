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

from webquarry._read.markdown.links import Links
from webquarry._read.text.characters import strip_invisible, without_surrogates
from webquarry._read.text.delimiters import defuse_prose
from webquarry._read.text.escape import escape, escape_heading, escape_line_starts
from webquarry._search.instant import InstantAnswer
from webquarry._search.models import Result

_TILDE = re.compile(r"(?<![\\~])~(?!~)")
_EDGE = re.compile(r"^[*_]+|(?<![\\*_])[*_]+$")  # what stands beside the text may be a mark of ours
_REFERENCE = re.compile(r"(&#?\w{1,32});")
_NO_ENTRIES = ("No results found.", "_Source: DuckDuckGo_")
_NO_ANSWER = "No instant answer available for this query."
_API = "_Source: DuckDuckGo Instant Answer API_"


def write_results(query: str, results: Sequence[Result]) -> str:
    """The results of a search."""
    parts = [f'## Web Search Results for "{inline(query)}"']
    number = 0
    for result in results:
        url = address(result.url)
        if not url:
            continue
        number += 1
        title = escape_heading(inline(result.title)) or url
        heading = f"### {number}. {title}"
        snippet = line(result.snippet)
        entry = _join_lines(heading, f"**URL:** {url}", snippet)
        parts += [entry, "---"]
    if number:
        parts.append(f"_Source: DuckDuckGo ({number} results)_")
    else:
        parts += _NO_ENTRIES
    return _join_blocks(parts)


def write_answer(query: str, answer: InstantAnswer) -> str:
    """An instant answer; "none available" only when there is nothing at all."""
    sections = [
        *_section("Abstract", answer.abstract, answer.abstract_source, answer.abstract_url),
        *_section("Answer", answer.answer),
        *_section("Definition", answer.definition, answer.definition_source, answer.definition_url),
    ]
    # the topics without a group first, then each group under its name
    topics_heading = "### Related Topics"
    for group, members in groupby(answer.topics, lambda topic: topic.group):
        items = []
        for topic in members:
            name = inline(topic.name)
            text = inline(topic.text)
            if name and text:
                items.append(f"- **{name}** - {text}")
            elif name:
                items.append(f"- **{name}**")
            elif text:
                items.append(f"- {line(topic.text)}")
        if not items:
            continue
        group_name = inline(group)
        subheading = ""
        if group_name:
            subheading = f"#### {escape_heading(group_name)}"
        section = _join_lines(topics_heading, subheading, *items)
        sections.append(section)
        topics_heading = ""
    if not sections:
        sections.append(_NO_ANSWER)
    heading = f'## Instant Answer for "{inline(query)}"'
    return _join_blocks([heading, *sections, _API])


def inline(text: str) -> str:
    """Text for the middle of a line."""
    one_line = " ".join(text.split())
    visible = strip_invisible(without_surrogates(one_line), Counter())
    visible = " ".join(visible.split())
    escaped = _TILDE.sub(r"\\~", escape(visible))
    return _EDGE.sub(lambda match: "".join(f"\\{mark}" for mark in match[0]), escaped)


def line(text: str) -> str:
    """Text for a line of its own."""
    return escape_line_starts(inline(text))


def address(url: str) -> str:
    """An absolute http or https URL, itself and nothing but itself; empty for anything else."""
    absolute = Links(url).absolute(url) or ""
    if not absolute.startswith(("http://", "https://")):
        return ""
    # Marks of emphasis stay: they reach no further than the URL.
    return _REFERENCE.sub(r"\1%3B", absolute)


def _join_blocks(parts: Iterable[str]) -> str:
    return defuse_prose("\n\n".join(parts), Counter())


def _join_lines(*lines: str) -> str:
    return "\n".join(filter(None, lines))


def _section(name: str, text: str, source: str = "", url: str = "") -> Iterator[str]:
    """The text under its heading, then where it is from; nothing without the text."""
    body = line(text)
    if not body:
        return
    yield f"### {name}\n{body}"
    origin = []
    source_name = inline(source)
    place = address(url)
    if source_name:
        origin.append(f"**Source:** {source_name}")
    if place:
        origin.append(f"**URL:** {place}")
    if origin:
        yield _join_lines(*origin)
