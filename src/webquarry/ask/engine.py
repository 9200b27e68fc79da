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
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cached_property, partial
from typing import TYPE_CHECKING

from webquarry.ask.answers import KeptAnswer
from webquarry.ask.asker import FAILED_SEARCH_SECONDS, Asker
from webquarry.ask.billing.ledger import SpendingRecord
from webquarry.ask.billing.notes import StatementNotes
from webquarry.ask.billing.prices import Prices
from webquarry.ask.billing.statement import Statement
from webquarry.ask.exchange.request_template import RequestTemplate
from webquarry.ask.exchange.template_resolver import RequestOptions, TemplateResolver
from webquarry.ask.in_flight import QuestionsInFlight
from webquarry.ask.keys import KEY_ERRORS, Keys
from webquarry.ask.models import (
    AskLimits,
    ModelReply,
    Progress,
    Question,
    ReplyError,
    Usage,
    add_progress,
    build_limit_reply,
    order_replies,
)
from webquarry.ask.options import Options
from webquarry.ask.sharing.base import QuestionStore
from webquarry.clock import Clock
from webquarry.errors import (
    AuthFailure,
    BadInput,
    Cancelled,
    LimitReached,
    WebquarryError,
)
from webquarry.settings import Settings

if TYPE_CHECKING:
    import httpx2

    from webquarry._search.router import Router
    from webquarry.ask.exchange.exchange import ExchangeContext
    from webquarry.ask.exchange.model_client import ModelClient

OnProgress = Callable[[Progress], None]
GRACE_SECONDS = 1.0  # after a cancellation, for answers that are on their way and paid for
_MOST_STATEMENTS = 1000  # of this process, whose hits are known
_LIMITS = ("max_rows", "max_usd", "max_usd_per_day")
_FOR_ALL = "max_usd_per_day"


