"""What is asked of the child process and what it answers, in forms that fit into JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from webquarry.read.models import Dated

LARGEST_FILE = 50_000_000  # bytes
LONGEST_TEXT = 10_000_000  # characters of one document; what is beyond is left out, and said


@dataclass(frozen=True)
class DocumentLimits:
    """How much one document may cost. On Windows only the wall clock is watched."""

    memory_bytes: int = 1 << 30  # of address space
    cpu_seconds: float = 20
    wall_seconds: float = 40
    documents: int = 200  # after so many a child process is replaced
    resident_bytes: int = 300_000_000  # a child process that has grown beyond is replaced too


@dataclass(frozen=True)
class Job:
    """One document to read."""

    kind: str  # the name of its format
    url: str = ""  # what relative links are relative to; without query, which may hold a secret
    cpu_seconds: float = DocumentLimits.cpu_seconds


@dataclass(frozen=True)
class DocumentText:
    """A document as Markdown, with what its file says about it."""

    markdown: str
    title: str = ""
    author: str = ""
    published: Dated | None = None
    modified: Dated | None = None
    removed: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()  # notes which say that some of the text is missing

    def as_dict(self) -> dict[str, Any]:
        """The document in a form that fits into JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> DocumentText:
        """The document that `as_dict` wrote, after a way through JSON."""
        values = dict(fields)
        for name in ("published", "modified"):
            date = fields[name]
            if date:
                values[name] = Dated(**date)
        values["notes"] = tuple(fields["notes"])
        values["lost"] = tuple(fields["lost"])
        return cls(**values)


class Refusal(Exception):
    """No text can be made of a document. The message goes on from its name: "is protected by a
    password".
    """
