"""Lookups at the indexes: guarded, paced, cached, several identifiers in one request if possible.

    async with IndexAsker(services, cache, settings, deadline) as asker:
        reply = await asker.ask("crossref", WorkQuestion("doi", "10.1000/182"))

An index gets `WorkIndex.lanes` concurrent requests; questions that wait meanwhile are joined. No
error is raised: the reply of an index that failed says so.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from types import TracebackType

import msgspec

from webquarry._search.guard import NO_ANSWER, apply_retry_after
from webquarry._search.scholarly.models import Record, WorkQuestion
from webquarry._search.scholarly.provider import WorkIndex
from webquarry._search.services import Services
from webquarry.secret import redact
from webquarry.settings import Settings
from webquarry.store.cache import Cache, Made, key_of
from webquarry.verify.references.models import IndexReply

_VERSION = 1  # of what is kept
_MOST_RECORDS = 60
_MOST_STEPS = 3  # requests that one question may lead to

Waiting = tuple[WorkQuestion, "asyncio.Future[IndexReply]"]


class IndexAsker:
    """Sends the lookups of one tool call; closing it cancels them."""

    def __init__(
        self,
        services: Services[WorkIndex],
        open_cache: Callable[[], Cache],
        settings: Settings,
        deadline: float,
    ) -> None:
        self._services = services
        self._open_cache = open_cache
        self._settings = settings
        self._deadline = deadline
        # What goes together depends on what else was asked just then: a recording of such requests
        # could not be replayed.
        self._may_join = not (settings.record or settings.replay)
        self._waiting: dict[str, deque[Waiting]] = {}
        self._lanes: dict[str, set[asyncio.Task[None]]] = {}

    async def __aenter__(self) -> IndexAsker:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        tasks = [task for lane in self._lanes.values() for task in lane]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def can_answer(self, index: str, topic: str) -> bool:
        """Return whether an index has a topic."""
        return topic in self._services.get(index).topics

    async def ask(self, index: str, question: WorkQuestion) -> IndexReply:
        """Return the reply of an index, or its kind of error."""
        registry = self._services.get(index)
        key = self._key(registry, question)
        kept = await self._open_cache().get(key)
        if kept is not None:
            records = msgspec.json.decode(kept.value, type=tuple[Record, ...])
            return IndexReply(index, question, records, was_sent=False)
        future: asyncio.Future[IndexReply] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(index, deque()).append((question, future))
        lanes = self._lanes.setdefault(index, set())
        if len(lanes) < registry.lanes:
            task = asyncio.create_task(self._serve(registry))
            lanes.add(task)
        reply = await future
        if not reply.failure:
            await self._keep(key, reply)
        return reply

    async def _serve(self, registry: WorkIndex) -> None:
        """Send the questions that wait for an index until none is left."""
        queue = self._waiting[registry.name]
        while queue:
            batch = self._take_batch(registry, queue)
            if not batch:
                continue
            questions = [question for question, _ in batch]
            replies = await self._send(registry, questions)
            for (_, future), reply in zip(batch, replies, strict=True):
                if not future.done():
                    future.set_result(reply)
        # Immediately, so that the next question starts a new lane.
        self._lanes[registry.name].discard(asyncio.current_task())

    def _take_batch(self, registry: WorkIndex, queue: deque[Waiting]) -> list[Waiting]:
        """Return the first question that is still awaited, and others that can be joined."""
        batch: list[Waiting] = []
        others: list[Waiting] = []
        most = 1
        while queue and len(batch) < max(1, most):
            question, future = queue.popleft()
            if future.done():
                continue
            if not batch:
                batch.append((question, future))
                if self._may_join and "," not in question.value:  # which divides numbers
                    most = registry.most_at_once.get(question.topic, 1)
            elif question.topic == batch[0][0].topic and "," not in question.value:
                batch.append((question, future))
            else:
                others.append((question, future))
        queue.extendleft(reversed(others))
        return batch

    async def _send(
        self, registry: WorkIndex, questions: Sequence[WorkQuestion]
    ) -> list[IndexReply]:
        """Return the replies to questions that are sent together."""
        clock = self._services.clock
        limit = min(self._settings.academic_timeout_seconds, self._settings.timeout_seconds)
        seconds = min(limit, self._deadline - clock.monotonic())
        records: list[Record] = []
        async with self._services.guard(registry, seconds, NO_ANSWER) as call:
            if call.is_admitted:
                with registry.explain_errors():
                    records = await self._fetch(registry, questions, seconds)
                call.found = len(records)
        if call.error is None:
            return [
                IndexReply(registry.name, one, tuple(registry.select(one, records))[:_MOST_RECORDS])
                for one in questions
            ]
        was_sent = call.attempt.outcome != "skipped"
        why = redact(call.error.sentence)
        return [
            IndexReply(registry.name, one, failure=call.error.kind, why=why, was_sent=was_sent)
            for one in questions
        ]

    async def _fetch(
        self, registry: WorkIndex, questions: Sequence[WorkQuestion], seconds: float
    ) -> list[Record]:
        reply = await self._services.send_in_steps(
            registry,
            registry.build_lookup(questions),
            partial(registry.next_lookup, questions),
            seconds,
            _MOST_STEPS,
        )
        with apply_retry_after(reply):
            return registry.parse_lookup(questions, reply)

    async def _keep(self, key: str, reply: IndexReply) -> None:
        """Cache a reply; one without records only for a short time."""
        seconds = self._settings.cache_academic_seconds
        if not reply.records:
            seconds = min(seconds, self._settings.cache_empty_seconds)
        if seconds > 0:
            fields = [asdict(record) for record in reply.records]
            packed = json.dumps(fields).encode("utf-8", "replace")
            await self._open_cache().put(key, Made(packed, seconds))

    def _key(self, registry: WorkIndex, question: WorkQuestion) -> str:
        parameters = {
            "index": [registry.name, redact(registry.base), bool(registry.sources())],
            "question": [question.topic, question.value, question.near],
        }
        return key_of("registry", _VERSION, parameters)
