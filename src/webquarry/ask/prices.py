"""Prices of models and searches: token counts in, US dollars out. The user can override the table.

A price may be valid from a day on; the one of the day of the call is used. Reservations for unknown
models use the highest price of the table, so that limits hold.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from datetime import date
from importlib import resources
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from webquarry.clock import Clock
from webquarry.errors import BadInput

log = logging.getLogger(__name__)

_DATE_SUFFIX = re.compile(r"(-\d{8}|-latest)$")
_MILLION = 1_000_000
_Dollars = Annotated[float, Meta(ge=0)]


@dataclass(frozen=True)
class Tokens:
    """The token counts of one call, as the provider reports them."""

    input: int = 0  # neither read from its cache nor written to it
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


class Rates(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """US dollars for a million tokens."""

    input: _Dollars
    output: _Dollars
    cache_read: _Dollars
    cache_write: _Dollars


class LongRates(Rates, frozen=True, kw_only=True):
    """The rates of a prompt that is longer than `tokens`."""

    tokens: Annotated[int, Meta(ge=0)]


class ModelPrice(Rates, frozen=True, kw_only=True):
    """The rates of one model, from a day on."""

    since: date | None = msgspec.field(default=None, name="from")
    above: LongRates | None = None


class PriceTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file of prices."""

    as_of: str
    # A model's price, or its prices with the days from which they hold. `ollama/*` is for every
    # model of that vendor that has no row of its own.
    models: dict[str, ModelPrice | list[ModelPrice]] = {}
    searches: dict[str, float] = {}  # US dollars for one search, by provider


_FREE = ModelPrice(input=0, output=0, cache_read=0, cache_write=0)


class Prices:
    """The packaged table, overridden by the user's prices."""

    def __init__(self, file: Path | None = None, clock: Clock | None = None) -> None:
        packaged = resources.files("webquarry").joinpath("data/prices/models.json")
        table = msgspec.json.decode(packaged.read_text("utf-8"), type=PriceTable)
        own = _read_table(file.expanduser()) if file else PriceTable(as_of="")
        self._clock = clock or Clock()
        self._models: dict[str, list[ModelPrice]] = {}
        for name, prices in {**table.models, **own.models}.items():
            rows = prices if isinstance(prices, list) else [prices]
            self._models[name] = sorted(rows, key=lambda price: price.since or date.min)
        self._searches = {**table.searches, **own.searches}
        every = [price for rows in self._models.values() for price in rows]
        self._highest = max(every, key=lambda price: (price.output, price.input))
        self._unknown: set[str] = set()

    def is_known(self, model: str, *, is_free: bool = False) -> bool:
        """Whether the price of a model is known; with `is_free` the default is 0."""
        return is_free or self._find_price(model) is not None

    def price_call(self, model: str, tokens: Tokens, *, is_free: bool = False) -> float:
        """Return the price of one call today; the highest one for unknown models."""
        price = self._find_price(model) or (_FREE if is_free else None)
        if price is None:
            price = self._highest
            if model not in self._unknown:
                self._unknown.add(model)
                log.warning(
                    "no price is known for the model %s: its cost is reserved and reported as "
                    "uncertain at the highest price of the table (WEBQUARRY_ASK_PRICES)",
                    model,
                )
        rates: Rates = price
        prompt_tokens = tokens.input + tokens.cache_read + tokens.cache_write
        if price.above and prompt_tokens > price.above.tokens:
            rates = price.above
        names = Rates.__struct_fields__
        total: float = sum(getattr(tokens, name) * getattr(rates, name) for name in names)
        return total / _MILLION

    def price_search(self, provider: str) -> float:
        """Return the price of one search; 0 for providers that are not in the table."""
        return self._searches.get(provider, 0.0)

    def _find_price(self, model: str) -> ModelPrice | None:
        """Return today's price of a model, by its name, its name without a date, or its vendor."""
        vendor, slash, _ = model.partition("/")
        for name in (model, _DATE_SUFFIX.sub("", model), f"{vendor}{slash}*"):
            rows = self._models.get(name)
            if rows:
                today = self._clock.now().date()
                current = [row for row in rows if row.since is None or row.since <= today]
                return current[-1] if current else rows[0]
        return None


def _read_table(file: Path) -> PriceTable:
    """Read the user's prices. Raises BadInput."""
    try:
        return msgspec.json.decode(file.read_text("utf-8"), type=PriceTable)
    except (OSError, ValueError) as error:
        raise BadInput(
            f"The file of prices {file} cannot be used: {error}.",
            suggested_action="Correct or unset WEBQUARRY_ASK_PRICES; docs/ask.md shows the form.",
        ) from error
