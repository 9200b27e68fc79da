"""One exchange with the model: calls with their retries, the search, the time and the money that
they take.

Times: 30 s for a call, 10 s for the search, 90 s for the whole; waits that the provider asked for,
or for a place among the calls, are not counted. Money: the worst case is set aside before the first
call and settled after the last; a call of which nobody knows whether it was billed counts in full,
as uncertain.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webquarry.ask.billing import ledger
from webquarry.ask.billing.group_commit import Desk
from webquarry.ask.billing.ledger import NoRoom, Reservation
from webquarry.ask.billing.prices import Prices, Tokens
from webquarry.ask.exchange import results
from webquarry.ask.exchange.anthropic_client import Fault, ModelClient
from webquarry.ask.exchange.conversation import Shape
from webquarry.ask.exchange.limiter import Limiter
from webquarry.ask.flights import Flight
from webquarry.ask.models import Question, ReplyError, Usage
from webquarry.clock import Clock
from webquarry.errors import Cancelled, LimitReached, WebquarryError
from webquarry.search.models import Found, Query, Result
from webquarry.secret import Secret

log = logging.getLogger(__name__)

CALL_SECONDS = 30.0
SEARCH_SECONDS = 10.0
TOTAL_SECONDS = 90.0
MOST_WAIT_SECONDS = 600.0  # a longer Retry-After is an answer to give up on
_THROTTLED_TRIES = 20
_OVERHEAD_TOKENS = 1500  # what the provider adds to a request with tools or a schema, generously
_FOR_ALL = {
    "auth",
    "billing",
    "forbidden",
    "no_api",
}  # troubles that every further question would meet

Search = Callable[[str, Query], Awaitable[Found]]


@dataclass(frozen=True)
class Means:
    """What every exchange of an engine works with."""

    client: ModelClient
    limiter: Limiter
    desk: Desk
    prices: Prices
    clock: Clock
    search: Search
    retries: int


class Exchange:
    """The `Talk` of one question."""

    def __init__(self, means: Means, flight: Flight, shape: Shape, key: Secret) -> None:
        self._means = means
        self._flight = flight
        self._statement = flight.owner
        self._shape = shape
        self._key = key
        self._left = TOTAL_SECONDS
        self._held: list[Reservation] = []
        self._room = 0.0  # of what is held, what no call has used yet
        self.usage = Usage()
        self.uncertain_usd = 0.0

    async def call(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The model's reply. Raises `Fault` when all tries have failed."""
        content, further = written(body), 0
        while True:
            try:
                return await self._try(content, int(body["max_tokens"]), further)
            except Fault as fault:
                further += 1
                wait = self._wait(fault, further)
                if wait is None:
                    self._remember(fault)
                    raise
                self._statement.tried_again(throttled=fault.throttles)
                log.info("the model is asked again in %.1f s: %s", wait, fault.trouble.message)
                if not fault.throttles:  # else the shared pause is the wait
                    self._left -= wait
                    await self._means.clock.sleep(wait)

    async def search(self, query: str) -> Sequence[Result] | None:
        """What the search provider found; every failure is the same to the model."""
        self._check()
        try:
            async with asyncio.timeout(max(0.001, min(SEARCH_SECONDS, self._left))):
                found = await self._means.search(
                    self._shape.provider, Query(query, results.MOST_RESULTS)
                )
        except TimeoutError:
            log.warning(
                "the search took longer than %g seconds; the model answers without it",
                SEARCH_SECONDS,
            )
            return None
        except WebquarryError as error:
            log.warning("the search failed, the model answers without it: %s", error.message)
            return None
        if found.cached:
            price = 0.0
        else:
            price = self._means.prices.search(self._shape.provider)
        self.usage = self.usage + Usage(searches=1, usd=price)
        self._room -= price
        return found.results

    async def reserve(self, usd: float) -> None:
        """Set so much aside; wait for this statement's own calls where only they stand in the way."""
        means = self._means
        while True:
            try:
                held = await means.desk.do(self._piece(usd))
            except NoRoom as error:
                if not error.waiting or self._held:
                    raise _over(error) from None
                await means.clock.sleep(0.05)  # until one of them is settled
                self._check()
            else:
                self._held.append(held)
                self._room += usd
                return

    def _piece(self, usd: float) -> Callable[[Any, Any], Reservation]:
        statement, now = self._statement, self._means.clock.now()
        return lambda database, vault: ledger.reserve(
            database,
            statement.id,
            statement.door,
            self._shape.model,
            usd,
            statement.limits,
            now.timestamp(),
            now.date().isoformat(),
        )

    @property
    def open(self) -> bool:
        """Whether something is set aside that has not been settled."""
        return bool(self._held)

    def settle(self, database: Any, now: float) -> None:
        """Write down what it took; to be called in a transaction, once."""
        held, self._held = self._held, []
        for place, reservation in enumerate(held):
            if place == 0:
                usage, uncertain = (self.usage, self.uncertain_usd)
            else:
                usage, uncertain = (Usage(), 0.0)
            asked = place == 0 and self._flight.begun  # one that only waited for its turn was not
            ledger.settle(database, reservation, usage, uncertain, now, questions=int(asked))

    async def _try(self, content: bytes, max_tokens: int, further: int) -> dict[str, Any]:
        means, worst = (
            self._means,
            worst_call(self._means.prices, self._shape.model, content, max_tokens),
        )
        if self._room < worst:
            await self.reserve(worst - self._room)
        sent_at = await means.limiter.acquire(first=self._flight.begun)
        self._flight.begun = self._flight.sending = True
        try:
            self._check()
            reply = await self._timed(content)
        except Fault as fault:
            if fault.billed:
                self._doubt(worst)
            if (
                fault.throttles
                and fault.trouble.retryable
                and (fault.retry_after or 0) <= MOST_WAIT_SECONDS
            ):
                means.limiter.throttled(sent_at, fault.retry_after or 2.0**further)
            raise
        except asyncio.CancelledError:
            self._doubt(worst)
            raise
        finally:
            self._flight.sending = False
            means.limiter.release()
        means.limiter.succeeded()
        self._room -= worst
        self._count(reply)
        return reply

    async def _timed(self, content: bytes) -> dict[str, Any]:
        clock = self._means.clock
        seconds, begun = min(CALL_SECONDS, self._left), clock.monotonic()
        if seconds <= 0:
            raise Fault(
                ReplyError(
                    "timeout", f"The question took longer than {TOTAL_SECONDS:g} seconds.", True
                )
            )
        try:
            async with asyncio.timeout(seconds):
                return await self._means.client.send(self._key, self._shape.model, content, seconds)
        except TimeoutError:
            raise Fault(
                ReplyError("timeout", "The model did not answer in time.", True), billed=True
            ) from None
        finally:
            self._left -= clock.monotonic() - begun

    def _check(self) -> None:
        if not self._flight.wanted():
            self._statement.check()
            raise Cancelled("Nobody waits for the answer any more.")

    def _doubt(self, worst: float) -> None:
        self.uncertain_usd += worst
        self._room -= worst

    def _wait(self, fault: Fault, further: int) -> float | None:
        """Seconds before the next try; None when there is none."""
        if not fault.trouble.retryable or (fault.retry_after or 0) > MOST_WAIT_SECONDS:
            return None
        if fault.throttles and fault.retry_after is not None:
            if further < _THROTTLED_TRIES:
                return fault.retry_after
            return None
        spread = 0.5 + random.random() / 2  # noqa: S311 - spreads the tries
        wait = max(fault.retry_after or 0.0, 0.5 * 2.0 ** (further - 1) * spread)
        if further <= self._means.retries and wait < self._left:
            return wait
        return None

    def _remember(self, fault: Fault) -> None:
        """What every further question would meet does not have to be asked."""
        if fault.trouble.code in _FOR_ALL or (fault.retry_after or 0) > MOST_WAIT_SECONDS:
            self._statement.troubles[""] = fault.trouble
        elif fault.trouble.code == "model_gone":
            self._statement.troubles[self._shape.model] = fault.trouble

    def _count(self, reply: Mapping[str, Any]) -> None:
        tokens = Tokens.of(reply.get("usage"))
        self.usage = self.usage + Usage(
            calls=1,
            input_tokens=tokens.input + tokens.cache_write,
            output_tokens=tokens.output,
            cached_tokens=tokens.cache_read,
            usd=self._means.prices.call(self._shape.model, tokens),
        )


