"""One exchange with the model: calls with their retries, the search, the time and the money that
they take.

Times: 30 s for a call, and more for a long answer; 10 s for the search; 90 s for the whole, or both
calls and the search where that is longer. Waits that a provider asked for, or for a place among the
calls, are not counted. A call that took too long may have been billed, and is not repeated. Money:
the worst case is set aside before the first call and settled after the last; a call of which nobody
knows whether it was billed counts in full, as uncertain.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from webquarry._search.models import Query, Result
from webquarry.ask.billing.ledger import (
    OverLimit,
    Reservation,
    ReservationRequest,
    Settlement,
)
from webquarry.ask.billing.prices import Prices, Tokens
from webquarry.ask.billing.statement import Statement
from webquarry.ask.exchange import results
from webquarry.ask.exchange.conversation import SearchUnavailable
from webquarry.ask.exchange.limiter import Limiter
from webquarry.ask.exchange.model_client import ModelClient
from webquarry.ask.exchange.request_template import RequestTemplate
from webquarry.ask.exchange.searching import MOST_WAIT_SECONDS, Searcher
from webquarry.ask.in_flight import PendingQuestion
from webquarry.ask.models import REFUSALS, Question, ReplyError, Usage
from webquarry.ask.sharing.base import QuestionStore
from webquarry.ask.vendors.base import Body, CallFailure, Turn, build_late_failure
from webquarry.clock import Clock
from webquarry.errors import Cancelled, LimitReached, WebquarryError
from webquarry.secret import Secret

log = logging.getLogger(__name__)

CALL_SECONDS = 30.0
OWN_SERVER_SECONDS = 120.0  # instead, for a server of the user's, which may load the model first
SECONDS_PER_TOKEN = 1 / 40  # of the longest answer, beside that: slow models write so fast
MOST_CALL_SECONDS = 600.0
SEARCH_SECONDS = 10.0
TOTAL_SECONDS = 90.0
_THROTTLED_TRIES = 20
_FIRST_WAIT_SECONDS = 0.5  # before a second try; doubled for each further one
_OVERHEAD_TOKENS = 1500  # what the provider adds to a request with tools or a schema, generously
_TURN_TOKENS = 500  # the JSON around the turns that a second request has more


@dataclass
class ExchangeContext:
    """What every exchange of an engine works with."""

    client: ModelClient
    concurrency: int
    store: QuestionStore
    prices: Prices
    clock: Clock
    searcher: Searcher
    retries: int
    # By vendor: one that is busy holds up no other.
    limiters: dict[str, Limiter] = field(default_factory=dict)
    # By model: what its server refuses, and is not sent any more.
    left_out: dict[str, set[str]] = field(default_factory=dict)

    def get_limiter(self, vendor: str) -> Limiter:
        """The calls to one vendor."""
        limiter = self.limiters.get(vendor)
        if limiter is None:
            limiter = self.limiters[vendor] = Limiter(self.concurrency, self.clock)
        return limiter

    def resize(self, calls: int) -> None:
        """So many calls may be under way at once."""
        self.concurrency = calls
        for limiter in self.limiters.values():
            limiter.resize(calls)


class Exchange:
    """The `ConversationBackend` of one question."""

    def __init__(
        self,
        context: ExchangeContext,
        pending: PendingQuestion,
        template: RequestTemplate,
        key: Secret | None,
        owner: str,
    ) -> None:
        self._context = context
        self._pending = pending
        self._statement = pending.owner
        self.template = template
        self._key = key
        self._owner = owner
        first = OWN_SERVER_SECONDS if template.vendor.is_own_server else CALL_SECONDS
        self._call_seconds = limit_call(template.longest_answer, first)
        self._seconds_left = max(TOTAL_SECONDS, 2 * self._call_seconds + SEARCH_SECONDS)
        self._reservations: list[Reservation] = []
        self._unused_usd = 0.0  # of what is reserved, what no call has used yet
        self.usage = Usage()
        self.uncertain_usd = 0.0

    async def call(self, body: Body) -> Turn:
        """The model's turn. Raises `CallFailure` when all tries have failed."""
        content = encode_body(body)
        failures = 0
        while True:
            try:
                return await self._try_once(content, failures)
            except CallFailure as failure:
                failures += 1
                wait = self._choose_wait(failure, failures)
                if wait is None:
                    self._share_error(failure)
                    raise
                self._statement.count_retry(throttled=failure.is_throttling)
                log.info("the model is asked again in %.1f s: %s", wait, failure.error.message)
                if not failure.is_throttling:  # else the shared pause is the wait
                    self._seconds_left -= wait
                    await self._context.clock.sleep(wait)

    def get_left_out(self) -> Collection[str]:
        """What the model's server is known to refuse."""
        return self._context.left_out.get(self.template.model, ())

    def note_left_out(self, names: Sequence[str]) -> None:
        """The server answered without these: they are not sent again."""
        model = self.template.model
        self._context.left_out.setdefault(model, set()).update(names)
        if "tools" in names:
            self._statement.warn_once(
                f"tools {model}", f"{model} takes no tools here: it answers without a search"
            )

    async def search(self, query: str) -> Sequence[Result]:
        """What the search provider found; every failure is the same to the model."""
        self._pending.check_wanted()
        provider = self.template.provider
        seconds = min(SEARCH_SECONDS, self._seconds_left)
        if seconds <= 0:
            raise SearchUnavailable("No time was left for a search.")
        try:
            found = await self._context.searcher.search(
                provider, Query(query, results.MOST_RESULTS), seconds, self._pending.check_wanted
            )
        except Cancelled:
            raise
        except WebquarryError as error:
            self._statement.warn_once(
                f"search {error.kind}",
                f"the search failed, the model answers without it: {error.message}",
            )
            raise SearchUnavailable(error.message) from None
        if found.cached:
            self.usage = self.usage + Usage(kept_searches=1)
            return found.results
        price = self._context.prices.price_search(provider)
        self.usage = self.usage + Usage(searches=1, usd=price)
        self._unused_usd -= price
        return found.results

    def add_reservation(self, held: Reservation, usd: float) -> None:
        """So much is set aside."""
        self._reservations.append(held)
        self._unused_usd += usd

    @property
    def is_open(self) -> bool:
        """Whether something is set aside that has not been settled."""
        return bool(self._reservations)

    def take_settlements(self) -> list[Settlement]:
        """What it took, to be written down once."""
        reservations, self._reservations = self._reservations, []
        usage = self.usage
        uncertain_usd = self.uncertain_usd
        questions = int(self._pending.begun)  # one that only waited for its turn was not asked
        settlements: list[Settlement] = []
        for reservation in reservations:
            settlements.append(Settlement(reservation, usage, uncertain_usd, questions))
            usage, uncertain_usd, questions = Usage(), 0.0, 0  # all of it is on the first
        return settlements

    async def _reserve_more(self, usd: float) -> None:
        """Set more aside than was thought. What it has is not given back meanwhile, so it waits for
        nobody.
        """
        request = build_request(self._statement, self.template, usd, self._owner, questions=0)
        try:
            held = await self._context.store.reserve(request)
        except OverLimit as error:
            raise build_limit_failure(error) from None
        self.add_reservation(held, usd)

    async def _try_once(self, content: bytes, failures: int) -> Turn:
        """The turn that answers one call, and what it cost counted, however it ended."""
        limiter = self._context.get_limiter(self.template.vendor.name)
        worst = estimate_worst_call(self._context.prices, self.template, content)
        if self._unused_usd < worst:
            await self._reserve_more(worst - self._unused_usd)
        sent_at = await limiter.acquire(first=self._pending.begun)
        try:
            self._pending.check_wanted()
            self._check_unrefused()
            self._pending.begun = self._pending.sending = True
            turn = await self._send(content)
        except CallFailure as failure:
            if failure.billed:
                self._count_uncertain(worst)
            is_passing = failure.error.retryable and not _asks_too_long(failure)
            if failure.is_throttling and is_passing:
                limiter.record_throttled(sent_at, failure.retry_after or 2.0**failures)
            raise
        except asyncio.CancelledError:
            self._count_uncertain(worst)
            raise
        finally:
            self._pending.sending = False
            limiter.release()
        limiter.record_success()
        self._unused_usd -= worst
        self._count_turn(turn, worst)
        return turn

    async def _send(self, content: bytes) -> Turn:
        """The turn that the client gets, within the time of a call and of the whole."""
        context = self._context
        seconds = min(self._call_seconds, self._seconds_left)
        if seconds <= 0:
            message = "The question took longer than all of its time."
            raise CallFailure(ReplyError("timeout", message, True))
        begun = context.clock.monotonic()
        try:
            async with asyncio.timeout(seconds):
                template = self.template
                return await context.client.ask(
                    template.vendor, template.vendor_model, content, self._key, seconds
                )
        except TimeoutError:
            raise build_late_failure(seconds) from None
        finally:
            self._seconds_left -= context.clock.monotonic() - begun

    def _check_unrefused(self) -> None:
        """Raise what the vendor said to another question while this one waited for its turn."""
        known = self._statement.known_errors.get(f"{self.template.vendor.name}/")
        if known is not None:
            raise CallFailure(replace(known, retryable=False))

    def _count_uncertain(self, usd: float) -> None:
        """A call may have been billed, and nobody says."""
        self.uncertain_usd += usd
        self._unused_usd -= usd

    def _choose_wait(self, failure: CallFailure, failures: int) -> float | None:
        """Seconds before the next try; None when there is none."""
        if not failure.error.retryable or _asks_too_long(failure):
            return None
        if failure.error.code == "timeout" and failure.billed:
            return None  # it was paid for once, for nothing; whoever asks again pays again
        if failure.is_throttling and failure.retry_after is not None:
            return failure.retry_after if failures < _THROTTLED_TRIES else None
        spread = 0.5 + random.random() / 2  # noqa: S311 - spreads the tries
        backoff = _FIRST_WAIT_SECONDS * 2.0 ** (failures - 1) * spread
        wait = max(failure.retry_after or 0.0, backoff)
        if failures <= self._context.retries and wait < self._seconds_left:
            return wait
        return None

    def _share_error(self, failure: CallFailure) -> None:
        """What every further question would meet does not have to be asked."""
        template = self.template
        if failure.error.code in REFUSALS or _asks_too_long(failure):
            self._statement.known_errors[f"{template.vendor.name}/"] = failure.error
        elif failure.error.code == "model_gone":
            self._statement.known_errors[template.model] = failure.error

    def _count_turn(self, turn: Turn, worst: float) -> None:
        """What a call took, by the vendor's own counts. Where it gives none, or nobody knows the
        price, the worst case counts as uncertain.
        """
        prices = self._context.prices
        template = self.template
        tokens = turn.tokens or Tokens()
        usd = turn.usd
        is_priced = usd is not None or prices.is_known(
            template.model, is_free=template.vendor.is_free
        )
        if usd is None and is_priced and turn.tokens is not None:
            usd = prices.price_call(template.model, tokens, is_free=template.vendor.is_free)
        if usd is None and turn.tokens is None:
            self.uncertain_usd += worst
        elif usd is None:
            self.uncertain_usd += prices.price_call(
                template.model, tokens, is_free=template.vendor.is_free
            )
        self.usage = self.usage + Usage(
            calls=1,
            input_tokens=tokens.input + tokens.cache_write,
            output_tokens=tokens.output,
            cached_tokens=tokens.cache_read,
            usd=usd or 0.0,
            unpriced_calls=int(not is_priced),
        )


