"""The engine: questions in, answers out; it owns the keys, the options, what is remembered and what
is under way.

    engine = kit.open_engine()                 # one for each database instance, or for a command
    statement = engine.statement()
    replies = await engine.ask_all([Question("Python", "Who made it?")], statement)

Coroutines run on one event loop, the engine's; `recall`, `cancel`, `usage`, keys and options are
for any thread. What goes wrong with one question is in its reply. What stops a statement is raised:
no key, a limit, a cancellation.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from webquarry.ask import answers
from webquarry.ask.answers import KeptAnswer
from webquarry.ask.billing import ledger
from webquarry.ask.billing.group_commit import GroupCommit
from webquarry.ask.billing.ledger import SpendingRecord
from webquarry.ask.billing.prices import Prices
from webquarry.ask.billing.statement import Statement
from webquarry.ask.exchange.conversation import converse
from webquarry.ask.exchange.limiter import Limiter
from webquarry.ask.exchange.request_template import RequestTemplate
from webquarry.ask.exchange.template_resolver import RequestOptions, TemplateResolver
from webquarry.ask.in_flight import PendingQuestion, QuestionsInFlight
from webquarry.ask.keys import Keys
from webquarry.ask.models import AskLimits, ModelReply, Progress, Question, Usage
from webquarry.ask.options import Options
from webquarry.clock import Clock
from webquarry.errors import Cancelled, LimitReached, WebquarryError
from webquarry.records.file import RecordFile
from webquarry.settings import Settings

if TYPE_CHECKING:
    import httpx2

    from webquarry.ask.exchange.exchange import Exchange, ExchangeContext
    from webquarry.search.router import Router

OnProgress = Callable[[Progress], None]
GRACE_SECONDS = 1.0  # after a cancellation, for answers that are on their way and paid for
_MOST_STATEMENTS = 1000  # of this process, whose hits are known
_LIMITS = ("max_rows", "max_usd", "max_usd_per_day")


class Engine:
    """One for each database instance; nothing of it is shared with another but the record file."""

    def __init__(
        self,
        settings: Settings,
        environ: Mapping[str, str],
        records: RecordFile,
        open_router: Callable[[Mapping[str, str]], Router],
        open_transport: Callable[[], httpx2.AsyncBaseTransport],
        clock: Clock | None = None,
    ) -> None:
        self.settings = settings
        self.clock = clock or Clock()
        self.keys = Keys(environ)
        self.options = Options(settings)
        self.grace_seconds = GRACE_SECONDS
        self._records = records
        self._open_transport = open_transport
        self._templates = TemplateResolver(settings, self.keys, self.options, open_router)
        self._statements: deque[Statement] = deque(maxlen=_MOST_STATEMENTS)
        self._commits = GroupCommit(records)
        self._in_flight = QuestionsInFlight()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tidied = False

    # What any thread may ask

    def statement(
        self, *, door: str = "sql", limits: AskLimits | None = None, dry_run: bool | None = None
    ) -> Statement:
        """A new statement; without limits of its own, those of the options."""
        if dry_run is None:
            dry_run = self.options.dry_run
        if limits is None:
            limits = self.limits()
        statement = Statement(door, limits, dry_run, self.clock)
        statement.on_cancel(self._stop_in_flight)
        self._statements.append(statement)
        return statement

    def limits(self, *, own: bool = False) -> AskLimits:
        """The limits of the options; with `own`, only those that the user has set."""
        values = {}
        for name in _LIMITS:
            if not own or name in self.options.set_by_user:
                values[name] = getattr(self.options, name)
        return AskLimits(**values)

    def check(self) -> None:
        """Raise at once when there is no key for the model."""
        self.keys.model_key()

    def resolve_template(
        self,
        model: str | None = None,
        max_tokens: int | None = None,
        search: bool | None = None,
        schema: str | None = None,
        instructions: str | None = None,
    ) -> RequestTemplate:
        """What a request with these options looks like now; `template.kept` are the answers
        remembered for it.
        """
        options = RequestOptions(model, max_tokens, search, schema, instructions)
        return self._templates.resolve(options)

    def recall(self, question: Question) -> ModelReply | None:
        """The answer, if this engine has it in memory and it is still good."""
        if question.fresh or not self.options.cache:
            return None
        template = self._resolve_question(question)
        kept = template.kept.get((question.context, question.prompt))
        if kept is not None and self.is_good(kept, self.clock.now().timestamp()):
            return kept.reply
        return None

    def is_good(self, kept: KeptAnswer, now: float) -> bool:
        """Whether a kept answer may still be given; a setting that was lowered meanwhile counts."""
        if kept.reply.searched:  # spelled out: this is asked for every row
            seconds = self.options.searched_seconds
        else:
            seconds = self.options.kept_seconds
        # One from further ahead than it is kept was made by a clock that was wrong.
        is_from_ahead = kept.made_at > now + seconds
        return now < kept.expires_at and now < kept.made_at + seconds and not is_from_ahead

    def cancel(self) -> None:
        """Stop every statement that is under way."""
        for statement in list(self._statements):
            if not statement.is_stopped:
                statement.cancel()

    def usage(self, *, days: int = 1) -> list[SpendingRecord]:
        """What was spent in the last days (UTC, today included), by all doors and processes; newest
        first.
        """
        now = self.clock.now()
        since = (now - timedelta(days=days - 1)).date().isoformat()
        paid = self._records.do(lambda database, cipher: ledger.spent_since(database, since))
        # The ledger knows only what was paid for; the hits are ours.
        hits = {statement.id: statement.progress().hits for statement in self._statements}
        records = [replace(one, hits=hits.get(one.statement, 0)) for one in paid]
        paying = {one.statement for one in paid}
        today = now.date().isoformat()
        for statement in reversed(self._statements):
            own_hits = hits[statement.id]
            if statement.id not in paying and own_hits:  # it was answered for nothing
                free = SpendingRecord(
                    today, statement.id, statement.door, "", statement.begun_at, hits=own_hits
                )
                records.append(free)
        return records

    # What runs on the loop

    async def ask(self, question: Question, statement: Statement) -> ModelReply:
        """The answer to one question."""
        return (await self.ask_all([question], statement))[0]

    async def ask_all(
        self,
        questions: Sequence[Question],
        statement: Statement,
        on_progress: OnProgress | None = None,
    ) -> list[ModelReply]:
        """The answers, in the order of the questions. Equal questions are asked once, all at
        once.
        """
        self._loop = asyncio.get_running_loop()
        statement.check()
        statement.add_rows(len(questions))
        templates = {question: self._resolve_question(question) for question in questions}
        # What is kept costs nothing, and counts towards no limit.
        replies = await self._find_kept(templates)
        statement.count_answers(rows=len(replies), hits=len(replies))
        missing = [question for question in templates if question not in replies]
        if statement.dry_run:
            for question in missing:
                replies[question] = self._plan(question, templates[question], statement)
        else:
            if missing:
                self.check()
                statement.admit(len(missing))
            replies |= await self._ask_missing(missing, templates, statement, on_progress)
        # Of equal questions, all but the first are answered for nothing.
        repeats = len(questions) - len(templates)
        statement.count_answers(rows=repeats, hits=repeats)
        return _order_replies(questions, replies)

    async def aclose(self) -> None:
        """End what is under way, write down what it took, close the connections."""
        await self._in_flight.aclose()
        await self._commits.aclose()
        if "_context" in self.__dict__:  # something was asked
            await self._context.client.aclose()

    def _resolve_question(self, question: Question) -> RequestTemplate:
        """What the request of a question looks like now."""
        return self.resolve_template(
            question.model,
            question.max_tokens,
            question.search,
            question.schema,
            question.instructions,
        )

    async def _find_kept(
        self, templates: Mapping[Question, RequestTemplate]
    ) -> dict[Question, ModelReply]:
        """Those that were answered before: from memory, and then from the record file, in one
        look.
        """
        found: dict[Question, ModelReply] = {}
        wanted: dict[str, Question] = {}
        for question, template in templates.items():
            reply = self.recall(question)
            if reply is not None:
                found[question] = reply
            elif not question.fresh and self.options.cache:
                digest = template.digest(question.context, question.prompt)
                wanted[digest] = question
        if not wanted:
            return found
        now = self.clock.now().timestamp()

        def look_up(database: Any, cipher: Any) -> dict[str, KeptAnswer]:
            # The first look of an engine also tidies up.
            if not self._tidied:
                self._tidied = True
                answers.delete_expired(database, now)
                ledger.delete_old(database, now)
            return answers.find(database, cipher, list(wanted), now)

        recorded = await self._commits.commit(look_up)
        for digest, kept in recorded.items():
            question = wanted[digest]
            if self.is_good(kept, now):
                template = templates[question]
                self._templates.remember(template, question.context, question.prompt, kept)
                found[question] = kept.reply
        return found

    async def _ask_missing(
        self,
        missing: Sequence[Question],
        templates: Mapping[Question, RequestTemplate],
        statement: Statement,
        on_progress: OnProgress | None,
    ) -> dict[Question, ModelReply]:
        """Ask for what is missing, all at once; the first error that stops the statement is raised
        when all have ended.
        """
        # The user may have changed the concurrency since.
        calls = self.options.concurrency
        self._context.limiter.resize(calls)
        self._exchange_limiter.resize(_count_exchanges(calls))
        answering = []
        for question in missing:
            template = templates[question]
            answering.append(self._answer(question, template, statement, on_progress))
        outcomes = await asyncio.gather(*answering, return_exceptions=True)
        replies: dict[Question, ModelReply] = {}
        errors: list[BaseException] = []
        for question, outcome in zip(missing, outcomes, strict=True):
            if isinstance(outcome, BaseException):
                errors.append(outcome)
            else:
                replies[question] = outcome
        if errors:
            await self._commits.aclose()  # what was under way has been written down, too
            statement.check()
            # A cancellation may only follow from another error, which says more.
            causes = [error for error in errors if not isinstance(error, Cancelled)]
            raise (causes or errors)[0]
        return replies

    async def _answer(
        self,
        question: Question,
        template: RequestTemplate,
        statement: Statement,
        on_progress: OnProgress | None,
    ) -> ModelReply:
        """One answer: remembered meanwhile, shared with somebody who is asking it, or asked for
        now.
        """
        while True:
            statement.check()
            reply = self.recall(question)
            is_first = False
            if reply is None:
                digest = template.digest(question.context, question.prompt)
                key = digest
                if question.fresh or not self.options.cache:
                    key = f"{digest} {id(question)}"  # shared with nobody
                ask_model = partial(self._ask_model, question, template, digest)
                answer, is_first = self._in_flight.join(key, statement, ask_model)
                try:
                    reply = await answer
                except (Cancelled, LimitReached) as error:
                    if not is_first and not statement.is_stopped:
                        continue  # it was somebody else's statement that was stopped
                    if isinstance(error, LimitReached):
                        self._halt(statement, error)
                    raise
                except WebquarryError as error:
                    self._halt(statement, error)
                    raise
            if not is_first:
                reply = replace(reply, usage=Usage(), remembered=True)
            failed = int(reply.error is not None)
            statement.count_answers(hits=int(not is_first), failed=failed, usage=reply.usage)
            if on_progress is not None:
                on_progress(statement.progress())
            return reply

    async def _ask_model(
        self, question: Question, template: RequestTemplate, digest: str, pending: PendingQuestion
    ) -> ModelReply:
        """Ask for it and pay: reserve, converse, settle, keep; the reply is given when all that is
        on disk.
        """
        from webquarry.ask.exchange.anthropic_client import CallFailure
        from webquarry.ask.exchange.exchange import Exchange, estimate_worst_exchange

        known_errors = pending.owner.known_errors
        await self._exchange_limiter.acquire()
        exchange = Exchange(self._context, pending, template, self.keys.model_key())
        try:
            known = known_errors.get("") or known_errors.get(template.model)
            if known is not None:
                return ModelReply(None, error=known, model=template.model)
            worst = estimate_worst_exchange(self._context.prices, template, question)
            try:
                await exchange.reserve(worst)
                reply = await converse(template, question.context, question.prompt, exchange)
            except CallFailure as failure:
                reply = ModelReply(None, error=failure.error, model=template.model)
            reply = replace(reply, usage=exchange.usage)
            await self._settle_and_keep(exchange, reply, template, question, digest)
            return reply
        finally:
            self._exchange_limiter.release()
            if exchange.is_open:
                # Cancelled, or failed in a way of our own: what may have been billed is written
                # down.
                self._commits.submit(
                    lambda database, cipher: exchange.settle(database, self.clock.now().timestamp())
                )

    async def _settle_and_keep(
        self,
        exchange: Exchange,
        reply: ModelReply,
        template: RequestTemplate,
        question: Question,
        digest: str,
    ) -> None:
        """Settle the bill and keep the answer, in one transaction."""
        now = self.clock.now().timestamp()
        seconds = self.options.kept_seconds
        if reply.searched:
            seconds = self.options.searched_seconds
        free = replace(reply, usage=Usage(), remembered=True)
        kept = KeptAnswer(free, now, now + seconds)
        keeps = reply.error is None and seconds > 0 and self.options.cache

        def write(database: Any, cipher: Any) -> None:
            exchange.settle(database, now)
            if keeps:
                answers.keep(database, cipher, digest, kept)

        try:
            await self._commits.commit(write)
        finally:
            # Also an answer that could not be written down is paid for: asked again in this
            # process, it costs nothing.
            if keeps:
                self._templates.remember(template, question.context, question.prompt, kept)

    def _plan(
        self, question: Question, template: RequestTemplate, statement: Statement
    ) -> ModelReply:
        """A dry run: what it would cost at most is noted, and nobody is asked."""
        from webquarry.ask.exchange.exchange import estimate_worst_exchange

        digest = template.digest(question.context, question.prompt)
        worst = estimate_worst_exchange(self._context.prices, template, question)
        statement.count_planned(digest, worst)
        statement.count_answers()
        return ModelReply(None, model=template.model)

    def _halt(self, statement: Statement, error: WebquarryError) -> None:
        """Begin nothing more for this statement; what has been sent is waited for and kept."""
        if statement.halt is None and not statement.cancelled:
            statement.halt = error
            self._in_flight.stop(statement, None)

    def _stop_in_flight(self, statement: Statement) -> None:
        """The statement was cancelled, in whatever thread."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._in_flight.stop, statement, self.grace_seconds)

    @cached_property
    def _exchange_limiter(self) -> Limiter:
        """How many exchanges are begun; within each, the limiter of calls decides."""
        exchanges = _count_exchanges(self.options.concurrency)
        return Limiter(exchanges, self.clock)

    @cached_property
    def _context(self) -> ExchangeContext:
        """What every exchange works with; made when something is asked for the first time."""
        from webquarry.ask.exchange.anthropic_client import ModelClient
        from webquarry.ask.exchange.exchange import ExchangeContext

        return ExchangeContext(
            client=ModelClient(self._templates.origin, self._open_transport, self.clock),
            limiter=Limiter(self.options.concurrency, self.clock),
            commits=self._commits,
            prices=Prices(self.settings.ask_prices),
            clock=self.clock,
            search=self._templates.search,
            retries=self.settings.retries,
        )


def _count_exchanges(calls: int) -> int:
    """More than calls may be under way, so that a call's place is not empty while others reserve,
    search or are kept.
    """
    return calls + max(1, calls // 2)


def _order_replies(
    questions: Sequence[Question], replies: Mapping[Question, ModelReply]
) -> list[ModelReply]:
    """A reply for each question; of equal ones, only the first has paid."""
    seen: set[Question] = set()
    ordered: list[ModelReply] = []
    for question in questions:
        reply = replies[question]
        if question in seen and reply.usage.calls:
            reply = replace(reply, usage=Usage(), remembered=True)
        seen.add(question)
        ordered.append(reply)
    return ordered
