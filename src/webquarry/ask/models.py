"""What is asked of a model, what comes back, how far a statement is and what it may spend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from webquarry.errors import BadInput, LimitReached
from webquarry.reprs.displayable import Displayable

MAX_TOKENS = 1000
# Codes of errors that every further question would meet: the provider refuses us as a whole.
REFUSALS = frozenset({"auth", "billing", "forbidden", "no_api", "quota"})


@dataclass(frozen=True, slots=True)
class Question:
    """One question. What is None is decided by the engine's options when it is asked.

    `search`: None lets the model search when a search provider is configured, False never, True
    likewise but it is an error when none is. `schema` is the text of `schema.Schema`. `fresh` takes
    no kept answer (a new one is still kept).
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
        """Refuse a question that says nothing: the answer would be paid for all the same."""
        if not self.context.strip() and not self.prompt.strip():
            raise BadInput("The question is blank.", suggested_action="Say what to ask.")


@dataclass(frozen=True, slots=True)
class Usage:
    """What an answer took. `input_tokens` are those that were not cached; a kept answer took
    nothing.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0  # read from the provider's prompt cache
    searches: int = 0  # that the search provider was asked for
    usd: float = 0.0
    kept_searches: int = 0  # that our own cache answered
    unpriced_calls: int = 0  # of `calls`, those whose price nobody knows: they are not in `usd`

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            self.searches + other.searches,
            self.usd + other.usd,
            self.kept_searches + other.kept_searches,
            self.unpriced_calls + other.unpriced_calls,
        )


@dataclass(frozen=True, slots=True)
class ReplyError:
    """Why one question has no answer. The message is a sentence for a person and never holds a
    key.
    """

    code: str
    message: str
    retryable: bool = False


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """A search result that the model was shown, in the order it was shown."""

    title: str
    url: str


@dataclass(frozen=True, slots=True)
class ModelReply(Displayable):
    """One answer, or the error that there was instead. `value` is the typed answer where a schema
    was given.
    """

    notebook_view: ClassVar[str] = "reply"

    answer: str | None
    sources: tuple[AnswerSource, ...] = ()
    searched: bool = False  # a search was made, and its results were shown to the model
    usage: Usage = Usage()
    error: ReplyError | None = None
    # Kept from before, or shared with somebody who asked the same: nothing was paid.
    remembered: bool = False
    partial: bool = False  # the answer was cut at max_tokens
    value: Mapping[str, Any] | None = None
    model: str = ""
    search_failed: str | None = None  # why there was no search, where one was to be had
    search_wanted: bool = False  # the model asked for a search

    @property
    def text(self) -> str | None:
        """The answer as `stps_*` give it: an error is an `ERROR: ...` text in its place."""
        if self.error is None:
            return self.answer
        return f"ERROR: {self.error.message}"

    def mend_letters(self) -> ModelReply:
        """The same without half letters, which JSON can hold and no column can."""
        is_plain = self.answer is None or self.answer.isascii()
        if is_plain and not self.sources and self.error is None and self.value is None:
            return self
        error = self.error
        if error is not None:
            error = replace(error, message=mend_text(error.message))
        return replace(
            self,
            answer=None if self.answer is None else mend_text(self.answer),
            sources=tuple(
                AnswerSource(mend_text(source.title), mend_text(source.url))
                for source in self.sources
            ),
            error=error,
            value=_mend_value(self.value),
        )


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a statement is. `rows` is what was asked for so far, `done` what is answered (or has
    failed).
    """

    rows: int = 0
    done: int = 0
    hits: int = 0  # of `done`, those that were kept or shared
    failed: int = 0
    planned: int = 0  # calls that a dry run would have begun
    worst_usd: float = 0.0  # what those may cost at most
    throttled: int = 0  # 429 and 529 answers
    retries: int = 0
    usage: Usage = field(default_factory=Usage)
    seconds_left: float | None = None
    unsearched: int = 0  # of `done`, those whose model wanted a search and got none
    unoffered: int = 0  # of `done`, those that were answered while no search was to be had
    failures: tuple[tuple[str, int], ...] = ()  # why rows failed, and how many, most first


@dataclass(frozen=True, slots=True)
class AskLimits:
    """What one statement may ask for; None is no limit. Rows are questions that have to be paid
    for.
    """

    max_rows: int | None = None
    max_usd: float | None = None
    max_usd_per_day: float | None = None  # of this user, through all doors and processes


def add_progress(parts: Sequence[Progress]) -> Progress:
    """How far several statements are, together."""
    failures: Counter[str] = Counter()
    for part in parts:
        failures.update(dict(part.failures))
    seconds_left = [part.seconds_left for part in parts if part.seconds_left is not None]
    return Progress(
        rows=sum(part.rows for part in parts),
        done=sum(part.done for part in parts),
        hits=sum(part.hits for part in parts),
        failed=sum(part.failed for part in parts),
        planned=sum(part.planned for part in parts),
        worst_usd=sum(part.worst_usd for part in parts),
        throttled=sum(part.throttled for part in parts),
        retries=sum(part.retries for part in parts),
        usage=sum((part.usage for part in parts), Usage()),
        seconds_left=max(seconds_left, default=None),
        unsearched=sum(part.unsearched for part in parts),
        unoffered=sum(part.unoffered for part in parts),
        failures=tuple(failures.most_common()),
    )


def order_replies(
    questions: Sequence[Question], replies: Mapping[Question, ModelReply]
) -> list[ModelReply]:
    """A reply for each question; of equal ones, only the first has paid."""
    seen: set[Question] = set()
    ordered: list[ModelReply] = []
    for question in questions:
        reply = replies[question]
        if question in seen and reply.usage.calls:
            reply = replace(reply, usage=Usage(), remembered=True)
        seen.add(question)
        ordered.append(reply)
    return ordered


def build_limit_reply(error: LimitReached, model: str) -> ModelReply:
    """The reply of a row for which a limit left no room."""
    text = f"{error.message} {error.suggested_action}".strip()
    return ModelReply(None, error=ReplyError("limit", text), model=model)


def mend_text(text: str) -> str:
    """A text in which half letters (lone surrogates) are U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _mend_value(value: Any) -> Any:
    """A value of JSON whose texts are mended."""
    if isinstance(value, str):
        return mend_text(value)
    if isinstance(value, list):
        return [_mend_value(part) for part in value]
    if isinstance(value, Mapping):
        return {mend_text(name): _mend_value(part) for name, part in value.items()}
    return value
