"""The engine: questions in, answers out. It owns the keys, the options, the answers in memory and
the questions in flight.

    engine = kit.open_engine()                 # one per database instance, or per command
    statement = engine.statement()
    replies = await engine.ask_all([Question("Python", "Who made it?")], statement)

Coroutines run on one event loop; `recall`, `cancel`, `usage`, keys and options are thread-safe. The
failure of one question is in its reply. What stops a statement is raised: no key, a limit, a
cancellation.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import cached_property, partial
from typing import TYPE_CHECKING

from webquarry.ask.answers import FAILED_SEARCH_SECONDS, KeptAnswer
from webquarry.ask.billing.ledger import SpendingRecord
from webquarry.ask.billing.prices import Prices
from webquarry.ask.billing.statement import Statement
from webquarry.ask.keys import KEY_ERRORS, Keys
from webquarry.ask.models import (
    AskLimits,
    ModelReply,
    Progress,
    Question,
    ReplyError,
    Usage,
    add_progress,
    order_replies,
)
from webquarry.ask.options import Options
from webquarry.ask.pending import QuestionsInFlight
from webquarry.ask.searching import SearchProviders
from webquarry.ask.store import QuestionStore
from webquarry.ask.templates import RequestOptions, RequestTemplate, TemplateResolver
from webquarry.clock import Clock
from webquarry.errors import (
    AuthFailure,
    BadInput,
    Cancelled,
    LimitReached,
    RecordsFailure,
    WebquarryError,
)
from webquarry.settings import Settings

if TYPE_CHECKING:
    import httpx2

    from webquarry._search.router import Router
    from webquarry.ask.asker import Asker
    from webquarry.ask.client import ModelClient

OnProgress = Callable[[Progress], None]
GRACE_SECONDS = 1.0  # after a cancellation, for answers that are paid for
_NOTE_SECONDS = 0.5  # after which counts of free answers are written
_MOST_STATEMENTS = 1000  # in memory
_LIMITS = ("max_rows", "max_usd", "max_usd_per_day")


class Engine:
    """One per database instance; instances share only the record file."""

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
        self._providers = SearchProviders(self.keys.environ, open_router)
        self._templates = TemplateResolver(settings, self.keys, self.options, self._providers)
        self._statements: deque[Statement] = deque(maxlen=_MOST_STATEMENTS)
        self._in_flight = QuestionsInFlight()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._unnoted: set[Statement] = set()
        self._note_timer: asyncio.TimerHandle | None = None

    # Thread-safe

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
        """Open a statement; its limits default to those of the options. `words` is its text, for
        the bill. Without `ends_when_refused`, a missing or rejected key is the error of each row.
        `run` names a statement that several processes share: its limits hold for all of them
        together, and reaching one is the error of each row.
        """
        statement = Statement(
            door,
            limits or self.limits(),
            self.options.dry_run if dry_run is None else dry_run,
            self.clock,
            words=words,
            ends_when_refused=ends_when_refused,
            run=run,
            on_cancel=self._stop_in_flight,
        )
        self._statements.append(statement)
        return statement

    def limits(self, *, own: bool = False) -> AskLimits:
        """Return the limits of the options; with `own`, only those that the user has set, and the
        daily one.
        """
        values = {}
        for name in _LIMITS:
            if not own or name in self.options.set_by_user or name == "max_usd_per_day":
                values[name] = getattr(self.options, name)
        return AskLimits(**values)

    def check(self, model: str | None = None) -> None:
        """Raise AuthFailure if there is no key for a model."""
        self.keys.model_key(self._templates.find_vendor(model or self.options.model))

    def resolve_template(self, options: RequestOptions) -> RequestTemplate:
        """Return the request of these options; `template.kept` has its answers in memory."""
        return self._templates.resolve(options)

    def recall(self, question: Question) -> ModelReply | None:
        """Return the answer if it is in memory and still good."""
        return self._recall(question, self._resolve(question))

    def is_good(self, kept: KeptAnswer, now: float | None = None) -> bool:
        """Whether a kept answer may be used; lowered settings apply to it, too."""
        if now is None:
            now = self.clock.now().timestamp()
        if kept.reply.search_failed is not None:
            if not self._has_key_of(kept):
                return False
            seconds = FAILED_SEARCH_SECONDS
        elif kept.reply.searched:
            seconds = self.options.searched_seconds
        else:
            seconds = self.options.kept_seconds
        # An answer from the future was stored while the clock was wrong.
        is_from_future = kept.made_at > now + seconds
        return now < kept.expires_at and now < kept.made_at + seconds and not is_from_future

    def cancel(self) -> None:
        """Cancel all statements."""
        for statement in list(self._statements):
            if not statement.is_stopped:
                statement.cancel()

    def usage(self, *, days: int = 1) -> list[SpendingRecord]:
        """Return what was spent in the last days (UTC, today included) by all processes, newest
        first.
        """
        return self.store.read_bill_now(self._count_back(days), self._take_unnoted())

    def progress(self) -> Progress:
        """Return the progress of all statements of this process together."""
        return add_progress([statement.progress() for statement in list(self._statements)])

    def note(self, statement: Statement) -> None:
        """Write the counts of free answers of a statement soon."""
        if statement.dry_run or statement in self._unnoted:
            return
        self._unnoted.add(statement)
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._start_note_timer)

    # On the event loop

    async def read_bill(self, *, days: int = 1) -> list[SpendingRecord]:
        """Return the same as `usage`, from any store."""
        await self.store.write_notes(self._take_unnoted())
        return await self.store.read_bill(self._count_back(days))

    async def ask(self, question: Question, statement: Statement) -> ModelReply:
        """Return the answer to one question."""
        return (await self.ask_all([question], statement))[0]

    async def ask_all(
        self,
        questions: Sequence[Question],
        statement: Statement,
        on_progress: OnProgress | None = None,
    ) -> list[ModelReply]:
        """Return the answers in the order of the questions. All are asked at once, equal ones
        once.
        """
        self._loop = asyncio.get_running_loop()
        statement.check()
        templates, failed = self._resolve_all(questions, statement)
        statement.add_rows(len(questions))
        replies = await self._find_kept(templates)
        statement.count_answers(rows=len(replies), hits=len(replies))
        for reply in replies.values():
            statement.count_reply(reply)
        missing = [question for question in templates if question not in replies]
        failed |= self._find_keyless(missing, templates, statement)
        missing = [question for question in missing if question not in failed]
        if statement.dry_run:
            for question in missing:
                replies[question] = self._plan(question, templates[question], statement)
        else:
            statement.admit(len(missing))
            replies |= await self._ask_missing(missing, templates, statement, on_progress)
        for reply in failed.values():
            statement.count_answers(failed=1)
            statement.count_reply(reply)
        replies |= failed
        for question, count in Counter(questions).items():
            if count > 1:
                statement.count_repeats(replies[question], count - 1)
        self.note(statement)
        return order_replies(questions, replies)

    async def aclose(self) -> None:
        """Cancel what is in flight, write what it cost, and close the connections."""
        await self._in_flight.aclose()
        if self._note_timer is not None:
            self._note_timer.cancel()
        self._loop = None
        if self._unnoted:
            with suppress(RecordsFailure):
                await self.store.write_notes(self._take_unnoted(), at_end=True)
        if "_asker" in self.__dict__:
            await self._asker.context.client.aclose()
        if "store" in self.__dict__:
            await self.store.aclose()

    def open_client(self) -> ModelClient:
        """Return new connections to models; the caller closes them."""
        from webquarry.ask.client import ModelClient

        return ModelClient(self._open_transport, self.clock, self.settings.user_agent)

    @cached_property
    def store(self) -> QuestionStore:
        """The state that all processes share: answers, claims, the ledger."""
        return self._open_store(self.clock)

    @cached_property
    def _asker(self) -> Asker:
        from webquarry.ask.asker import Asker
        from webquarry.ask.exchange import ExchangeContext
        from webquarry.ask.searching import Searcher
        from webquarry.store.claims import describe_owner

        context = ExchangeContext(
            client=self.open_client(),
            concurrency=self.options.concurrency,
            store=self.store,
            prices=Prices(self.settings.ask_prices, self.clock),
            clock=self.clock,
            searcher=Searcher(self._providers, self.clock, self.settings),
            retries=self.settings.retries,
            owner=describe_owner(),
        )
        return Asker(
            context, self._templates, self._providers, self.keys, self.options, self.is_good
        )

    def _resolve(self, question: Question) -> RequestTemplate:
        options = RequestOptions(
            question.model,
            question.max_tokens,
            question.search,
            question.schema,
            question.instructions,
        )
        return self._templates.resolve(options)

    def _recall(self, question: Question, template: RequestTemplate) -> ModelReply | None:
        if question.fresh or not self.options.cache:
            return None
        kept = template.kept.get((question.context, question.prompt))
        return kept.reply if kept is not None and self.is_good(kept) else None

    def _has_key_of(self, kept: KeptAnswer) -> bool:
        """Whether the search key has not changed since a search failed."""
        try:
            name = self.options.search_provider
            return kept.search_key == self._providers.describe_search_key(name)
        except WebquarryError:
            return False

    def _resolve_all(
        self, questions: Sequence[Question], statement: Statement
    ) -> tuple[dict[Question, RequestTemplate], dict[Question, ModelReply]]:
        """Return the requests, and the replies of invalid questions. Raises the first error if all
        rows of a statement are invalid.
        """
        templates: dict[Question, RequestTemplate] = {}
        invalid: dict[Question, ModelReply] = {}
        first: WebquarryError | None = None
        for question in questions:
            if question in templates or question in invalid:
                continue
            try:
                templates[question] = self._resolve(question)
            except (BadInput, AuthFailure) as error:
                first = first or error
                invalid[question] = _build_error_reply("bad_input", error)
        is_hopeless = not templates and not statement.progress().rows
        if first is not None and is_hopeless and statement.ends_when_refused:
            raise first
        return templates, invalid

    async def _find_kept(
        self, templates: Mapping[Question, RequestTemplate]
    ) -> dict[Question, ModelReply]:
        """Return the answers that are in memory or in the store."""
        found: dict[Question, ModelReply] = {}
        wanted: dict[str, Question] = {}
        for question, template in templates.items():
            reply = self._recall(question, template)
            if reply is not None:
                found[question] = reply
            elif not question.fresh and self.options.cache:
                wanted[template.digest(question.context, question.prompt)] = question
        if not wanted:
            return found
        for digest, kept in (await self.store.find(list(wanted))).items():
            question = wanted[digest]
            if self.is_good(kept):
                template = templates[question]
                self._templates.remember(template, question, kept)
                found[question] = kept.reply
        return found

    def _find_keyless(
        self,
        missing: Sequence[Question],
        templates: Mapping[Question, RequestTemplate],
        statement: Statement,
    ) -> dict[Question, ModelReply]:
        """Return the replies of questions whose vendor has no key, or raise if that ends the
        statement.
        """
        errors: dict[str, AuthFailure | None] = {}
        keyless: dict[Question, ModelReply] = {}
        for question in missing:
            vendor = templates[question].vendor
            if vendor.name not in errors:
                errors[vendor.name] = None
                try:
                    self.keys.model_key(vendor)
                except AuthFailure as caught:
                    if statement.ends_when_refused:
                        raise
                    errors[vendor.name] = caught
            error = errors[vendor.name]
            if error is not None:
                text = KEY_ERRORS.get(error.message, error.message)
                keyless[question] = ModelReply(None, error=ReplyError("auth", text))
        return keyless

    async def _ask_missing(
        self,
        missing: Sequence[Question],
        templates: Mapping[Question, RequestTemplate],
        statement: Statement,
        on_progress: OnProgress | None,
    ) -> dict[Question, ModelReply]:
        """Ask all at once; in the end, raise the first error that stopped the statement."""
        self._asker.resize(self.options.concurrency)
        answering = []
        for question in missing:
            template = templates[question]
            answering.append(self._answer(question, template, statement, on_progress))
        outcomes = await asyncio.gather(*answering, return_exceptions=True)
        errors = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
        if errors:
            await self.store.flush()
            statement.check()
            # A cancellation may be the consequence of another error.
            causes = [error for error in errors if not isinstance(error, Cancelled)]
            raise (causes or errors)[0]
        replies: dict[Question, ModelReply] = {}
        for question, outcome in zip(missing, outcomes, strict=True):
            assert isinstance(outcome, ModelReply)
            replies[question] = outcome
        return replies

    async def _answer(
        self,
        question: Question,
        template: RequestTemplate,
        statement: Statement,
        on_progress: OnProgress | None,
    ) -> ModelReply:
        """Return one answer: from memory, shared with another caller, or asked for now."""
        reply, is_first = await self._get_answer(question, template, statement)
        if not is_first:
            reply = replace(reply, usage=Usage(), remembered=True)
        refusal = statement.find_refusal(reply.error)
        if refusal is not None:
            self._halt(statement, refusal)
            raise refusal
        failed = int(reply.error is not None)
        hits = int(reply.remembered)  # another process may have answered it
        statement.count_answers(hits=hits, failed=failed, usage=reply.usage)
        statement.count_reply(reply)
        if on_progress is not None:
            on_progress(statement.progress())
        return reply

    async def _get_answer(
        self, question: Question, template: RequestTemplate, statement: Statement
    ) -> tuple[ModelReply, bool]:
        """Return an answer, and whether this caller paid for it."""
        digest = template.digest(question.context, question.prompt)
        key = digest
        if question.fresh or not self.options.cache:
            key = f"{digest} {id(question)}"  # not shared
        ask = partial(self._asker.ask, template, digest)
        while True:
            statement.check()
            reply = self._recall(question, template)
            if reply is not None:
                return reply, False
            answer, is_first = self._in_flight.join(key, question, statement, ask)
            try:
                return await answer, is_first
            except (Cancelled, LimitReached) as error:
                if not is_first and not statement.is_stopped:
                    continue  # the other caller's statement was stopped
                if isinstance(error, Cancelled):
                    raise
                if not statement.is_shared:
                    self._halt(statement, error)
                    raise
                return _build_error_reply("limit", error, template.model), is_first
            except WebquarryError as error:
                self._halt(statement, error)
                raise

    def _plan(
        self, question: Question, template: RequestTemplate, statement: Statement
    ) -> ModelReply:
        """Count a question of a dry run."""
        digest = template.digest(question.context, question.prompt)
        worst = self._asker.context.estimate_worst_exchange(template, question)
        statement.count_planned(digest, worst)
        statement.count_answers()
        return ModelReply(None, model=template.model)

    def _halt(self, statement: Statement, error: WebquarryError) -> None:
        """Send nothing more for this statement; calls in progress are completed."""
        if statement.halt is None and not statement.cancelled:
            statement.halt = error
            self._in_flight.stop(statement, None)

    def _stop_in_flight(self, statement: Statement) -> None:
        """Called from the thread that cancels a statement."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._in_flight.stop, statement, self.grace_seconds)

    def _take_unnoted(self) -> set[Statement]:
        statements, self._unnoted = self._unnoted, set()
        return statements

    def _start_note_timer(self) -> None:
        if self._note_timer is None and self._loop is not None:
            self._note_timer = self._loop.call_later(_NOTE_SECONDS, self._write_notes)

    def _write_notes(self) -> None:
        self._note_timer = None
        self.store.write_notes_soon(self._take_unnoted())

    def _count_back(self, days: int) -> str:
        """Return the first of the last days (UTC), today included."""
        return (self.clock.now() - timedelta(days=days - 1)).date().isoformat()


def _build_error_reply(code: str, error: WebquarryError, model: str = "") -> ModelReply:
    text = f"{error.message} {error.suggested_action}".strip()
    return ModelReply(None, error=ReplyError(code, text), model=model)
