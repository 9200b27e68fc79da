"""A statement: the questions that one SQL statement or one command asks, its limits, and how far it
is.

Counts are changed on the engine's loop and by the threads that hand rows in, and read from
anywhere: `progress()`.
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
from webquarry.errors import (
    AuthFailure,
    Cancelled,
    LimitReached,
    WebquarryError,
)

log = logging.getLogger(__name__)


class Statement:
    """What belongs together: one budget, one progress, one cancellation."""

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
    ) -> None:
        # Several processes may work on one: those of a run of an engine.
        self.is_shared = bool(run)
        self.id = run or secrets.token_hex(8)
        self.words = words  # how its text begins
        # Whether a key that is missing or not accepted ends it; else each row has that error.
        self.ends_when_refused = ends_when_refused
        self.door = door
        self.limits = limits
        self.dry_run = dry_run
        self.cancelled = False
        self.halt: WebquarryError | None = None  # a limit was reached: nothing more is begun
        # By model, or by vendor and a slash for all of its: what every further call would end in.
        self.known_errors: dict[str, ReplyError] = {}
        self.begun_at = clock.now().timestamp()
        self._begun = clock.monotonic()
        self._clock = clock
        self._lock = threading.Lock()
        self._rows = self._done = self._hits = self._failed = 0
        self._paying = 0
        self._planned: set[str] = set()
        self._worst_usd = 0.0
        self._throttled = self._retries = 0
        self._usage = Usage()
        self._unsearched = self._unoffered = 0
        self._failures: Counter[str] = Counter()
        self._warned: set[str] = set()
        self._told_plan = (0, 0.0)  # what was told by `take_new_plan`
        self._noted = (0, 0)  # what was told by `take_free_counts`
        self._on_cancel: list[Callable[[Statement], None]] = []

    def check_row_count(self, rows: int) -> None:
        """Refuse before anything is spent, when so many rows are more than may be asked for."""
        most = self.limits.max_rows
        if most is not None and rows > most:
            raise LimitReached(
                f"The statement would ask {rows:,} questions, and its limit (max_rows) is "
                f"{most:,}; nothing was spent.",
                suggested_action="Ask for fewer rows (limit them in a subquery), or raise "
                "max_rows.",
            )

    def cancel(self) -> None:
        """Begin no further call; any thread may say so."""
        self.cancelled = True
        for callback in list(self._on_cancel):
            callback(self)

    def on_cancel(self, callback: Callable[[Statement], None]) -> None:
        """Call this, with the statement, when it is cancelled."""
        if callback not in self._on_cancel:
            self._on_cancel.append(callback)

    @property
    def is_stopped(self) -> bool:
        """Whether nothing more is to be begun for it."""
        return self.cancelled or self.halt is not None

    def check(self) -> None:
        """Raise what stopped it."""
        if self.cancelled:
            raise Cancelled("The statement was cancelled; the answers that it had got are kept.")
        if self.halt is not None:
            raise self.halt

    def admit(self, questions: int) -> None:
        """So many questions have to be paid for: all of them, or none. Those of a run of several
        processes are counted by the ledger.
        """
        most = None if self.is_shared else self.limits.max_rows
        with self._lock:
            if most is not None and self._paying + questions > most:
                total = self._paying + questions
                raise LimitReached(
                    f"The statement has {total:,} questions to pay for so far, and its limit "
                    f"(max_rows) is {most:,}.",
                    suggested_action="Ask for fewer rows (limit them in a subquery), or raise "
                    "max_rows.",
                )
            self._paying += questions

    def add_rows(self, rows: int) -> None:
        """So many more rows were asked for."""
        with self._lock:
            self._rows += rows

    def count_answers(
        self, *, rows: int = 1, hits: int = 0, failed: int = 0, usage: Usage | None = None
    ) -> None:
        """Rows that have their answer, or their error; of these, so many cost nothing."""
        with self._lock:
            self._done += rows
            self._hits += hits
            self._failed += failed
            if usage is not None:
                self._usage = self._usage + usage

    def count_reply(self, reply: ModelReply, *, rows: int = 1) -> None:
        """Note of rows that have this reply why they failed, or had no search."""
        with self._lock:
            if reply.error is not None:
                self._failures[reply.error.message] += rows
            if reply.search_failed and reply.search_wanted:
                self._unsearched += rows
            elif reply.search_failed:
                self._unoffered += rows

    def count_repeats(self, reply: ModelReply, rows: int) -> None:
        """Rows that ask what another row asks: they are answered, or fail, for nothing."""
        if reply.error is None:
            self.count_answers(rows=rows, hits=rows)
        else:
            self.count_answers(rows=rows, failed=rows)
        self.count_reply(reply, rows=rows)

    def find_refusal(self, error: ReplyError | None) -> WebquarryError | None:
        """What ends the whole, where the error of one row is one that every other would meet."""
        if error is None or error.code != "auth" or not self.ends_when_refused:
            return None
        return AuthFailure(
            error.message,
            suggested_action="Replace the key and run it again; `webquarry doctor` says where it "
            "was found. What was answered is kept.",
        )

    def warn_once(self, about: str, message: str) -> None:
        """Say on the log what many rows meet, once."""
        with self._lock:
            if about in self._warned:
                return
            self._warned.add(about)
        log.warning("%s", message)

    @property
    def ledger_limits(self) -> AskLimits:
        """The limits that the ledger is to hold."""
        if self.is_shared:
            return self.limits
        return replace(self.limits, max_rows=None)

    def take_free_counts(self) -> tuple[int, int]:
        """Answers and searches that cost nothing, since this was last asked."""
        with self._lock:
            now = (self._hits, self._usage.kept_searches)
            before, self._noted = self._noted, now
        return now[0] - before[0], now[1] - before[1]

    def take_new_plan(self) -> tuple[int, float]:
        """Questions that a dry run found and what they may cost, since this was last asked."""
        with self._lock:
            now = (len(self._planned), self._worst_usd)
            before, self._told_plan = self._told_plan, now
        return now[0] - before[0], now[1] - before[1]

    def count_planned(self, digest: str, worst_usd: float) -> None:
        """A dry run came to a question that would be paid for; each counts once."""
        with self._lock:
            if digest not in self._planned:
                self._planned.add(digest)
                self._worst_usd += worst_usd

    def count_retry(self, *, throttled: bool) -> None:
        """A call is made again; whether because the provider asked us to slow down."""
        with self._lock:
            self._retries += 1
            self._throttled += throttled

    def progress(self) -> Progress:
        """How far it is now."""
        with self._lock:
            return Progress(
                rows=self._rows,
                done=self._done,
                hits=self._hits,
                failed=self._failed,
                planned=len(self._planned),
                worst_usd=self._worst_usd,
                throttled=self._throttled,
                retries=self._retries,
                usage=self._usage,
                seconds_left=self._estimate_seconds_left(),
                unsearched=self._unsearched,
                unoffered=self._unoffered,
                failures=tuple(self._failures.most_common()),
            )

    def _estimate_seconds_left(self) -> float | None:
        """By the time that a paid answer has taken so far; None while nothing is known of that."""
        paid = self._done - self._hits
        open_rows = self._rows - self._done
        if paid <= 0 or open_rows <= 0:
            return None
        elapsed = self._clock.monotonic() - self._begun
        return elapsed / paid * open_rows
