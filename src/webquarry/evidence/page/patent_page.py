"""Patents from pages of Google Patents, by their meta tags and microdata.

Either may be incomplete; microdata is first, because it has the complete number with its kind.
Other patents on the page (citations, similar ones) are in tables, which are skipped.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict
from typing import cast

import msgspec
from lxml import etree

from webquarry._read.html.parse import Document
from webquarry._read.html.tree import beginning_of
from webquarry._read.page_form import pack_fields, unpack_fields
from webquarry._read.reader import FetchedPage, Reader
from webquarry._read.reply import raw_reply
from webquarry._read.workers.job import Job, job
from webquarry._search.patents.numbers import PatentNumber, read_number
from webquarry._search.patents.provider import Patent
from webquarry.errors import NotFound, ScriptPage
from webquarry.evidence.page.dates import read_date
from webquarry.evidence.page.text import clean_line
from webquarry.secret import redact

_LONGEST_ABSTRACT = 10_000
_LONGEST_VALUE = 1000
_MOST_ITEMS = 5000
_WITHOUT_KIND = {  # tried in this order
    "US": ("B2", "B1"),
    "EP": ("B1", "A1"),
    "WO": ("A1",),
    "CN": ("B", "A"),
}
_ELSEWHERE = frozenset({"tr", "table"})
_ITEMS = etree.XPath(f"(//*[@itemprop])[position() <= {_MOST_ITEMS}]")
_METAS = etree.XPath(f"(//meta[@name])[position() <= {_MOST_ITEMS}]")


async def read_patent(reader: Reader, number: PatentNumber) -> Patent | None:
    """Return the patent of a number by its page; None if there is none."""
    candidates = [number]
    if not number.kind:  # not every number without a kind has a page
        kinds = _WITHOUT_KIND.get(number.office, ())
        if number.is_us_application:
            kinds = ("A1",)
        for kind in kinds:
            candidates.append(PatentNumber(number.office, number.number, kind))
    for candidate in candidates:
        try:
            fetched = await reader.fetch_raw(candidate.url)
            packed = await reader.runner.run(fetched.to_job(read_patent_page))
        except NotFound:
            continue
        patent = msgspec.convert(unpack_fields(packed)[0], Patent)
        return patent if number.covers(patent.number) else None
    return None


@job("read patent")
def read_patent_page(job: Job) -> bytes:
    """Return the fields of the patent on a fetched page."""
    fetched = FetchedPage.of(job)
    assert fetched.reply is not None
    page = raw_reply(fetched.requested_url, fetched.reply)
    patent = parse_patent(page.document)
    if patent is None:
        raise ScriptPage(f"{redact(page.url)} came without the patent that it is about.")
    return pack_fields(asdict(patent))


def parse_patent(document: Document | None) -> Patent | None:
    """Return the patent that a page states, or None."""
    if document is None or not document.roots:
        return None
    items = _read_items(document.roots[0])
    metas = _read_metas(document.roots[0])
    numbers = items["publicationNumber"]
    number = read_number(numbers[0]) if numbers else None
    if number is None:
        return None
    title = _first_line([*items["title"], *metas["dc.title"]])
    published = _first_date(items["publicationDate"])
    granted = _first_date([*metas["dc.date/issue"], *items["granted"]])
    if granted is None and number.is_dated_by_grant:
        granted = published
    links = [*metas["citation_pdf_url"], *items["pdfLink"]]
    pdf = next((link for link in links if link.startswith("https://")), None)
    status = items["legalStatusIfi"][0].lower() if items["legalStatusIfi"] else ""
    return Patent(
        number=number,
        title=title or number.google,
        url=number.url,
        abstract=_first_line([*items["abstract"], *metas["dc.description"]]),
        assignees=_distinct(items["assigneeOriginal"] or metas["dc.contributor/assignee"]),
        inventors=_distinct(items["inventor"] or metas["dc.contributor/inventor"]),
        filed=_first_date([*items["filingDate"], *metas["dc.date/datesubmitted"]]),
        published=published,
        granted=granted,
        status=status or number.stage,
        pdf=pdf,
        cpc=_distinct(items["Code"]),
        provider="google_patents",
    )


def _read_items(root: etree._Element) -> defaultdict[str, list[str]]:
    """Return the values of each property of the patent itself; events are found by their type."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    elements = cast("list[etree._Element]", _ITEMS(root))
    for element in elements:
        name = element.get("itemprop") or ""
        parents = list(element.iterancestors())
        if any(parent.tag in _ELSEWHERE for parent in parents):
            continue
        if name == "events":
            event: dict[str, str] = {}
            for part in element.iterdescendants():
                part_name = part.get("itemprop")
                if part_name:
                    event[part_name] = _value_of(part)
            if event.get("type") == "granted":
                found["granted"].append(event.get("date", ""))
        elif name == "abstract":
            for part in element.iterdescendants():
                if part.get("itemprop") == "content":
                    text = beginning_of(part, _LONGEST_ABSTRACT)
                    found[name].append(clean_line(text, _LONGEST_ABSTRACT))
        elif name == "Code" or all(parent.get("itemprop") != "events" for parent in parents):
            found[name].append(_value_of(element))
    return found


def _read_metas(root: etree._Element) -> defaultdict[str, list[str]]:
    """Return the contents by name, with the scheme if there is one: `dc.contributor/inventor`."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    metas = cast("list[etree._Element]", _METAS(root))
    for meta in metas:
        name = (meta.get("name") or "").lower()
        scheme = (meta.get("scheme") or "").lower()
        if scheme:
            name = f"{name}/{scheme}"
        found[name].append(meta.get("content") or "")
    return found


def _value_of(element: etree._Element) -> str:
    """Return the value of a property: an attribute, otherwise its text."""
    value = element.get("datetime") or element.get("content") or element.get("href")
    if value is None:
        value = beginning_of(element, _LONGEST_VALUE)
    return clean_line(value)


def _first_line(texts: Iterable[str]) -> str:
    """Return the first text that is not blank, on one line."""
    return next(filter(None, (clean_line(text, _LONGEST_ABSTRACT) for text in texts)), "")


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the different texts, each on one line."""
    return tuple(dict.fromkeys(filter(None, map(clean_line, texts))))


def _first_date(texts: Iterable[str]) -> str | None:
    """Return the first date in ISO 8601."""
    return next(filter(None, map(read_date, texts)), None)
