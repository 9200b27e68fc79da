"""What was found out about drafts, row by row, in the form in which it is told and judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from webquarry.errors import BadInput

QUOTE_WORDS = (
    "exact", "typography", "letters", "elided", "near", "elsewhere", "absent", "too_short",
    "unchecked",
)  # fmt: skip
NUMBER_WORDS = ("found", "rounded", "different")
REFERENCE_WORDS = (
    "confirmed", "differs", "conflict", "not_registered", "not_found", "could_not_verify",
    "retracted", "withdrawn", "concern", "corrected", "reinstated", "gone", "soft-404",
    "wrong-page", "moved", "blocked", "unreachable",
)  # fmt: skip
KNOWN = frozenset({*QUOTE_WORDS, *NUMBER_WORDS, *REFERENCE_WORDS})
DEFAULT = "near,absent,conflict"
# What a person should look at, whether it fails the check or not.
_SEEN = frozenset({
    "near", "elsewhere", "absent", "unchecked", "rounded", "different", "differs", "conflict",
    "not_registered", "not_found", "could_not_verify", "retracted", "withdrawn", "concern", "gone",
    "soft-404", "wrong-page",
})  # fmt: skip
_STATES = ("retracted", "withdrawn", "concern", "corrected", "reinstated")


@dataclass(frozen=True)
class CheckRow:
    """One quote, number or reference of a draft."""

    file: str
    line: int
    kind: str  # quote, number, reference
    words: tuple[str, ...]  # verdicts, the first of which is shown
    text: str
    url: str | None = None
    detail: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """The word that is shown."""
        return self.words[0]

    @property
    def is_notable(self) -> bool:
        """Whether somebody should look at it."""
        return not _SEEN.isdisjoint(self.words)

    def as_dict(self) -> dict[str, Any]:
        """The row as JSON has it."""
        row: dict[str, Any] = {
            "file": self.file,
            "line": self.line,
            "kind": self.kind,
            "verdict": self.verdict,
            "text": self.text,
        }
        if self.url:
            row["url"] = self.url
        if self.detail:
            row["detail"] = self.detail
        return row | {"answer": dict(self.more)}


def parse_fail_on(written: str) -> frozenset[str]:
    """The verdicts that make a check fail, of a list with commas."""
    words = [word.strip() for word in written.split(",") if word.strip()]
    unknown = [word for word in words if word not in KNOWN and word != "none"]
    if unknown:
        raise BadInput(
            f"The option --fail-on has words that no check gives: {', '.join(unknown)}.",
            suggested_action=f"Use some of: {', '.join(sorted(KNOWN))}; or none.",
        )
    return frozenset(words) - {"none"}


def describe_quote(answer: Mapping[str, Any]) -> str:
    """What is to be said of a quote in a line."""
    parts = []
    for change in answer.get("differs", ()):
        own = change["quote"] or "nothing"
        other = change["source"] or "nothing"
        parts.append(f"{change['kind']}: “{own}” is “{other}” in the source")
    parts += answer.get("warnings", ())
    if not parts and answer.get("reason"):
        parts.append(answer["reason"])
    return "; ".join(parts)


def describe_number(answer: Mapping[str, Any]) -> str:
    """What is to be said of a number in a line."""
    if answer["verdict"] == "rounded":
        return f"the source has {answer['matched']}"
    return str(answer.get("reason") or "")


def build_reference_row(file: str, first_line: int, answer: Mapping[str, Any]) -> CheckRow:
    """The row of a reference, from the answer of `check_citations`; its lines count within what
    was given.
    """
    words = [str(answer.get("verdict", "could_not_verify"))]
    if answer.get("status") in _STATES:
        words.append(answer["status"])
    link = answer.get("link") or {}
    if link.get("state") not in (None, "alive"):
        words.append(link["state"])
    parts = [str(answer.get("reason") or "")]
    parts += words[1:]
    line = first_line + int(answer.get("line") or 1) - 1
    text = str(answer.get("key") or answer.get("input") or "")
    return CheckRow(
        file,
        line,
        "reference",
        tuple(words),
        text,
        link.get("url"),
        "; ".join(part for part in parts if part),
        answer,
    )


def count_words(rows: Iterable[CheckRow]) -> dict[str, int]:
    """How often each verdict was given."""
    return dict(Counter(row.verdict for row in rows))


def find_failing(rows: Sequence[CheckRow], fail_on: frozenset[str]) -> list[CheckRow]:
    """The rows that make a check fail."""
    return [row for row in rows if not fail_on.isdisjoint(row.words)]
