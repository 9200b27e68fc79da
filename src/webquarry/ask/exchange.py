"""One question and its answer: the request, at most one search, the second request; with retries,
time limits and costs.

    ask -> [tool call] -> search -> ask again, with the result and no choice of tools -> answer

Where a vendor cannot combine a schema with a tool, the schema is sent with the call without one.

Times: 30 s per call, more for a long answer; 10 s for the search; 90 s in total, or both calls and
the search if that is longer. Waits that a provider asks for do not count. A call that timed out may
have been billed and is not repeated. The worst case is reserved before the first call and settled
after the last; a call that may have been billed counts in full, as uncertain.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from webquarry._search.models import Query, Result
from webquarry.ask import searching
from webquarry.ask.billing.ledger import (
    OverLimit,
    Reservation,
    ReservationRequest,
    Settlement,
)
from webquarry.ask.billing.prices import Prices, Tokens
from webquarry.ask.billing.statement import Statement
from webquarry.ask.client import ModelClient
from webquarry.ask.limiter import Limiter
from webquarry.ask.models import (
    FATAL_CODES,
    AnswerSource,
    ModelReply,
    Question,
    ReplyError,
    Usage,
)
from webquarry.ask.pending import PendingQuestion
from webquarry.ask.schema import Mismatch
from webquarry.ask.searching import MOST_WAIT_SECONDS, Searcher
from webquarry.ask.store import QuestionStore
from webquarry.ask.templates import RequestTemplate
from webquarry.ask.vendors.base import (
    WEB_SEARCH,
    Body,
    CallFailure,
    SearchCall,
    SearchOutcome,
    Turn,
    build_late_failure,
    fail,
)
from webquarry.clock import Clock
from webquarry.errors import Cancelled, LimitReached, WebquarryError
from webquarry.secret import Secret, redact

log = logging.getLogger(__name__)

CALL_SECONDS = 30.0
OWN_SERVER_SECONDS = 120.0  # for servers of the user, which may load the model first
SECONDS_PER_TOKEN = 1 / 40  # of the longest answer, in addition
MOST_CALL_SECONDS = 600.0
SEARCH_SECONDS = 10.0
TOTAL_SECONDS = 90.0
_MOST_PAUSES = 2  # turns that ask to be continued
_THROTTLED_TRIES = 20
_FIRST_WAIT_SECONDS = 0.5  # before the second try; doubled for each further one
_OVERHEAD_TOKENS = 1500  # upper bound of what the vendor adds for tools or a schema
_TURN_TOKENS = 500  # the JSON around the turns in the second request
_MAX_EXPLANATION = 300  # characters of the model's own words in an error
_MAX_REASON = 40


@dataclass
class ExchangeContext:
    """What all exchanges of an engine share."""

    client: ModelClient
    concurrency: int
    store: QuestionStore
    prices: Prices
    clock: Clock
    searcher: Searcher
    retries: int
    owner: str  # this process
    limiters: dict[str, Limiter] = field(default_factory=dict)  # by vendor
    # By model: the features that its server rejects.
    rejected: dict[str, set[str]] = field(default_factory=dict)

    def get_limiter(self, vendor: str) -> Limiter:
        """Return the limit of concurrent calls to a vendor."""
        limiter = self.limiters.get(vendor)
        if limiter is None:
            limiter = self.limiters[vendor] = Limiter(self.concurrency, self.clock)
        return limiter

    def resize(self, calls: int) -> None:
        """Set the number of concurrent calls."""
        self.concurrency = calls
        for limiter in self.limiters.values():
            limiter.resize(calls)

    def price(self, template: RequestTemplate, tokens: Tokens) -> float:
        """Return the price of a call."""
        return self.prices.price_call(template.model, tokens, is_free=template.vendor.is_free)

    def estimate_worst_call(self, template: RequestTemplate, content: bytes) -> float:
        """Return the maximum price of a call: no token is shorter than a byte."""
        tokens = Tokens(input=len(content) + _OVERHEAD_TOKENS, output=template.longest_answer)
        return self.price(template, tokens)

    def estimate_worst_exchange(self, template: RequestTemplate, question: Question) -> float:
        """Return the maximum price of a question; with a search, of both calls and the search."""
        words = json.dumps(question.context + question.prompt, ensure_ascii=False)
        size = len(words.encode("utf-8", "replace")) + len(template.encoded) + _OVERHEAD_TOKENS
        longest = template.longest_answer
        first = self.price(template, Tokens(input=size, output=longest))
        if not template.provider:
            return first
        # The second request also has the first answer and the results.
        size += longest * 2 + searching.MOST_BYTES + _TURN_TOKENS
        second = self.price(template, Tokens(input=size, output=longest))
        return first + self.prices.price_search(template.provider) + second


class Exchange:
    """The calls, the search and the costs of one question."""

    def __init__(
        self,
        context: ExchangeContext,
        pending: PendingQuestion,
        template: RequestTemplate,
        key: Secret | None,
    ) -> None:
        self._context = context
        self.pending = pending
        self._statement = pending.owner
        self._template = template
        self._vendor = template.vendor
        self._request = template.build_request(pending.question.context, pending.question.prompt)
        self._key = key
        self._body: Body = {}  # of the last call
        first = OWN_SERVER_SECONDS if self._vendor.is_own_server else CALL_SECONDS
        self._call_seconds = limit_call(template.longest_answer, first)
        self._seconds_left = max(TOTAL_SECONDS, 2 * self._call_seconds + SEARCH_SECONDS)
        self._reservations: list[Reservation] = []
        self._unused_usd = 0.0  # reserved, and not used by a call yet
        self.usage = Usage()
        self._uncertain_usd = 0.0

    async def run(self) -> ModelReply:
        """Return the answer. Raises CallFailure, LimitReached and Cancelled."""
        vendor = self._vendor
        request = self._request
        template = self._template
        turn = await self._ask(vendor.build_body(request))
        found: tuple[Result, ...] | None = None
        failed: str | None = None
        wants_both = request.schema is not None and request.offers_search
        lacks_form = wants_both and not vendor.takes_schema_beside_tools
        if turn.stop == "tool" and turn.calls and request.offers_search:
            wants_search = any(call.name == WEB_SEARCH for call in turn.calls)
            if not wants_search and turn.text.strip() and not lacks_form:
                return _build_reply(template, replace(turn, stop="end"), None)
            outcomes, found, failed = await self._run_tools(turn.calls)
            turn = await self._ask(vendor.build_next_body(self._body, turn, outcomes, request))
        elif lacks_form and turn.stop == "end" and not _fits(template, turn.text):
            turn = await self._ask(vendor.build_body(replace(request, offers_search=False)))
        reply = _build_reply(template, turn, found)
        wanted = found is not None or failed is not None
        return replace(reply, search_failed=failed, search_wanted=wanted)

    def add_reservation(self, held: Reservation, usd: float) -> None:
        """Add reserved money."""
        self._reservations.append(held)
        self._unused_usd += usd

    @property
    def is_open(self) -> bool:
        """Whether a reservation is not settled."""
        return bool(self._reservations)

    def take_settlements(self) -> list[Settlement]:
        """Return what the question cost, once; all of it is in the first settlement."""
        reservations, self._reservations = self._reservations, []
        usage = self.usage
        uncertain_usd = self._uncertain_usd
        questions = int(self.pending.begun)
        settlements: list[Settlement] = []
        for reservation in reservations:
            settlements.append(Settlement(reservation, usage, uncertain_usd, questions))
            usage, uncertain_usd, questions = Usage(), 0.0, 0
        return settlements

    async def _ask(self, body: Body) -> Turn:
        """Return the turn; one that is paused is continued, and the texts are joined."""
        turn = await self._ask_simplified(body)
        text = turn.text
        for _ in range(_MOST_PAUSES):
            if turn.stop != "paused":
                break
            body = self._vendor.build_next_body(self._body, turn, [], self._request)
            turn = await self._ask_simplified(body)
            text += turn.text
        return replace(turn, text=text)

    async def _ask_simplified(self, body: Body) -> Turn:
        """Return the turn; features that the server rejects are left out one by one, and not sent
        again if that helped.
        """
        rejected = self._context.rejected.setdefault(self._template.model, set())
        dropped: list[str] = []
        first_failure: CallFailure | None = None
        while True:
            simpler = self._vendor.simplify(body, self._request)
            if simpler is not None and simpler[0] in rejected:
                body = simpler[1]
                continue
            self._body = body
            try:
                turn = await self._call(body)
            except CallFailure as failure:
                first_failure = first_failure or failure
                if failure.error.code != "bad_request" or simpler is None:
                    raise first_failure from None
                dropped.append(simpler[0])
                body = simpler[1]
                continue
            rejected.update(dropped)
            if "tools" in dropped:
                model = self._template.model
                self._statement.warn_once(
                    f"tools {model}", f"{model} takes no tools here: it answers without a search"
                )
            return turn

    async def _call(self, body: Body) -> Turn:
        """Return the turn, with retries. Raises the CallFailure of the last try."""
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
                if not failure.is_throttling:  # else the limiter pauses
                    self._seconds_left -= wait
                    await self._context.clock.sleep(wait)

    async def _try_once(self, content: bytes, failures: int) -> Turn:
        """Send one call and count its cost, however it ends."""
        limiter = self._context.get_limiter(self._vendor.name)
        worst = self._context.estimate_worst_call(self._template, content)
        if self._unused_usd < worst:
            await self._reserve_more(worst - self._unused_usd)
        sent_at = await limiter.acquire(first=self.pending.begun)
        try:
            self.pending.check_wanted()
            known = self._statement.find_known_error(self._vendor.name, self._template.model)
            if known is not None:  # found by another question while this one waited
                raise CallFailure(replace(known, retryable=False))
            self.pending.begun = self.pending.sending = True
            turn = await self._send(content)
        except CallFailure as failure:
            if failure.billed:
                self._count_uncertain(worst)
            is_temporary = failure.error.retryable and not _asks_too_long(failure)
            if failure.is_throttling and is_temporary:
                limiter.record_throttled(sent_at, failure.retry_after or 2.0**failures)
            raise
        except asyncio.CancelledError:
            self._count_uncertain(worst)
            raise
        finally:
            self.pending.sending = False
            limiter.release()
        limiter.record_success()
        self._unused_usd -= worst
        self._count_turn(turn, worst)
        return turn

    async def _send(self, content: bytes) -> Turn:
        """Return the turn, within the time of a call and of the question."""
        clock = self._context.clock
        seconds = min(self._call_seconds, self._seconds_left)
        if seconds <= 0:
            message = "The question took longer than its time limit."
            raise fail("timeout", message, retryable=True)
        begun = clock.monotonic()
        try:
            async with asyncio.timeout(seconds):
                return await self._context.client.ask(
                    self._vendor, self._template.vendor_model, content, self._key, seconds
                )
        except TimeoutError:
            raise build_late_failure(seconds) from None
        finally:
            self._seconds_left -= clock.monotonic() - begun

    async def _reserve_more(self, usd: float) -> None:
        """Reserve more than was estimated. It does not wait, because it holds a reservation."""
        request = build_request(self._statement, self._template, usd, self._context.owner, 0)
        try:
            held = await self._context.store.reserve(request)
        except OverLimit as error:
            raise build_limit_failure(error) from None
        self.add_reservation(held, usd)

    def _choose_wait(self, failure: CallFailure, failures: int) -> float | None:
        """Return the seconds before the next try; None if there is none."""
        if not failure.error.retryable or _asks_too_long(failure):
            return None
        if failure.error.code == "timeout" and failure.billed:
            return None
        if failure.is_throttling and failure.retry_after is not None:
            return failure.retry_after if failures < _THROTTLED_TRIES else None
        jitter = 0.5 + random.random() / 2  # noqa: S311 - not cryptographic
        backoff = _FIRST_WAIT_SECONDS * 2.0 ** (failures - 1) * jitter
        wait = max(failure.retry_after or 0.0, backoff)
        if failures <= self._context.retries and wait < self._seconds_left:
            return wait
        return None

    def _share_error(self, failure: CallFailure) -> None:
        """Record an error that every further question would meet."""
        if failure.error.code in FATAL_CODES or _asks_too_long(failure):
            self._statement.known_errors[f"{self._vendor.name}/"] = failure.error
        elif failure.error.code == "model_gone":
            self._statement.known_errors[self._template.model] = failure.error

    def _count_uncertain(self, usd: float) -> None:
        """Count a call that may have been billed."""
        self._uncertain_usd += usd
        self._unused_usd -= usd

    def _count_turn(self, turn: Turn, worst: float) -> None:
        """Count what a call cost. Without token counts or a price the worst case is uncertain."""
        template = self._template
        prices = self._context.prices
        tokens = turn.tokens or Tokens()
        usd = turn.usd
        is_known = prices.is_known(template.model, is_free=template.vendor.is_free)
        is_priced = usd is not None or is_known
        if usd is None and turn.tokens is None:
            self._uncertain_usd += worst
        elif usd is None and is_priced:
            usd = self._context.price(template, tokens)
        elif usd is None:
            self._uncertain_usd += self._context.price(template, tokens)
        self.usage = self.usage + Usage(
            calls=1,
            input_tokens=tokens.input + tokens.cache_write,
            output_tokens=tokens.output,
            cached_tokens=tokens.cache_read,
            usd=usd or 0.0,
            unpriced_calls=int(not is_priced),
        )

    async def _run_tools(
        self, calls: Sequence[SearchCall]
    ) -> tuple[list[SearchOutcome], tuple[Result, ...] | None, str | None]:
        """Run the first search and reject all other calls. Return the outcomes, the results of the
        search, and why it failed.
        """
        outcomes: list[SearchOutcome] = []
        found: tuple[Result, ...] | None = None
        failed: str | None = None
        searched = False
        for call in calls:
            is_failed = True
            if call.name != WEB_SEARCH:
                text = searching.UNKNOWN_TOOL
            elif searched:
                text = searching.ONE_ONLY
            elif call.query is None:
                searched = True
                text = searching.MISSING_QUERY
                failed = "The model asked for a search without a query."
            else:
                searched = True
                found, failed = await self._search(call.query)
                is_failed = found is None
                text = searching.UNAVAILABLE if found is None else searching.format_results(found)
            outcomes.append(SearchOutcome(call, text, is_failed))
        return outcomes, found, failed

    async def _search(self, query: str) -> tuple[tuple[Result, ...] | None, str | None]:
        """Return the results, or why there are none."""
        self.pending.check_wanted()
        provider = self._template.provider
        seconds = min(SEARCH_SECONDS, self._seconds_left)
        if seconds <= 0:
            return None, "No time was left for a search."
        try:
            found = await self._context.searcher.search(
                provider, Query(query, searching.MOST_RESULTS), seconds, self.pending.check_wanted
            )
        except Cancelled:
            raise
        except WebquarryError as error:
            self._statement.warn_once(
                f"search {error.kind}",
                f"the search failed, the model answers without it: {error.message}",
            )
            return None, error.message
        if found.cached:
            self.usage = self.usage + Usage(kept_searches=1)
        else:
            price = self._context.prices.price_search(provider)
            self.usage = self.usage + Usage(searches=1, usd=price)
            self._unused_usd -= price
        return searching.select_results(found.results), None


def build_request(
    statement: Statement, template: RequestTemplate, usd: float, owner: str, questions: int = 1
) -> ReservationRequest:
    """Return the reservation of a question."""
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
    """Return the error of a reservation above a limit."""
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
    """Return the time limit of a call in seconds; longer answers have more time."""
    if first is None:
        first = CALL_SECONDS
    return min(MOST_CALL_SECONDS, first + max_tokens * SECONDS_PER_TOKEN)


def encode_body(body: Mapping[str, Any]) -> bytes:
    """Encode a body; lone surrogates become question marks."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _asks_too_long(failure: CallFailure) -> bool:
    return (failure.retry_after or 0) > MOST_WAIT_SECONDS


