"""Asks one question and pays for it: claim and reserve, converse, settle and keep. A question goes
in, its reply comes out when all that is on disk.

A question that another process is asking is waited for. What the model's provider refuses as a
whole (`Statement.known_errors`) is not asked. A search provider that rests is not offered to the
model; such an answer, like one whose search failed, is kept for a minute at most.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from webquarry.ask.answers import KeptAnswer
from webquarry.ask.billing.ledger import OverLimit, ReservationRequest
from webquarry.ask.exchange.conversation import converse
from webquarry.ask.exchange.limiter import Limiter
from webquarry.ask.exchange.request_template import RequestTemplate
from webquarry.ask.exchange.template_resolver import TemplateResolver
from webquarry.ask.in_flight import PendingQuestion
from webquarry.ask.keys import Keys
from webquarry.ask.models import ModelReply, Question, ReplyError, Usage
from webquarry.ask.options import Options
from webquarry.ask.sharing.base import Entry, QuestionStore
from webquarry.clock import Clock
from webquarry.errors import WebquarryError
from webquarry.store.claims import describe_owner

if TYPE_CHECKING:
    from webquarry.ask.exchange.exchange import Exchange, ExchangeContext

log = logging.getLogger(__name__)

FAILED_SEARCH_SECONDS = 60.0  # how long an answer is kept whose search failed, at most
_RESERVE_WAIT_SECONDS = 0.05  # before the ledger is asked again for money that own calls hold


@dataclass
class Asker:
    """Asks for one engine. Belongs to one event loop."""

    context: ExchangeContext
    store: QuestionStore
    templates: TemplateResolver
    keys: Keys
    options: Options
    clock: Clock
    is_good: Callable[[KeptAnswer, float], bool]

    @cached_property
    def _owner(self) -> str:
        return describe_owner()

    @cached_property
    def _places(self) -> Limiter:
        """How many exchanges are begun; within each, the limiter of calls decides."""
        return Limiter(_count_exchanges(self.options.concurrency), self.clock)

    def resize(self, calls: int) -> None:
        """So many calls may be under way at once."""
        self.context.resize(calls)
        self._places.resize(_count_exchanges(calls))

    async def ask(
        self, question: Question, template: RequestTemplate, digest: str, pending: PendingQuestion
    ) -> ModelReply:
        """The reply: kept by another process meanwhile, or asked for now. Raises `LimitReached`
        where there is no room for it.
        """
        from webquarry.ask.exchange.exchange import build_request, estimate_worst_exchange

        # A question that is shared with nobody is claimed by nobody.
        owner = self._owner if self.options.cache and not question.fresh else ""
        while True:
            await self._places.acquire()
            try:
                known = self._find_known_error(template, pending)
                if known is not None:
                    return known
                exchange = self._begin_exchange(template, pending)
                offered, rest = self._leave_out_resting_search(template, pending)
                worst = estimate_worst_exchange(self.context.prices, offered, question)
                request = build_request(pending.owner, template, worst, self._owner)
                entry = await self._enter(digest if owner else "", request, pending)
                if entry.kept is not None:
                    self.templates.remember(template, question.context, question.prompt, entry.kept)
                    return entry.kept.reply
                if entry.held is not None:
                    exchange.add_reservation(entry.held, worst)
                    name = (digest, owner)
                    return await self._ask_and_settle(question, offered, rest, name, exchange)
            finally:
                self._places.release()
                self.store.release(digest, owner)
            await self.store.wait(digest, owner, self._is_good_now)

    async def aclose(self) -> None:
        """Close the connections."""
        await self.context.client.aclose()

    def _is_good_now(self, kept: KeptAnswer) -> bool:
        return self.is_good(kept, self.clock.now().timestamp())

    def _find_known_error(
        self, template: RequestTemplate, pending: PendingQuestion
    ) -> ModelReply | None:
        """The error that the question would meet, as others of its statement did."""
        known_errors = pending.owner.known_errors
        of_all = known_errors.get(f"{template.vendor.name}/")
        known = of_all or known_errors.get(template.model)
        if known is None:
            return None
        return ModelReply(None, error=known, model=template.model)

    def _begin_exchange(self, template: RequestTemplate, pending: PendingQuestion) -> Exchange:
        from webquarry.ask.exchange.exchange import Exchange

        key = self.keys.model_key(template.vendor)
        return Exchange(self.context, pending, template, key, self._owner)

    def _leave_out_resting_search(
        self, template: RequestTemplate, pending: PendingQuestion
    ) -> tuple[RequestTemplate, str | None]:
        """The request without a search whose provider rests, and why it rests."""
        if not template.provider:
            return template, None
        rest = self.context.searcher.find_rest(template.provider)
        if rest is None:
            return template, None
        pending.owner.warn_once("search rests", f"the rows are answered without a search: {rest}")
        return replace(template, provider=""), rest

    async def _enter(
        self, digest: str, request: ReservationRequest, pending: PendingQuestion
    ) -> Entry:
        """How the question stands before all processes; without a digest it is shared with nobody.
        Waits while only calls of the same statement are in the way of the limits.
        """
        from webquarry.ask.exchange.exchange import build_limit_failure

        while True:
            try:
                if digest:
                    return await self.store.enter(digest, request, self._is_good_now)
                return Entry(held=await self.store.reserve(request))
            except OverLimit as error:
                if not error.waiting:
                    raise build_limit_failure(error) from None
            await self.clock.sleep(_RESERVE_WAIT_SECONDS)  # until one is settled
            pending.check_wanted()

    async def _ask_and_settle(
        self,
        question: Question,
        template: RequestTemplate,
        rest: str | None,
        name: tuple[str, str],
        exchange: Exchange,
    ) -> ModelReply:
        """Converse, settle, keep; `rest` says why no search is offered, where one rests. The name
        is the digest of the question and who has claimed it.
        """
        try:
            reply = await self._converse(question, template, exchange)
            if rest is not None and reply.error is None:
                reply = replace(reply, search_failed=rest)
            reply = replace(reply, usage=exchange.usage).mend_letters()
            await self._settle_and_keep(exchange, reply, question, name)
            return reply
        finally:
            if exchange.is_open:
                # Cancelled, or failed in a way of our own: what may have been billed is written
                # down.
                self.store.settle_soon(exchange.take_settlements())

    async def _converse(
        self, question: Question, template: RequestTemplate, exchange: Exchange
    ) -> ModelReply:
        """The reply, whatever it is: what goes wrong with one question is its own error. Raises
        what stops a statement.
        """
        from webquarry.ask.vendors.base import CallFailure

        try:
            return await converse(template, question.context, question.prompt, exchange)
        except CallFailure as failure:
            return ModelReply(None, error=failure.error, model=template.model)
        except WebquarryError:
            raise
        except Exception as error:
            log.warning("a question failed in a way that nobody foresaw", exc_info=True)
            text = f"The answer could not be read ({type(error).__name__})."
            return ModelReply(None, error=ReplyError("internal", text), model=template.model)

    async def _settle_and_keep(
        self,
        exchange: Exchange,
        reply: ModelReply,
        question: Question,
        name: tuple[str, str],
    ) -> None:
        """Settle the bill and keep the answer, in one step."""
        template = exchange.template
        now = self.clock.now().timestamp()
        seconds = self.options.kept_seconds
        if reply.searched:
            seconds = self.options.searched_seconds
        search_key = ""
        if reply.search_failed is not None:
            seconds = min(seconds, FAILED_SEARCH_SECONDS)
            search_key = self.templates.describe_search_key(template.provider)
        keeps = reply.error is None and seconds > 0 and self.options.cache
        kept: KeptAnswer | None = None
        if keeps:
            free = replace(reply, usage=Usage(), remembered=True)
            kept = KeptAnswer(free, now, now + seconds, search_key)
        try:
            await self.store.settle(*name, kept, exchange.take_settlements())
        finally:
            # Also an answer that could not be written down is paid for: asked again in this
            # process, it costs nothing.
            if kept is not None:
                self.templates.remember(template, question.context, question.prompt, kept)


def _count_exchanges(calls: int) -> int:
    """More than calls may be under way, so that a call's place is not empty while others reserve,
    search or are kept.
    """
    return calls + max(1, calls // 2)
