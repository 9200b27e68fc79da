"""A source as a caller writes it -> the work to cite.

Taken are an address, a DOI, an item of CSL-JSON, and an object with the fields that our own tools
use for a page, a paper or a patent. What cannot be told from any of these is refused, with its
place in the list.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from webquarry._search.addresses import doi_url, normal_doi
from webquarry.errors import BadInput
from webquarry.evidence.page.titles import host_of_page, title_from_url
from webquarry.evidence.styles.csl import parse_csl
from webquarry.evidence.styles.work import Work, plain
from webquarry.secret import redact
from webquarry.sessions.references import work_at

# Names of our tools and of many others -> those of CSL-JSON.
_CSL_NAMES = {
    "url": "URL",
    "doi": "DOI",
    "authors": "author",
    "inventor": "author",
    "published": "issued",
    "publishedAt": "issued",
    "date": "issued",
    "year": "issued",
    "journal": "container-title",
    "site": "container-title",
    "siteName": "container-title",
    "pages": "page",
    "accessedDate": "accessed",
}
_FORMS = (
    "Give an address, a DOI, a CSL-JSON item, or an object with url, title, authors and published."
)


def parse_source(source: str | Mapping[str, Any], number: int) -> Work:
    """The work that the source of this number in a list describes."""
    work = None
    if isinstance(source, str):
        text = redact(source.strip())
        doi = normal_doi(text)
        if doi:
            work = work_at(doi_url(doi))
        elif _is_web_address(text):
            work = work_at(text)
    else:
        work = _parse_fields(source)
    if work is None:
        raise BadInput(
            f"Source {number} of the list has neither a title, an address nor a DOI.",
            suggested_action=_FORMS,
        )
    return work


def _parse_fields(fields: Mapping[str, Any]) -> Work | None:
    item = {name: value for name, value in fields.items() if name not in _CSL_NAMES}
    for name, csl_name in _CSL_NAMES.items():
        if fields.get(name) not in (None, "", []):
            item.setdefault(csl_name, fields[name])
    if "type" not in item and fields.get("journal"):
        item["type"] = "article-journal"
    work = parse_csl(item)

    url = ""
    if _is_web_address(work.url):
        url = redact(work.url)
    doi = work.doi or normal_doi(url) or ""
    if not (work.title or url or doi):
        return None
    location = url or doi_url(doi)
    site = ""
    if work.kind == "webpage" and not doi:
        site = host_of_page(url)
    return replace(
        work,
        title=work.title or title_from_url(location),
        container=work.container or plain(site),
        url=url,
        doi=doi,
    )


def _is_web_address(text: str) -> bool:
    is_web = text.lower().startswith(("http://", "https://"))
    is_one_word = not text.split()[1:]
    return is_web and is_one_word and bool(host_of_page(text))
