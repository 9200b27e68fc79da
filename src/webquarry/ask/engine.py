"""The engine: questions in, answers out. It owns the keys, the options, the answers in memory and
the questions in flight.

    engine = kit.open_engine()                 # one per database instance, or per command
    statement = engine.statement()
    replies = await engine.ask_all([Question("Python", "Who made it?")], statement)

Coroutines run on one event loop; `recall`, `cancel`, keys and options are thread-safe. The
failure of one question is in its reply. What stops a statement is raised: no key, a limit, a
cancellation.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from webquarry.ask.client import ModelClient
from webquarry.ask.exchange import Exchange, estimate_worst
from webquarry.ask.keys import KEY_ERRORS, Keys
from webquarry.ask.ledger import SpendingRecord
from webquarry.ask.limiter import Limiter
from webquarry.ask.models import (
    AskLimits,
    KeptAnswer,
    ModelReply,
    Progress,
    Question,
    ReplyError,
    add_progress,
)
from webquarry.ask.options import Options
from webquarry.ask.prices import Prices
from webquarry.ask.searching import Searcher
from webquarry.ask.statement import Statement
from webquarry.ask.store import QuestionStore
from webquarry.ask.templates import RequestTemplate, TemplateResolver
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

OnProgress = Callable[[Progress], None]
GRACE_SECONDS = 1.0  # after a cancellation, for answers that are paid for
FAILED_SEARCH_SECONDS = 60.0  # lifetime of an answer whose search failed
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
        self.searcher = Searcher(self.keys.environ, open_router, self.clock, settings)
        self.templates = TemplateResolver(settings, self.options, self.searcher)
        self.rejected: dict[str, set[str]] = {}  # by model: the features that its server rejects
        self._statements: deque[Statement] = deque(maxlen=_MOST_STATEMENTS)
        self._in_flight: set[Exchange] = set()
        self._limiters: dict[str, Limiter] = {}  # by vendor
        self._exchanges: tuple[int, asyncio.Semaphore] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._unnoted: set[Statement] = set()

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
            on_cancel=self._stop_soon,
        )
        self._statements.append(statement)
        return statement

    def limits(self, *, own: bool = False) -> AskLimits:
        """Return the limits of the options; with `own`, only those that the user has set, and the
        daily one.
        """
        names = {*self.options.set_by_user, "max_usd_per_day"} if own else _LIMITS
        return AskLimits(**{name: getattr(self.options, name) for name in _LIMITS if name in names})

    def check(self, model: str | None = None) -> None:
        """Raise AuthFailure if there is no key for a model."""
        self.keys.model_key(self.templates.find_vendor(model or self.options.model))

    def is_good(self, kept: KeptAnswer, now: float | None = None) -> bool:
        """Whether a stored answer may be used; lowered settings apply to it, too."""
        if now is None:
            now = self.clock.now().timestamp()
        if kept.reply.search_failed is not None and kept.search_key != self._describe_search_key():
            return False
        seconds = self._get_lifetime(kept.reply)
        # An answer from the future was stored while the clock was wrong.
        is_from_future = kept.made_at > now + seconds
        return now < kept.expires_at and now < kept.made_at + seconds and not is_from_future

    def cancel(self) -> None:
        """Cancel all statements."""
        for statement in list(self._statements):
            if not statement.is_stopped:
                statement.cancel()

    def progress(self) -> Progress:
        """Return the progress of all statements of this process together."""
        return add_progress(statement.progress() for statement in list(self._statements))

    def note(self, statement: Statement) -> None:
        """Write the counts of free answers of a statement with the next bill or question."""
        if not statement.dry_run:
            self._unnoted.add(statement)

    # On the event loop

    async def usage(self, *, days: int = 1) -> list[SpendingRecord]:
        """Return the spending of the last days (UTC, today included) by all processes, newest
        first.
        """
        await self.store.write_notes(self._take_unnoted())
        since = (self.clock.now() - timedelta(days=days - 1)).date().isoformat()
        return await self.store.read_bill(since)

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
        once, and only the first of them has the cost.
        """
        self._loop = asyncio.get_running_loop()
        statement.check()
        templates, replies = self._resolve_all(questions, statement)
        statement.count(rows=len(questions))
        self.note(statement)
        replies |= await self._find_kept(templates, statement)
        for reply in replies.values():
            statement.count_reply(reply)
        missing = {one: templates[one] for one in templates if one not in replies}
        if statement.dry_run:
            for question, template in missing.items():
                replies[question] = self._plan(question, template, statement)
        else:
            self._check_keys(missing, statement)
            statement.admit(len(missing))
            replies |= await self._answer_all(missing, statement, on_progress)
        self.note(statement)
        repeats: dict[Question, ModelReply] = {}
        for question, count in Counter(questions).items():
            if count > 1:
                repeats[question] = replies[question].as_free()
                statement.count_reply(repeats[question], rows=count - 1)
        return [
            replies.pop(question) if question in replies else repeats[question]
            for question in questions
        ]

    async def aclose(self) -> None:
        """Cancel the questions in flight, write what they cost, and close the connections."""
        tasks = [exchange.task for exchange in self._in_flight]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._loop = None
        if self._unnoted:
            with suppress(RecordsFailure):
                await self.store.write_notes(self._take_unnoted())
        if "client" in self.__dict__:
            await self.client.aclose()
        if "store" in self.__dict__:
            await self.store.aclose()

    # For exchanges

    @cached_property
    def store(self) -> QuestionStore:
        """The state that all processes share: answers, claims, the ledger."""
        return self._open_store(self.clock)

    @cached_property
    def client(self) -> ModelClient:
        """The connections to models."""
        return ModelClient(self._open_transport, self.clock, self.settings.user_agent)

    @cached_property
    def prices(self) -> Prices:
        return Prices(self.settings.ask_prices, self.clock)

    @property
    def exchanges(self) -> asyncio.Semaphore:
        """Limit of questions in progress: more than calls, as some reserve, search or settle."""
        calls = self.options.concurrency
        if self._exchanges is None or self._exchanges[0] != calls:
            self._exchanges = (calls, asyncio.Semaphore(calls + max(1, calls // 2)))
        return self._exchanges[1]

    def get_limiter(self, vendor: str) -> Limiter:
        """Return the limit of concurrent calls to a vendor."""
        calls = self.options.concurrency
        limiter = self._limiters.get(vendor)
        if limiter is None:
            limiter = self._limiters[vendor] = Limiter(calls, self.clock)
        limiter.resize(calls)
        return limiter

    def build_kept(self, template: RequestTemplate, reply: ModelReply) -> KeptAnswer | None:
        """Return the answer to store; None if it is not stored."""
        seconds = self._get_lifetime(reply)
        if reply.error is not None or seconds <= 0 or not self.options.cache:
            return None
        search_key = "" if reply.search_failed is None else self._describe_search_key()
        now = self.clock.now().timestamp()
        return KeptAnswer(reply.as_free(), now, now + seconds, search_key)

    def _get_lifetime(self, reply: ModelReply) -> float:
        """Return the seconds for which an answer is stored."""
        seconds = self.options.searched_seconds if reply.searched else self.options.kept_seconds
        return seconds if reply.search_failed is None else min(seconds, FAILED_SEARCH_SECONDS)

    def _recall(self, question: Question, template: RequestTemplate) -> ModelReply | None:
        """Return the answer if it is in memory and still good."""
        if question.fresh or not self.options.cache:
            return None
        kept = template.kept.get((question.context, question.prompt))
        return kept.reply if kept is not None and self.is_good(kept) else None

    def _describe_search_key(self) -> str:
        """Return a hash of the search key; an answer whose search failed depends on it."""
        name = self.options.search_provider
        return "" if name == "none" else self.searcher.describe_key(name)

    def _resolve_all(
        self, questions: Sequence[Question], statement: Statement
    ) -> tuple[dict[Question, RequestTemplate], dict[Question, ModelReply]]:
        """Return the requests, and the replies of invalid questions. Raises the first error if all
        rows of a statement are invalid.
        """
        resolved: dict[tuple[object, ...], RequestTemplate | WebquarryError] = {}  # by options
        templates: dict[Question, RequestTemplate] = {}
        invalid: dict[Question, ModelReply] = {}
        first: WebquarryError | None = None
        for question in dict.fromkeys(questions):
            options = (
                question.model,
                question.max_tokens,
                question.search,
                question.schema,
                question.instructions,
            )
            if options not in resolved:
                try:
                    resolved[options] = self.templates.resolve(question)
                except (BadInput, AuthFailure) as error:
                    resolved[options] = error
            found = resolved[options]
            try:
                question.require_text()
            except BadInput as error:
                found = error
            if isinstance(found, RequestTemplate):
                templates[question] = found
            else:
                first = first or found
                invalid[question] = _build_error_reply("bad_input", found)
        is_hopeless = not templates and not statement.progress().rows
        if first is not None and is_hopeless and statement.ends_when_refused:
            raise first
        return templates, invalid

    async def _find_kept(
        self, templates: Mapping[Question, RequestTemplate], statement: Statement
    ) -> dict[Question, ModelReply]:
        """Return the answers that are in memory or in the store, and failures of the statement,
        which are not paid for again.
        """
        found: dict[Question, ModelReply] = {}
        wanted: dict[str, Question] = {}
        for question, template in templates.items():
            reply = self._recall(question, template)
            if reply is not None:
                found[question] = reply
                continue
            digest = template.digest(question.context, question.prompt)
            error = statement.errors.get(digest)
            if error is not None:
                found[question] = ModelReply(None, error=error, model=template.model)
            elif not question.fresh and self.options.cache:
                wanted[digest] = question
        if len(found) < len(templates):
            await self.store.write_notes(self._take_unnoted())
        if not wanted:
            return found
        for digest, kept in (await self.store.find(list(wanted))).items():
            question = wanted[digest]
            if self.is_good(kept):
                self.templates.remember(templates[question], question, kept)
                found[question] = kept.reply
        return found

    def _check_keys(
        self, missing: Mapping[Question, RequestTemplate], statement: Statement
    ) -> None:
        """Raise AuthFailure if a vendor has no key, or make that the error of its questions."""
        for vendor in {template.vendor for template in missing.values()}:
            try:
                self.keys.model_key(vendor)
            except AuthFailure as error:
                if statement.ends_when_refused:
                    raise
                text = KEY_ERRORS.get(error.message, error.message)
                statement.errors[f"{vendor.name}/"] = ReplyError("auth", text)

    async def _answer_all(
        self,
        missing: Mapping[Question, RequestTemplate],
        statement: Statement,
        on_progress: OnProgress | None,
    ) -> dict[Question, ModelReply]:
        """Ask all questions at once. Raises the error that stopped the statement."""
        answering = [
            self._answer(question, template, statement, on_progress)
            for question, template in missing.items()
        ]
        outcomes = await asyncio.gather(*answering, return_exceptions=True)
        errors = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
        if errors:
            await self.store.flush()
            statement.check()
            # A cancellation may be the consequence of another error.
            raise min(errors, key=lambda error: isinstance(error, Cancelled))
        answered = [outcome for outcome in outcomes if isinstance(outcome, ModelReply)]
        return dict(zip(missing, answered, strict=True))

    async def _answer(
        self,
        question: Question,
        template: RequestTemplate,
        statement: Statement,
        on_progress: OnProgress | None,
    ) -> ModelReply:
        """Return the answer of the model, or of another process that is asking the same."""
        exchange = Exchange(self, statement, question, template)
        self._in_flight.add(exchange)
        try:
            reply = await exchange.run()
            statement.check_key(reply.error)
        except Cancelled:
            raise
        except WebquarryError as error:
            if not (statement.is_shared and isinstance(error, LimitReached)):
                # Send nothing more for this statement; calls in progress are completed.
                if not statement.is_stopped:
                    statement.halt = error
                    self._stop(statement)
                raise
            reply = _build_error_reply("limit", error, template.model)
        finally:
            self._in_flight.discard(exchange)
        if reply.error is not None and not statement.is_shared:
            statement.errors[exchange.digest] = reply.error
        statement.count_reply(reply)
        if on_progress is not None:
            on_progress(statement.progress())
        return reply

    def _plan(
        self, question: Question, template: RequestTemplate, statement: Statement
    ) -> ModelReply:
        """Count a question of a dry run."""
        digest = template.digest(question.context, question.prompt)
        worst = estimate_worst(self.prices, template, question, bool(template.provider))
        statement.count_planned(digest, worst)
        reply = ModelReply(None, model=template.model)
        statement.count_reply(reply)
        return reply

    def _stop(self, statement: Statement) -> None:
        """Stop the questions of a statement."""
        for exchange in list(self._in_flight):
            if exchange.statement is statement:
                exchange.stop(self.grace_seconds)

    def _stop_soon(self, statement: Statement) -> None:
        """Called from the thread that cancels a statement."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._stop, statement)

    def _take_unnoted(self) -> set[Statement]:
        statements, self._unnoted = self._unnoted, set()
        return statements


def _build_error_reply(code: str, error: WebquarryError, model: str = "") -> ModelReply:
    text = f"{error.message} {error.suggested_action}".strip()
    return ModelReply(None, error=ReplyError(code, text), model=model)
