"""One question in flight: claimed and reserved, asked, settled and stored.

    ask -> [tool call] -> search -> ask again, with the result and no choice of tools -> answer

A question that another process is asking is waited for. Where a vendor cannot combine a schema with
a tool, the schema is sent with the call without one. A paused search provider is not offered.

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
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from webquarry._search.models import Query, Result
from webquarry.ask import searching
from webquarry.ask.ledger import Cost, OverLimit, Reservation
from webquarry.ask.models import (
    FATAL_CODES,
    AnswerSource,
    KeptAnswer,
    ModelReply,
    Question,
    ReplyError,
    Usage,
)
from webquarry.ask.prices import Prices, Tokens
from webquarry.ask.schema import Mismatch
from webquarry.ask.searching import MOST_WAIT_SECONDS
from webquarry.ask.statement import Statement
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
from webquarry.errors import Cancelled, WebquarryError
from webquarry.secret import redact

if TYPE_CHECKING:
    from webquarry.ask.engine import Engine

log = logging.getLogger(__name__)

CALL_SECONDS = 30.0
OWN_SERVER_SECONDS = 120.0  # for servers of the user, which may load the model first
SECONDS_PER_TOKEN = 1 / 40  # of the longest answer, in addition
MOST_CALL_SECONDS = 600.0
SEARCH_SECONDS = 10.0
TOTAL_SECONDS = 90.0
_MOST_PAUSES = 2  # turns that ask to be continued
_THROTTLED_TRIES = 20  # of a call, if the provider names the time to come back
_FIRST_WAIT_SECONDS = 0.5  # before the second try; doubled for each further one
_RESERVE_WAIT_SECONDS = 0.05  # between two tries to reserve money
_FIRST_POLL_SECONDS, _LAST_POLL_SECONDS = 0.02, 0.25  # while another process asks
_OVERHEAD_TOKENS = 1500  # upper bound of what the vendor adds for tools or a schema
_TURN_TOKENS = 500  # the JSON around the turns in the second request
_MAX_EXPLANATION = 300  # characters of the model's own words in an error
_MAX_REASON = 40


class Exchange:
    """The calls, the search and the costs of one question of a statement."""

    def __init__(
        self,
        engine: Engine,
        statement: Statement,
        question: Question,
        template: RequestTemplate,
    ) -> None:
        self.statement = statement
        self.digest = template.digest(question.context, question.prompt)
        self._engine = engine
        self._question = question
        self._template = template
        self._vendor = template.vendor
        self._is_shared = engine.options.cache and not question.fresh  # with other callers
        self._request = template.build_request(question.context, question.prompt)
        self._rest: str | None = None  # why no search is offered
        self._body: Body = {}  # of the last call
        self._call_seconds = limit_call(
            template.longest_answer,
            OWN_SERVER_SECONDS if self._vendor.is_own_server else CALL_SECONDS,
        )
        self._seconds_left = max(TOTAL_SECONDS, 2 * self._call_seconds + SEARCH_SECONDS)
        self._begun = False  # a call was made: the cost of the rest is reserved
        self._sending = False  # a call is in progress that may be billed
        self._held: list[Reservation] = []  # not settled yet
        self._unused_usd = 0.0  # reserved, and not used by a call yet
        self._usage = Usage()
        self._uncertain_usd = 0.0
        task = asyncio.current_task()
        assert task is not None
        self.task = task  # which calls `run`

    def stop(self, grace_seconds: float) -> None:
        """The statement was stopped: complete the question if it was halted, otherwise only a call
        in progress, within a grace period.
        """
        if self.statement.cancelled and self._sending:
            asyncio.get_running_loop().call_later(grace_seconds, self.task.cancel)
        elif self.statement.cancelled or not self._begun:
            self.task.cancel()

    def _check_wanted(self) -> None:
        """Raise if the statement was stopped."""
        if self.statement.cancelled or not self._begun:
            self.statement.check()

    async def run(self) -> ModelReply:
        """Return the answer of another caller or of the model. Raises LimitReached."""
        engine = self._engine
        pause = _FIRST_POLL_SECONDS
        while True:
            async with engine.exchanges:
                reply = await self._try_to_ask()
            if reply is not None:
                return reply
            await asyncio.sleep(pause)
            pause = min(_LAST_POLL_SECONDS, pause * 1.5)
            self._check_wanted()

    async def _try_to_ask(self) -> ModelReply | None:
        """Return the answer; None while another caller is asking the same question."""
        engine, template = self._engine, self._template
        known = self.statement.find_error(f"{self._vendor.name}/", template.model, self.digest)
        if known is not None:
            return ModelReply(None, error=known, model=template.model)
        self._rest = self._find_search_rest()
        if self._rest is not None:
            self._request = replace(self._request, offers_search=False)
        worst = estimate_worst(engine.prices, template, self._question, self._request.offers_search)
        found = await self._enter(worst)
        if found is None:
            return None
        if isinstance(found, KeptAnswer):
            engine.templates.remember(template, self._question, found)
            return found.reply
        self._hold(found, worst)
        try:
            return await self._ask_and_settle()
        except BaseException:
            if self._is_shared:
                engine.store.release(self.digest)
            raise

    def _find_search_rest(self) -> str | None:
        """Return why the search provider is paused."""
        provider = self._template.provider
        rest = self._engine.searcher.find_rest(provider) if provider else None
        if rest is not None:
            text = f"the rows are answered without a search: {rest}"
            self.statement.warn_once("search rests", text)
        return rest

    async def _enter(self, worst: float) -> KeptAnswer | Reservation | None:
        """Claim the question and reserve its cost; one that is not shared is not claimed. Waits
        while calls of the same statement hold the rest of a limit.
        """
        store = self._engine.store
        wanted = self._build_reservation(worst, 1)
        while True:
            try:
                if self._is_shared:
                    return await store.enter(self.digest, wanted, self._engine.is_good)
                return await store.reserve(wanted)
            except OverLimit as error:
                if not error.waiting:
                    raise
            await self._engine.clock.sleep(_RESERVE_WAIT_SECONDS)
            self._check_wanted()

    def _build_reservation(self, usd: float, questions: int) -> Reservation:
        statement = self.statement
        return Reservation(
            statement.id,
            statement.door,
            self._template.model,
            usd,
            statement.ledger_limits,
            questions,
        )

    def _hold(self, held: Reservation, usd: float) -> None:
        self._held.append(held)
        self._unused_usd += usd

    async def _ask_and_settle(self) -> ModelReply:
        """Ask; then settle the bill and store the answer in one step."""
        engine = self._engine
        try:
            reply = await self._answer()
            if self._rest is not None and reply.error is None:
                reply = replace(reply, search_failed=self._rest)
            reply = replace(reply, usage=self._usage).replace_surrogates()
            kept = engine.build_kept(self._template, reply)
            if kept is not None:  # remembered even if it cannot be written: it is paid for
                engine.templates.remember(self._template, self._question, kept)
            await engine.store.settle(self.digest, kept, *self._take_bill())
            return reply
        finally:
            if self._held:  # cancelled
                engine.store.settle_soon(*self._take_bill())

    async def _answer(self) -> ModelReply:
        """Return the answer; the failure of one question is the error of its reply."""
        try:
            return await self._converse()
        except CallFailure as failure:
            error = failure.error
        except WebquarryError:
            raise
        except Exception as unexpected:
            log.warning("unexpected error while asking a question", exc_info=True)
            text = f"The answer could not be read ({type(unexpected).__name__})."
            error = ReplyError("internal", text)
        return ModelReply(None, error=error, model=self._template.model)

    def _take_bill(self) -> tuple[list[Reservation], Cost]:
        """Return the reservations, once, and the cost of the question."""
        held, self._held = self._held, []
        return held, Cost(self._usage, self._uncertain_usd, int(self._begun))

    async def _converse(self) -> ModelReply:
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
        return replace(_build_reply(template, turn, found), search_failed=failed)

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
        model = self._template.model
        rejected = self._engine.rejected.setdefault(model, set())
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
                text = f"{model} takes no tools here: it answers without a search"
                self.statement.warn_once(f"tools {model}", text)
            return turn

    async def _call(self, body: Body) -> Turn:
        """Return the turn, with retries. Raises the CallFailure of the last try."""
        # Lone surrogates become question marks.
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        content = text.encode("utf-8", "replace")
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
                self.statement.count(throttled=int(failure.is_throttling))
                log.info("the model is asked again in %.1f s: %s", wait, failure.error.message)
                if not failure.is_throttling:  # else the limiter pauses
                    self._seconds_left -= wait
                    await self._engine.clock.sleep(wait)

    async def _try_once(self, content: bytes, failures: int) -> Turn:
        """Send one call and count its cost, however it ends."""
        template = self._template
        limiter = self._engine.get_limiter(self._vendor.name)
        # No token is shorter than a byte.
        most = Tokens(input=len(content) + _OVERHEAD_TOKENS, output=template.longest_answer)
        worst = _price(self._engine.prices, template, most)
        if self._unused_usd < worst:
            await self._reserve_more(worst - self._unused_usd)
        sent_at = await limiter.acquire()
        try:
            self._check_wanted()
            known = self.statement.find_error(f"{self._vendor.name}/", template.model)
            if known is not None:  # found by another question while this one waited
                raise CallFailure(replace(known, retryable=False))
            self._begun = self._sending = True
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
            self._sending = False
            limiter.release()
        limiter.record_success()
        self._unused_usd -= worst
        self._count_turn(turn, worst)
        return turn

    async def _send(self, content: bytes) -> Turn:
        """Return the turn, within the time of a call and of the question."""
        clock = self._engine.clock
        model = self._template.vendor_model
        seconds = min(self._call_seconds, self._seconds_left)
        if seconds <= 0:
            message = "The question took longer than its time limit."
            raise fail("timeout", message, retryable=True)
        begun = clock.monotonic()
        try:
            async with asyncio.timeout(seconds):
                key = self._engine.keys.model_key(self._vendor)
                request = self._vendor.build_request(content, model, key)
                reply = await self._engine.client.send(request, seconds)
        except TimeoutError:
            raise build_late_failure(seconds) from None
        finally:
            self._seconds_left -= clock.monotonic() - begun
        return self._vendor.parse_reply(reply, model)

    async def _reserve_more(self, usd: float) -> None:
        """Reserve more than was estimated. It does not wait, because it holds a reservation."""
        self._hold(await self._engine.store.reserve(self._build_reservation(usd, 0)), usd)

    def _choose_wait(self, failure: CallFailure, failures: int) -> float | None:
        """Return the seconds before the next try; None if there is none."""
        is_late = failure.error.code == "timeout" and failure.billed
        if not failure.error.retryable or is_late or _asks_too_long(failure):
            return None
        if failure.is_throttling and failure.retry_after is not None:
            return failure.retry_after if failures < _THROTTLED_TRIES else None
        jitter = 0.5 + random.random() / 2  # noqa: S311 - not cryptographic
        backoff = _FIRST_WAIT_SECONDS * 2.0 ** (failures - 1) * jitter
        wait = max(failure.retry_after or 0.0, backoff)
        may_retry = failures <= self._engine.settings.retries and wait < self._seconds_left
        return wait if may_retry else None

    def _share_error(self, failure: CallFailure) -> None:
        """Record an error that every further question would meet."""
        if failure.error.code in FATAL_CODES or _asks_too_long(failure):
            self.statement.errors[f"{self._vendor.name}/"] = failure.error
        elif failure.error.code == "model_gone":
            self.statement.errors[self._template.model] = failure.error

    def _count_uncertain(self, usd: float) -> None:
        """Count a call that may have been billed."""
        self._uncertain_usd += usd
        self._unused_usd -= usd

    def _count_turn(self, turn: Turn, worst: float) -> None:
        """Count what a call cost. Without token counts or a price the worst case is uncertain."""
        template = self._template
        prices = self._engine.prices
        tokens = turn.tokens or Tokens()
        is_known = prices.is_known(template.model, is_free=template.vendor.is_free)
        usd = turn.usd
        if usd is None and turn.tokens is None:
            self._uncertain_usd += worst
        elif usd is None and is_known:
            usd = _price(prices, template, tokens)
        elif usd is None:
            self._uncertain_usd += _price(prices, template, tokens)
        self._usage += Usage(
            calls=1,
            input_tokens=tokens.input + tokens.cache_write,
            output_tokens=tokens.output,
            cached_tokens=tokens.cache_read,
            usd=usd or 0.0,
            unpriced_calls=int(turn.usd is None and not is_known),
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
        for call in calls:
            text = searching.UNKNOWN_TOOL if call.name != WEB_SEARCH else searching.ONE_ONLY
            is_failed = True
            if call.name == WEB_SEARCH and found is None and failed is None:
                found, failed = await self._search(call.query)
                is_failed = found is None
                text = searching.UNAVAILABLE if found is None else searching.format_results(found)
            outcomes.append(SearchOutcome(call, text, is_failed))
        return outcomes, found, failed

    async def _search(self, query: str | None) -> tuple[tuple[Result, ...] | None, str | None]:
        """Return the results, or why there are none."""
        self._check_wanted()
        if query is None:
            return None, "The model asked for a search without a query."
        provider = self._template.provider
        seconds = min(SEARCH_SECONDS, self._seconds_left)
        if seconds <= 0:
            return None, "No time was left for a search."
        try:
            found = await self._engine.searcher.search(
                provider, Query(query, searching.MOST_RESULTS), seconds, self._check_wanted
            )
        except Cancelled:
            raise
        except WebquarryError as error:
            text = f"the search failed, the model answers without it: {error.message}"
            self.statement.warn_once("search", text)
            return None, error.message
        if found.cached:
            self._usage += Usage(kept_searches=1)
        else:
            price = self._engine.prices.price_search(provider)
            self._usage += Usage(searches=1, usd=price)
            self._unused_usd -= price
        return searching.select_results(found.results), None


def estimate_worst(
    prices: Prices, template: RequestTemplate, question: Question, has_search: bool
) -> float:
    """Return the maximum price of a question; with a search, of both calls and the search."""
    words = json.dumps(question.context + question.prompt, ensure_ascii=False)
    size = len(words.encode("utf-8", "replace")) + len(template.encoded) + _OVERHEAD_TOKENS
    longest = template.longest_answer
    first = _price(prices, template, Tokens(input=size, output=longest))
    if not has_search:
        return first
    # The second request also has the first answer and the results.
    size += longest * 2 + searching.MOST_BYTES + _TURN_TOKENS
    second = _price(prices, template, Tokens(input=size, output=longest))
    return first + prices.price_search(template.provider) + second


def limit_call(max_tokens: int, first: float | None = None) -> float:
    """Return the time limit of a call in seconds; longer answers have more time."""
    first = CALL_SECONDS if first is None else first
    return min(MOST_CALL_SECONDS, first + max_tokens * SECONDS_PER_TOKEN)


def _price(prices: Prices, template: RequestTemplate, tokens: Tokens) -> float:
    return prices.price_call(template.model, tokens, is_free=template.vendor.is_free)


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
    is_cut = turn.stop == "cut"
    error = None
    value: Mapping[str, Any] | None = None
    if turn.stop == "refused":
        error = ReplyError("refused", _describe_refusal(turn))
    elif not text.strip() and is_cut:
        message = (
            f"The model used all of its {template.longest_answer} tokens before it gave an answer; "
            "raise max_tokens."
        )
        error = ReplyError("cut", message)
    elif not text.strip():
        message = f"The model ended without an answer ({redact(turn.why)[:_MAX_REASON]})."
        error = ReplyError("no_answer", message, True)
    elif template.schema is not None:
        try:
            value = template.schema.check(text)
        except Mismatch as mismatch:
            message = f"The model's answer does not have the requested form: {mismatch}."
            error = ReplyError("bad_answer", message, True)
            if is_cut:
                message = (
                    f"The typed answer was cut at {template.max_tokens} tokens; raise max_tokens."
                )
                error = ReplyError("cut", message)
    if error is not None:
        return replace(reply, error=error)
    # With an unknown stop reason the text may be incomplete.
    partial = is_cut or turn.stop in ("unknown", "paused")
    return replace(reply, answer=text, value=value, partial=partial)


def _describe_refusal(turn: Turn) -> str:
    message = f"The model declined to answer ({redact(turn.why)[:_MAX_REASON]})"
    if turn.explanation.strip():
        words = redact(" ".join(turn.explanation.split()))
        return f"{message}: {words[:_MAX_EXPLANATION]}"
    return f"{message}."
