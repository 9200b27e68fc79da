"""Wishes in, the shape of the request out: which model, who searches, under which origin; and the
answers remembered.

A shape is looked up often (for every chunk of rows) and made rarely: what it was made from is
looked at again after a second, or as soon as a key or an option has changed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from webquarry.ask.answers import Kept
from webquarry.ask.exchange.conversation import Shape
from webquarry.ask.exchange.schema import Schema
from webquarry.ask.keys import Keys
from webquarry.ask.models import MAX_TOKENS
from webquarry.ask.options import Options
from webquarry.caller import caller
from webquarry.errors import AuthFailure, BadInput
from webquarry.settings import Settings

if TYPE_CHECKING:
    from webquarry.search.models import Found, Query
    from webquarry.search.router import Router

MOST_REMEMBERED = 100_000  # answers in memory; the record file has the others
_GOOD_SECONDS = 1.0
_MOST_TOKENS = 128_000
_ORIGIN = "https://api.anthropic.com"
_NOBODY = ("none", "off", "")


class Wishes(NamedTuple):
    """What a question may say of the request; None where it leaves that to the options."""

    model: str | None
    max_tokens: int | None
    search: bool | None
    schema: str | None
    instructions: str | None


class Shapes:
    """The shapes of one engine, and its search providers."""

    def __init__(
        self,
        settings: Settings,
        keys: Keys,
        options: Options,
        open_router: Callable[[Mapping[str, str]], Router],
    ) -> None:
        self.origin = settings.origins.get("anthropic", _ORIGIN)
        self._keys = keys
        self._options = options
        self._open_router = open_router
        self._router: tuple[Mapping[str, str], Router] | None = None
        self._shapes: dict[tuple[object, ...], Shape] = {}
        self._looked_up: dict[tuple[object, ...], tuple[float, int, int, Shape]] = {}
        self._remembered = 0

    def of(self, wishes: Wishes) -> Shape:
        """The shape of a request with these wishes."""
        key = (*wishes, caller())
        known, now = self._looked_up.get(key), time.monotonic()
        versions = (self._keys.version, self._options.version)
        if known is not None and now < known[0] and versions == known[1:3]:
            return known[3]
        if len(self._looked_up) > 10_000:
            self._looked_up.clear()
        shape = self._made(wishes)
        self._looked_up[key] = (now + _GOOD_SECONDS, *versions, shape)
        return shape

    def remember(self, shape: Shape, context: str, prompt: str, kept: Kept) -> None:
        """Keep an answer in memory; when there are too many, the oldest of this shape make room, or
        all of them.
        """
        self._remembered += (context, prompt) not in shape.kept
        shape.kept[context, prompt] = kept
        if self._remembered > MOST_REMEMBERED:
            for one in self._shapes.values():
                gone = list(one.kept)[: max(1, len(one.kept) // 2)]
                for key in gone:
                    del one.kept[key]
                self._remembered -= len(gone)

    async def search(self, provider: str, query: Query) -> Found:
        """Ask the provider through the router, with its cache, its pace and its breaker."""
        return await self._routed().route(query, provider=provider)

    def _made(self, wishes: Wishes) -> Shape:
        model, max_tokens, search, schema, instructions = wishes
        tokens = MAX_TOKENS if max_tokens is None else max_tokens
        if not 1 <= tokens <= _MOST_TOKENS:
            raise BadInput(
                f"max_tokens is {tokens}; it takes a whole number from 1 to {_MOST_TOKENS}."
            )
        form = Schema.parse(schema) if schema else None
        name = (model or self._options.model).strip()
        if not name.isprintable() or not name or len(name) > 200:
            raise BadInput(
                "The name of the model is blank, too long, or holds a control character."
            )
        facts = (
            name,
            tokens,
            self._provider(search),
            form.text if form else "",
            instructions or "",
            caller(),
        )
        if facts not in self._shapes:
            self._shapes[facts] = Shape(
                self.origin, name, tokens, facts[2], form, instructions or None, facts[5]
            )
        return self._shapes[facts]

    def _provider(self, search: bool | None) -> str:
        """Who searches: the provider of the options, if it is configured."""
        name = self._options.search_provider
        if search is False or (name in _NOBODY and not search):
            return ""
        if name not in _NOBODY:
            provider = self._routed().provider(name)
            if provider.configured:
                return provider.name
        if search:
            raise AuthFailure(
                "A search was asked for, and no search provider is configured (search_provider "
                f"is {name!r}).",
                suggested_action="Set BRAVE_API_KEY, put the key into ~/.stps/brave_api_key, or "
                "in SQL call "
                "stps_set_brave_api_key('...').",
            )
        return ""

    def _routed(self) -> Router:
        """The router that sees the keys of this engine; a new one when they have changed."""
        environ = self._keys.environ()
        if self._router is None or self._router[0] != environ:
            self._router = (environ, self._open_router(environ))
        return self._router[1]
