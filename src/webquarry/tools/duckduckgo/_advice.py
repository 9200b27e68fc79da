"""What to do after a failure, for a caller who has DuckDuckGo and nobody else to ask."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

from webquarry.errors import WebquarryError

_ADVICE = {
    "challenge": "Do not search again for some minutes: asking at once only prolongs it.",
    "blocked": "Do not search again for some minutes: asking at once only prolongs it.",
    "rate_limited": "Wait 60 seconds and try again.",
    "network": "Try again in a moment; WEBSEARCH_TIMEOUT_SECS says how long a call may take.",
}


@contextmanager
def advising() -> Iterator[None]:
    """Let an error of the engine suggest what can be done here; naming another provider cannot."""
    try:
        yield
    except WebquarryError as error:
        error.suggested_action = _advice(error)
        raise


def _advice(error: WebquarryError) -> str:
    wait = math.ceil(error.retry_after_seconds or 0)
    if wait and error.kind in _ADVICE:
        return f"Wait {wait} seconds and try again; asking earlier only prolongs it."
    if "provider" in error.suggested_action:
        otherwise = ""
    else:
        otherwise = error.suggested_action
    lasting = error.kind == "network" and not error.retryable
    if lasting:
        return otherwise
    return _ADVICE.get(error.kind, otherwise)
