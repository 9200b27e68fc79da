"""Replies that must never pass for an answer (`BAD`), and answers that only talk about captchas
(`GOOD`).
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.search.replies import reply
from webquarry.net.models import Reply

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Recorded:
    """One recorded reply and what it stands for."""

    file: str
    provider: str
    status: int
    content_type: str
    outcome: str = "ok"
    results: int = 0

    @property
    def body(self) -> bytes:
        return (
            FOLDER / ("good" if self.outcome in ("ok", "empty") else "bad") / self.file
        ).read_bytes()

    @property
    def reply(self) -> Reply:
        return reply(self.body, self.status, {"content-type": self.content_type})


def _listed(kind: str, **fields: Any) -> list[Recorded]:
    index = tomllib.loads((FOLDER / "index.toml").read_text("utf-8"))
    return [Recorded(**entry, **fields) for entry in index[kind]]


BAD = _listed("bad")
GOOD = [
    Recorded(
        one.file,
        one.provider,
        one.status,
        one.content_type,
        "ok" if one.results else "empty",
        one.results,
    )
    for one in _listed("good")
]
