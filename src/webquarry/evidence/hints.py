"""Nothing was found: the filters that applied and the providers that could be asked in, hints
out.
"""

from __future__ import annotations

from collections.abc import Sequence

from webquarry.evidence.models import SuggestedAction, ZeroResultHints


def zero_result_hints(filters: Sequence[str], providers: Sequence[str]) -> ZeroResultHints:
    """Each filter may be the reason, so each may be removed; the providers are those that would
    answer now.
    """
    actions: list[SuggestedAction] = []
    for name in filters:
        actions.append(SuggestedAction(action="remove-filter", filter=name))
    for name in providers:
        actions.append(SuggestedAction(action="try-different-provider", provider=name))
    return ZeroResultHints(
        reason="filters_too_restrictive" if filters else "no_match",
        filters_applied=list(filters),
        suggested_actions=actions,
    )