def build_request(
    statement: Statement, template: RequestTemplate, usd: float, owner: str, *, questions: int = 1
) -> ReservationRequest:
    """What is to be set aside for a question of a statement."""
    return ReservationRequest(
        statement.id,
        statement.door,
        template.model,
        usd,
        statement.ledger_limits,
        questions,
        owner,
    )


def build_limit_failure(error: OverLimit) -> LimitReached:
    """The error for whoever asks, where a limit leaves no room."""
    if error.what == "questions":
        return LimitReached(
            f"The run has asked {error.spent:,.0f} questions, and its limit (max_rows) is "
            f"{error.limit:,.0f}.",
            suggested_action="Raise max_rows, or ask for fewer rows; what was answered is kept.",
        )
    option = "max_usd" if error.what == "statement" else "max_usd_per_day"
    return LimitReached(
        f"The next question may cost {error.wanted:.4f} USD, and of the {error.limit:g} USD for "
        f"the {error.what} ({option}) {error.spent:.4f} are spent or set aside.",
        suggested_action=f"Raise {option}, lower max_tokens, or ask for fewer rows; what was "
        "answered is kept.",
    )


def limit_call(max_tokens: int, first: float | None = None) -> float:
    """Seconds that a call may take: so many first, and longer answers have longer."""
    if first is None:
        first = CALL_SECONDS
    return min(MOST_CALL_SECONDS, first + max_tokens * SECONDS_PER_TOKEN)


