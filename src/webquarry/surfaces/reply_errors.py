"""The error of a question -> the error that a door raises for it, with what to do now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webquarry.errors import AuthFailure, BadInput, ProviderFailure, RateLimited, WebquarryError

if TYPE_CHECKING:
    from webquarry.ask.models import ReplyError

_KINDS: dict[str, type[WebquarryError]] = {
    "auth": AuthFailure,
    "rate_limited": RateLimited,
    "quota": RateLimited,
    "model_gone": BadInput,
    "too_large": BadInput,
}
_CURES = {
    "auth": "Replace the key; webquarry doctor --all says where it was found.",
    "model_gone": "Name another model with --model or WEBQUARRY_ASK_MODEL.",
    "too_large": "Ask with a shorter context.",
    "quota": "Raise the account's limit with the model's vendor, or name another with --model.",
}


def build_reply_error(error: ReplyError) -> WebquarryError:
    """The error of a question that was asked alone."""
    kind = _KINDS.get(error.code, ProviderFailure)
    action = "Try again."
    if not error.retryable:
        action = _CURES.get(error.code, "See docs/ask.md for what can be set.")
    return kind(error.message, retryable=error.retryable, suggested_action=action)
