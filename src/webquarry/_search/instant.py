"""DuckDuckGo's Instant Answers: a summary, an answer, a definition, related topics; no ranked
results.

API: GET https://api.duckduckgo.com/?format=json, needs no key. The body is JSON with the type of
JavaScript. For most queries all fields are empty; some change their type (`Answer` is a text, a
number or an object). DuckDuckGo and the source have to be named with the answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import httpx2

from webquarry._search.domains import host_of
from webquarry._search.provider import at_origin
from webquarry._search.replies import (
    failure,
    json_object,
    object_at,
    objects,
    parse_each,
    string_at,
    unknown_shape_failure,
)
from webquarry._search.text import plain, plain_from_html, shorten_text
from webquarry.errors import RateLimited, SiteRefused, WebquarryError
from webquarry.net.client import Client
from webquarry.net.models import Reply
from webquarry.settings import Settings

LABEL = "DuckDuckGo Instant Answer"
ORIGIN = "https://api.duckduckgo.com"
_SITE = "https://duckduckgo.com"  # base of relative URLs
_LONGEST_TEXT = 10_000  # characters
_MOST_TOPICS = 200
_ANCHOR = re.compile(r"\s*<a\b[^<>]*>(.*?)</a>(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class Topic:
    """A related topic, or an official site; `group` is its heading."""

    name: str
    text: str
    url: str
    group: str = ""


@dataclass(frozen=True)
class InstantAnswer:
    """An instant answer. Every text is plain and may be empty; every URL is absolute or empty."""

    heading: str = ""
    abstract: str = ""
    abstract_source: str = ""
    abstract_url: str = ""  # set even if the abstract is empty
    answer: str = ""
    answer_type: str = ""
    definition: str = ""
    definition_source: str = ""
    definition_url: str = ""
    topics: tuple[Topic, ...] = ()  # those without a group first, then group by group
    results: tuple[Topic, ...] = ()  # usually the official site
    entity: str = ""
    image: str = ""
    facts: tuple[tuple[str, str], ...] = ()  # label and value, from the infobox
    redirect: str = ""  # the target of a !bang

    @property
    def is_empty(self) -> bool:
        """Whether there is neither abstract, answer, definition nor topics."""
        return not (self.abstract or self.answer or self.definition or self.topics)


def build_request(query: str, origin: str = ORIGIN) -> httpx2.Request:
    """Return the request for one query."""
    parameters = {
        "q": query,
        "format": "json",
        "no_html": "1",
        "no_redirect": "1",
        "t": "webquarry",
    }
    url = at_origin(origin, "/", "WEBQUARRY_DUCKDUCKGO_API_URL")
    return httpx2.Request("GET", url, params=parameters, headers={"Accept": "application/json"})


def parse_reply(reply: Reply) -> InstantAnswer:
    """Return the answer, empty or not, or raise the error."""
    if reply.status == 202:
        raise RateLimited(f"{LABEL} answers no programs just now (HTTP 202).")
    if reply.status in (403, 418):
        raise SiteRefused(f"{LABEL} refused the request (HTTP {reply.status}).")
    if reply.status != 200:
        raise failure(reply, LABEL)
    answer = json_object(reply, LABEL)
    if "AbstractText" not in answer or "RelatedTopics" not in answer:
        raise unknown_shape_failure(LABEL)
    abstract = _read_text(answer, "AbstractText") or plain_from_html(string_at(answer, "Abstract"))
    rows = objects(object_at(answer, "Infobox").get("content"))
    facts = [(_read_text(row, "label"), _read_value(row, "value")) for row in rows]
    found = InstantAnswer(
        heading=_read_text(answer, "Heading"),
        abstract=abstract,
        abstract_source=_read_text(answer, "AbstractSource"),
        abstract_url=_read_url(answer, "AbstractURL"),
        answer=_read_value(answer, "Answer"),
        answer_type=_read_text(answer, "AnswerType"),
        definition=_read_text(answer, "Definition"),
        definition_source=_read_text(answer, "DefinitionSource"),
        definition_url=_read_url(answer, "DefinitionURL"),
        topics=tuple(_read_topics(objects(answer.get("RelatedTopics")))),
        results=tuple(parse_each(objects(answer.get("Results")), _read_topic)),
        entity=_read_text(answer, "Entity"),
        image=_read_url(answer, "Image"),
        facts=tuple((label, value) for label, value in facts if label and value.strip('"')),
        redirect=_read_url(answer, "Redirect"),
    )
    is_shape_known = isinstance(answer["AbstractText"], str)
    if found.is_empty and not (is_shape_known and isinstance(answer["RelatedTopics"], list)):
        raise unknown_shape_failure(LABEL)
    return found


async def ask(client: Client, settings: Settings, query: str) -> InstantAnswer:
    """Send a query to DuckDuckGo and return the answer."""
    request = build_request(query, settings.origins.get("duckduckgo_api", ORIGIN))
    try:
        return parse_reply(await client.send(request))
    except WebquarryError as error:
        error.provider = "duckduckgo"
        raise


def _read_topics(rows: list[dict[str, Any]]) -> list[Topic]:
    """Return the topics without a group, then those of each group."""
    topics = parse_each([row for row in rows if "Topics" not in row], _read_topic)
    for row in rows:
        members = parse_each(objects(row.get("Topics")), _read_topic)
        topics += [replace(topic, group=_read_text(row, "Name")) for topic in members]
    return topics[:_MOST_TOPICS]


def _read_topic(row: dict[str, Any]) -> Topic | None:
    """Return a topic; its name is the linked text of the HTML form, the rest its description."""
    whole = _read_text(row, "Text")
    if not whole or (whole.startswith("http") and " " in whole):  # a broken link
        return None
    anchor = _ANCHOR.match(string_at(row, "Result"))
    name = plain_from_html(anchor[1]) if anchor else ""
    if name and whole.startswith(name):
        text = whole.removeprefix(name)
    else:
        name, _, text = whole.partition(" - ")
    return Topic(name, text.strip().removeprefix("-").strip(), _read_url(row, "FirstURL"))


def _read_value(parent: dict[str, Any], name: str) -> str:
    """Return a text, a number, or the result of an object, as text."""
    value = parent.get(name)
    if isinstance(value, dict):
        parent, name, value = value, "result", value.get("result")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return _read_text(parent, name)


def _read_url(parent: dict[str, Any], name: str) -> str:
    """Return an absolute URL, or an empty string."""
    text = string_at(parent, name).strip()
    if text.startswith("/") and not text.startswith("//"):
        text = _SITE + text
    return text if host_of(text) else ""


def _read_text(parent: dict[str, Any], name: str) -> str:
    """Return a text on one line, shortened; empty for another type."""
    return shorten_text(plain(string_at(parent, name)), _LONGEST_TEXT)
