"""Domain lists and terms -> search operators, for the providers that know `site:`, `-` and
quotation marks.

Domain operators only help the provider to look in the right place: what comes back is filtered all
the same. So they may be left out when they would not fit into the provider's query. A choice of
allowed domains means something only as a whole and is left out as a whole; blocked domains are left
out one by one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from webquarry._search.models import Query

_QUOTED = r'"[^"]*"'


def with_sites(
    text: str, allowed: Sequence[str], blocked: Sequence[str], fits: Callable[[str], bool]
) -> str:
    """The query text with as many operators as `fits` lets it hold."""
    choice = " OR ".join(f"site:{domain}" for domain in allowed)
    if choice and fits(f"{text} {choice}"):
        text = f"{text} {choice}"
    for domain in blocked:
        if fits(f"{text} -site:{domain}"):
            text = f"{text} -site:{domain}"
    return text


def with_first_site(text: str, allowed: Sequence[str]) -> str:
    """The query text as long as it is with the least that a choice of domains takes."""
    if not allowed:
        return text
    return f"{text} site:{allowed[0]}"


def with_terms(query: Query) -> str:
    """The query text with the words that must be there as they stand, and those that must not be
    there.
    """
    parts = [query.text]
    exact = (query.exact_terms or "").replace('"', " ").split()
    if exact:
        parts.append(f'"{" ".join(exact)}"')
    for word in (query.exclude_terms or "").replace('"', " ").split():
        parts.append(f"-{word}")
    return " ".join(filter(None, parts))


def without_commands(text: str, marks: str) -> str:
    """The text with every word that begins with one of these marks (`!bang`) in quotation marks, so
    that it is a word.
    """

    if not any(mark in text for mark in marks):
        return text

    def quote_command(found: re.Match[str]) -> str:
        word = found[0]
        if word.startswith('"'):  # a phrase, which is quoted already
            return word
        bare = word.replace('"', "")
        return f'"{bare}"'

    word = re.compile(rf"{_QUOTED}|(?<!\S)[{re.escape(marks)}]\S*")
    return word.sub(quote_command, text)
