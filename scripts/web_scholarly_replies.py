"""The replies of the scholarly indexes in the recorded web, in the shape in which the real ones
answer.

The requests are those that our providers build. Semantic Scholar says what it says to most who come
without a key.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import httpx2

from webquarry._search.scholarly.models import PaperQuery, WorkQuestion
from webquarry._search.scholarly.provider import Scholarly
from webquarry._search.scholarly.providers.crossref import Crossref
from webquarry.clock import FrozenClock
from webquarry.net.models import Reply
from webquarry.registry import members_of
from webquarry.settings import Settings

SOURCES = Path(__file__).parent / "recorded_web"
QUESTION, NOTHING = "tidal energy storage", "zqxv kplm nothing"
QUERIES = (
    PaperQuery(QUESTION),
    PaperQuery(QUESTION, newest_first=True),
    PaperQuery(QUESTION, year_from=2024),
    PaperQuery(QUESTION, year_from=2020, open_access=True),
    PaperQuery(NOTHING),
)
Entry = dict[str, Any]
Exchange = tuple[httpx2.Request, httpx2.Response]


def scholarly_exchanges(clock: FrozenClock) -> Iterator[Exchange]:
    """Every question of the list, as every index is asked it."""
    papers: list[Entry] = tomllib.loads((SOURCES / "papers.toml").read_text("utf-8"))["papers"]
    for kind in members_of("webquarry._search.scholarly.providers", Scholarly):
        provider = kind.configure(Settings(), {"HOME": "/nowhere"})
        for query in QUERIES:
            found = [
                one for one in papers if kind.name in one["known_to"] and query.text == QUESTION
            ]
            found = [one for one in found if int(one["date"][:4]) >= (query.year_from or 0)]
            if query.open_access:
                found = [one for one in found if "pdf" in one or "arxiv" in one]
            if query.newest_first:
                found.sort(key=lambda one: str(one["date"]), reverse=True)
            request, response = provider.build_request(query), _REPLIES[kind.name](found)
            yield request, response
            reply = Reply(str(request.url), 200, response.headers, response.content, clock.now())
            further = provider.next_request(reply)
            if further is not None:
                yield further, _pubmed_records(found)
    yield from _reference_exchanges(papers)


def _reference_exchanges(papers: list[Entry]) -> Iterator[Exchange]:
    """The papers of Crossref by their DOIs, and the notices about each, as `check_citations` asks
    for them.
    """
    crossref = Crossref.configure(Settings(), {"HOME": "/nowhere"})
    for one in papers:
        if "crossref" not in one["known_to"]:
            continue
        work = {"status": "ok", "message-type": "work", "message": _crossref_work(one)}
        yield crossref.build_lookup([WorkQuestion("doi", one["doi"])]), _json(work)
        yield crossref.build_lookup([WorkQuestion("updates", one["doi"])]), _crossref([])


def _openalex(papers: list[Entry]) -> httpx2.Response:
    works = [_openalex_work(number, one) for number, one in enumerate(papers)]
    return _json(
        {"meta": {"count": len(works), "page": 1, "per_page": 20}, "results": works, "group_by": []}
    )


def _openalex_work(number: int, one: Entry) -> Entry:
    words: dict[str, list[int]] = {}
    for place, word in enumerate(one["abstract"].split()):
        words.setdefault(word, []).append(place)
    first, last = one["pages"].split("-")
    place = {
        "landing_page_url": f"https://doi.org/{one['doi']}",
        "pdf_url": one.get("pdf"),
        "source": {
            "display_name": one["journal"],
            "type": "journal",
            "host_organization_name": "Estuary Science Press",
        },
    }
    return {
        "id": f"https://openalex.org/W43000001{number:02}",
        "doi": f"https://doi.org/{one['doi']}",
        "title": one["title"],
        "publication_year": int(one["date"][:4]),
        "publication_date": one["date"],
        "ids": {"doi": f"https://doi.org/{one['doi']}"},
        "primary_location": place,
        "best_oa_location": place if one.get("pdf") else None,
        "type": "article",
        "open_access": {
            "is_oa": bool(one.get("pdf")),
            "oa_status": "gold" if one.get("pdf") else "closed",
        },
        "authorships": [
            {"author": {"display_name": f"{given} {family}"}} for family, given in one["authors"]
        ],
        "cited_by_count": one["cited"],
        "biblio": {
            "volume": one["volume"],
            "issue": one["issue"],
            "first_page": first,
            "last_page": last,
        },
        "is_retracted": "retracted" in one,
        "is_paratext": False,
        "abstract_inverted_index": words,
    }


def _crossref(papers: list[Entry]) -> httpx2.Response:
    message = {
        "facets": {},
        "total-results": len(papers),
        "items": [_crossref_work(one) for one in papers],
    }
    return _json(
        {
            "status": "ok",
            "message-type": "work-list",
            "message-version": "1.0.0",
            "message": message,
        }
    )


def _crossref_work(one: Entry) -> Entry:
    work: Entry = {
        "DOI": one["doi"],
        "URL": f"https://doi.org/{one['doi']}",
        "type": "journal-article",
        "title": [f"RETRACTED: {one['title']}" if "retracted" in one else one["title"]],
        "author": [
            {"family": family, "given": given, "sequence": "first"}
            for family, given in one["authors"]
        ],
        "container-title": [one["journal"]],
        "issued": _date(one["date"]),
        "abstract": f"<jats:title>Abstract</jats:title><jats:p>{escape(one['abstract'])}</jats:p>",
        "volume": one["volume"],
        "issue": one["issue"],
        "page": one["pages"],
        "publisher": "Estuary Science Press",
        "is-referenced-by-count": one["cited"] - 4,
    }
    if "retracted" in one:
        notice = {
            "DOI": one["notice"],
            "type": "retraction",
            "label": "Retraction",
            "source": "publisher",
        }
        work["updated-by"] = [notice | {"updated": _date(one["retracted"])}]
    return work


def _date(day: str) -> Entry:
    return {"date-parts": [[int(part) for part in day.split("-")]]}


def _arxiv(papers: list[Entry]) -> httpx2.Response:
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom"'
        ' xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" '
        'xmlns:arxiv="http://arxiv.org/schemas/atom">'
        "<title>arXiv "
        f"Query</title><opensearch:totalResults>{len(papers)}</opensearch:totalResults>"
    )
    feed = head + "".join(map(_arxiv_entry, papers)) + "</feed>\n"
    return httpx2.Response(
        200, headers={"Content-Type": "application/atom+xml; charset=utf-8"}, content=feed.encode()
    )


def _arxiv_entry(one: Entry) -> str:
    number, year = one["arxiv"], 2000 + int(one["arxiv"][:2])
    people = "".join(
        f"<author><name>{escape(f'{given} {family}')}</name></author>"
        for family, given in one["authors"]
    )
    doi = f"<arxiv:doi>{one['doi']}</arxiv:doi>" if "doi" in one else ""
    return (
        f"<entry><id>http://arxiv.org/abs/{number}v1</id><title>{escape(one['title'])}</title>"
        f"<published>{year}-{number[2:4]}-10T08:00:00Z</published><summary>{escape(one['abstract'])}</summary>{people}{doi}"
        f'<link href="https://arxiv.org/abs/{number}v1" rel="alternate" type="text/html"/>'
        f'<link href="https://arxiv.org/pdf/{number}v1" rel="related" type="application/pdf" '
        'title="pdf"/></entry>'
    )


def _pubmed(papers: list[Entry]) -> httpx2.Response:
    ids = [one["pmid"] for one in papers]
    result = {
        "count": str(len(ids)),
        "retmax": str(len(ids)),
        "retstart": "0",
        "idlist": ids,
        "translationset": [],
    }
    return _json({"header": {"type": "esearch", "version": "0.3"}, "esearchresult": result})


def _pubmed_records(papers: list[Entry]) -> httpx2.Response:
    records = "".join(map(_pubmed_record, papers))
    text = f'<?xml version="1.0" ?>\n<PubmedArticleSet>{records}</PubmedArticleSet>\n'
    return httpx2.Response(
        200, headers={"Content-Type": "text/xml; charset=UTF-8"}, content=text.encode()
    )


def _pubmed_record(one: Entry) -> str:
    year, month, day = one["date"].split("-")
    people = "".join(
        f"<Author><LastName>{escape(family)}</LastName><ForeName>{escape(given)}</ForeName></Author>"
        for family, given in one["authors"]
    )
    retracted = (
        "<PublicationType>Retracted Publication</PublicationType>" if "retracted" in one else ""
    )
    return (
        f"<PubmedArticle><MedlineCitation><PMID>{one['pmid']}</PMID><Article><Journal><JournalIssue>"
        f"<Volume>{one['volume']}</Volume><Issue>{one['issue']}</Issue>"
        f"<PubDate><Year>{year}</Year><Month>{month}</Month><Day>{day}</Day></PubDate></JournalIssue>"
        f"<Title>{escape(one['journal'])}</Title></Journal><ArticleTitle>{escape(one['title'])}.</ArticleTitle>"
        f"<Pagination><MedlinePgn>{one['pages']}</MedlinePgn></Pagination>"
        f"<Abstract><AbstractText>{escape(one['abstract'])}</AbstractText></Abstract><AuthorList>{people}</AuthorList>"
        "<PublicationTypeList><PublicationType>Journal "
        f"Article</PublicationType>{retracted}</PublicationTypeList>"
        "</Article></MedlineCitation><PubmedData><ArticleIdList><ArticleId "
        f'IdType="doi">{one["doi"]}</ArticleId>'
        f"</ArticleIdList></PubmedData></PubmedArticle>"
    )


def _europepmc(papers: list[Entry]) -> httpx2.Response:
    results = [_europepmc_result(one) for one in papers]
    return _json({"version": "6.9", "hitCount": len(results), "resultList": {"result": results}})


def _europepmc_result(one: Entry) -> Entry:
    people = [{"lastName": family, "firstName": given} for family, given in one["authors"]]
    kinds = ["Journal Article"] + (["Retracted Publication"] if "retracted" in one else [])
    return {
        "id": one["pmid"],
        "source": "MED",
        "pmid": one["pmid"],
        "doi": one["doi"],
        "title": f"{one['title']}.",
        "authorList": {"author": people},
        "journalInfo": {
            "volume": one["volume"],
            "issue": one["issue"],
            "journal": {"title": one["journal"]},
        },
        "pubYear": one["date"][:4],
        "pageInfo": one["pages"],
        "abstractText": escape(one["abstract"]),
        "pubTypeList": {"pubType": kinds},
        "isOpenAccess": "N",
        "citedByCount": one.get("cited", 0),
        "firstPublicationDate": one["date"],
    }


def _semanticscholar(papers: list[Entry]) -> httpx2.Response:
    words = (
        "Too Many Requests. Please wait and try again or apply for a key for higher rate limits."
    )
    return _json({"message": words, "code": "429"}, status=429)


def _json(body: object, status: int = 200) -> httpx2.Response:
    data = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    return httpx2.Response(
        status, headers={"Content-Type": "application/json; charset=UTF-8"}, content=data
    )


_REPLIES: dict[str, Callable[[list[Entry]], httpx2.Response]] = {
    "arxiv": _arxiv,
    "crossref": _crossref,
    "europepmc": _europepmc,
    "openalex": _openalex,
    "pubmed": _pubmed,
    "semanticscholar": _semanticscholar,
}
