"""What a type checker sees of the library. Written by scripts/generate.py from the signatures of
the tools: change those, then run `make generate`.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Literal, overload

from webquarry.api import CiteOutput, OnProgress
from webquarry.draft_check import CheckOutput
from webquarry.errors import WebquarryError
from webquarry.settings import Settings
from webquarry.tool import Answer, TextAnswer
from webquarry.tools.executables._search import SearchAnswer
from webquarry.tools.executables.web_fetch import FetchAnswer
from webquarry.tools.research._search import SearchOutput
from webquarry.tools.research.academic_search import PapersOutput
from webquarry.tools.research.check_citations import CitationsOutput
from webquarry.tools.research.check_quotes import QuotesOutput
from webquarry.tools.research.format_bibliography import BibliographyOutput
from webquarry.tools.research.get_research_session import ResearchSessionOutput
from webquarry.tools.research.instant_answer import InstantAnswerOutput
from webquarry.tools.research.patent_search import PatentSearchOutput
from webquarry.tools.research.research_export import ResearchExportOutput
from webquarry.tools.research.scrape_page import ScrapeOutput
from webquarry.tools.research.search_and_scrape import SearchAndScrapeOutput
from webquarry.tools.research.sequential_search import SequentialSearchOutput
from webquarry.tools.research.show_research import ShownResearch

@overload
def call(
    name: Literal["instant_answer"],
    /,
    *,
    toolset: Literal["duckduckgo"],
    query: str,
    on_progress: OnProgress | None = None,
) -> TextAnswer: ...

@overload
def call(
    name: Literal["web_search"],
    /,
    *,
    toolset: Literal["duckduckgo"],
    query: str,
    max_results: int | None = None,
    on_progress: OnProgress | None = None,
) -> TextAnswer: ...

@overload
def call(
    name: Literal["web_fetch"],
    /,
    *,
    toolset: Literal["executables"] | None = None,
    url: str,
    offset: int | None = None,
    limit: int | None = None,
    on_progress: OnProgress | None = None,
) -> FetchAnswer: ...

@overload
def call(
    name: Literal["web_search_brave"],
    /,
    *,
    toolset: Literal["executables"] | None = None,
    query: str,
    allowed_domains: list[str] | None = None,
    blocked_domains: list[str] | None = None,
    on_progress: OnProgress | None = None,
) -> SearchAnswer: ...

@overload
def call(
    name: Literal["web_search_google"],
    /,
    *,
    toolset: Literal["executables"] | None = None,
    query: str,
    allowed_domains: list[str] | None = None,
    blocked_domains: list[str] | None = None,
    on_progress: OnProgress | None = None,
) -> SearchAnswer: ...

@overload
def call(
    name: Literal["academic_search"],
    /,
    *,
    toolset: Literal["research"] | None = None,
    query: str,
    num_results: int = 5,
    year_from: int | None = None,
    year_to: int | None = None,
    source: Literal["all", "arxiv", "pubmed", "crossref", "openalex", "semanticscholar", "europepmc"] = "all",
    pdf_only: bool = False,
    sort_by: Literal["relevance", "date"] = "relevance",
    open_access: bool = False,
    provider: str | None = None,
    sessionId: str | None = None,
    on_progress: OnProgress | None = None,
) -> PapersOutput: ...

@overload
def call(
    name: Literal["check_citations"],
    /,
    *,
    toolset: Literal["research"] | None = None,
    references: list[str | dict[str, Any]] | None = None,
    sessionId: str | None = None,
    on_progress: OnProgress | None = None,
) -> CitationsOutput: ...

@overload
def call(
    name: Literal["check_quotes"],
    /,
    *,
    toolset: Literal["research"] | None = None,
    text: str | None = None,
    quotes: list[str] | None = None,
    sources: list[str] | None = None,
    sessionId: str | None = None,
    on_progress: OnProgress | None = None,
) -> QuotesOutput: ...

@overload
def call(
    name: Literal["format_bibliography"],
    /,
    *,
    toolset: Literal["research"] | None = None,
    style: Literal["apa", "mla", "bibtex", "ris", "csl-json"] = "apa",
    sessionId: str | None = None,
    sources: list[str | dict[str, Any]] | None = None,
    include_found: bool = False,
    on_progress: OnProgress | None = None,
) -> BibliographyOutput: ...

@overload
def call(
    name: Literal["get_research_session"],
    /,
    *,
    toolset: Literal["research"] | None = None,
    sessionId: str,
    stepNumber: int | None = None,
    on_progress: OnProgress | None = None,
) -> ResearchSessionOutput: ...

@overload
def call(
    name: Literal["instant_answer"],
    /,
    *,
    toolset: Literal["research"] | None = None,
    query: str,
    sessionId: str | None = None,
    on_progress: OnProgress | None = None,
) -> InstantAnswerOutput: ...

@overload
def call(
    name: Literal["patent_search"],
    /,
    *,
    toolset: Literal["research"] | None = None,
    query: str | None = None,
    num_results: int = 5,
    search_type: Literal["prior_art", "specific", "landscape"] = "prior_art",
    patent_office: str = "all",
    assignee: str | None = None,
    inventor: str | None = None,
    cpc_code: str | None = None,
    year_from: int | None = None,
    year_to: int | None = None,
    provider: str | None = None,
    sessionId: str | None = None,
    on_progress: OnProgress | None = None,
) -> PatentSearchOutput: ...

@overload
def call(
    name: Literal["research_export"],
    /,
    *,
    toolset: Literal["research"] | None = None,
    sessionId: str,
    format: Literal["markdown", "json", "html"] = "markdown",
    verify_links: bool = False,
    include_found: bool = False,
    on_progress: OnProgress | None = None,
) -> ResearchExportOutput: ...

@overload
def call(
    name: Literal["scrape_page"],
    /,
    *,
    toolset: Literal["research"] | None = None,
    url: str,
    mode: Literal["full", "preview", "raw", "whole"] = "full",
    max_length: int = 50000,
    sessionId: str | None = None,
    outline: bool | None = None,
    section: str | None = None,
    find: str | None = None,
    cursor: str | None = None,
    links: Literal["list", "inline"] | None = None,
    citation_style: Literal["apa", "mla", "bibtex", "ris", "csl-json"] = "apa",
    structured: bool | None = None,
    question: str | None = None,
    max_tokens: int | None = None,
    fresh: bool | None = None,
    render: Literal["auto", "always", "never"] = "auto",
    unchanged: Literal["short"] | None = None,
    again: bool | None = None,
    on_progress: OnProgress | None = None,
) -> ScrapeOutput: ...

@overload
def call(
    name: Literal["search_and_scrape"],
    /,
    *,
    toolset: Literal["research"] | None = None,
    query: str,
    num_results: int = 3,
    include_sources: bool = False,
    deduplicate: bool = True,
    max_length_per_source: int = 50000,
    total_max_length: int = 300000,
    filter_by_query: bool = True,
    provider: str | None = None,
    sessionId: str | None = None,
    claim: str | None = None,
    question: str | None = None,
    max_tokens: int | None = None,
    links: Literal["list", "inline"] | None = None,
    on_progress: OnProgress | None = None,
) -> SearchAndScrapeOutput: ...

@overload
def call(
    name: Literal["sequential_search"],
    /,
    *,
    toolset: Literal["research"] | None = None,
    searchStep: str,
    stepNumber: int,
    nextStepNeeded: bool = True,
    sessionId: str | None = None,
    researchGoal: str | None = None,
    reasoning: str | None = None,
    confidence: Literal["low", "medium", "high"] | None = None,
    rejectedApproaches: list[str] | None = None,
    knowledgeGap: str | None = None,
    sessionSummary: str | None = None,
    totalStepsEstimate: int | None = None,
    isRevision: bool | None = None,
    revisesStep: int | None = None,
    branchFromStep: int | None = None,
    branchId: str | None = None,
    responseMode: Literal["full", "compact"] = "full",
    depth: Literal["quick", "standard", "thorough"] = "quick",
    on_progress: OnProgress | None = None,
) -> SequentialSearchOutput: ...

@overload
def call(
    name: Literal["show_research"],
    /,
    *,
    toolset: Literal["research"] | None = None,
    sessionId: str | None = None,
    url: str | None = None,
    on_progress: OnProgress | None = None,
) -> ShownResearch: ...

@overload
def call(
    name: Literal["web_search"],
    /,
    *,
    toolset: Literal["research"] | None = None,
    query: str,
    num_results: int = 5,
    time_range: Literal["day", "week", "month", "year"] | None = None,
    safe: Literal["off", "medium", "high"] = "medium",
    language: str | None = None,
    site: str | None = None,
    exact_terms: str | None = None,
    exclude_terms: str | None = None,
    country: str | None = None,
    lens: str | None = None,
    provider: str | None = None,
    sessionId: str | None = None,
    claim: str | None = None,
    fresh: bool | None = None,
    on_progress: OnProgress | None = None,
) -> SearchOutput: ...

def call_with(
    name: str,
    arguments: Mapping[str, Any],
    toolset: str | None = None,
    *,
    on_progress: OnProgress | None = None,
) -> Answer: ...

def search(
    query: str,
    /,
    *,
    num_results: int = 5,
    time_range: Literal["day", "week", "month", "year"] | None = None,
    safe: Literal["off", "medium", "high"] = "medium",
    language: str | None = None,
    site: str | None = None,
    exact_terms: str | None = None,
    exclude_terms: str | None = None,
    country: str | None = None,
    lens: str | None = None,
    provider: str | None = None,
    sessionId: str | None = None,
    claim: str | None = None,
    fresh: bool | None = None,
    on_progress: OnProgress | None = None,
) -> SearchOutput: ...

def read(
    url: str,
    /,
    *,
    mode: Literal["full", "preview", "raw", "whole"] = "full",
    max_length: int = 50000,
    sessionId: str | None = None,
    outline: bool | None = None,
    section: str | None = None,
    find: str | None = None,
    cursor: str | None = None,
    links: Literal["list", "inline"] | None = None,
    citation_style: Literal["apa", "mla", "bibtex", "ris", "csl-json"] = "apa",
    structured: bool | None = None,
    question: str | None = None,
    max_tokens: int | None = None,
    fresh: bool | None = None,
    render: Literal["auto", "always", "never"] = "auto",
    unchanged: Literal["short"] | None = None,
    again: bool | None = None,
    on_progress: OnProgress | None = None,
) -> ScrapeOutput: ...

def cite(
    url: str,
    /,
    *,
    style: Literal["apa", "mla", "bibtex", "ris", "csl-json"] = "apa",
    on_progress: OnProgress | None = None,
) -> CiteOutput: ...

def papers(
    query: str,
    /,
    *,
    num_results: int = 5,
    year_from: int | None = None,
    year_to: int | None = None,
    source: Literal["all", "arxiv", "pubmed", "crossref", "openalex", "semanticscholar", "europepmc"] = "all",
    pdf_only: bool = False,
    sort_by: Literal["relevance", "date"] = "relevance",
    open_access: bool = False,
    provider: str | None = None,
    sessionId: str | None = None,
    on_progress: OnProgress | None = None,
) -> PapersOutput: ...

def check(
    draft: str | Path,
    /,
    *,
    sources: Sequence[str] = (),
    session: str | None = None,
    fail_on: str | None = None,
    references: bool = True,
    on_progress: OnProgress | None = None,
) -> CheckOutput: ...

def search_all(
    queries: Iterable[str],
    /,
    *,
    at_once: int = 8,
    num_results: int = 5,
    time_range: Literal["day", "week", "month", "year"] | None = None,
    safe: Literal["off", "medium", "high"] = "medium",
    language: str | None = None,
    site: str | None = None,
    exact_terms: str | None = None,
    exclude_terms: str | None = None,
    country: str | None = None,
    lens: str | None = None,
    provider: str | None = None,
    sessionId: str | None = None,
    claim: str | None = None,
    fresh: bool | None = None,
    on_progress: OnProgress | None = None,
) -> list[SearchOutput | WebquarryError]: ...

def read_all(
    urls: Iterable[str],
    /,
    *,
    at_once: int = 8,
    mode: Literal["full", "preview", "raw", "whole"] = "full",
    max_length: int = 50000,
    sessionId: str | None = None,
    outline: bool | None = None,
    section: str | None = None,
    find: str | None = None,
    cursor: str | None = None,
    links: Literal["list", "inline"] | None = None,
    citation_style: Literal["apa", "mla", "bibtex", "ris", "csl-json"] = "apa",
    structured: bool | None = None,
    question: str | None = None,
    max_tokens: int | None = None,
    fresh: bool | None = None,
    render: Literal["auto", "always", "never"] = "auto",
    unchanged: Literal["short"] | None = None,
    again: bool | None = None,
    on_progress: OnProgress | None = None,
) -> list[ScrapeOutput | WebquarryError]: ...

async def search_async(
    query: str,
    /,
    *,
    num_results: int = 5,
    time_range: Literal["day", "week", "month", "year"] | None = None,
    safe: Literal["off", "medium", "high"] = "medium",
    language: str | None = None,
    site: str | None = None,
    exact_terms: str | None = None,
    exclude_terms: str | None = None,
    country: str | None = None,
    lens: str | None = None,
    provider: str | None = None,
    sessionId: str | None = None,
    claim: str | None = None,
    fresh: bool | None = None,
    on_progress: OnProgress | None = None,
) -> SearchOutput: ...

async def read_async(
    url: str,
    /,
    *,
    mode: Literal["full", "preview", "raw", "whole"] = "full",
    max_length: int = 50000,
    sessionId: str | None = None,
    outline: bool | None = None,
    section: str | None = None,
    find: str | None = None,
    cursor: str | None = None,
    links: Literal["list", "inline"] | None = None,
    citation_style: Literal["apa", "mla", "bibtex", "ris", "csl-json"] = "apa",
    structured: bool | None = None,
    question: str | None = None,
    max_tokens: int | None = None,
    fresh: bool | None = None,
    render: Literal["auto", "always", "never"] = "auto",
    unchanged: Literal["short"] | None = None,
    again: bool | None = None,
    on_progress: OnProgress | None = None,
) -> ScrapeOutput: ...

async def cite_async(
    url: str,
    /,
    *,
    style: Literal["apa", "mla", "bibtex", "ris", "csl-json"] = "apa",
    on_progress: OnProgress | None = None,
) -> CiteOutput: ...

async def papers_async(
    query: str,
    /,
    *,
    num_results: int = 5,
    year_from: int | None = None,
    year_to: int | None = None,
    source: Literal["all", "arxiv", "pubmed", "crossref", "openalex", "semanticscholar", "europepmc"] = "all",
    pdf_only: bool = False,
    sort_by: Literal["relevance", "date"] = "relevance",
    open_access: bool = False,
    provider: str | None = None,
    sessionId: str | None = None,
    on_progress: OnProgress | None = None,
) -> PapersOutput: ...

async def check_async(
    draft: str | Path,
    /,
    *,
    sources: Sequence[str] = (),
    session: str | None = None,
    fail_on: str | None = None,
    references: bool = True,
    on_progress: OnProgress | None = None,
) -> CheckOutput: ...

async def search_all_async(
    queries: Iterable[str],
    /,
    *,
    at_once: int = 8,
    num_results: int = 5,
    time_range: Literal["day", "week", "month", "year"] | None = None,
    safe: Literal["off", "medium", "high"] = "medium",
    language: str | None = None,
    site: str | None = None,
    exact_terms: str | None = None,
    exclude_terms: str | None = None,
    country: str | None = None,
    lens: str | None = None,
    provider: str | None = None,
    sessionId: str | None = None,
    claim: str | None = None,
    fresh: bool | None = None,
    on_progress: OnProgress | None = None,
) -> list[SearchOutput | WebquarryError]: ...

async def read_all_async(
    urls: Iterable[str],
    /,
    *,
    at_once: int = 8,
    mode: Literal["full", "preview", "raw", "whole"] = "full",
    max_length: int = 50000,
    sessionId: str | None = None,
    outline: bool | None = None,
    section: str | None = None,
    find: str | None = None,
    cursor: str | None = None,
    links: Literal["list", "inline"] | None = None,
    citation_style: Literal["apa", "mla", "bibtex", "ris", "csl-json"] = "apa",
    structured: bool | None = None,
    question: str | None = None,
    max_tokens: int | None = None,
    fresh: bool | None = None,
    render: Literal["auto", "always", "never"] = "auto",
    unchanged: Literal["short"] | None = None,
    again: bool | None = None,
    on_progress: OnProgress | None = None,
) -> list[ScrapeOutput | WebquarryError]: ...

class Quarry:
    async def academic_search(
        self,
        *,
        query: str,
        num_results: int = 5,
        year_from: int | None = None,
        year_to: int | None = None,
        source: Literal["all", "arxiv", "pubmed", "crossref", "openalex", "semanticscholar", "europepmc"] = "all",
        pdf_only: bool = False,
        sort_by: Literal["relevance", "date"] = "relevance",
        open_access: bool = False,
        provider: str | None = None,
        sessionId: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> PapersOutput: ...
    async def check_citations(
        self,
        *,
        references: list[str | dict[str, Any]] | None = None,
        sessionId: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> CitationsOutput: ...
    async def check_quotes(
        self,
        *,
        text: str | None = None,
        quotes: list[str] | None = None,
        sources: list[str] | None = None,
        sessionId: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> QuotesOutput: ...
    async def format_bibliography(
        self,
        *,
        style: Literal["apa", "mla", "bibtex", "ris", "csl-json"] = "apa",
        sessionId: str | None = None,
        sources: list[str | dict[str, Any]] | None = None,
        include_found: bool = False,
        on_progress: OnProgress | None = None,
    ) -> BibliographyOutput: ...
    async def get_research_session(
        self,
        *,
        sessionId: str,
        stepNumber: int | None = None,
        on_progress: OnProgress | None = None,
    ) -> ResearchSessionOutput: ...
    async def instant_answer(
        self,
        *,
        query: str,
        sessionId: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> InstantAnswerOutput: ...
    async def patent_search(
        self,
        *,
        query: str | None = None,
        num_results: int = 5,
        search_type: Literal["prior_art", "specific", "landscape"] = "prior_art",
        patent_office: str = "all",
        assignee: str | None = None,
        inventor: str | None = None,
        cpc_code: str | None = None,
        year_from: int | None = None,
        year_to: int | None = None,
        provider: str | None = None,
        sessionId: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> PatentSearchOutput: ...
    async def research_export(
        self,
        *,
        sessionId: str,
        format: Literal["markdown", "json", "html"] = "markdown",
        verify_links: bool = False,
        include_found: bool = False,
        on_progress: OnProgress | None = None,
    ) -> ResearchExportOutput: ...
    async def scrape_page(
        self,
        *,
        url: str,
        mode: Literal["full", "preview", "raw", "whole"] = "full",
        max_length: int = 50000,
        sessionId: str | None = None,
        outline: bool | None = None,
        section: str | None = None,
        find: str | None = None,
        cursor: str | None = None,
        links: Literal["list", "inline"] | None = None,
        citation_style: Literal["apa", "mla", "bibtex", "ris", "csl-json"] = "apa",
        structured: bool | None = None,
        question: str | None = None,
        max_tokens: int | None = None,
        fresh: bool | None = None,
        render: Literal["auto", "always", "never"] = "auto",
        unchanged: Literal["short"] | None = None,
        again: bool | None = None,
        on_progress: OnProgress | None = None,
    ) -> ScrapeOutput: ...
    async def search_and_scrape(
        self,
        *,
        query: str,
        num_results: int = 3,
        include_sources: bool = False,
        deduplicate: bool = True,
        max_length_per_source: int = 50000,
        total_max_length: int = 300000,
        filter_by_query: bool = True,
        provider: str | None = None,
        sessionId: str | None = None,
        claim: str | None = None,
        question: str | None = None,
        max_tokens: int | None = None,
        links: Literal["list", "inline"] | None = None,
        on_progress: OnProgress | None = None,
    ) -> SearchAndScrapeOutput: ...
    async def sequential_search(
        self,
        *,
        searchStep: str,
        stepNumber: int,
        nextStepNeeded: bool = True,
        sessionId: str | None = None,
        researchGoal: str | None = None,
        reasoning: str | None = None,
        confidence: Literal["low", "medium", "high"] | None = None,
        rejectedApproaches: list[str] | None = None,
        knowledgeGap: str | None = None,
        sessionSummary: str | None = None,
        totalStepsEstimate: int | None = None,
        isRevision: bool | None = None,
        revisesStep: int | None = None,
        branchFromStep: int | None = None,
        branchId: str | None = None,
        responseMode: Literal["full", "compact"] = "full",
        depth: Literal["quick", "standard", "thorough"] = "quick",
        on_progress: OnProgress | None = None,
    ) -> SequentialSearchOutput: ...
    async def show_research(
        self,
        *,
        sessionId: str | None = None,
        url: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> ShownResearch: ...
    async def web_fetch(
        self,
        *,
        url: str,
        offset: int | None = None,
        limit: int | None = None,
        on_progress: OnProgress | None = None,
    ) -> FetchAnswer: ...
    async def web_search(
        self,
        *,
        query: str,
        num_results: int = 5,
        time_range: Literal["day", "week", "month", "year"] | None = None,
        safe: Literal["off", "medium", "high"] = "medium",
        language: str | None = None,
        site: str | None = None,
        exact_terms: str | None = None,
        exclude_terms: str | None = None,
        country: str | None = None,
        lens: str | None = None,
        provider: str | None = None,
        sessionId: str | None = None,
        claim: str | None = None,
        fresh: bool | None = None,
        on_progress: OnProgress | None = None,
    ) -> SearchOutput: ...
    async def web_search_brave(
        self,
        *,
        query: str,
        allowed_domains: list[str] | None = None,
        blocked_domains: list[str] | None = None,
        on_progress: OnProgress | None = None,
    ) -> SearchAnswer: ...
    async def web_search_google(
        self,
        *,
        query: str,
        allowed_domains: list[str] | None = None,
        blocked_domains: list[str] | None = None,
        on_progress: OnProgress | None = None,
    ) -> SearchAnswer: ...
    async def search(
        self,
        query: str,
        /,
        *,
        num_results: int = 5,
        time_range: Literal["day", "week", "month", "year"] | None = None,
        safe: Literal["off", "medium", "high"] = "medium",
        language: str | None = None,
        site: str | None = None,
        exact_terms: str | None = None,
        exclude_terms: str | None = None,
        country: str | None = None,
        lens: str | None = None,
        provider: str | None = None,
        sessionId: str | None = None,
        claim: str | None = None,
        fresh: bool | None = None,
        on_progress: OnProgress | None = None,
    ) -> SearchOutput: ...
    async def read(
        self,
        url: str,
        /,
        *,
        mode: Literal["full", "preview", "raw", "whole"] = "full",
        max_length: int = 50000,
        sessionId: str | None = None,
        outline: bool | None = None,
        section: str | None = None,
        find: str | None = None,
        cursor: str | None = None,
        links: Literal["list", "inline"] | None = None,
        citation_style: Literal["apa", "mla", "bibtex", "ris", "csl-json"] = "apa",
        structured: bool | None = None,
        question: str | None = None,
        max_tokens: int | None = None,
        fresh: bool | None = None,
        render: Literal["auto", "always", "never"] = "auto",
        unchanged: Literal["short"] | None = None,
        again: bool | None = None,
        on_progress: OnProgress | None = None,
    ) -> ScrapeOutput: ...
    async def cite(
        self,
        url: str,
        /,
        *,
        style: Literal["apa", "mla", "bibtex", "ris", "csl-json"] = "apa",
        on_progress: OnProgress | None = None,
    ) -> CiteOutput: ...
    async def papers(
        self,
        query: str,
        /,
        *,
        num_results: int = 5,
        year_from: int | None = None,
        year_to: int | None = None,
        source: Literal["all", "arxiv", "pubmed", "crossref", "openalex", "semanticscholar", "europepmc"] = "all",
        pdf_only: bool = False,
        sort_by: Literal["relevance", "date"] = "relevance",
        open_access: bool = False,
        provider: str | None = None,
        sessionId: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> PapersOutput: ...
    async def check(
        self,
        draft: str | Path,
        /,
        *,
        sources: Sequence[str] = (),
        session: str | None = None,
        fail_on: str | None = None,
        references: bool = True,
        on_progress: OnProgress | None = None,
    ) -> CheckOutput: ...
    async def search_all(
        self,
        queries: Iterable[str],
        /,
        *,
        at_once: int = 8,
        num_results: int = 5,
        time_range: Literal["day", "week", "month", "year"] | None = None,
        safe: Literal["off", "medium", "high"] = "medium",
        language: str | None = None,
        site: str | None = None,
        exact_terms: str | None = None,
        exclude_terms: str | None = None,
        country: str | None = None,
        lens: str | None = None,
        provider: str | None = None,
        sessionId: str | None = None,
        claim: str | None = None,
        fresh: bool | None = None,
        on_progress: OnProgress | None = None,
    ) -> list[SearchOutput | WebquarryError]: ...
    async def read_all(
        self,
        urls: Iterable[str],
        /,
        *,
        at_once: int = 8,
        mode: Literal["full", "preview", "raw", "whole"] = "full",
        max_length: int = 50000,
        sessionId: str | None = None,
        outline: bool | None = None,
        section: str | None = None,
        find: str | None = None,
        cursor: str | None = None,
        links: Literal["list", "inline"] | None = None,
        citation_style: Literal["apa", "mla", "bibtex", "ris", "csl-json"] = "apa",
        structured: bool | None = None,
        question: str | None = None,
        max_tokens: int | None = None,
        fresh: bool | None = None,
        render: Literal["auto", "always", "never"] = "auto",
        unchanged: Literal["short"] | None = None,
        again: bool | None = None,
        on_progress: OnProgress | None = None,
    ) -> list[ScrapeOutput | WebquarryError]: ...

class DuckduckgoTools:
    async def instant_answer(
        self,
        *,
        query: str,
        on_progress: OnProgress | None = None,
    ) -> TextAnswer: ...
    async def web_search(
        self,
        *,
        query: str,
        max_results: int | None = None,
        on_progress: OnProgress | None = None,
    ) -> TextAnswer: ...

class ExecutablesTools:
    async def web_fetch(
        self,
        *,
        url: str,
        offset: int | None = None,
        limit: int | None = None,
        on_progress: OnProgress | None = None,
    ) -> FetchAnswer: ...
    async def web_search_brave(
        self,
        *,
        query: str,
        allowed_domains: list[str] | None = None,
        blocked_domains: list[str] | None = None,
        on_progress: OnProgress | None = None,
    ) -> SearchAnswer: ...
    async def web_search_google(
        self,
        *,
        query: str,
        allowed_domains: list[str] | None = None,
        blocked_domains: list[str] | None = None,
        on_progress: OnProgress | None = None,
    ) -> SearchAnswer: ...

class ResearchTools:
    async def academic_search(
        self,
        *,
        query: str,
        num_results: int = 5,
        year_from: int | None = None,
        year_to: int | None = None,
        source: Literal["all", "arxiv", "pubmed", "crossref", "openalex", "semanticscholar", "europepmc"] = "all",
        pdf_only: bool = False,
        sort_by: Literal["relevance", "date"] = "relevance",
        open_access: bool = False,
        provider: str | None = None,
        sessionId: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> PapersOutput: ...
    async def check_citations(
        self,
        *,
        references: list[str | dict[str, Any]] | None = None,
        sessionId: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> CitationsOutput: ...
    async def check_quotes(
        self,
        *,
        text: str | None = None,
        quotes: list[str] | None = None,
        sources: list[str] | None = None,
        sessionId: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> QuotesOutput: ...
    async def format_bibliography(
        self,
        *,
        style: Literal["apa", "mla", "bibtex", "ris", "csl-json"] = "apa",
        sessionId: str | None = None,
        sources: list[str | dict[str, Any]] | None = None,
        include_found: bool = False,
        on_progress: OnProgress | None = None,
    ) -> BibliographyOutput: ...
    async def get_research_session(
        self,
        *,
        sessionId: str,
        stepNumber: int | None = None,
        on_progress: OnProgress | None = None,
    ) -> ResearchSessionOutput: ...
    async def instant_answer(
        self,
        *,
        query: str,
        sessionId: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> InstantAnswerOutput: ...
    async def patent_search(
        self,
        *,
        query: str | None = None,
        num_results: int = 5,
        search_type: Literal["prior_art", "specific", "landscape"] = "prior_art",
        patent_office: str = "all",
        assignee: str | None = None,
        inventor: str | None = None,
        cpc_code: str | None = None,
        year_from: int | None = None,
        year_to: int | None = None,
        provider: str | None = None,
        sessionId: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> PatentSearchOutput: ...
    async def research_export(
        self,
        *,
        sessionId: str,
        format: Literal["markdown", "json", "html"] = "markdown",
        verify_links: bool = False,
        include_found: bool = False,
        on_progress: OnProgress | None = None,
    ) -> ResearchExportOutput: ...
    async def scrape_page(
        self,
        *,
        url: str,
        mode: Literal["full", "preview", "raw", "whole"] = "full",
        max_length: int = 50000,
        sessionId: str | None = None,
        outline: bool | None = None,
        section: str | None = None,
        find: str | None = None,
        cursor: str | None = None,
        links: Literal["list", "inline"] | None = None,
        citation_style: Literal["apa", "mla", "bibtex", "ris", "csl-json"] = "apa",
        structured: bool | None = None,
        question: str | None = None,
        max_tokens: int | None = None,
        fresh: bool | None = None,
        render: Literal["auto", "always", "never"] = "auto",
        unchanged: Literal["short"] | None = None,
        again: bool | None = None,
        on_progress: OnProgress | None = None,
    ) -> ScrapeOutput: ...
    async def search_and_scrape(
        self,
        *,
        query: str,
        num_results: int = 3,
        include_sources: bool = False,
        deduplicate: bool = True,
        max_length_per_source: int = 50000,
        total_max_length: int = 300000,
        filter_by_query: bool = True,
        provider: str | None = None,
        sessionId: str | None = None,
        claim: str | None = None,
        question: str | None = None,
        max_tokens: int | None = None,
        links: Literal["list", "inline"] | None = None,
        on_progress: OnProgress | None = None,
    ) -> SearchAndScrapeOutput: ...
    async def sequential_search(
        self,
        *,
        searchStep: str,
        stepNumber: int,
        nextStepNeeded: bool = True,
        sessionId: str | None = None,
        researchGoal: str | None = None,
        reasoning: str | None = None,
        confidence: Literal["low", "medium", "high"] | None = None,
        rejectedApproaches: list[str] | None = None,
        knowledgeGap: str | None = None,
        sessionSummary: str | None = None,
        totalStepsEstimate: int | None = None,
        isRevision: bool | None = None,
        revisesStep: int | None = None,
        branchFromStep: int | None = None,
        branchId: str | None = None,
        responseMode: Literal["full", "compact"] = "full",
        depth: Literal["quick", "standard", "thorough"] = "quick",
        on_progress: OnProgress | None = None,
    ) -> SequentialSearchOutput: ...
    async def show_research(
        self,
        *,
        sessionId: str | None = None,
        url: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> ShownResearch: ...
    async def web_search(
        self,
        *,
        query: str,
        num_results: int = 5,
        time_range: Literal["day", "week", "month", "year"] | None = None,
        safe: Literal["off", "medium", "high"] = "medium",
        language: str | None = None,
        site: str | None = None,
        exact_terms: str | None = None,
        exclude_terms: str | None = None,
        country: str | None = None,
        lens: str | None = None,
        provider: str | None = None,
        sessionId: str | None = None,
        claim: str | None = None,
        fresh: bool | None = None,
        on_progress: OnProgress | None = None,
    ) -> SearchOutput: ...

@overload
def open(
    settings: Settings | None = None,
    *,
    toolset: None = None,
    environ: Mapping[str, str] | None = None,
) -> AbstractAsyncContextManager[Quarry]: ...

@overload
def open(
    settings: Settings | None = None,
    *,
    toolset: Literal["duckduckgo"],
    environ: Mapping[str, str] | None = None,
) -> AbstractAsyncContextManager[DuckduckgoTools]: ...

@overload
def open(
    settings: Settings | None = None,
    *,
    toolset: Literal["executables"],
    environ: Mapping[str, str] | None = None,
) -> AbstractAsyncContextManager[ExecutablesTools]: ...

@overload
def open(
    settings: Settings | None = None,
    *,
    toolset: Literal["research"],
    environ: Mapping[str, str] | None = None,
) -> AbstractAsyncContextManager[ResearchTools]: ...
