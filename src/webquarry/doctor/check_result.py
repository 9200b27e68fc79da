"""Result of one check."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from webquarry.settings import Settings


@dataclass(frozen=True)
class CheckResult:
    """One part. `state` is "ok", "off" (optional and absent), "warning" or "broken"."""

    name: str
    state: str
    detail: str
    cure: str = ""
    reachable: bool | None = None  # None: not asked

    def as_dict(self) -> dict[str, Any]:
        """The fields as JSON, without an empty cure or `reachable`."""
        fields: dict[str, Any] = {"name": self.name, "state": self.state, "detail": self.detail}
        if self.cure:
            fields["cure"] = self.cure
        if self.reachable is not None:
            fields["reachable"] = self.reachable
        return fields


Check = Callable[[Settings, Mapping[str, str]], CheckResult]
