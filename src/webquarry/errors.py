"""Every error webquarry raises.

WebquarryError                internal      a bug of ours, or something nobody foresaw
├── BadInput                  bad_input     the caller can fix it
│   ├── LimitReached          bad_input     a limit on rows or money was reached
│   └── BadSetting            bad_input     a setting cannot be used
├── Refused                   blocked       the guard said no: scheme, private address, port
├── RobotsRefused             robots        the site's robots.txt said no
├── NetworkFailure            network       no complete answer came back
│   └── NotRecorded           network       replay is on and nobody recorded this request
├── TooLarge                  too_large     a size limit was reached
├── SiteRefused               blocked       the site answered with a refusal (401, 403, 451)
│   ├── Challenge             challenge     a captcha or a bot wall
│   └── LoginWall             login_wall    the page is behind an account
├── NotFound                  not_found     404, 410, or a page that says so
├── RateLimited               rate_limited  somebody asked us to slow down
│   └── NoSlot                rate_limited  as many calls as are allowed at once are under way
├── AuthFailure               auth          a credential is missing or was not accepted
├── ProviderFailure           network       one provider failed in a way of its own
│   └── ToolFailure           tool          an external tool failed: it crashed, or gave no answer
├── RecordsFailure            records       the records could not be read or written
├── Cancelled                 internal      the user stopped it; what was paid for is kept
└── Unreadable                unsupported   fetched, but no text could be made of it
    ├── ScriptPage            js_shell      nothing is there until its scripts have run
    ├── ThinPage              thin          nothing, or next to nothing, is there
    ├── TooComplex            too_complex   it takes more time or memory than a page may
    └── MissingExtra          unsupported   an optional library is not installed

`kind` is one of the outcomes of `OUTCOMES` (or "records", "tool" or "internal"); every door renders
the same fields in its own form. `sentence` and `suggested_action` are whole sentences however the
error was raised, so that one can stand behind the other; a wait is the same in words and as a
number.
"""

from __future__ import annotations

import math

TYPE_CHECKING = False  # importing typing takes 2 ms of the start of an MCP server
if TYPE_CHECKING:
    from typing import Any, ClassVar

OUTCOMES = (
    "ok",
    "empty",
    "rate_limited",
    "auth",
    "blocked",
    "challenge",
    "js_shell",
    "login_wall",
    "thin",
    "robots",
    "not_found",
    "network",
    "too_large",
    "too_complex",
    "unsupported",
    "bad_input",
)


# The longest wait that is believed, whoever asks for it: a server that is wrong about the time, or
# wants to be rid of us, must not keep us away for days.
LONGEST_WAIT_SECONDS = 3600.0


WAIT = "{wait}"  # in an advice: the time that `retryAfterSeconds` tells, in words
_USUAL_WAIT_SECONDS = 60.0  # where an advice says to wait and nobody said how long
# What to do about a fault that no other address, and no better connection, would help.
SERVER_FAULT = "Choose another source: the fault is the server's."
PASSING_FAULT = "The fault is the server's: try again later, or choose another source."
_SENTENCE_ENDS = (".", "!", "?", "…", "。", "！", "？")
_CLOSING_MARKS = "\"'`)]}”’»"  # that may stand behind the end of a sentence


