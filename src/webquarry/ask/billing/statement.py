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
        # By model, or by vendor and a slash: errors that every further call would meet.
        self.known_errors: dict[str, ReplyError] = {}
        self.begun_at = clock.now().timestamp()
        self._begun = clock.monotonic()
        self._clock = clock
        self._on_cancel = on_cancel
        self._lock = threading.Lock()
        self._progress = Progress()
        self._paying = 0
        self._planned: set[str] = set()
        self._failures: Counter[str] = Counter()
        self._warned: set[str] = set()
        self._taken_plan = (0, 0.0)
        self._taken_free = (0, 0)

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
        """Raise what stopped it."""
        if self.cancelled:
            raise Cancelled("The statement was cancelled; the answers that it had got are kept.")
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

    def add_rows(self, rows: int) -> None:
        """Count rows that were requested."""
        self._add(Progress(rows=rows))

    def count_answers(
        self, *, rows: int = 1, hits: int = 0, failed: int = 0, usage: Usage | None = None
    ) -> None:
        """Count rows that are answered or have failed; `hits` of them cost nothing."""
        self._add(Progress(done=rows, hits=hits, failed=failed, usage=usage or Usage()))

    def count_reply(self, reply: ModelReply, *, rows: int = 1) -> None:
        """Count why rows failed or had no search."""
        if reply.error is not None:
            with self._lock:
                self._failures[reply.error.message] += rows
        if reply.search_failed and reply.search_wanted:
            self._add(Progress(unsearched=rows))
        elif reply.search_failed:
            self._add(Progress(unoffered=rows))

    def count_repeats(self, reply: ModelReply, rows: int) -> None:
        """Count rows that repeat the question of another row."""
        is_failed = reply.error is not None
        self.count_answers(
            rows=rows, hits=0 if is_failed else rows, failed=rows if is_failed else 0
        )
        self.count_reply(reply, rows=rows)

    def count_planned(self, digest: str, worst_usd: float) -> None:
        """Count a question of a dry run, once."""
        with self._lock:
            is_new = digest not in self._planned
            self._planned.add(digest)
        if is_new:
            self._add(Progress(planned=1, worst_usd=worst_usd))

    def count_retry(self, *, throttled: bool) -> None:
        """Count a call that is repeated."""
        self._add(Progress(retries=1, throttled=int(throttled)))

    def find_known_error(self, vendor: str, model: str) -> ReplyError | None:
        """Return the error that every call of a model would meet."""
        return self.known_errors.get(f"{vendor}/") or self.known_errors.get(model)

    def find_refusal(self, error: ReplyError | None) -> WebquarryError | None:
        """Return the error that stops the statement if the key was rejected."""
        if error is None or error.code != "auth" or not self.ends_when_refused:
            return None
        return AuthFailure(
            error.message,
            suggested_action="Replace the key and run it again; `webquarry doctor` says where it "
            "was found. What was answered is kept.",
        )

    def warn_once(self, about: str, message: str) -> None:
        """Log a warning once per statement."""
        with self._lock:
            if about in self._warned:
                return
            self._warned.add(about)
        log.warning("%s", message)

    def take_free_counts(self) -> tuple[int, int]:
        """Return the answers and searches that cost nothing since the last call."""
        with self._lock:
            now = (self._progress.hits, self._progress.usage.kept_searches)
            before, self._taken_free = self._taken_free, now
        return now[0] - before[0], now[1] - before[1]

    def take_new_plan(self) -> tuple[int, float]:
        """Return the questions and the maximum cost of a dry run since the last call."""
        with self._lock:
            now = (self._progress.planned, self._progress.worst_usd)
            before, self._taken_plan = self._taken_plan, now
        return now[0] - before[0], now[1] - before[1]

    def progress(self) -> Progress:
        """Return the current progress."""
        with self._lock:
            return replace(
                self._progress,
                seconds_left=self._estimate_seconds_left(),
                failures=tuple(self._failures.most_common()),
            )

    def _add(self, counts: Progress) -> None:
        with self._lock:
            self._progress = self._progress + counts

    def _estimate_seconds_left(self) -> float | None:
        """Estimate by the time per paid answer so far; None without one."""
        paid = self._progress.done - self._progress.hits
        open_rows = self._progress.rows - self._progress.done
        if paid <= 0 or open_rows <= 0:
            return None
        return (self._clock.monotonic() - self._begun) / paid * open_rows
