"""What a document gives: its text with what its file says, or a refusal; and the sizes that are
read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from webquarry._read.models import Dated

LARGEST_FILE = 50_000_000  # bytes
LONGEST_TEXT = 10_000_000  # characters of one document; what is beyond is left out, and said


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


class Refusal(Exception):
    """No text can be made of a document. The message goes on from its name: "is protected by a
    password".
    """
