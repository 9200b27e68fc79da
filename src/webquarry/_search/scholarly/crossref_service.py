"""Crossref's interface, whoever asks it: the search for papers or the check of references.

API: GET https://api.crossref.org/works. Whoever gives an e-mail address (WEBQUARRY_CONTACT) is
served from a better pool.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx2

from webquarry._search.replies.body import (
    failure,
    json_object,
    objects,
    quote_words,
    unreadable_failure,
)
from webquarry._search.scholarly.models import Author
from webquarry._search.scholarly.provider import build_author
from webquarry._search.services.contacted import ContactedService
from webquarry.errors import BadInput, WebquarryError
from webquarry.net.models import Reply
from webquarry.settings import Settings

KINDS = {
    "journal-article": "article-journal",
    "proceedings-article": "paper-conference",
    "posted-content": "article",
    "book-chapter": "chapter",
    "book-section": "chapter",
    "reference-entry": "chapter",
    "book": "book",
    "monograph": "book",
    "edited-book": "book",
    "reference-book": "book",
    "dissertation": "thesis",
    "report": "report",
    "dataset": "dataset",
}


class CrossrefService(ContactedService):
    """Requests for works, and what an answer that is none stands for."""

    name = "crossref"
    label = "Crossref"
    origin = "https://api.crossref.org"
    min_interval_seconds = 1.0  # one list a second

    def apply_settings(self, settings: Settings) -> None:
        super().apply_settings(settings)
        if self.contact:
            self.min_interval_seconds = 1 / 3

    def build_works_request(
        self, parameters: Mapping[str, str], path: str = "/works"
    ) -> httpx2.Request:
        """A list of works or one of them, with the contact if there is one."""
        sent = dict(parameters)
        if self.contact:
            sent["mailto"] = self.contact
        return self.get(path, sent)

    def build_probe(self) -> httpx2.Request:
        return self.build_works_request({"query": "test", "rows": "0"})

    def read_failure(self, reply: Reply) -> WebquarryError:
        """The error that the first problem of the envelope stands for, or the status."""
        if reply.content_type != "application/json":
            return unreadable_failure(reply, self.label)
        problems = objects(json_object(reply, self.label).get("message"))
        if problems:
            words = quote_words(problems[0].get("message"))
            return BadInput(f"Crossref did not accept the request: {words}")
        return failure(reply, self.label)


def list_people(entries: list[dict[str, Any]]) -> list[Author | None]:
    """The authors or editors of a work; None for an entry that is nobody."""
    people = []
    for entry in entries:
        people.append(build_author(entry.get("name"), entry.get("family"), entry.get("given")))
    return people
