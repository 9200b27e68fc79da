"""Questions to a model, their answers, and the progress and limits of a statement."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import msgspec

from webquarry.displayable import Displayable
from webquarry.errors import AuthFailure, BadInput, ProviderFailure, RateLimited, WebquarryError

MAX_TOKENS = 1000
# Errors that every further question to the vendor would meet.
FATAL_CODES = frozenset({"auth", "billing", "forbidden", "no_api", "quota"})


@dataclass(frozen=True, slots=True)
class Question:
    """One question; None means the engine's option.

    `search`: None lets the model search if a search provider is configured; with True it is an
    error if none is. `schema` is the text of a `schema.Schema`. `fresh` ignores a stored answer.
    """

    context: str
    prompt: str
    model: str | None = None
    max_tokens: int = MAX_TOKENS
    search: bool | None = None
    schema: str | None = None
    fresh: bool = False
    instructions: str | None = None  # the system text

    def require_text(self) -> None:
        """Raise BadInput for a blank question: its answer would have to be paid."""
        if not self.prompt.strip():
            raise BadInput("The question is blank.", suggested_action="Say what to ask.")


@dataclass(frozen=True, slots=True)
class Usage:
    """The cost of an answer; 0 for a stored one. `input_tokens` are those that were not cached."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0  # from the vendor's prompt cache
    searches: int = 0  # that were sent to the search provider
    usd: float = 0.0
    kept_searches: int = 0  # from our own cache
    unpriced_calls: int = 0  # calls without a known price, which are not in `usd`

    def __add__(self, other: Usage) -> Usage:
        return Usage(*(getattr(self, name) + getattr(other, name) for name in _USAGE_FIELDS))


_USAGE_FIELDS = tuple(one.name for one in fields(Usage))


@dataclass(frozen=True, slots=True)
class ReplyError:
    """Why a question has no answer. The message is a sentence and never contains a key."""

    code: str
    message: str
    retryable: bool = False

    def as_exception(self) -> WebquarryError:
        """Return the exception of a single question, with what to do about it."""
        kind = _ERROR_KINDS.get(self.code, ProviderFailure)
        action = "Try again."
        if not self.retryable:
            action = _ERROR_ACTIONS.get(self.code, "See docs/ask.md for the settings.")
        return kind(self.message, retryable=self.retryable, suggested_action=action)


_ERROR_KINDS: dict[str, type[WebquarryError]] = {
    "auth": AuthFailure,
    "rate_limited": RateLimited,
    "quota": RateLimited,
    "model_gone": BadInput,
    "too_large": BadInput,
}
_ERROR_ACTIONS = {
    "auth": "Replace the key; webquarry doctor --all says where it was found.",
    "model_gone": "Name another model with --model or WEBQUARRY_ASK_MODEL.",
    "too_large": "Ask with a shorter context.",
    "quota": "Raise the account's limit with the model's vendor, or name another with --model.",
}


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """A search result that the model was shown."""

    title: str
    url: str


@dataclass(frozen=True)
class ModelReply(Displayable):
    """An answer or an error. `value` is the typed answer of a schema."""

    answer: str | None
    sources: tuple[AnswerSource, ...] = ()
    searched: bool = False  # the model was shown search results
    usage: Usage = Usage()
    error: ReplyError | None = None
    remembered: bool = False  # stored, or shared with another caller: nothing was paid
    partial: bool = False  # cut at max_tokens
    value: Mapping[str, Any] | None = None
    model: str = ""
    search_failed: str | None = None  # why there was no search

    @property
    def text(self) -> str | None:
        """The answer, or an `ERROR: ...` text."""
        return self.answer if self.error is None else f"ERROR: {self.error.message}"

    @cached_property
    def row(self) -> dict[str, Any]:
        """The columns of an answer."""
        row = {name: getattr(self, name) for name in _ROW_FIELDS}
        row["sources"] = [asdict(source) for source in self.sources]
        row["usage"] = asdict(self.usage)
        del row["usage"]["unpriced_calls"]
        row["error"] = self.error and asdict(self.error)
        row["value"] = self.value and json.dumps(self.value, ensure_ascii=False)
        return row

    @cached_property
    def json(self) -> str:
        """The columns of an answer as JSON, without nulls; a typed answer is an object."""
        row = {name: value for name, value in self.row.items() if value is not None}
        if self.value is not None:
            row["answer"] = self.value
        return json.dumps(row, ensure_ascii=False)

    def as_free(self) -> ModelReply:
        """Return the reply for callers that did not pay for it."""
        return replace(self, usage=Usage(), remembered=True)

    def replace_surrogates(self) -> ModelReply:
        """Return the reply without lone surrogates, which columns cannot hold."""
        error = self.error and replace(self.error, message=_replace_surrogates(self.error.message))
        sources = [AnswerSource(*_replace_surrogates([one.title, one.url])) for one in self.sources]
        return replace(
            self,
            answer=_replace_surrogates(self.answer),
            sources=tuple(sources),
            error=error,
            value=_replace_surrogates(self.value),
        )


_ROW_FIELDS = (
    "answer", "sources", "searched", "usage", "error", "partial", "value", "search_failed"
)  # fmt: skip


@dataclass(frozen=True)
class KeptAnswer:
    """A stored answer, when it was given, and when it expires (seconds since the epoch)."""

    reply: ModelReply
    made_at: float
    expires_at: float
    search_key: str = ""  # hash of the key with which a search failed

    def encode(self) -> bytes:
        return msgspec.json.encode(self)

    @staticmethod
    def decode(content: bytes | None) -> KeptAnswer | None:
        """Return the answer, or None if it cannot be read: it is asked again."""
        try:
            return msgspec.json.decode(content or b"", type=KeptAnswer)
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a statement: `rows` were requested, `done` are answered or have failed."""

    rows: int = 0
    done: int = 0
    hits: int = 0  # of `done`, stored or shared
    failed: int = 0
    planned: int = 0  # calls of a dry run
    worst_usd: float = 0.0  # their maximum cost
    throttled: int = 0
    usage: Usage = field(default_factory=Usage)
    unsearched: int = 0  # of `done`, answered without a search because it failed
    seconds_left: float | None = None
    failures: tuple[tuple[str, int], ...] = ()  # messages and counts, the most frequent first


_COUNTS = [one.name for one in fields(Progress) if one.name not in ("seconds_left", "failures")]


@dataclass(frozen=True, slots=True)
class AskLimits:
    """Limits of a statement; None for none. Rows are questions that have to be paid."""

    max_rows: int | None = None
    max_usd: float | None = None
    max_usd_per_day: float | None = None  # of this user, in all processes


def add_progress(parts: Iterable[Progress]) -> Progress:
    """Return the progress of several statements together; the time is that of the longest one."""
    total = Progress()
    failures: Counter[str] = Counter()
    for part in parts:
        counts = {name: getattr(total, name) + getattr(part, name) for name in _COUNTS}
        seconds = max(total.seconds_left or 0, part.seconds_left or 0) or None
        total = Progress(**counts, seconds_left=seconds)
        failures.update(dict(part.failures))
    return replace(total, failures=tuple(failures.most_common()))


def _replace_surrogates(value: Any) -> Any:
    """Replace lone surrogates in the texts of a JSON value by U+FFFD."""
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_replace_surrogates(part) for part in value]
    if isinstance(value, Mapping):
        return {
            _replace_surrogates(name): _replace_surrogates(part) for name, part in value.items()
        }
    return value
