"""Catalogues that only look up: DBLP, Open Library and OpenReview. None needs a key.

DBLP (computer science): GET https://dblp.org/search/publ/api?q=words&format=json. Every word has to
occur, so only letters and digits are sent. About thirty requests a minute are welcome.
Open Library (books): GET https://openlibrary.org/api/books?bibkeys=ISBN:a,ISBN:b&format=json
&jscmd=data (unknown ISBNs are absent from the answer), and `/search.json?title=`, whose years are
those of first editions.
OpenReview (ICLR, NeurIPS, TMLR): GET https://api2.openreview.net/notes/search?term=...&content=title.
A paper whose venue says "Submitted to" was not accepted there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar

import httpx2

from webquarry._search.replies import (
    array_at,
    failure,
    json_object,
    object_at,
    objects,
    parse_hits,
    quote_words,
    string_at,
    text_at,
    unknown_shape_failure,
    unreadable_failure,
)
from webquarry._search.scholarly.models import Author, Record, WorkQuestion
from webquarry._search.scholarly.provider import CANDIDATES, WorkIndex, bare_words, build_author
from webquarry._search.scholarly.text import LONGEST_ABSTRACT
from webquarry.net.models import Reply

_HOMONYM = re.compile(r"\s+\d{4}$")  # a number after the name of a namesake
_CORR = re.compile(r"journals/corr/abs-(\d{4})-(\d{4,5})$")
_DBLP_KINDS = {
    "Conference and Workshop Papers": "paper-conference",
    "Journal Articles": "article-journal",
    "Books and Theses": "book",
    "Parts in Books or Collections": "chapter",
    "Informal and Other Publications": "article",
}
_BOOK_FIELDS = "key,title,subtitle,author_name,isbn,publisher"
_YEAR = re.compile(r"\b(1[4-9]\d\d|20\d\d)\b")
_NOT_ACCEPTED = re.compile(r"submitted to|withdrawn|rejected", re.IGNORECASE)


class Dblp(WorkIndex):
    name = "dblp"
    label = "DBLP"
    origin = "https://dblp.org"
    topics = frozenset({"title"})
    min_interval_seconds = 2.0

    def build_lookup(self, questions: Sequence[WorkQuestion]) -> httpx2.Request:
        words = bare_words(questions[0].value.replace("_", " "))
        parameters = {"q": words, "format": "json", "h": str(2 * CANDIDATES)}
        return self.get("/search/publ/api", parameters)

    def parse_lookup(self, questions: Sequence[WorkQuestion], reply: Reply) -> list[Record]:
        if reply.status != 200:
            if reply.content_type != "application/json":
                raise unreadable_failure(reply, self.label)
            raise failure(reply, self.label)
        hits = object_at(object_at(json_object(reply, self.label), "result"), "hits")
        if "@total" not in hits:
            raise unknown_shape_failure(self.label)
        return [self._record(object_at(hit, "info")) for hit in objects(_as_list(hits.get("hit")))]

    def _record(self, info: dict[str, Any]) -> Record:
        venues = _as_list(info.get("venue"))
        preprint = _CORR.search(text_at(info, "key"))
        doi = text_at(info, "doi")
        addresses = [str(one) for one in _as_list(info.get("ee"))]
        return self.build_record(
            titles=[text_at(info, "title").rstrip(".")],
            authors=_read_dblp_authors(info),
            years=[info.get("year")],
            venues=venues,
            doi=doi if doi.startswith("10.") else "",
            arxiv_id=f"{preprint[1]}.{preprint[2]}" if preprint else "",
            url=addresses[0] if addresses else text_at(info, "url"),
            kind=_DBLP_KINDS.get(text_at(info, "type"), ""),
            is_preprint=preprint is not None or "corr" in [str(one).lower() for one in venues],
            volume=text_at(info, "volume"),
            issue=text_at(info, "number"),
            pages=text_at(info, "pages"),
            publisher=text_at(info, "publisher"),
        )


def _read_dblp_authors(info: dict[str, Any]) -> Iterator[Author | None]:
    """Yield the authors, which are texts or objects."""
    for one in _as_list(object_at(info, "authors").get("author")):
        name = one.get("text") if isinstance(one, dict) else one
        if isinstance(name, str):
            yield build_author(_HOMONYM.sub("", name))


def _as_list(value: object) -> list[Any]:
    """Return a field of DBLP, which is a list only if there are several values."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


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
        parameters = {"title": questions[0].value, "fields": _BOOK_FIELDS, "limit": str(CANDIDATES)}
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
        publishers = [text_at(one, "name") for one in objects(book.get("publishers"))]
        return self.build_record(
            titles=_list_titles(book),
            authors=[build_author(person.get("name")) for person in objects(book.get("authors"))],
            years=_YEAR.findall(text_at(book, "publish_date")),
            isbn=key.removeprefix("ISBN:"),
            url=text_at(book, "url"),
            kind="book",
            publisher=next(filter(None, publishers), ""),
        )

    def _work(self, entry: dict[str, Any]) -> Record:
        """Return the record of a search, without the years of other editions."""
        isbn = next(iter(array_at(entry, "isbn")), "")
        return self.build_record(
            titles=_list_titles(entry),
            authors=[build_author(name) for name in array_at(entry, "author_name")],
            isbn=str(isbn),
            url=f"https://openlibrary.org{entry.get('key') or ''}",
            kind="book",
        )


def _list_titles(entry: dict[str, Any]) -> list[str]:
    title = text_at(entry, "title")
    subtitle = text_at(entry, "subtitle")
    return [f"{title}: {subtitle}", title] if subtitle else [title]


class OpenReview(WorkIndex):
    name = "openreview"
    label = "OpenReview"
    origin = "https://api2.openreview.net"
    topics = frozenset({"title"})
    min_interval_seconds = 1.0

    def build_lookup(self, questions: Sequence[WorkQuestion]) -> httpx2.Request:
        parameters = {
            "term": questions[0].value,
            "content": "title",
            "source": "forum",
            "limit": str(CANDIDATES),
        }
        return self.get("/notes/search", parameters)

    def parse_lookup(self, questions: Sequence[WorkQuestion], reply: Reply) -> list[Record]:
        answer = json_object(reply, self.label)
        if reply.status != 200:
            raise failure(reply, self.label, quote_words(answer.get("message")))
        return parse_hits(answer.get("notes"), self._record, self.label)

    def _record(self, note: dict[str, Any]) -> Record | None:
        content = {
            name: field.get("value") if isinstance(field, dict) else field
            for name, field in object_at(note, "content").items()
        }
        if not string_at(content, "title"):
            return None
        venue = text_at(content, "venue")
        is_accepted = bool(venue) and not _NOT_ACCEPTED.search(venue)
        years: list[object] = list(_YEAR.findall(venue))
        for moment in (note.get("pdate"), note.get("cdate")):
            if isinstance(moment, int) and not years:
                years.append(datetime.fromtimestamp(moment / 1000, UTC).year)
        return self.build_record(
            titles=[content["title"]],
            authors=[build_author(name) for name in array_at(content, "authors")],
            years=years,
            venues=[venue if is_accepted else "OpenReview"],
            url=f"https://openreview.net/forum?id={note.get('forum') or note.get('id')}",
            kind="paper-conference",
            is_preprint=not is_accepted,
            remarks="" if is_accepted else venue,
            abstract=text_at(content, "abstract")[:LONGEST_ABSTRACT],
        )
