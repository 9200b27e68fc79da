"""Every error webquarry raises.

WebquarryError                internal      a bug
├── BadInput                  bad_input     the caller can correct it
│   ├── LimitReached          bad_input     a limit on rows or money was reached
│   └── BadSetting            bad_input     a setting is invalid
├── Refused                   blocked       the guard refused a scheme, private address or port
├── RobotsRefused             robots        robots.txt does not allow the page
├── NetworkFailure            network       no complete response
│   └── NotRecorded           network       replay is on and the recording has no such request
├── TooLarge                  too_large     a size limit was reached
├── SiteRefused               blocked       the site refused (401, 403, 451)
│   ├── Challenge             challenge     a captcha or a bot wall
│   └── LoginWall             login_wall    the page requires an account
├── NotFound                  not_found     404, 410, or a page that says so
├── RateLimited               rate_limited  too many requests
│   └── NoSlot                rate_limited  too many calls at once
├── AuthFailure               auth          a credential is missing or was rejected
├── ProviderFailure           network       a provider failed in another way
│   └── ToolFailure           tool          an external tool failed
├── RecordsFailure            records       the records could not be read or written
├── Cancelled                 internal      the user cancelled; paid answers are stored
└── Unreadable                unsupported   fetched, but no text can be extracted
    ├── ScriptPage            js_shell      the page is empty without JavaScript
    ├── ThinPage              thin          the page has (almost) no text
    ├── TooComplex            too_complex   the page requires too much time or memory
    └── MissingExtra          unsupported   an optional library is not installed

`kind` is one of `OUTCOMES`, or "records", "tool" or "internal"; every interface renders the same
fields in its own form. `sentence` and `suggested_action` are whole sentences, and a wait is the
same in words and as a number.
"""

from __future__ import annotations

import math

TYPE_CHECKING = False  # importing typing takes 2 ms of the start of an MCP server
if TYPE_CHECKING:
    from typing import Any, ClassVar

OUTCOMES = (
    "ok", "empty", "rate_limited", "auth", "blocked", "challenge", "js_shell", "login_wall", "thin",
    "robots", "not_found", "network", "too_large", "too_complex", "unsupported", "bad_input",
)  # fmt: skip

LONGEST_WAIT_SECONDS = 3600.0  # a server with a wrong clock must not block us for days
WAIT = "{wait}"  # in an advice: the time of `retryAfterSeconds` in words
_USUAL_WAIT_SECONDS = 60.0  # if the time is unknown
SERVER_FAULT = "Choose another source: the fault is the server's."
PASSING_FAULT = "The fault is the server's: try again later, or choose another source."
_SENTENCE_ENDS = (".", "!", "?", "…", "。", "！", "？")
_CLOSING_MARKS = "\"'`)]}”’»"  # that may follow the end of a sentence


