"""The model that is asked, what it may cost, and how long answers are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field

from webquarry.setting_groups.group import SettingGroup, read_none


class AskSettings(SettingGroup):
    """The model that is asked, what it may cost, and how long answers are kept."""

    ask_model: str = Field(
        "claude-sonnet-5-5",
        min_length=1,
        description="The model that `ask` and the SQL functions use unless they are told another: "
        "one of Anthropic's, or with its vendor before a slash, such as `ollama/qwen3`.",
    )
    ask_search_provider: str = Field(
        "brave",
        description="Who searches for the model, if its credentials are there; `none` for nobody.",
    )
    ask_concurrency: int = Field(
        16, ge=1, le=1024, description="Most questions under way to the model at once."
    )
    ask_max_rows: Annotated[int | None, BeforeValidator(read_none)] = Field(
        1000,
        ge=0,
        description="Most questions that one statement of `ask` may pay for; `none` takes the "
        "limit away.",
    )
    ask_max_usd: Annotated[float | None, BeforeValidator(read_none)] = Field(
        10,
        ge=0,
        description="Most US dollars that one statement of `ask` may cost; `none` takes the "
        "limit away.",
    )
    ask_max_usd_per_day: Annotated[float | None, BeforeValidator(read_none)] = Field(
        50,
        ge=0,
        description="Most US dollars that `ask` may cost in one day (UTC), through all doors and "
        "processes; `none` takes the limit away.",
    )
    ask_max_discarded_rows: Annotated[int | None, BeforeValidator(read_none)] = Field(
        100,
        ge=0,
        description="Most rows, by DuckDB's estimate, that a SQL statement may ask about only to "
        "throw them away (`ORDER BY x LIMIT 5`); more are refused, or in the shell asked about "
        "first. `none` takes the limit away.",
    )
    ask_searched_seconds: float = Field(
        1800,
        ge=0,
        description="How long an answer that a search went into is kept, so that it is not paid "
        "for twice.",
    )
    ask_kept_seconds: float = Field(86400, ge=0, description="The same for every other answer.")
    ask_prices: Path | None = Field(
        None,
        description="File with prices of your own (JSON, docs/ask.md); they take the place of "
        "ours by name.",
    )
