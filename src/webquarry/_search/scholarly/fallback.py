"""No index answered: results of a web search on scholarly sites -> papers with the little that is
known of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from webquarry._search.identity import identity
from webquarry._search.models import Result
from webquarry._search.replies.addresses import split_url
from webquarry._search.replies.doi import normal_doi
from webquarry._search.replies.text import plain
from webquarry._search.scholarly.models import Paper
from webquarry._search.scholarly.provider import parse_arxiv_id, with_origins

_NUMBER = re.compile(r"^\[\d{4}\.\d{4,5}(?:v\d+)?\]\s*")  # arXiv puts it before the title
_PUBMED = re.compile(r"https://pubmed\.ncbi\.nlm\.nih\.gov/(\d+)")


def papers_of(results: Iterable[Result]) -> list[Paper]:
    """One record for each result. A snippet is no abstract, so there is none."""
    papers = []
    for rank, result in enumerate(results):
        # The identifiers are those that its address names.
        page = identity(result.url)
        number = parse_arxiv_id(page.removeprefix("https://arxiv.org/abs/")) or ""
        doi = None
        if page.startswith("https://doi.org/"):
            doi = normal_doi(page)
        pubmed = _PUBMED.match(page)
        path = split_url(result.url).path.lower()
        pdf_url = ""
        if path.endswith(".pdf") or (number and path.startswith("/pdf/")):
            pdf_url = result.url
        published = (result.published or "")[:10]
        year = None
        if published:
            year = int(published[:4])
        paper = Paper(
            title=_NUMBER.sub("", plain(result.title)) or result.url,
            url=result.url,
            source=result.provider,
            rank=rank,
            doi=doi or "",
            arxiv_id=number,
            pmid=pubmed[1] if pubmed else "",
            published=published,
            year=year,
            open_access=True if number else None,
            pdf_url=pdf_url,
        )
        papers.append(with_origins(paper, result.provider))
    return papers