class WebquarryError(Exception):
    """Base of all webquarry errors. `suggested_action` says what the reader, often a model, can do
    next; `advice` is that of the kind, for errors that say nothing of their own.
    """

    kind: ClassVar[str] = "internal"
    advice: ClassVar[str] = "Report this with the command that led to it."
    lasting_advice: ClassVar[str] = ""  # for one of a passing kind that does not pass
    retryable: bool = False
    retry_after_seconds: float | None = None  # as somebody asked for
    least_wait_seconds: float = 1.0  # that is advised, however little was asked for
    provider: str | None = None
    host: str | None = None  # to whom it happened, where the words do not say
    attempts: tuple[Any, ...] = ()  # what was tried, in order, where several were
    _action: str | None = None

    def __init__(
        self,
        message: str,
        *,
        retryable: bool | None = None,
        retry_after_seconds: float | None = None,
        suggested_action: str | None = None,
        provider: str | None = None,
    ) -> None:
        super().__init__(message)
        self._action = suggested_action
        if retryable is not None:
            self.retryable = retryable
        if retry_after_seconds is not None:
            self.retry_after_seconds = min(retry_after_seconds, LONGEST_WAIT_SECONDS)
        if provider is not None:
            self.provider = provider

    @property
    def message(self) -> str:
        """What happened, in the words it was raised with: for texts that go on behind it."""
        return str(self.args[0])

    @property
    def sentence(self) -> str:
        """What happened and to whom, in whole sentences for a person."""
        message = self.message
        if self.host and self.host not in message:
            message = f"{self.host}: {message}"
        return end_sentence(message)

    @property
    def sentences(self) -> str:
        """The same, and what to do now."""
        return f"{self.sentence} {self.suggested_action}".strip()

    @property
    def suggested_action(self) -> str:
        """What to do now, in whole sentences."""
        action = self.action_template
        if WAIT in action:
            action = action.replace(WAIT, describe_wait(self.wait_seconds or 0.0))
        return end_sentence(action)

    @suggested_action.setter
    def suggested_action(self, action: str) -> None:
        self._action = action

    @property
    def has_own_advice(self) -> bool:
        """Whether it suggests more than its kind does."""
        return self._action is not None

    @property
    def wait_seconds(self) -> float | None:
        """How long to wait before it is tried again, in whole seconds, as it is told in words and
        as a number; None where nobody says.
        """
        seconds = self.retry_after_seconds
        if seconds is None and WAIT in self.action_template:
            seconds = _USUAL_WAIT_SECONDS
        if seconds is None:
            return None
        return float(math.ceil(max(seconds, self.least_wait_seconds)))

    @property
    def action_template(self) -> str:
        """What to do now, with the wait still to be filled in."""
        if self._action is not None:
            return self._action
        if self.lasting_advice and not self.retryable:
            return self.lasting_advice
        return self.advice

    def as_dict(self) -> dict[str, Any]:
        """The fields every door shows; those that are not known are absent."""
        fields = {
            "kind": self.kind,
            "message": self.sentence,
            "retryable": self.retryable,
            "retryAfterSeconds": self.wait_seconds,
            "suggestedAction": self.suggested_action,
            "provider": self.provider,
        }
        return {name: value for name, value in fields.items() if value is not None}

    def _render_traceback_(self, *_: object) -> list[str]:
        """What IPython and Jupyter show instead of a traceback: one line, since the frames between
        a cell and the web say nothing to whoever wrote the cell.
        """
        text = f"{type(self).__name__}: {self.sentences}"
        shown = "".join(character if character.isprintable() else " " for character in text)
        return [" ".join(shown.split())]


def end_sentence(text: str) -> str:
    """The text with a full stop, unless a sentence ends there already."""
    text = text.strip()
    if not text or text.rstrip(_CLOSING_MARKS).endswith(_SENTENCE_ENDS):
        return text
    return text.rstrip(" :;,") + "."


def describe_wait(seconds: float, kind: str = "") -> str:
    """A wait in words: whole seconds, as they are told beside the words; `kind` stands before
    "seconds", such as "more".
    """
    whole = max(1, math.ceil(seconds))
    unit = "second" if whole == 1 else "seconds"
    return " ".join(filter(None, (str(whole), kind, unit)))


class BadInput(WebquarryError):
    """The caller can fix it."""

    kind = "bad_input"
    advice = "Correct the input and call again."


class LimitReached(BadInput):
    """A limit on rows or money was reached; what was paid for until then is kept."""

    advice = "Raise the limit, or ask for less."


class BadSetting(BadInput):
    """A setting cannot be used: it says nothing about the page or the site that was asked for."""

    advice = "Correct or unset it; `webquarry doctor` tells what is wrong."


class Refused(WebquarryError):
    """The guard said no; nothing was sent to the refused address."""

    kind = "blocked"
    advice = (
        "Use a public http or https URL, or allow your own network with WEBQUARRY_ALLOW_NETWORKS."
    )


class RobotsRefused(WebquarryError):
    """The site's robots.txt does not allow this page to be fetched."""

    kind = "robots"
    advice = "Choose another source, or set WEBQUARRY_ROBOTS=0 if you have the site's permission."


