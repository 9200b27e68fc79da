"""Queries and results of patent searches, and the filters of a query."""

from __future__ import annotations

import asyncio
import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import httpx2

from webquarry._search.models import Attempt
from webquarry._search.patents.numbers import PatentNumber, names_match
from webquarry._search.service import Service
from webquarry._search.services import LEAST_SECONDS, Services
from webquarry.clock import Clock
from webquarry.errors import BadInput
from webquarry.net.models import Reply
from webquarry.secret import Secret

_CPC = re.compile(r"([A-HY][0-9]{2})(?:([A-Z])(?:([0-9]{1,4})(?:/([0-9]{2,6}))?)?)?")


@dataclass(frozen=True)
class Patent:
    """One publication. Dates are ISO 8601; unknown fields are None or empty."""

    number: PatentNumber
    title: str
    url: str
    abstract: str = ""
    assignees: tuple[str, ...] = ()
    inventors: tuple[str, ...] = ()
    filed: str | None = None
    published: str | None = None
    granted: str | None = None
    status: str | None = None  # legal status or, if unknown, the stage of the kind
    pdf: str | None = None
    cpc: tuple[str, ...] = ()
    snippet: str = ""  # of a page found by a web search
    provider: str = ""


@dataclass(frozen=True)
class PatentQuery:
    """A query with text, assignee or inventor."""

    text: str = ""
    assignee: str = ""
    inventor: str = ""
    count: int = 5
    # Or specific: words of the title; or landscape: as many as possible, to be counted.
    search_type: str = "prior_art"
    office: str | None = None  # two letters
    cpc: str | None = None  # a result of `cpc_symbol`
    year_from: int | None = None  # of publication
    year_to: int | None = None

    def admits(self, patent: Patent) -> bool:
        """Return whether a patent passes the filters of office, year and class, if known."""
        if self.office and patent.number.office != self.office:
            return False
        if self.cpc and patent.cpc and not bears(patent.cpc, self.cpc):
            return False
        year = patent.number.published_year
        if patent.published:
            year = int(patent.published[:4])
        if year is None:
            return True
        return (self.year_from or year) <= year <= (self.year_to or year)

    def has_names(self, patent: Patent) -> bool:
        """Return whether the assignee and the inventor match, if known."""
        pairs = ((self.assignee, patent.assignees), (self.inventor, patent.inventors))
        return all(names_match(name, names) for name, names in pairs if name and names)


@dataclass(frozen=True)
class PatentBatch:
    """The answer of one service, with the number of all results if it states it."""

    patents: tuple[Patent, ...]
    total: int | None = None


@dataclass(frozen=True)
class FoundPatents:
    """The result of a search and how it was found."""

    patents: tuple[Patent, ...]
    provider: str  # names joined by a plus; `google_patents` or a web provider for pages
    attempts: tuple[Attempt, ...] = ()
    notes: tuple[str, ...] = ()
    unapplied: tuple[str, ...] = ()  # filters that were not applied
    order: tuple[str, ...] = ()
    because: str = ""
    total: int | None = None
    partial: bool = False  # a service did not answer
    discovered: bool = False  # on web pages, not in a register


def cpc_symbol(value: str) -> str:
    """Return a CPC symbol without blanks in upper case: `H04`, `H04W`, `H04W4/00`, `H04W4/02`."""
    symbol = re.sub(r"\s+", "", value).upper()
    if not _CPC.fullmatch(symbol):
        raise BadInput(
            f"The cpc_code {value[:30]!r} is not a symbol of the CPC.",
            suggested_action="Give a class, subclass or group, such as H04, H04W or H04W4/02.",
        )
    return symbol


def bears(symbols: Iterable[str], wanted: str) -> bool:
    """Return whether a symbol is within the wanted one, or in the same main group.

    The hierarchy of subgroups does not follow from their numbers; providers apply it.
    """
    start = wanted.partition("/")[0]
    starts = [symbol.partition("/")[0] for symbol in symbols]
    if len(start) > 4:
        return start in starts
    return any(other.startswith(start) for other in starts)


@dataclass(frozen=True)
class Login:
    """A token and its lifetime in seconds."""

    token: Secret
    seconds: float


