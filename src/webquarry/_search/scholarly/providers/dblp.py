"""DBLP: computer science, with the venues as people call them. Needs no key.

API: GET https://dblp.org/search/publ/api?q=words&format=json; every word has to occur, so that
only letters and digits are sent. About thirty requests a minute are welcome.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import httpx2

from webquarry._search.replies import (
    failure,
    json_object,
    object_at,
    objects,
    text_at,
    unknown_shape_failure,
    unreadable_failure,
)
from webquarry._search.scholarly.models import Author, Record, WorkQuestion
from webquarry._search.scholarly.provider import (
    CANDIDATES,
    WorkIndex,
    bare_words,
    build_author,
)
from webquarry.net.models import Reply

_HOMONYM = re.compile(r"\s+\d{4}$")
_CORR = re.compile(r"journals/corr/abs-(\d{4})-(\d{4,5})$")
_KINDS = {
    "Conference and Workshop Papers": "paper-conference",
    "Journal Articles": "article-journal",
    "Books and Theses": "book",
    "Parts in Books or Collections": "chapter",
    "Informal and Other Publications": "article",
}
_REPOSITORY = "corr"


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
        found = hits.get("hit")
        listed = [found] if isinstance(found, dict) else objects(found)
        return [self._record(object_at(hit, "info")) for hit in listed]

    def _record(self, info: dict[str, Any]) -> Record:
        venues = _as_list(info.get("venue"))
        key = text_at(info, "key")
        preprint = _CORR.search(key)
        names = [str(venue).lower() for venue in venues]
        is_preprint = preprint is not None or _REPOSITORY in names
        doi = text_at(info, "doi")
        addresses = [str(one) for one in _as_list(info.get("ee"))]
        return self.build_record(
            titles=[text_at(info, "title").rstrip(".")],
            authors=_read_authors(object_at(info, "authors").get("author")),
            years=[info.get("year")],
            venues=venues,
            doi=doi if doi.startswith("10.") else "",
            arxiv_id=f"{preprint[1]}.{preprint[2]}" if preprint else "",
            url=addresses[0] if addresses else text_at(info, "url"),
            kind=_KINDS.get(text_at(info, "type"), ""),
            is_preprint=is_preprint,
            volume=text_at(info, "volume"),
            issue=text_at(info, "number"),
            pages=text_at(info, "pages"),
            publisher=text_at(info, "publisher"),
        )


def _read_authors(value: object) -> Iterable[Author | None]:
    """A text, an object or a list of either; the numbers of namesakes are left out."""
    for one in _as_list(value):
        name = one.get("text") if isinstance(one, dict) else one
        if isinstance(name, str):
            yield build_author(_HOMONYM.sub("", name))


def _as_list(value: object) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