class WebquarryError(Exception):
    """Base of all errors. `suggested_action` is what the reader, often a model, can do next;
    `advice` is the default of the kind, and `lasting_advice` the one of an error of this kind that
    is not retryable.
    """

    kind: ClassVar[str] = "internal"
    advice: ClassVar[str] = "Report this with the command that led to it."
    lasting_advice: ClassVar[str] = ""
    retryable: bool = False
    retry_after_seconds: float | None = None  # as the server requested
    least_wait_seconds: float = 1.0  # minimum of the suggested wait
    provider: str | None = None
    host: str | None = None  # named in the sentence, unless the message names it
    attempts: tuple[Any, ...] = ()  # of several providers, in order
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
        """The message as it was raised, for texts that continue it."""
        return str(self.args[0])

    @property
    def sentence(self) -> str:
        """The message as whole sentences, with the host."""
        message = self.message
        if self.host and self.host not in message:
            message = f"{self.host}: {message}"
        return end_sentence(message)

    @property
    def sentences(self) -> str:
        """The message and the suggested action."""
        return f"{self.sentence} {self.suggested_action}".strip()

    @property
    def suggested_action(self) -> str:
        """What to do next, in whole sentences."""
        action = self.action_template
        if WAIT in action:
            action = action.replace(WAIT, describe_wait(self.wait_seconds or 0.0))
        return end_sentence(action)

    @suggested_action.setter
    def suggested_action(self, action: str) -> None:
        self._action = action

    @property
    def has_own_advice(self) -> bool:
        """Whether the suggested action is not the default of the kind."""
        return self._action is not None

    @property
    def wait_seconds(self) -> float | None:
        """The wait before a retry in whole seconds; None if unknown."""
        seconds = self.retry_after_seconds
        if seconds is None and WAIT in self.action_template:
            seconds = _USUAL_WAIT_SECONDS
        if seconds is None:
            return None
        return float(math.ceil(max(seconds, self.least_wait_seconds)))

    @property
    def action_template(self) -> str:
        """The suggested action, in which `WAIT` is not replaced."""
        if self._action is not None:
            return self._action
        if self.lasting_advice and not self.retryable:
            return self.lasting_advice
        return self.advice

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that every interface shows; unknown ones are absent."""
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
        """Return one line, which IPython and Jupyter show instead of the traceback."""
        text = f"{type(self).__name__}: {self.sentences}"
        shown = "".join(character if character.isprintable() else " " for character in text)
        return [" ".join(shown.split())]


def end_sentence(text: str) -> str:
    """Return the text with a full stop, unless it ends a sentence."""
    text = text.strip()
    if not text or text.rstrip(_CLOSING_MARKS).endswith(_SENTENCE_ENDS):
        return text
    return text.rstrip(" :;,") + "."


def describe_wait(seconds: float, kind: str = "") -> str:
    """Return a wait in words; `kind` is put before "seconds", such as "more"."""
    whole = max(1, math.ceil(seconds))
    unit = "second" if whole == 1 else "seconds"
    return " ".join(filter(None, (str(whole), kind, unit)))


class BadInput(WebquarryError):
    """The caller can correct it."""

    kind = "bad_input"
    advice = "Correct the input and call again."


class LimitReached(BadInput):
    """A limit on rows or money was reached; paid answers are stored."""

    advice = "Raise the limit, or ask for less."


class BadSetting(BadInput):
    """A setting is invalid."""

    advice = "Correct or unset it; `webquarry doctor` tells what is wrong."


class Refused(WebquarryError):
    """The guard refused an address; nothing was sent to it."""

    kind = "blocked"
    advice = (
        "Use a public http or https URL, or allow your own network with WEBQUARRY_ALLOW_NETWORKS."
    )


class RobotsRefused(WebquarryError):
    """robots.txt does not allow the page."""

    kind = "robots"
    advice = "Choose another source, or set WEBQUARRY_ROBOTS=0 if you have the site's permission."


class NetworkFailure(WebquarryError):
    """No complete response."""

    kind = "network"
    retryable = True
    advice = "Check the address and the connection, then try again."
    lasting_advice = "Check the address, or choose another source."


class NotRecorded(NetworkFailure):
    """Replay is on and the recording has no such request."""

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
    """The site refused the request."""

    kind = "blocked"
    advice = "Choose another source."


class Challenge(SiteRefused):
    """The site requires a captcha or similar."""

    kind = "challenge"
    advice = "Choose another source; this one answers programs with a captcha."


class LoginWall(SiteRefused):
    """The page requires an account."""

    kind = "login_wall"
    advice = "Choose another source; this one needs an account."


class NotFound(WebquarryError):
    """There is no such page."""

    kind = "not_found"
    advice = "Check the address, or search for the page's new place."


class RateLimited(WebquarryError):
    """Too many requests."""

    kind = "rate_limited"
    retryable = True
    advice = f"Wait {WAIT} and try again, or name another provider."
    lasting_advice = "Name another provider, or ask for a higher limit."


class NoSlot(RateLimited):
    """Too many calls at once."""

    retry_after_seconds = 1.0
    advice = "Wait for a call that is under way to end, then try again."


class AuthFailure(WebquarryError):
    """A credential is missing or was rejected."""

    kind = "auth"
    advice = "Run `webquarry doctor` to see which credentials were found and where."
    plain: AuthFailure | None = None  # the same error, if a contract has its own text for it


class ProviderFailure(WebquarryError):
    """A provider failed in another way."""

    kind = "network"
    retryable = True
    advice = "Try again, or name another provider."
    lasting_advice = "Name another provider."


class ToolFailure(ProviderFailure):
    """An external tool did not start, crashed, timed out, returned no usable answer, or reported an
    error.
    """

    kind = "tool"
    retryable = False
    advice = lasting_advice = "Look at the tool, or use another."


class RecordsFailure(WebquarryError):
    """The records could not be read or written; nothing was changed. `reason` is one word, as in
    `store.database.Trouble`, or `unavailable` for those in Redis.
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
    """The user cancelled; paid answers are stored."""

    kind = "internal"
    retryable = True
    advice = "Ask again: only what is missing is paid for."


class Unreadable(WebquarryError):
    """Fetched, but no text can be extracted."""

    kind = "unsupported"
    advice = "Choose another source for the same facts."


class ScriptPage(Unreadable):
    """The page is empty without JavaScript."""

    kind = "js_shell"
    advice = (
        "Choose another source, or look for a feed, an API or a printable version of this page."
    )


class ThinPage(Unreadable):
    """The page has (almost) no text."""

    kind = "thin"


class TooComplex(Unreadable):
    """The page requires too much time or memory."""

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
