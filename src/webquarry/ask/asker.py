"""Asks one question and pays for it: claim, reserve, converse, settle, keep. A question goes in,
its reply comes out when all that is on disk.

A question that another process is asking is waited for. What the model's provider refuses as a
whole (`Statement.known_errors`) is not asked. A search provider that rests is not offered to the
model; such an answer, like one whose search failed, is kept for a minute at most.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from webquarry.ask.answers import KeptAnswer
from webquarry.ask.billing.group_commit import GroupCommit
from webquarry.ask.claims import LEASE_SECONDS, Claims
from webquarry.ask.exchange.conversation import converse
from webquarry.ask.exchange.limiter import Limiter
from webquarry.ask.exchange.request_template import RequestTemplate
from webquarry.ask.exchange.template_resolver import TemplateResolver
from webquarry.ask.in_flight import PendingQuestion
from webquarry.ask.keys import Keys
from webquarry.ask.models import ModelReply, Question, ReplyError, Usage
from webquarry.ask.options import Options
from webquarry.clock import Clock
from webquarry.errors import WebquarryError
from webquarry.records.owners import describe_owner

if TYPE_CHECKING:
    from webquarry.ask.exchange.exchange import Exchange, ExchangeContext

log = logging.getLogger(__name__)

FAILED_SEARCH_SECONDS = 60.0  # how long an answer is kept whose search failed, at most


@dataclass
class Asker:
    """Asks for one engine. Belongs to one event loop."""

    context: ExchangeContext
    commits: GroupCommit
    claims: Claims
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
        """The reply: kept by another process meanwhile, or asked for now."""
        is_shared = self.options.cache and not question.fresh
        while True:
            await self._places.acquire()
            try:
                known = self._find_known_error(template, pending)
                if known is not None:
                    return known
                if not is_shared:
                    return await self._ask_and_settle(question, template, digest, pending, "")
                standing = await self.claims.claim(
                    digest, self._owner, LEASE_SECONDS, self._is_good_now
                )
                if standing.kept is not None:
                    self.templates.remember(
                        template, question.context, question.prompt, standing.kept
                    )
                    return standing.kept.reply
                if standing.is_mine:
                    return await self._ask_and_settle(
                        question, template, digest, pending, self._owner
                    )
            finally:
                self._places.release()
                if is_shared:
                    self.claims.release(digest, self._owner)
            await self.claims.wait(digest, self._owner, LEASE_SECONDS, self._is_good_now)

    async def aclose(self) -> None:
        """Renew no claim any more, and close the connections."""
        await self.claims.aclose()
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

    async def _ask_and_settle(
        self,
        question: Question,
        template: RequestTemplate,
        digest: str,
        pending: PendingQuestion,
        owner: str,
    ) -> ModelReply:
        """Reserve, converse, settle, keep; `owner` has the claim, nobody where there is none."""
        from webquarry.ask.exchange.exchange import Exchange

        exchange = Exchange(self.context, pending, template, self.keys.model_key(template.vendor))
        try:
            reply = await self._converse(question, template, exchange, pending)
            reply = replace(reply, usage=exchange.usage).mend_letters()
            await self._settle_and_keep(exchange, reply, template, question, digest, owner)
            return reply
        finally:
            if exchange.is_open:
                # Cancelled, or failed in a way of our own: what may have been billed is written
                # down.
                self.commits.submit(
                    lambda database, cipher: exchange.settle(database, self.clock.now().timestamp())
                )

    async def _converse(
        self,
        question: Question,
        template: RequestTemplate,
        exchange: Exchange,
        pending: PendingQuestion,
    ) -> ModelReply:
        """The reply, whatever it is: what goes wrong with one question is its own error. Raises
        what stops a statement.
        """
        from webquarry.ask.exchange.exchange import estimate_worst_exchange
        from webquarry.ask.model_api.failures import CallFailure

        rest = None
        if template.provider:
            rest = self.context.searcher.find_rest(template.provider)
        if rest is not None:
            pending.owner.warn_once(
                "search rests", f"the rows are answered without a search: {rest}"
            )
            template = replace(template, provider="")
        worst = estimate_worst_exchange(self.context.prices, template, question)
        try:
            await exchange.reserve(worst)
            reply = await converse(template, question.context, question.prompt, exchange)
        except CallFailure as failure:
            return ModelReply(None, error=failure.error, model=template.model)
        except WebquarryError:
            raise
        except Exception as error:
            log.warning("a question failed in a way that nobody foresaw", exc_info=True)
            text = f"The answer could not be read ({type(error).__name__})."
            return ModelReply(None, error=ReplyError("internal", text), model=template.model)
        if rest is not None:
            reply = replace(reply, search_failed=rest)
        return reply

    async def _settle_and_keep(
        self,
        exchange: Exchange,
        reply: ModelReply,
        template: RequestTemplate,
        question: Question,
        digest: str,
        owner: str,
    ) -> None:
        """Settle the bill and keep the answer, in one transaction."""
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

        def settle(database: Any, cipher: Any) -> None:
            exchange.settle(database, now)

        try:
            await self.claims.answer(digest, owner, kept, settle)
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