def encode_body(body: Mapping[str, Any]) -> bytes:
    """A request as it is sent; half a letter, which a command line can hold, becomes a question
    mark.
    """
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def estimate_worst_call(prices: Prices, template: RequestTemplate, content: bytes) -> float:
    """What one call may cost at most: no token is shorter than a byte, and the answer is as long as
    it may be.
    """
    tokens = Tokens(input=len(content) + _OVERHEAD_TOKENS, output=template.longest_answer)
    return prices.price_call(template.model, tokens, is_free=template.vendor.is_free)


def estimate_worst_exchange(prices: Prices, template: RequestTemplate, question: Question) -> float:
    """What a whole exchange may cost at most: with a search on offer, both calls and the search."""
    words = json.dumps(question.context + question.prompt, ensure_ascii=False)
    question_bytes = len(words.encode("utf-8", "replace"))
    size = question_bytes + len(template.encoded) + _OVERHEAD_TOKENS
    longest = template.longest_answer
    first_tokens = Tokens(input=size, output=longest)
    first = prices.price_call(template.model, first_tokens, is_free=template.vendor.is_free)
    if not template.provider:
        return first
    # The second request holds the first answer and the results, too; should they be longer, more is
    # set aside then.
    second_size = size + longest * 2 + results.MOST_BYTES + _TURN_TOKENS
    second_tokens = Tokens(input=second_size, output=longest)
    second = prices.price_call(template.model, second_tokens, is_free=template.vendor.is_free)
    search = prices.price_search(template.provider)
    return first + search + second


def _asks_too_long(failure: CallFailure) -> bool:
    """Whether the provider wants us to wait longer than anybody would."""
    return (failure.retry_after or 0) > MOST_WAIT_SECONDS
