"""What to do after a failure, for a caller who has DuckDuckGo and nobody else to ask."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from webquarry.errors import WAIT, WebquarryError

_ADVICE = {
    "challenge": "Do not search again for some minutes: asking at once only prolongs it.",
    "blocked": "Do not search again for some minutes: asking at once only prolongs it.",
    "rate_limited": f"Wait {WAIT} and try again.",
    "network": "Try again in a moment; WEBSEARCH_TIMEOUT_SECS says how long a call may take.",
}


@contextmanager
def advising() -> Iterator[None]:
    """Let an error of the engine suggest what can be done here; naming another provider cannot."""
    try:
        yield
    except WebquarryError as error:
        if "provider" in error.suggested_action:
            error.suggested_action = ""
        is_lasting = error.kind == "network" and not error.retryable
        if error.retry_after_seconds and error.kind in _ADVICE:
            error.suggested_action = f"Wait {WAIT} and try again; asking earlier only prolongs it."
        elif error.kind in _ADVICE and not is_lasting:
            error.suggested_action = _ADVICE[error.kind]
        raise