def written(body: Mapping[str, Any]) -> bytes:
    """A request as it is sent; half a letter, which a command line can hold, becomes a question
    mark.
    """
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def worst_call(prices: Prices, model: str, content: bytes, max_tokens: int) -> float:
    """What one call may cost at most: no token is shorter than a byte, and the answer is as long as
    it may be.
    """
    return prices.call(model, Tokens(input=len(content) + _OVERHEAD_TOKENS, output=max_tokens))


def worst_exchange(prices: Prices, shape: Shape, question: Question) -> float:
    """What a whole exchange may cost at most: with a search on offer, both calls and the search."""
    words = len(
        json.dumps(question.context + question.prompt, ensure_ascii=False).encode(
            "utf-8", "replace"
        )
    )
    size = words + len(shape.request) + _OVERHEAD_TOKENS
    first = prices.call(shape.model, Tokens(input=size, output=shape.max_tokens))
    if not shape.provider:
        return first
    # The second request holds the first answer and the results, too; should they be longer, more is
    # set aside then.
    second = Tokens(
        input=size + shape.max_tokens * 2 + results.MOST_BYTES + 500, output=shape.max_tokens
    )
    return first + prices.search(shape.provider) + prices.call(shape.model, second)


def _over(error: NoRoom) -> LimitReached:
    name = "max_usd_per_day"
    if error.what == "statement":
        name = "max_usd"
    return LimitReached(
        f"The next question may cost {error.wanted:.4f} USD, and of the {error.limit:g} USD for "
        f"the {error.what} ({name}) "
        f"{error.spent:.4f} are spent or set aside.",
        suggested_action=f"Raise {name}, lower max_tokens, or ask for fewer rows; what was "
        "answered is kept.",
    )
