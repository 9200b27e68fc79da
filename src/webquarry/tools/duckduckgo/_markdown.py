"""The Markdown of this tool set, and the advice in its errors.

Texts from the web and from the caller are escaped: they stay on one line and cannot start a
heading, a link, a fence or a turn of a chat.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby

from webquarry._read.markdown.links import Links
from webquarry._read.text.characters import strip_invisible, without_surrogates
from webquarry._read.text.delimiters import defuse_prose
from webquarry._read.text.escape import escape, escape_heading, escape_line_starts
from webquarry._search.instant import InstantAnswer
from webquarry._search.models import Result
from webquarry.errors import WAIT, WebquarryError

_TILDE = re.compile(r"(?<![\\~])~(?!~)")
_EDGE = re.compile(r"^[*_]+|(?<![\\*_])[*_]+$")  # next to our marks of emphasis
_REFERENCE = re.compile(r"(&#?\w{1,32});")
_NO_ENTRIES = ("No results found.", "_Source: DuckDuckGo_")
_NO_ANSWER = "No instant answer available for this query."
_API = "_Source: DuckDuckGo Instant Answer API_"
_ADVICE = {
    "challenge": "Do not search again for some minutes: asking at once only prolongs it.",
    "blocked": "Do not search again for some minutes: asking at once only prolongs it.",
    "rate_limited": f"Wait {WAIT} and try again.",
    "network": "Try again in a moment; WEBSEARCH_TIMEOUT_SECS says how long a call may take.",
}


def write_results(query: str, results: Sequence[Result]) -> str:
    """Return the results of a search."""
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
    """Return an instant answer."""
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
        name = inline(group)
        subheading = f"#### {escape_heading(name)}" if name else ""
        sections.append(_join_lines(topics_heading, subheading, *items))
        topics_heading = ""
    if not sections:
        sections.append(_NO_ANSWER)
    heading = f'## Instant Answer for "{inline(query)}"'
    return _join_blocks([heading, *sections, _API])


def inline(text: str) -> str:
    """Return text for the middle of a line."""
    one_line = " ".join(text.split())
    visible = strip_invisible(without_surrogates(one_line), Counter())
    visible = " ".join(visible.split())
    escaped = _TILDE.sub(r"\\~", escape(visible))
    return _EDGE.sub(lambda match: "".join(f"\\{mark}" for mark in match[0]), escaped)


def line(text: str) -> str:
    """Return text for a line of its own."""
    return escape_line_starts(inline(text))


def address(url: str) -> str:
    """Return an absolute http or https URL; empty for anything else."""
    absolute = Links(url).absolute(url) or ""
    if not absolute.startswith(("http://", "https://")):
        return ""
    return _REFERENCE.sub(r"\1%3B", absolute)


def _join_blocks(parts: Iterable[str]) -> str:
    return defuse_prose("\n\n".join(parts), Counter())


def _join_lines(*lines: str) -> str:
    return "\n".join(filter(None, lines))


def _section(name: str, text: str, source: str = "", url: str = "") -> Iterator[str]:
    """Yield the text under its heading, then its source; nothing without the text."""
    body = line(text)
    if not body:
        return
    yield f"### {name}\n{body}"
    source_name, place = inline(source), address(url)
    if source_name or place:
        yield _join_lines(
            f"**Source:** {source_name}" if source_name else "",
            f"**URL:** {place}" if place else "",
        )


@contextmanager
def advising() -> Iterator[None]:
    """Replace the suggested action of errors: this tool set has no other provider."""
    try:
        yield
    except WebquarryError as error:
        if "provider" in error.suggested_action:
            error.suggested_action = ""
        is_lasting = error.kind == "network" and not error.retryable
        if error.retry_after_seconds and error.kind in _ADVICE:
            error.suggested_action = f"Wait {WAIT} and try again; asking earlier only prolongs it."
        elif error.kind in _ADVICE and not is_lasting:
            error.suggested_action = _ADVICE[error.kind]
        raise
