"""The page of a patent on Google Patents -> the patent: what its meta tags and its microdata state.

Both say the same in different words, and either may be missing something; microdata is asked first,
because it has the whole number with its kind. What the page tells of other patents (citations,
similar ones) lies in tables and is left out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from typing import cast

from lxml import etree

from webquarry.errors import NotFound, ScriptPage
from webquarry.evidence.language.text import line
from webquarry.evidence.page.dates import read_date
from webquarry.read.html.parse import Document
from webquarry.read.html.tree import beginning_of
from webquarry.read.reader import Reader
from webquarry.search.patents.models import Patent
from webquarry.search.patents.numbers import PatentNumber, read_number
from webquarry.secret import redact

_LONGEST_ABSTRACT = 10_000
_MOST_ITEMS = 5000
_WITHOUT_KIND = {
    "US": ("B2", "B1"),
    "EP": ("B1", "A1"),
    "WO": ("A1",),
    "CN": ("B", "A"),
}  # tried in this order
_ELSEWHERE = frozenset({"tr", "table"})
_ITEMS = etree.XPath(f"(//*[@itemprop])[position() <= {_MOST_ITEMS}]")
_METAS = etree.XPath(f"(//meta[@name])[position() <= {_MOST_ITEMS}]")


async def read_patent(reader: Reader, number: PatentNumber) -> Patent | None:
    """The patent of this number by its page; None where there is none, or the page is another
    one's.
    """
    for candidate in _candidates(number):
        try:
            page = await reader.read_raw(candidate.url)
        except NotFound:
            continue
        patent = await asyncio.to_thread(patent_from, page.document)
        if patent is None:
            raise ScriptPage(f"{redact(page.url)} came without the patent that it is about.")
        return patent if number.covers(patent.number) else None
    return None


def patent_from(document: Document | None) -> Patent | None:
    """What a page states of its patent; None where it states none."""
    if document is None or not document.roots:
        return None
    items, metas = _items(document.roots[0]), _metas(document.roots[0])
    number = read_number(next(iter(items.get("publicationNumber", [])), ""))
    if number is None:
        return None
    legal = next(iter(items.get("legalStatusIfi", [])), "").lower()
    published = _date(items.get("publicationDate", []))
    granted = _date([*metas.get("dc.date/issue", []), *items.get("granted", [])])
    return Patent(
        number=number,
        title=_first(items.get("title"), metas.get("dc.title")) or number.google,
        url=number.url,
        abstract=_first(items.get("abstract"), metas.get("dc.description")),
        assignees=_each(items.get("assigneeOriginal") or metas.get("dc.contributor/assignee", [])),
        inventors=_each(items.get("inventor") or metas.get("dc.contributor/inventor", [])),
        filed=_date([*items.get("filingDate", []), *metas.get("dc.date/datesubmitted", [])]),
        published=published,
        granted=granted or (published if number.is_dated_by_grant else None),
        status=legal or number.stage,
        pdf=_pdf([*metas.get("citation_pdf_url", []), *items.get("pdfLink", [])]),
        cpc=_each(items.get("Code", [])),
        provider="google_patents",
    )


def _candidates(number: PatentNumber) -> Iterator[PatentNumber]:
    """The number as it is, then with the kinds it may have: the page of a number without one is not
    always there.
    """
    yield number
    kinds = ("A1",) if number.is_us_application else _WITHOUT_KIND.get(number.office, ())
    for kind in () if number.kind else kinds:
        yield PatentNumber(number.office, number.number, kind)


def _items(root: etree._Element) -> dict[str, list[str]]:
    """The values of each property of the patent itself; events are known by their type."""
    found: dict[str, list[str]] = {}
    for element in cast("list[etree._Element]", _ITEMS(root)):
        name = element.get("itemprop") or ""
        if any(parent.tag in _ELSEWHERE for parent in element.iterancestors()):
            continue
        if name == "events":
            _add_event(element, found)
        elif name == "abstract":
            found.setdefault(name, []).extend(_abstract(element))
        elif name == "Code" or not _is_in_event(element):
            found.setdefault(name, []).append(_value(element))
    return found


def _add_event(element: etree._Element, found: dict[str, list[str]]) -> None:
    parts = {
        part.get("itemprop"): _value(part)
        for part in element.iterdescendants()
        if part.get("itemprop")
    }
    if parts.get("type") == "granted":
        found.setdefault("granted", []).append(parts.get("date", ""))


def _is_in_event(element: etree._Element) -> bool:
    return any(parent.get("itemprop") == "events" for parent in element.iterancestors())


def _abstract(section: etree._Element) -> Iterator[str]:
    for part in section.iterdescendants():
        if part.get("itemprop") == "content":
            yield line(beginning_of(part, _LONGEST_ABSTRACT), _LONGEST_ABSTRACT)


def _metas(root: etree._Element) -> dict[str, list[str]]:
    """The contents by name, and by name and scheme where there is one: `dc.contributor/inventor`."""
    found: dict[str, list[str]] = {}
    for meta in cast("list[etree._Element]", _METAS(root)):
        name, scheme = (meta.get("name") or "").lower(), (meta.get("scheme") or "").lower()
        found.setdefault(f"{name}/{scheme}" if scheme else name, []).append(
            meta.get("content") or ""
        )
    return found


def _value(element: etree._Element) -> str:
    value = element.get("datetime") or element.get("content") or element.get("href")
    return line(value if value is not None else beginning_of(element, 1000))


def _first(*lists: list[str] | None) -> str:
    return next(
        (
            said
            for texts in lists
            for text in texts or ()
            if (said := line(text, _LONGEST_ABSTRACT))
        ),
        "",
    )


def _each(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(line, texts))))


def _date(texts: Iterable[str]) -> str | None:
    return next((date for text in texts if (date := read_date(text))), None)


def _pdf(texts: Iterable[str]) -> str | None:
    return next((text for text in texts if text.startswith("https://")), None)
