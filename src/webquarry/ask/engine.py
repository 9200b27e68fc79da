"""The engine: questions in, answers out; it owns the keys, the options, what is remembered and what
is under way.

    engine = kit.open_engine()                 # one for each database instance, or for a command
    statement = engine.statement()
    replies = await engine.ask_all([Question("Python", "Who made it?")], statement)

Coroutines run on one event loop, the engine's; `remembered`, `cancel`, `usage`, keys and options
are for any thread. What goes wrong with one question is in its reply. What stops a statement is
raised: no key, a limit, a cancellation.
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
from webquarry.ask.answers import Kept
from webquarry.ask.billing import ledger
from webquarry.ask.billing.group_commit import Desk
from webquarry.ask.billing.ledger import Spent
from webquarry.ask.billing.prices import Prices
from webquarry.ask.billing.statement import Statement
from webquarry.ask.exchange.conversation import Shape, converse
from webquarry.ask.exchange.limiter import Limiter
from webquarry.ask.exchange.request_template import Shapes, Wishes
from webquarry.ask.flights import Flight, Flights
from webquarry.ask.keys import Keys
from webquarry.ask.models import AskLimits, ModelReply, Progress, Question, Usage
from webquarry.ask.options import Options
from webquarry.clock import Clock
from webquarry.errors import Cancelled, LimitReached, WebquarryError
from webquarry.records.file import RecordFile
from webquarry.settings import Settings

if TYPE_CHECKING:
    import httpx2

    from webquarry.ask.exchange.exchange import Exchange, Means
    from webquarry.search.router import Router

Hear = Callable[[Progress], None]
GRACE_SECONDS = 1.0  # after a cancellation, for answers that are on their way and paid for
_STATEMENTS = 1000  # of this process, whose hits are known


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
        self._shapes = Shapes(settings, self.keys, self.options, open_router)
        self._statements: deque[Statement] = deque(maxlen=_STATEMENTS)
        self._desk = Desk(records)
        self._flights = Flights()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tidied = False

    # What any thread may ask

    def statement(
        self, *, door: str = "sql", limits: AskLimits | None = None, dry_run: bool | None = None
    ) -> Statement:
        """A new statement; without limits of its own, those of the options."""
        dry_run = self.options.dry_run if dry_run is None else dry_run
        statement = Statement(
            door, self.limits() if limits is None else limits, dry_run, self.clock
        )
        statement.on_cancel(self._cancelled)
        self._statements.append(statement)
        return statement

    def limits(self, *, own: bool = False) -> AskLimits:
        """The limits of the options; with `own`, only those that the user has set."""
        names = ("max_rows", "max_usd", "max_usd_per_day")
        return AskLimits(
            *(
                getattr(self.options, name) if not own or name in self.options.given else None
                for name in names
            )
        )

    def check(self) -> None:
        """Raise at once when there is no key for the model."""
        self.keys.model_key()

    def shape(
        self,
        model: str | None = None,
        max_tokens: int | None = None,
        search: bool | None = None,
        schema: str | None = None,
        instructions: str | None = None,
    ) -> Shape:
        """What a request with these wishes looks like now; `shape.kept` are the answers remembered
        for it.
        """
        return self._shapes.of(Wishes(model, max_tokens, search, schema, instructions))

    def remembered(self, question: Question) -> ModelReply | None:
        """The answer, if this engine has it in memory and it is still good."""
        if question.fresh or not self.options.cache:
            return None
        kept = self._shape_of(question).kept.get((question.context, question.prompt))
        if kept is not None and self.good(kept, self.clock.now().timestamp()):
            return kept.reply
        return None

    def good(self, kept: Kept, now: float) -> bool:
        """Whether a kept answer may still be given; a setting that was lowered meanwhile counts."""
        if kept.reply.searched:
            seconds = self.options.searched_seconds
        else:
            seconds = self.options.kept_seconds
        return now < kept.expires_at and now < kept.made_at + seconds

    def cancel(self) -> None:
        """Stop every statement that is under way."""
        for statement in list(self._statements):
            if not statement.stopped:
                statement.cancel()

    def usage(self, *, days: int = 1) -> list[Spent]:
        """What was spent in the last days (UTC, today included), by all doors and processes; newest
        first.
        """
        since = (self.clock.now() - timedelta(days=days - 1)).date().isoformat()
        found = self._records.do(lambda database, vault: ledger.spent_since(database, since))
        hits = {statement.id: statement.progress().hits for statement in self._statements}
        paid = {spent.statement for spent in found}
        free = [
            self._free(one)
            for one in reversed(self._statements)
            if one.id not in paid and hits[one.id]
        ]
        return [*(replace(spent, hits=hits.get(spent.statement, 0)) for spent in found), *free]

    # What runs on the loop

    async def ask(self, question: Question, statement: Statement) -> ModelReply:
        """The answer to one question."""
        return (await self.ask_all([question], statement))[0]

    async def ask_all(
        self, questions: Sequence[Question], statement: Statement, hear: Hear | None = None
    ) -> list[ModelReply]:
        """The answers, in the order of the questions. Equal questions are asked once, all at once."""
        self._loop = asyncio.get_running_loop()
        statement.check()
        statement.rows_came(len(questions))
        distinct = {question: self._shape_of(question) for question in questions}
        replies = await self._recalled(distinct)
        statement.answered(rows=len(replies), hits=len(replies))
        missing = [question for question in distinct if question not in replies]
        if missing and not statement.dry_run:
            self.check()
            statement.admit(len(missing))
        if statement.dry_run:
            replies |= {
                question: self._rehearsed(question, distinct[question], statement)
                for question in missing
            }
        else:
            replies |= await self._asked(missing, distinct, statement, hear)
        repeats = len(questions) - len(distinct)
        statement.answered(rows=repeats, hits=repeats)
        return _in_order(questions, replies)

    async def aclose(self) -> None:
        """End what is under way, write down what it took, close the connections."""
        await self._flights.aclose()
        await self._desk.aclose()
        if "_means" in self.__dict__:
            await self._means.client.aclose()

    def _shape_of(self, question: Question) -> Shape:
        return self.shape(
            question.model,
            question.max_tokens,
            question.search,
            question.schema,
            question.instructions,
        )

    async def _recalled(self, distinct: Mapping[Question, Shape]) -> dict[Question, ModelReply]:
        """Those that were answered before: from memory, and then from the record file, in one look."""
        found = {question: reply for question in distinct if (reply := self.remembered(question))}
        wanted = {
            shape.digest(question.context, question.prompt): question
            for question, shape in distinct.items()
            if question not in found and not question.fresh and self.options.cache
        }
        if not wanted:
            return found
        now = self.clock.now().timestamp()
        kept = await self._desk.do(
            lambda database, vault: self._looked_up(database, vault, list(wanted), now)
        )
        for digest, one in kept.items():
            question = wanted[digest]
            if self.good(one, now):
                self._shapes.remember(distinct[question], question.context, question.prompt, one)
                found[question] = one.reply
        return found

    def _looked_up(
        self, database: Any, vault: Any, digests: list[str], now: float
    ) -> dict[str, Kept]:
        if not self._tidied:
            self._tidied = True
            answers.forget(database, now)
            ledger.forget(database, now)
        return answers.find(database, vault, digests, now)

    async def _asked(
        self,
        missing: Sequence[Question],
        shapes: Mapping[Question, Shape],
        statement: Statement,
        hear: Hear | None,
    ) -> dict[Question, ModelReply]:
        """Ask for what is missing, all at once; the first error that stops the statement is raised
        when all have ended.
        """
        self._means.limiter.resize(self.options.concurrency)
        self._gate.resize(_begun_at_once(self.options.concurrency))
        tasks = {
            question: self._answer(question, shapes[question], statement, hear)
            for question in missing
        }
        outcomes = await asyncio.gather(*tasks.values(), return_exceptions=True)
        errors = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
        if errors:
            await self._desk.aclose()  # what was under way has been written down, too
            statement.check()
            raise next((error for error in errors if not isinstance(error, Cancelled)), errors[0])
        return {
            question: reply
            for question, reply in zip(tasks, outcomes, strict=True)
            if isinstance(reply, ModelReply)
        }

    async def _answer(
        self, question: Question, shape: Shape, statement: Statement, hear: Hear | None
    ) -> ModelReply:
        """One answer: remembered meanwhile, shared with somebody who is asking it, or asked for
        now.
        """
        while True:
            statement.check()
            reply, first = self.remembered(question), False
            if reply is None:
                digest = shape.digest(question.context, question.prompt)
                if not question.fresh and self.options.cache:
                    key = digest
                else:
                    key = f"{digest} {id(question)}"
                answer, first = self._flights.join(
                    key, statement, partial(self._fly, question, shape, digest)
                )
                try:
                    reply = await answer
                except (Cancelled, LimitReached) as error:
                    if not first and not statement.stopped:
                        continue  # it was somebody else's statement that was stopped
                    if isinstance(error, LimitReached):
                        self._halt(statement, error)
                    raise
                except WebquarryError as error:
                    self._halt(statement, error)
                    raise
            if not first:
                reply = replace(reply, usage=Usage(), remembered=True)
            statement.answered(
                hits=int(not first), failed=int(reply.error is not None), usage=reply.usage
            )
            if hear is not None:
                hear(statement.progress())
            return reply

    async def _fly(
        self, question: Question, shape: Shape, digest: str, flight: Flight
    ) -> ModelReply:
        """Ask for it and pay: reserve, talk, settle, keep; the reply is given when all that is on
        disk.
        """
        from webquarry.ask.exchange.anthropic_client import Fault
        from webquarry.ask.exchange.exchange import Exchange, worst_exchange

        statement = flight.owner
        await self._gate.acquire()
        exchange = Exchange(self._means, flight, shape, self.keys.model_key())
        try:
            known = statement.troubles.get("") or statement.troubles.get(shape.model)
            if known is not None:
                return ModelReply(None, error=known, model=shape.model)
            try:
                await exchange.reserve(worst_exchange(self._means.prices, shape, question))
                reply = await converse(shape, question.context, question.prompt, exchange)
            except Fault as fault:
                reply = ModelReply(None, error=fault.trouble, model=shape.model)
            reply = replace(reply, usage=exchange.usage)
            await self._written(exchange, reply, shape, question, digest)
            return reply
        finally:
            self._gate.release()
            # cancelled, or failed in a way of our own: what may have been billed is written down
            if exchange.open:
                self._desk.post(
                    lambda database, vault: exchange.settle(database, self.clock.now().timestamp())
                )

    async def _written(
        self, exchange: Exchange, reply: ModelReply, shape: Shape, question: Question, digest: str
    ) -> None:
        """Settle the bill and keep the answer, in one transaction."""
        now = self.clock.now().timestamp()
        if reply.searched:
            seconds = self.options.searched_seconds
        else:
            seconds = self.options.kept_seconds
        kept = Kept(replace(reply, usage=Usage(), remembered=True), now, now + seconds)
        keeps = reply.error is None and seconds > 0 and self.options.cache

        def work(database: Any, vault: Any) -> None:
            exchange.settle(database, now)
            if keeps:
                answers.keep(database, vault, digest, kept)

        await self._desk.do(work)
        if keeps:
            self._shapes.remember(shape, question.context, question.prompt, kept)

    def _rehearsed(self, question: Question, shape: Shape, statement: Statement) -> ModelReply:
        """A dry run: what it would cost at most is noted, and nobody is asked."""
        from webquarry.ask.exchange.exchange import worst_exchange

        digest = shape.digest(question.context, question.prompt)
        statement.planned(digest, worst_exchange(self._means.prices, shape, question))
        statement.answered()
        return ModelReply(None, model=shape.model)

    def _halt(self, statement: Statement, error: WebquarryError) -> None:
        """Begin nothing more for this statement; what has been sent is waited for and kept."""
        if statement.halt is None and not statement.cancelled:
            statement.halt = error
            self._flights.stop(statement, None)

    def _cancelled(self, statement: Statement) -> None:
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._flights.stop, statement, self.grace_seconds)

    @cached_property
    def _gate(self) -> Limiter:
        """How many exchanges are begun; within each, the limiter of calls decides."""
        return Limiter(_begun_at_once(self.options.concurrency), self.clock)

    @cached_property
    def _means(self) -> Means:
        from webquarry.ask.exchange.anthropic_client import ModelClient
        from webquarry.ask.exchange.exchange import Means

        return Means(
            client=ModelClient(self._shapes.origin, self._open_transport, self.clock),
            limiter=Limiter(self.options.concurrency, self.clock),
            desk=self._desk,
            prices=Prices(self.settings.ask_prices),
            clock=self.clock,
            search=self._shapes.search,
            retries=self.settings.retries,
        )

    def _free(self, statement: Statement) -> Spent:
        progress = statement.progress()
        day = self.clock.now().date().isoformat()
        counts = (0, 0, 0, 0, 0, 0, 0.0, 0.0)
        return Spent(
            day, statement.id, statement.door, "", statement.begun_at, *counts, hits=progress.hits
        )


def _begun_at_once(calls: int) -> int:
    """More than calls may be under way, so that a call's place is not empty while others reserve,
    search or are kept.
    """
    return calls + max(1, calls // 2)


def _in_order(
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