class Engine:
    """One for each database instance; nothing of it is shared with another but the record file."""

    def __init__(
        self,
        settings: Settings,
        environ: Mapping[str, str],
        open_store: Callable[[Clock], QuestionStore],
        open_router: Callable[[Mapping[str, str]], Router],
        open_transport: Callable[[], httpx2.AsyncBaseTransport],
        clock: Clock | None = None,
    ) -> None:
        self.settings = settings
        self.clock = clock or Clock()
        self.keys = Keys(environ)
        self.options = Options(settings)
        self.grace_seconds = GRACE_SECONDS
        self._open_store = open_store
        self._open_transport = open_transport
        self._templates = TemplateResolver(settings, self.keys, self.options, open_router)
        self._statements: deque[Statement] = deque(maxlen=_MOST_STATEMENTS)
        self._in_flight = QuestionsInFlight()
        self._notes = StatementNotes(self._write_notes)
        self._loop: asyncio.AbstractEventLoop | None = None

    # What any thread may ask

    def statement(
        self,
        *,
        door: str = "sql",
        limits: AskLimits | None = None,
        dry_run: bool | None = None,
        words: str = "",
        ends_when_refused: bool = True,
        run: str = "",
    ) -> Statement:
        """A new statement; without limits of its own, those of the options. `words` are its text,
        for the bill. Without `ends_when_refused` a key that is missing or not accepted is the error
        of each row. A `run` is the name of one that several processes work on: its limits hold for
        all of them together, and one that is reached is the error of each row.
        """
        if dry_run is None:
            dry_run = self.options.dry_run
        if limits is None:
            limits = self.limits()
        statement = Statement(
            door,
            limits,
            dry_run,
            self.clock,
            words=words,
            ends_when_refused=ends_when_refused,
            run=run,
        )
        statement.on_cancel(self._stop_in_flight)
        self._statements.append(statement)
        return statement

    def limits(self, *, own: bool = False) -> AskLimits:
        """The limits of the options; with `own`, only those that the user has set, and that of a
        day, which holds for everybody.
        """
        values = {}
        for name in _LIMITS:
            if not own or name in self.options.set_by_user or name == _FOR_ALL:
                values[name] = getattr(self.options, name)
        return AskLimits(**values)

    def check(self, model: str | None = None) -> None:
        """Raise at once when there is no key for a model, or for the one asked if none is named."""
        self.keys.model_key(self._templates.find_vendor(model or self.options.model))

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
        if kept.reply.search_failed is not None:  # spelled out: this is asked for every row
            if not self._has_search_of(kept):
                return False
            seconds = FAILED_SEARCH_SECONDS
        elif kept.reply.searched:
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
        return self.store.read_bill_now(self._count_back(days), self._notes.take())

    def progress(self) -> Progress:
        """How far all statements of this process are, together."""
        return add_progress([statement.progress() for statement in list(self._statements)])

    def note(self, statement: Statement) -> None:
        """Write down soon what is known of a statement beside money; any thread may say so."""
        self._notes.add(statement)

    # What runs on the loop

    async def read_bill(self, *, days: int = 1) -> list[SpendingRecord]:
        """The same, whatever the store."""
        await self.store.write_notes(self._notes.take())
        return await self.store.read_bill(self._count_back(days))

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
        self._notes.attach()
        statement.check()
        templates, unaskable = self._resolve_all(questions, statement)
        statement.add_rows(len(questions))
        # What is kept costs nothing, and counts towards no limit.
        replies = await self._find_kept(templates)
        statement.count_answers(rows=len(replies), hits=len(replies))
        for reply in replies.values():
            statement.count_reply(reply)
        missing = [question for question in templates if question not in replies]
        refused = self._find_refused(missing, templates, statement)
        unaskable |= refused
        missing = [question for question in missing if question not in refused]
        if statement.dry_run:
            for question in missing:
                replies[question] = self._plan(question, templates[question], statement)
        else:
            statement.admit(len(missing))
            replies |= await self._ask_missing(missing, templates, statement, on_progress)
        for reply in unaskable.values():
            statement.count_answers(failed=1)
            statement.count_reply(reply)
        replies |= unaskable
        for question, count in Counter(questions).items():
            if count > 1:
                statement.count_repeats(replies[question], count - 1)
        self.note(statement)
        return order_replies(questions, replies)

    async def aclose(self) -> None:
        """End what is under way, write down what it took, close the connections."""
        await self._in_flight.aclose()
        await self._notes.close()
        if "_asker" in self.__dict__:  # something was asked
            await self._asker.aclose()
        if "store" in self.__dict__:
            await self.store.aclose()

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
        recorded = await self.store.find(list(wanted))
        now = self.clock.now().timestamp()
        for digest, kept in recorded.items():
            question = wanted[digest]
            whole = kept.reply.mend_letters()  # older releases kept them as they were
            if whole is not kept.reply:
                kept = replace(kept, reply=whole)
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
        self._asker.resize(self.options.concurrency)
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
            await self.store.flush()  # what was under way has been written down, too
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
                ask_model = partial(self._asker.ask, question, template, digest)
                answer, is_first = self._in_flight.join(key, statement, ask_model)
                try:
                    reply = await answer
                except (Cancelled, LimitReached) as error:
                    if not is_first and not statement.is_stopped:
                        continue  # it was somebody else's statement that was stopped
                    if isinstance(error, Cancelled):
                        raise
                    if not statement.is_shared:
                        self._halt(statement, error)
                        raise
                    reply = build_limit_reply(error, template.model)
                except WebquarryError as error:
                    self._halt(statement, error)
                    raise
            if not is_first:
                reply = replace(reply, usage=Usage(), remembered=True)
            refusal = statement.find_refusal(reply.error)
            if refusal is not None:
                self._halt(statement, refusal)
                raise refusal
            failed = int(reply.error is not None)
            # Another process may have answered it meanwhile.
            hits = int(reply.remembered)
            statement.count_answers(hits=hits, failed=failed, usage=reply.usage)
            statement.count_reply(reply)
            if on_progress is not None:
                on_progress(statement.progress())
            return reply

    def _resolve_all(
        self, questions: Sequence[Question], statement: Statement
    ) -> tuple[dict[Question, RequestTemplate], dict[Question, ModelReply]]:
        """The requests, and the errors of questions that cannot be asked as they are. Where none
        can be, and none could before, the statement itself is wrong, which is raised.
        """
        templates: dict[Question, RequestTemplate] = {}
        unaskable: dict[Question, ModelReply] = {}
        first: WebquarryError | None = None
        for question in questions:
            if question in templates or question in unaskable:
                continue
            try:
                templates[question] = self._resolve_question(question)
            except (BadInput, AuthFailure) as error:
                first = first or error
                text = f"{error.message} {error.suggested_action}".strip()
                unaskable[question] = ModelReply(None, error=ReplyError("bad_input", text))
        is_hopeless = not templates and not statement.progress().rows
        if first is not None and is_hopeless and statement.ends_when_refused:
            raise first
        return templates, unaskable

    def _find_refused(
        self,
        missing: Sequence[Question],
        templates: Mapping[Question, RequestTemplate],
        statement: Statement,
    ) -> dict[Question, ModelReply]:
        """The questions whose vendor has no key, with that error, unless it ends the statement."""
        errors = self.keys.find_refusals({templates[question].vendor for question in missing})
        if errors and statement.ends_when_refused:
            raise next(iter(errors.values()))
        refused: dict[Question, ModelReply] = {}
        for question in missing:
            error = errors.get(templates[question].vendor)
            if error is not None:
                text = KEY_ERRORS.get(error.message, error.message)
                refused[question] = ModelReply(None, error=ReplyError("auth", text))
        return refused

    def _has_search_of(self, kept: KeptAnswer) -> bool:
        """Whether the key of a failed search is still the one that is used."""
        name = self.options.search_provider
        try:
            return kept.search_key == self._templates.describe_search_key(name)
        except WebquarryError:
            return False

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
    def store(self) -> QuestionStore:
        """What all processes share: answers, claims, the ledger."""
        return self._open_store(self.clock)

    async def _write_notes(self, statements: Iterable[Statement], *, at_end: bool = False) -> None:
        await self.store.write_notes(statements, at_end=at_end)

    def _count_back(self, days: int) -> str:
        """The first of the last days (UTC), today included."""
        return (self.clock.now() - timedelta(days=days - 1)).date().isoformat()

    def open_client(self) -> ModelClient:
        """New connections to models, closed by whoever opened them."""
        from webquarry.ask.exchange.model_client import ModelClient

        return ModelClient(self._open_transport, self.clock, self.settings.user_agent)

    @cached_property
    def _context(self) -> ExchangeContext:
        """What every exchange works with; made when something is asked for the first time."""
        from webquarry.ask.exchange.exchange import ExchangeContext
        from webquarry.ask.exchange.searching import Searcher

        return ExchangeContext(
            client=self.open_client(),
            concurrency=self.options.concurrency,
            store=self.store,
            prices=Prices(self.settings.ask_prices, self.clock),
            clock=self.clock,
            searcher=Searcher(self._templates, self.clock, self.settings),
            retries=self.settings.retries,
        )

    @cached_property
    def _asker(self) -> Asker:
        """Who asks and pays; made when something is asked for the first time."""
        return Asker(
            self._context,
            self.store,
            self._templates,
            self.keys,
            self.options,
            self.clock,
            self.is_good,
        )
