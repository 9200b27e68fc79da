"""What models and searches cost: token counts in, US dollars out, by a dated table that the user
can override.

A model that nobody knows is reckoned at the dearest price of the table, so that no limit is broken
by a name.
"""

from __future__ import annotations

import json
import logging
import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from webquarry.errors import BadInput

log = logging.getLogger(__name__)

_DATE_SUFFIX = re.compile(r"(-\d{8}|-latest)$")
_MILLION = 1_000_000
_USAGE_FIELDS = (
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
)


class Rates(BaseModel):
    """US dollars for a million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cache_read: float = Field(ge=0)
    cache_write: float = Field(ge=0)


class LongRates(Rates):
    """The rates of a prompt that is longer than so many tokens."""

    tokens: int = Field(ge=0)


class ModelPrice(Rates):
    """The rates of one model."""

    above: LongRates | None = None

    def rates(self, prompt_tokens: int) -> Rates:
        """The rates of a prompt of so many tokens."""
        if self.above and prompt_tokens > self.above.tokens:
            return self.above
        return self


class PriceTable(BaseModel):
    """The file of prices."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    as_of: str
    models: dict[str, ModelPrice] = Field(default_factory=dict)
    # US dollars for one search, by provider.
    searches: dict[str, float] = Field(default_factory=dict)


@dataclass(frozen=True)
class Tokens:
    """The token counts of one call, as the provider reports them."""

    input: int = 0  # neither read from its cache nor written to it
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    @classmethod
    def from_usage(cls, usage: Any) -> Tokens:
        """From `usage` of a reply; what is missing or is no count is 0."""
        if not isinstance(usage, dict):
            return cls()
        counts = []
        for name in _USAGE_FIELDS:
            count = usage.get(name)
            if not isinstance(count, int) or count < 0:
                count = 0
            counts.append(count)
        return cls(*counts)


class Prices:
    """Our table, with the user's own prices on top."""

    def __init__(self, file: Path | None = None) -> None:
        packaged = resources.files("webquarry").joinpath("data/prices/models.json")
        table = _parse_table(packaged.read_text("utf-8"))
        own = PriceTable(as_of=table.as_of)
        if file:
            try:
                own = _parse_table(file.expanduser().read_text("utf-8"))
            except (OSError, UnicodeDecodeError, ValidationError, ValueError) as error:
                why = type(error).__name__
                if isinstance(error, ValidationError):
                    why = error.errors(include_url=False)[0]["msg"]
                raise BadInput(
                    f"The file of prices {file} cannot be used: {why}.",
                    suggested_action="Correct or unset WEBQUARRY_ASK_PRICES; docs/ask.md shows "
                    "the form.",
                ) from None
        self.as_of = own.as_of
        self._models = {**table.models, **own.models}
        self._searches = {**table.searches, **own.searches}
        self._dearest = max(self._models.values(), key=lambda price: (price.output, price.input))
        self._unknown: set[str] = set()

    def price_call(self, model: str, tokens: Tokens) -> float:
        """US dollars of one call."""
        price = self._models.get(model)
        if price is None:
            undated = _DATE_SUFFIX.sub("", model)
            price = self._models.get(undated)
        if price is None:
            if model not in self._unknown:
                self._unknown.add(model)
                log.warning(
                    "no price is known for the model %s; it is reckoned at the dearest of the "
                    "table",
                    model,
                )
            price = self._dearest
        prompt_tokens = tokens.input + tokens.cache_read + tokens.cache_write
        rates = price.rates(prompt_tokens)
        sums = (
            tokens.input * rates.input,
            tokens.output * rates.output,
            tokens.cache_read * rates.cache_read,
            tokens.cache_write * rates.cache_write,
        )
        return sum(sums) / _MILLION

    def price_search(self, provider: str) -> float:
        """US dollars of one search; providers that are not in the table cost nothing."""
        return self._searches.get(provider, 0.0)


def _parse_table(text: str) -> PriceTable:
    """A table as its file holds it."""
    table = json.loads(text)
    return PriceTable.model_validate(table)
