"""Asks one question: claim it and reserve its cost, run the exchange, settle and store the answer.

A question that another process is asking is waited for. A question is not sent if its statement
already met an error that all questions to the vendor meet. A paused search provider is not offered
to the model.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

from webquarry.ask.answers import FAILED_SEARCH_SECONDS, KeptAnswer
from webquarry.ask.billing.ledger import OverLimit, ReservationRequest
from webquarry.ask.exchange import Exchange, ExchangeContext, build_limit_failure, build_request
from webquarry.ask.keys import Keys
from webquarry.ask.limiter import Limiter
from webquarry.ask.models import ModelReply, ReplyError, Usage
from webquarry.ask.options import Options
from webquarry.ask.pending import PendingQuestion
from webquarry.ask.searching import SearchProviders
from webquarry.ask.store import Entry
from webquarry.ask.templates import RequestTemplate, TemplateResolver
from webquarry.ask.vendors.base import CallFailure
from webquarry.errors import WebquarryError

log = logging.getLogger(__name__)

_RESERVE_WAIT_SECONDS = 0.05  # between two tries to reserve money


class Asker:
    """Asks for one engine. Belongs to one event loop."""

    def __init__(
        self,
        context: ExchangeContext,
        templates: TemplateResolver,
        providers: SearchProviders,
        keys: Keys,
        options: Options,
        is_good: Callable[[KeptAnswer], bool],
    ) -> None:
        self.context = context
        self._store = context.store
        self._templates = templates
        self._providers = providers
        self._keys = keys
        self._options = options
        self._is_good = is_good
        self._exchanges = Limiter(_count_exchanges(options.concurrency), context.clock)

    def resize(self, calls: int) -> None:
        """Set the number of concurrent calls."""
        self.context.resize(calls)
        self._exchanges.resize(_count_exchanges(calls))

    async def ask(
        self, template: RequestTemplate, digest: str, pending: PendingQuestion
    ) -> ModelReply:
        """Return the answer of another process or of the model. Raises LimitReached."""
        is_shared = self._options.cache and not pending.question.fresh
        owner = self.context.owner if is_shared else ""
        while True:
            await self._exchanges.acquire()
            try:
                known = pending.owner.find_known_error(template.vendor.name, template.model)
                if known is not None:
                    return ModelReply(None, error=known, model=template.model)
                offered, rest = self._drop_paused_search(template, pending)
                worst = self.context.estimate_worst_exchange(offered, pending.question)
                request = build_request(pending.owner, template, worst, self.context.owner)
                key = self._keys.model_key(template.vendor)
                exchange = Exchange(self.context, pending, offered, key)
                entry = await self._enter(digest if owner else "", request, pending)
                if entry.kept is not None:
                    self._templates.remember(template, pending.question, entry.kept)
                    return entry.kept.reply
                if entry.held is not None:
                    exchange.add_reservation(entry.held, worst)
                    return await self._ask_and_settle(exchange, template, rest, digest, owner)
            finally:
                self._exchanges.release()
                self._store.release(digest, owner)
            await self._store.wait(digest, owner, self._is_good)

    def _drop_paused_search(
        self, template: RequestTemplate, pending: PendingQuestion
    ) -> tuple[RequestTemplate, str | None]:
        """Return the request without a paused search, and why it is paused."""
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
        """Claim the question and reserve its cost; without a digest it is not shared. Waits while
        the limit is held by calls of the same statement.
        """
        while True:
            try:
                if digest:
                    return await self._store.enter(digest, request, self._is_good)
                return Entry(held=await self._store.reserve(request))
            except OverLimit as error:
                if not error.waiting:
                    raise build_limit_failure(error) from None
            await self.context.clock.sleep(_RESERVE_WAIT_SECONDS)
            pending.check_wanted()

    async def _ask_and_settle(
        self,
        exchange: Exchange,
        template: RequestTemplate,
        rest: str | None,
        digest: str,
        owner: str,
    ) -> ModelReply:
        """Run the exchange; then settle the bill and store the answer in one step."""
        try:
            reply = await _run(exchange, template)
            if rest is not None and reply.error is None:
                reply = replace(reply, search_failed=rest)
            reply = replace(reply, usage=exchange.usage).mend_letters()
            kept = self._build_kept(template, reply)
            try:
                await self._store.settle(digest, owner, kept, exchange.take_settlements())
            finally:
                # An answer that could not be written is paid for, too.
                if kept is not None:
                    self._templates.remember(template, exchange.pending.question, kept)
            return reply
        finally:
            if exchange.is_open:  # cancelled
                self._store.settle_soon(exchange.take_settlements())

    def _build_kept(self, template: RequestTemplate, reply: ModelReply) -> KeptAnswer | None:
        """Return the answer to store; None if it is not stored."""
        seconds = self._options.kept_seconds
        if reply.searched:
            seconds = self._options.searched_seconds
        search_key = ""
        if reply.search_failed is not None:
            seconds = min(seconds, FAILED_SEARCH_SECONDS)
            search_key = self._providers.describe_search_key(template.provider)
        if reply.error is not None or seconds <= 0 or not self._options.cache:
            return None
        now = self.context.clock.now().timestamp()
        free = replace(reply, usage=Usage(), remembered=True)
        return KeptAnswer(free, now, now + seconds, search_key)


async def _run(exchange: Exchange, template: RequestTemplate) -> ModelReply:
    """Return the reply; the failure of one question is the error of its reply."""
    try:
        return await exchange.run()
    except CallFailure as failure:
        return ModelReply(None, error=failure.error, model=template.model)
    except WebquarryError:
        raise
    except Exception as error:
        log.warning("unexpected error while asking a question", exc_info=True)
        text = f"The answer could not be read ({type(error).__name__})."
        return ModelReply(None, error=ReplyError("internal", text), model=template.model)


def _count_exchanges(calls: int) -> int:
    """More exchanges than calls, because some of them reserve, search or settle."""
    return calls + max(1, calls // 2)