def _fits(template: RequestTemplate, text: str) -> bool:
    """Whether a text already has the form of the schema."""
    assert template.schema is not None
    try:
        template.schema.check(text)
    except Mismatch:
        return False
    return True


def _build_reply(
    template: RequestTemplate, turn: Turn, found: tuple[Result, ...] | None
) -> ModelReply:
    """Return the reply of the last turn, by its stop reason."""
    sources = tuple(AnswerSource(result.title, result.url) for result in found or ())
    reply = ModelReply(None, sources, found is not None, model=template.model)
    text = turn.text
    if turn.stop == "refused":
        return replace(reply, error=ReplyError("refused", _describe_refusal(turn)))
    is_cut = turn.stop == "cut"
    if not text.strip() and is_cut:
        message = (
            f"The model used all of its {template.longest_answer} tokens before it gave an answer; "
            "raise max_tokens."
        )
        return replace(reply, error=ReplyError("cut", message))
    if not text.strip():
        message = f"The model ended without an answer ({redact(turn.why)[:_MAX_REASON]})."
        return replace(reply, error=ReplyError("no_answer", message, True))
    # With an unknown stop reason the text may be incomplete.
    partial = is_cut or turn.stop in ("unknown", "paused")
    if template.schema is None:
        return replace(reply, answer=text, partial=partial)
    try:
        value = template.schema.check(text)
    except Mismatch as mismatch:
        message = f"The model's answer does not have the requested form: {mismatch}."
        error = ReplyError("bad_answer", message, True)
        if is_cut:
            message = f"The typed answer was cut at {template.max_tokens} tokens; raise max_tokens."
            error = ReplyError("cut", message)
        return replace(reply, error=error)
    return replace(reply, answer=text, value=value, partial=partial)


def _describe_refusal(turn: Turn) -> str:
    message = "The model declined to answer"
    if turn.category is not None:
        message += f" ({redact(turn.category)[:_MAX_REASON]})"
    if turn.explanation is not None and turn.explanation.strip():
        words = redact(" ".join(turn.explanation.split()))
        return f"{message}: {words[:_MAX_EXPLANATION]}"
    return f"{message}."
