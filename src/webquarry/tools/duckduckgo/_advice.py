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
        error.suggested_action = _find_advice(error)
        raise


def _find_advice(error: WebquarryError) -> str:
    wait = math.ceil(error.retry_after_seconds or 0)
    if wait and error.kind in _ADVICE:
        return f"Wait {wait} seconds and try again; asking earlier only prolongs it."
    default = error.suggested_action
    if "provider" in default:
        default = ""
    is_lasting = error.kind == "network" and not error.retryable
    if is_lasting:
        return default
    return _ADVICE.get(error.kind, default)
