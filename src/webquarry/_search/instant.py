"""DuckDuckGo's Instant Answers: a question -> a summary, an answer, a definition, related topics.
No ranked results.

API: GET https://api.duckduckgo.com/?format=json, needs no key. The body is JSON under the name of
JavaScript. For most questions it is an empty shell; fields change their type at will (`Answer` is a
text, a number or an object). What is shown of it must name DuckDuckGo and the source.
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
    unknown_shape_failure,
)
from webquarry._search.text import plain, plain_from_html, shorten_text
from webquarry.errors import RateLimited, SiteRefused, WebquarryError
from webquarry.net.client import Client
from webquarry.net.models import Reply
from webquarry.settings import Settings

LABEL = "DuckDuckGo Instant Answer"
ORIGIN = "https://api.duckduckgo.com"
_SITE = "https://duckduckgo.com"  # where its images are, and its relative links lead
_LONGEST_TEXT = 10_000  # characters
_MOST_TOPICS = 200
_ANCHOR = re.compile(r"\s*<a\b[^<>]*>(.*?)</a>(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class Topic:
    """A related topic, or an official site: its name, what is said of it, and where it is; `group`
    is its heading.
    """

    name: str
    text: str
    url: str
    group: str = ""


@dataclass(frozen=True)
class InstantAnswer:
    """What DuckDuckGo knows at once. Every text is plain and may be empty; every URL is absolute or
    empty.
    """

    heading: str = ""
    abstract: str = ""
    abstract_source: str = ""
    abstract_url: str = ""  # given even where the abstract is empty
    answer: str = ""
    answer_type: str = ""
    definition: str = ""
    definition_source: str = ""
    definition_url: str = ""
    topics: tuple[Topic, ...] = ()  # those without a group first, then group by group
    results: tuple[Topic, ...] = ()  # mostly the official site
    entity: str = ""
    image: str = ""
    facts: tuple[tuple[str, str], ...] = ()  # label and value, from the infobox
    redirect: str = ""  # where a !bang leads

    @property
    def is_empty(self) -> bool:
        """No instant answer: neither abstract, answer, definition nor topics."""
        return not (self.abstract or self.answer or self.definition or self.topics)


def build_request(query: str, origin: str = ORIGIN) -> httpx2.Request:
    """The request for one question."""
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
    """The answer, empty or not, or the error of the right kind."""
    if reply.status == 202:
        raise RateLimited(f"{LABEL} answers no programs just now (HTTP 202).")
    if reply.status in (403, 418):
        raise SiteRefused(f"{LABEL} refused the request (HTTP {reply.status}).")
    if reply.status != 200:
        raise failure(reply, LABEL)
    answer = json_object(reply, LABEL)
    if "AbstractText" not in answer or "RelatedTopics" not in answer:
        raise unknown_shape_failure(LABEL)
    abstract = _read_text(answer.get("AbstractText"))
    if not abstract:
        abstract = plain_from_html(_read_string(answer.get("Abstract")))
    facts = []
    infobox = object_at(answer, "Infobox")
    for row in objects(infobox.get("content")):
        label = _read_text(row.get("label"))
        value = _read_value(row.get("value"))
        if label and value and value != '""':
            facts.append((label, value))
    found = InstantAnswer(
        heading=_read_text(answer.get("Heading")),
        abstract=abstract,
        abstract_source=_read_text(answer.get("AbstractSource")),
        abstract_url=_read_url(answer.get("AbstractURL")),
        answer=_read_value(answer.get("Answer")),
        answer_type=_read_text(answer.get("AnswerType")),
        definition=_read_text(answer.get("Definition")),
        definition_source=_read_text(answer.get("DefinitionSource")),
        definition_url=_read_url(answer.get("DefinitionURL")),
        topics=tuple(_read_topics(objects(answer.get("RelatedTopics")))),
        results=tuple(parse_each(objects(answer.get("Results")), _read_topic)),
        entity=_read_text(answer.get("Entity")),
        image=_read_url(answer.get("Image")),
        facts=tuple(facts),
        redirect=_read_url(answer.get("Redirect")),
    )
    is_shape_known = isinstance(answer["AbstractText"], str)
    if found.is_empty and not (is_shape_known and isinstance(answer["RelatedTopics"], list)):
        raise unknown_shape_failure(LABEL)  # only its own shape says that there is no answer
    return found


async def ask(client: Client, settings: Settings, query: str) -> InstantAnswer:
    """Ask DuckDuckGo, or whoever stands in its place."""
    request = build_request(query, settings.origins.get("duckduckgo_api", ORIGIN))
    try:
        return parse_reply(await client.send(request))
    except WebquarryError as error:
        error.provider = "duckduckgo"
        raise


def _read_topics(rows: list[dict[str, Any]]) -> list[Topic]:
    """The topics without a group, then those of each group."""
    ungrouped = [row for row in rows if "Topics" not in row]
    topics = parse_each(ungrouped, _read_topic)
    for row in rows:
        if "Topics" in row:
            group = _read_text(row.get("Name"))
            members = parse_each(objects(row.get("Topics")), _read_topic)
            topics += [replace(topic, group=group) for topic in members]
    return topics[:_MOST_TOPICS]


def _read_topic(row: dict[str, Any]) -> Topic | None:
    """The name is what is linked in the HTML form of a topic; the rest of it is what is said of
    it.
    """
    whole = _read_text(row.get("Text"))
    if not whole or (whole.startswith("http") and " " in whole):  # a link that DuckDuckGo broke
        return None
    anchor = _ANCHOR.match(_read_string(row.get("Result")))
    name = plain_from_html(anchor[1]) if anchor else ""
    if name and whole.startswith(name):
        text = whole.removeprefix(name)
    else:
        name, _, text = whole.partition(" - ")
    text = text.strip().removeprefix("-").strip()
    return Topic(name, text, _read_url(row.get("FirstURL")))


def _read_value(value: object) -> str:
    """A text or a number as text; of an object, its result, which widgets leave empty."""
    if isinstance(value, dict):
        value = value.get("result")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return _read_text(value)


def _read_url(value: object) -> str:
    """An absolute URL; "" for what is none."""
    text = _read_string(value).strip()
    if text.startswith("/") and not text.startswith("//"):
        text = _SITE + text
    if host_of(text):
        return text
    return ""


def _read_text(value: object) -> str:
    """A text in one line; "" for what is none, and dots at the end of what is endless."""
    return shorten_text(plain(_read_string(value)), _LONGEST_TEXT)


def _read_string(value: object) -> str:
    """A text as it came; "" for what is none."""
    if isinstance(value, str):
        return value
    return ""