class PatentProvider(Service):
    """One register. A subclass in `providers/` is registered by its file."""

    most: ClassVar[int] = 100  # patents in one answer

    @abstractmethod
    def build_search(self, query: PatentQuery) -> httpx2.Request:
        """Return the request for the first `query.count` patents; values cannot add syntax."""

    @abstractmethod
    def build_lookup(self, number: PatentNumber) -> httpx2.Request:
        """Return the request for one publication."""

    @abstractmethod
    def parse_reply(self, reply: Reply) -> PatentBatch:
        """Return the patents or raise the error; none only if the register said so."""

    def notes_on(self, query: PatentQuery) -> tuple[str, ...]:
        """Return sentences on what of the query could not be sent."""
        return ()

    def build_login(self) -> httpx2.Request | None:
        """Return the request for a token, or None if the credentials are sent with each request."""
        return None

    def parse_login(self, reply: Reply) -> Login:
        """Return the token of the reply to `build_login`, or raise the error."""
        raise NotImplementedError

    def with_login(self, request: httpx2.Request, token: Secret) -> httpx2.Request:
        """Add the token to a request."""
        request.headers["Authorization"] = f"Bearer {token.reveal()}"
        return request

    def is_login_over(self, reply: Reply) -> bool:
        """Return whether the reply says that the token expired."""
        return False

    def parse_probe(self, reply: Reply) -> None:
        self.parse_reply(reply)


class Logins:
    """Sends requests with the token that they need. One for the process."""

    def __init__(self, services: Services[PatentProvider], clock: Clock) -> None:
        self._services = services
        self._clock = clock
        self._tokens: dict[str, tuple[Secret, float]] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def send(
        self, provider: PatentProvider, build: Callable[[], httpx2.Request], seconds: float
    ) -> Reply:
        """Send a request and return the reply; an expired token is replaced once."""
        end = self._clock.monotonic() + seconds
        request = build()
        token = await self._get_token(provider, seconds)
        if token is None:
            return await self._services.send(provider, request, seconds)
        reply = await self._services.send(
            provider, provider.with_login(request, token), self._left(end)
        )
        if not provider.is_login_over(reply):
            return reply
        if self._tokens.get(provider.name, (None, 0.0))[0] == token:
            del self._tokens[provider.name]
        fresh = await self._get_token(provider, self._left(end))
        assert fresh is not None
        request = provider.with_login(build(), fresh)
        return await self._services.send(provider, request, self._left(end))

    def _left(self, end: float) -> float:
        return max(LEAST_SECONDS, end - self._clock.monotonic())

    async def _get_token(self, provider: PatentProvider, seconds: float) -> Secret | None:
        """Return the stored token or a new one; None for a provider that needs none."""
        request = provider.build_login()
        if request is None:
            return None
        async with self._locks.setdefault(provider.name, asyncio.Lock()):
            token, until = self._tokens.pop(provider.name, (None, 0.0))
            if token is None or self._clock.monotonic() >= until:
                reply = await self._services.send(provider, request, seconds)
                login = provider.parse_login(reply)
                token = login.token
                until = self._clock.monotonic() + login.seconds
            self._tokens[provider.name] = (token, until)
            return token


def merge(lists: Iterable[Sequence[Patent]]) -> list[Patent]:
    """Return each publication once, the best ranked first, equal ranks by number."""
    records: dict[PatentNumber, list[Patent]] = {}
    ranks: dict[PatentNumber, int] = {}
    for patents in lists:
        for rank, patent in enumerate(patents):
            number = patent.number
            records.setdefault(number, []).append(patent)
            ranks[number] = min(rank, ranks.get(number, rank))
    ordered = sorted(records, key=lambda number: (ranks[number], number))
    return [_merge_records(records[number]) for number in ordered]


def _merge_records(records: Sequence[Patent]) -> Patent:
    number = records[0].number
    ranks: dict[str, Callable[[Any], Any]] = {
        "title": lambda title: (title != number.google, not title.isupper(), len(title)),
        "url": lambda url: url == number.url,
        "assignees": _fullness,
        "inventors": _fullness,
        "status": lambda status: (status is not None, status != number.stage),
        "pdf": lambda pdf: pdf is not None,
    }
    for name in ("abstract", "filed", "published", "granted", "cpc", "snippet"):
        ranks[name] = _length
    values: dict[str, Any] = {}
    for name, rank in ranks.items():
        candidates = [(rank(value), str(value), value) for value in _values(records, name)]
        values[name] = max(candidates, key=lambda one: one[:2])[2]
    providers = {name for record in records for name in record.provider.split("+") if name}
    return Patent(number=number, provider="+".join(sorted(providers)), **values)


def _values(records: Sequence[Patent], name: str) -> list[Any]:
    return [getattr(record, name) for record in records]


def _length(value: Any) -> int:
    return len(value or ())


def _fullness(names: tuple[str, ...]) -> tuple[int, bool, int]:
    """Rank a list of names: their number, not all in capitals, their length."""
    return len(names), not all(map(str.isupper, names)), sum(map(len, names))