class NetworkFailure(WebquarryError):
    """No complete answer came back."""

    kind = "network"
    retryable = True
    advice = "Check the address and the connection, then try again."
    lasting_advice = "Check the address, or choose another source."


class NotRecorded(NetworkFailure):
    """Replay is on and the recording does not hold this request."""

    retryable = False
    lasting_advice = ""
    advice = (
        "Record it first (WEBQUARRY_RECORD=file.warc.gz), "
        "or turn replay off (unset WEBQUARRY_REPLAY)."
    )


class TooLarge(WebquarryError):
    """A size limit was reached."""

    kind = "too_large"
    advice = "Raise WEBQUARRY_MAX_BYTES, or read a smaller page."


class SiteRefused(WebquarryError):
    """The site answered with a refusal."""

    kind = "blocked"
    advice = "Choose another source."


class Challenge(SiteRefused):
    """The site asked for proof that a person is there."""

    kind = "challenge"
    advice = "Choose another source; this one answers programs with a captcha."


class LoginWall(SiteRefused):
    """The page is behind an account."""

    kind = "login_wall"
    advice = "Choose another source; this one needs an account."


class NotFound(WebquarryError):
    """There is no such page."""

    kind = "not_found"
    advice = "Check the address, or search for the page's new place."


class RateLimited(WebquarryError):
    """Somebody asked us to slow down."""

    kind = "rate_limited"
    retryable = True
    advice = f"Wait {WAIT} and try again, or name another provider."
    lasting_advice = "Name another provider, or ask for a higher limit."


class NoSlot(RateLimited):
    """As many calls as are allowed at once are under way."""

    retry_after_seconds = 1.0
    advice = "Wait for a call that is under way to end, then try again."


class AuthFailure(WebquarryError):
    """A credential is missing or was not accepted."""

    kind = "auth"
    advice = "Run `webquarry doctor` to see which credentials were found and where."
    # The same as it is, where a contract has words for it that say something else.
    plain: AuthFailure | None = None


class ProviderFailure(WebquarryError):
    """One provider failed in a way of its own."""

    kind = "network"
    retryable = True
    advice = "Try again, or name another provider."
    lasting_advice = "Name another provider."


class ToolFailure(ProviderFailure):
    """An external tool failed: it did not start, crashed, took too long or gave no usable answer;
    or it said itself that it failed.
    """

    kind = "tool"
    retryable = False
    advice = lasting_advice = "Look at the tool, or use another."


class RecordsFailure(WebquarryError):
    """The records could not be read or written; nothing was changed. `reason` is one word: `full`,
    `read_only`, `permission`, `no_folder`, `failing`, `busy`, `moved`, `damaged`, `newer`,
    `lost_key`, `foreign`, or `unavailable` where they are in a Redis that is.
    """

    kind = "records"
    retryable = True
    advice = (
        "Try again; `webquarry doctor` says where records are kept and what is wrong with the "
        "place."
    )
    reason = "unavailable"

    def __init__(self, message: str, *, reason: str = "unavailable", **fields: Any) -> None:
        super().__init__(message, **fields)
        self.reason = str(reason)

    def as_dict(self) -> dict[str, Any]:
        return super().as_dict() | {"reason": self.reason}


class Cancelled(WebquarryError):
    """The asking was stopped by the user; what was paid for until then is kept."""

    kind = "internal"
    retryable = True
    advice = "Ask again: only what is missing is paid for."


class Unreadable(WebquarryError):
    """Fetched, but no text could be made of it."""

    kind = "unsupported"
    advice = "Choose another source for the same facts."


class ScriptPage(Unreadable):
    """The page shows nothing until its scripts have run."""

    kind = "js_shell"
    advice = (
        "Choose another source, or look for a feed, an API or a printable version of this page."
    )


class ThinPage(Unreadable):
    """The page has nothing to read."""

    kind = "thin"


class TooComplex(Unreadable):
    """Reading the page takes more time or memory than a page may take."""

    kind = "too_complex"
    advice = (
        "Choose another source for the same facts; in Python, if you trust the page, raise "
        "`Settings(read_cpu_seconds=..., read_memory_mb=...)`."
    )


class MissingExtra(Unreadable):
    """An optional library is not installed."""

    def __init__(self, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the optional part {extra!r}.",
            suggested_action=f"Install it: pip install 'webquarry[{extra}]'.",
        )
