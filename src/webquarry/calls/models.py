"""A call while it is made, and a call as the log has it."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from webquarry.caller import caller
from webquarry.calls.receipt import digest_text, make_receipt

_EMPTY: tuple[Any, ...] = (None, "", (), {})  # what says nothing


class FoundSource(Protocol):
    """A source that an answer names."""

    @property
    def url(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def was_read(self) -> bool: ...


class LoggableAnswer(Protocol):
    """What the log wants to know of an answer."""

    @property
    def meta(self) -> dict[str, Any]: ...

    def sources(self) -> Sequence[FoundSource]: ...

    def failures(self) -> Sequence[Exception]: ...

    def write(self) -> str: ...


class OngoingCall:
    """A call of a tool from its beginning on. Made for every call, so it does next to nothing."""

    __slots__ = (
        "answer", "answer_digest", "arguments", "began_at", "caller", "error", "receipt",
        "seconds", "tool",
    )  # fmt: skip

    def __init__(self, tool: str, arguments: Mapping[str, Any]) -> None:
        self.tool = tool
        self.arguments = arguments
        self.caller = caller()
        self.began_at = time.time()  # of this machine, also while a recording is replayed
        self.seconds = -time.perf_counter()
        self.answer: LoggableAnswer | None = None
        self.error: BaseException | None = None
        self.answer_digest = ""
        self.receipt = ""

    def seal(self, text: str | bytes) -> str:
        """The receipt of the call, now that its answer is written as this text."""
        self.answer_digest = digest_text(text)
        self.receipt = make_receipt(self.tool, self.arguments, self.answer_digest)
        return self.receipt

    def end(self) -> None:
        """The call is over: how long it took is known."""
        self.seconds += time.perf_counter()


@dataclass(frozen=True)
class LoggedSource:
    """A source of a call: only found, or read."""

    url: str
    title: str = ""
    read: bool = False


@dataclass(frozen=True)
class LoggedCall:
    """One call as the log has it. `id` grows with every call of all callers."""

    id: int
    tool: str
    arguments: dict[str, Any]  # masked, long texts cut short
    caller: str
    at: float  # seconds since the epoch, when it began
    outcome: str  # `ok`, the kind of an error, or `cancelled`
    seconds: float
    receipt: str
    answer_digest: str = ""
    message: str = ""  # of an error
    cached: bool | None = None
    providers: dict[str, Any] | None = None  # who was asked, and what came of each
    cost: float | None = None  # in US dollars, where it is known
    session: str | None = None
    found: int = 0  # sources that were found and not read
    read: int = 0
    sources: tuple[LoggedSource, ...] = ()  # the first of them
    failures: int = 0  # pages and providers that an answer had to do without
    process: int = 0
    more: dict[str, Any] = field(default_factory=dict)  # what a newer release has written

    @classmethod
    def parse(cls, id: int, stored: bytes) -> LoggedCall:
        """The call that was stored."""
        fields = json.loads(stored)
        known = cls.__dataclass_fields__
        more = {name: fields.pop(name) for name in list(fields) if name not in known}
        sources = tuple(LoggedSource(**source) for source in fields.pop("sources", ()))
        fields.setdefault("arguments", {})
        fields.setdefault("caller", "")
        return cls(id=id, sources=sources, **{"more": more, **fields})

    def as_dict(self) -> dict[str, Any]:
        """The call for a program: what is not known is absent."""
        fields = {name: value for name, value in vars(self).items() if value not in _EMPTY}
        if self.sources:
            fields["sources"] = [vars(source) for source in self.sources]
        fields.pop("more", None)
        return fields
