"""Open Library: books, by ISBN or title. Needs no key.

API: GET https://openlibrary.org/api/books?bibkeys=ISBN:a,ISBN:b&format=json&jscmd=data (an ISBN
that it does not have is simply not in the answer), and `/search.json?title=`. The year of a search
is that of the work's first edition, so that it says nothing about the edition cited.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import httpx2

from webquarry._search.replies import (
    array_at,
    failure,
    json_object,
    objects,
    text_at,
    unknown_shape_failure,
)
from webquarry._search.scholarly.models import Record, WorkQuestion
from webquarry._search.scholarly.provider import CANDIDATES, WorkIndex, build_author
from webquarry.net.models import Reply

_FIELDS = "key,title,subtitle,author_name,isbn,publisher"
_YEAR = re.compile(r"\b(1[4-9]\d\d|20\d\d)\b")


class OpenLibrary(WorkIndex):
    name = "openlibrary"
    label = "Open Library"
    origin = "https://openlibrary.org"
    topics = frozenset({"isbn", "title"})
    most_at_once: ClassVar[Mapping[str, int]] = {"isbn": 40}
    min_interval_seconds = 0.5

    def build_lookup(self, questions: Sequence[WorkQuestion]) -> httpx2.Request:
        if questions[0].topic == "isbn":
            keys = ",".join(f"ISBN:{question.value}" for question in questions)
            parameters = {"bibkeys": keys, "format": "json", "jscmd": "data"}
            return self.get("/api/books", parameters)
        parameters = {"title": questions[0].value, "fields": _FIELDS, "limit": str(CANDIDATES)}
        return self.get("/search.json", parameters)

    def parse_lookup(self, questions: Sequence[WorkQuestion], reply: Reply) -> list[Record]:
        answer = json_object(reply, self.label)
        if reply.status != 200:
            raise failure(reply, self.label)
        if questions[0].topic == "isbn":
            books = [(key, book) for key, book in answer.items() if isinstance(book, dict)]
            return [self._edition(key, book) for key, book in books]
        found = answer.get("docs")
        if not isinstance(found, list):
            raise unknown_shape_failure(self.label)
        return [self._work(entry) for entry in objects(found)]

    def _edition(self, key: str, book: dict[str, Any]) -> Record:
        publishers = [person.get("name") for person in objects(book.get("publishers"))]
        people = objects(book.get("authors"))
        return self.build_record(
            titles=_titles(book),
            authors=[build_author(person.get("name")) for person in people],
            years=_YEAR.findall(text_at(book, "publish_date")),
            isbn=key.removeprefix("ISBN:"),
            url=text_at(book, "url"),
            kind="book",
            publisher=next((str(name) for name in publishers if name), ""),
        )

    def _work(self, entry: dict[str, Any]) -> Record:
        names = array_at(entry, "author_name")
        isbn = next(iter(array_at(entry, "isbn")), "")
        return self.build_record(
            titles=_titles(entry),
            authors=[build_author(name) for name in names if isinstance(name, str)],
            # No years: those of a search are of other editions than the one that is cited.
            isbn=str(isbn),
            url=f"https://openlibrary.org{entry.get('key') or ''}",
            kind="book",
        )


def _titles(entry: dict[str, Any]) -> list[str]:
    title = text_at(entry, "title")
    subtitle = text_at(entry, "subtitle")
    if subtitle:
        return [f"{title}: {subtitle}", title]
    return [title]
