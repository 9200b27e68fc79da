"""What went wrong again and again in a session, and what to do about it: recorded errors in, a
summary by kind out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webquarry.sessions.models import RecordedError

OFTEN = 3  # from this many on, an error is a pattern

_ADVICE = {
    "rate_limited": "Wait a minute before the next search, ask for less at once, or name another "
    "provider.",
    "auth": "A key is missing or wrong: use another provider, and have `webquarry doctor` run.",
    "blocked": "These sites refuse programs: choose other sources for the same facts.",
    "challenge": "These sites want a captcha solved: choose other sources for the same facts.",
    "js_shell": "These pages need their scripts: look for a feed, a PDF or another site with the "
    "same facts.",
    "login_wall": "These pages need an account: look for open versions, preprints or reports "
    "about them.",
    "thin": "These pages hold next to nothing: read primary sources instead of overviews.",
    "robots": "These sites do not want to be read by programs: choose other sources.",
    "not_found": "Addresses were wrong or are gone: search for the titles instead of guessing "
    "addresses.",
    "network": "No answer came: check the connection, or use other sources and providers.",
    "too_large": "Ask for parts: preview, an outline first and then a section, or a smaller "
    "length.",
    "unsupported": "These files cannot be read: look for the same as HTML or PDF.",
    "bad_input": "Calls did not fit: read the error's suggestedAction before trying the same "
    "again.",
}
_OTHERWISE = "Something fails again and again: go another way, and report it."


@dataclass(frozen=True)
class ErrorPattern:
    """A kind of error that came back."""

    kind: str
    count: int
    tools: tuple[str, ...]
    advice: str


def find_repeated_errors(errors: Sequence[RecordedError]) -> list[ErrorPattern]:
    """The kinds that occurred three times or more, the most frequent first."""
    tools_by_kind: dict[str, list[str]] = {}
    for error in errors:
        tools = tools_by_kind.setdefault(error.kind, [])
        tools.append(error.tool)
    patterns = []
    for kind, tools in tools_by_kind.items():
        if len(tools) < OFTEN:
            continue
        distinct_tools = tuple(dict.fromkeys(tools))
        pattern = ErrorPattern(
            kind=kind,
            count=len(tools),
            tools=distinct_tools,
            advice=_ADVICE.get(kind, _OTHERWISE),
        )
        patterns.append(pattern)
    return sorted(patterns, key=lambda pattern: -pattern.count)
