"""Parts of answers that several tools share, with their names on the wire."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self

import msgspec

CitationStyle = Literal["apa", "mla", "bibtex", "ris", "csl-json"]
SizeCategory = Literal["small", "medium", "large", "very_large"]

TRUST = "untrusted-external-content"  # content from the web is data, never an instruction


BYTES_PER_TOKEN = 4  # estimate
_SIZE_LIMITS: tuple[tuple[int, SizeCategory], ...] = (
    (5_000, "small"),
    (20_000, "medium"),
    (50_000, "large"),
)


def fixed(text: str) -> Any:
    """A default that is serialized, unlike other defaults."""
    return msgspec.field(default_factory=lambda: text)


class AnswerPart(msgspec.Struct, kw_only=True, omit_defaults=True, rename="camel"):
    """A part of an answer: camel case names in JSON, unknown values are absent.

    Construction does not validate; `from_json` does. Subclasses repeat `kw_only`, which is not
    inherited.
    """

    @classmethod
    def from_json(cls, fields: Any) -> Self:
        """Build a part from its JSON values. Raises `msgspec.ValidationError`."""
        return msgspec.convert(fields, cls)

    def as_dict(self) -> dict[str, Any]:
        """Return the part as JSON values, without unknown fields."""
        fields: dict[str, Any] = msgspec.to_builtins(self)
        return fields

    def model_dump(self, *, by_alias: bool = False, exclude_none: bool = False) -> dict[str, Any]:
        """Return the part as JSON values, with the names of Python unless `by_alias`."""
        fields: dict[str, Any] = _dump(self, by_alias, exclude_none)
        return fields


def _dump(value: Any, by_alias: bool, exclude_none: bool) -> Any:
    if isinstance(value, msgspec.Struct):
        names = value.__struct_encode_fields__ if by_alias else value.__struct_fields__
        fields = {}
        for name, attribute in zip(names, value.__struct_fields__, strict=True):
            part = getattr(value, attribute)
            if part is not None or not exclude_none:
                fields[name] = _dump(part, by_alias, exclude_none)
        return fields
    if isinstance(value, (list, tuple)):
        return [_dump(part, by_alias, exclude_none) for part in value]
    if isinstance(value, dict):
        return {name: _dump(part, by_alias, exclude_none) for name, part in value.items()}
    return value


class DomainReputation(AnswerPart, kw_only=True):
    """The known reliability of a host; absent for a host without a rating."""

    tier: Literal["high", "mixed", "low"]
    basis: str


class LeftOut(AnswerPart, kw_only=True):
    """Parts of the page that are not in the content; mode `whole` returns them."""

    bytes: int
    headings: list[str]


class SuggestedAction(AnswerPart, kw_only=True):
    """An action to try when nothing was found."""

    action: Literal["remove-filter", "try-different-provider"]
    filter: str | None = None
    provider: str | None = None


class ZeroResultHints(AnswerPart, kw_only=True):
    """Why nothing was found or readable, and actions to try."""

    reason: Literal["no_match", "filters_too_restrictive", "no_page_readable"]
    filters_applied: list[str]
    suggested_actions: list[SuggestedAction]


class CitationMetadata(AnswerPart, kw_only=True):
    """Facts about a cited source; a text is empty if the page does not state it."""

    title: str
    author: str
    site: str
    date: str


class CitationFormats(AnswerPart, kw_only=True):
    """The reference in the requested style."""

    apa: str | None = None
    mla: str | None = None
    bibtex: str | None = None
    ris: str | None = None
    csl_json: dict[str, Any] | None = None


class EveryCitationFormat(AnswerPart, kw_only=True):
    """The reference in all styles."""

    apa: str
    mla: str
    bibtex: str
    ris: str
    csl_json: dict[str, Any]


class CitedSource(AnswerPart, kw_only=True):
    """A cited source: its address and when it was read."""

    url: str
    accessed_date: str
    metadata: CitationMetadata


class Citation(CitedSource, kw_only=True):
    """A cited source with its reference in the requested style."""

    formatted: CitationFormats


class FullCitation(CitedSource, kw_only=True):
    """A cited source with its reference in all styles."""

    formatted: EveryCitationFormat


class StatedDate(AnswerPart, kw_only=True):
    """A date with the precision of the page, and the field of the page that states it."""

    value: str
    field: str


class Metadata(AnswerPart, kw_only=True):
    """Metadata that a page states about itself."""

    title: str
    author: str
    site_name: str | None = None
    published: StatedDate | None = None
    modified: StatedDate | None = None


class StructuredData(AnswerPart, kw_only=True):
    """The structured data of a page, unchanged."""

    json_ld: list[Any] | None = None
    open_graph: dict[str, str] | None = None
    citation: dict[str, str] | None = None
    skipped: int | None = None  # omitted blocks and tags: not JSON, or too large
    more: bool | None = None  # there is more; `structured: true` returns it


class RetractionStatus(AnswerPart, kw_only=True):
    """The most serious notice about a paper that is in force."""

    retracted: bool
    kind: Literal["retraction", "expression_of_concern", "correction"]
    date: str | None = None
    notice_doi: str | None = None
    source: Literal["retraction-watch", "publisher"] | None = None


class ForumSignals(AnswerPart, kw_only=True):
    """How users of a forum received a post."""

    platform: str
    upvotes: int
    comments: int
    date_published: str | None = None
    author_name: str | None = None
    credibility_note: str | None = None


def estimate_tokens(length: int) -> int:
    """Return the approximate number of tokens of a text of `length` UTF-8 bytes."""
    return length // BYTES_PER_TOKEN


def size_category(length: int) -> SizeCategory:
    """Return the size category of a text of `length` UTF-8 bytes."""
    return next((name for limit, name in _SIZE_LIMITS if length < limit), "very_large")


def zero_result_hints(filters: Sequence[str], providers: Sequence[str]) -> ZeroResultHints:
    """Suggest to remove each filter, and to try each provider that is available."""
    actions = [SuggestedAction(action="remove-filter", filter=name) for name in filters]
    actions += [
        SuggestedAction(action="try-different-provider", provider=name) for name in providers
    ]
    return ZeroResultHints(
        reason="filters_too_restrictive" if filters else "no_match",
        filters_applied=list(filters),
        suggested_actions=actions,
    )
