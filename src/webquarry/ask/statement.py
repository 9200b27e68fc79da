"""A statement: the questions of one SQL statement or command, their limits and their progress.

Counted on the engine's loop and by threads that add rows; read from any thread.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from webquarry.ask.models import AskLimits, ModelReply, Progress, ReplyError, Usage
from webquarry.clock import Clock
from webquarry.errors import AuthFailure, Cancelled, LimitReached, WebquarryError

log = logging.getLogger(__name__)


class Statement:
    """One budget, one progress, one cancellation."""

    def __init__(
        self,
        door: str,
        limits: AskLimits,
        dry_run: bool,
        clock: Clock,
        *,
        words: str = "",
        ends_when_refused: bool = True,
        run: str = "",
        on_cancel: Callable[[Statement], None] | None = None,
    ) -> None:
        self.is_shared = bool(run)  # with other processes
        self.id = run or secrets.token_hex(8)
        self.words = words  # beginning of its text
        # Whether a missing or rejected key stops it; otherwise it is the error of each row.
        self.ends_when_refused = ends_when_refused
        self.door = door
        self.limits = limits
        self.dry_run = dry_run
        self.cancelled = False
        self.halt: WebquarryError | None = None  # why nothing more is sent
        # Errors that are not paid for again: by vendor and a slash, model, or digest of a question.
        self.errors: dict[str, ReplyError] = {}
        self.begun_at = clock.now().timestamp()
        self._begun = clock.monotonic()
        self._clock = clock
        self._on_cancel = on_cancel
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()  # fields of `Progress`
        self._usage = Usage()
        self._paying = 0
        self._planned: set[str] = set()
        self._failures: Counter[str] = Counter()
        self._warned: set[str] = set()
        self._taken: Counter[str] = Counter()

    @property
    def is_stopped(self) -> bool:
        """Whether nothing more is sent for it."""
        return self.cancelled or self.halt is not None

    @property
    def ledger_limits(self) -> AskLimits:
        """The limits that the ledger enforces."""
        return self.limits if self.is_shared else replace(self.limits, max_rows=None)

    def cancel(self) -> None:
        """Send no further call; thread-safe."""
        self.cancelled = True
        if self._on_cancel is not None:
            self._on_cancel(self)

    def check(self) -> None:
        """Raise the error that stopped it."""
        if self.cancelled:
            raise Cancelled("The statement was cancelled; finished answers are stored.")
        if self.halt is not None:
            raise self.halt

    def check_row_count(self, rows: int) -> None:
        """Raise LimitReached if `rows` is above the limit; nothing was spent yet."""
        most = self.limits.max_rows
        if most is not None and rows > most:
            raise LimitReached(
                f"The statement would ask {rows:,} questions, and its limit (max_rows) is "
                f"{most:,}; nothing was spent.",
                suggested_action="Ask for fewer rows (limit them in a subquery), or raise "
                "max_rows.",
            )

    def admit(self, questions: int) -> None:
        """Count questions that have to be paid, all or none. Raises LimitReached. The ledger counts
        those of a shared statement.
        """
        most = None if self.is_shared else self.limits.max_rows
        with self._lock:
            total = self._paying + questions
            if most is not None and total > most:
                raise LimitReached(
                    f"The statement has {total:,} questions to pay for so far, and its limit "
                    f"(max_rows) is {most:,}.",
                    suggested_action="Ask for fewer rows (limit them in a subquery), or raise "
                    "max_rows.",
                )
            self._paying = total

    def count(self, **counts: float) -> None:
        """Add to the counts of `Progress`."""
        with self._lock:
            self._counts.update(counts)

    def count_reply(self, reply: ModelReply, *, rows: int = 1) -> None:
        """Count rows with this reply; its cost counts once."""
        with self._lock:
            counts = self._counts
            counts["done"] += rows
            self._usage += reply.usage
            if reply.error is not None:
                counts["failed"] += rows
                self._failures[reply.error.message] += rows
            elif reply.remembered:
                counts["hits"] += rows
            if reply.search_failed:
                counts["unsearched"] += rows

    def count_planned(self, digest: str, worst_usd: float) -> None:
        """Count a question of a dry run, once."""
        with self._lock:
            if digest not in self._planned:
                self._planned.add(digest)
                self._counts.update(planned=1, worst_usd=worst_usd)  # type: ignore[call-overload]

    def find_error(self, *keys: str) -> ReplyError | None:
        """Return the first error that is known for a vendor, a model or a question."""
        return next((self.errors[key] for key in keys if key in self.errors), None)

    def check_key(self, error: ReplyError | None) -> None:
        """Raise AuthFailure if the key was rejected and that stops the statement."""
        if error is not None and error.code == "auth" and self.ends_when_refused:
            raise AuthFailure(
                error.message,
                suggested_action="Replace the key and run it again; `webquarry doctor` shows where "
                "it was found. Finished answers are stored.",
            )

    def warn_once(self, about: str, message: str) -> None:
        """Log a warning once per statement."""
        with self._lock:
            is_new = about not in self._warned
            self._warned.add(about)
        if is_new:
            log.warning("%s", message)

    def take_new(self, *names: str) -> tuple[Any, ...]:
        """Return these counts since the last call: `hits`, `kept_searches`, `planned`, ..."""
        with self._lock:
            now = self._counts + Counter(kept_searches=self._usage.kept_searches)
            new = tuple(now[name] - self._taken[name] for name in names)
            self._taken.update(dict(zip(names, new, strict=True)))
            return new

    def progress(self) -> Progress:
        """Return the current progress."""
        with self._lock:
            counts = self._counts
            return Progress(
                **counts,
                usage=self._usage,
                seconds_left=self._estimate_seconds_left(),
                failures=tuple(self._failures.most_common()),
            )

    def _estimate_seconds_left(self) -> float | None:
        """Estimate by the time per paid answer so far; None without one."""
        paid = self._counts["done"] - self._counts["hits"]
        open_rows = self._counts["rows"] - self._counts["done"]
        if paid <= 0 or open_rows <= 0:
            return None
        return (self._clock.monotonic() - self._begun) / paid * open_rows
