"""A source as tools name it. It stands alone, since every answer is asked for its sources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec


class Source(msgspec.Struct, frozen=True, omit_defaults=True):
    """One source that a tool found: enough to find it again and to cite it, and nothing of the
    provider's own text.
    """

    url: str
    title: str = ""
    published: str | None = None  # ISO 8601, as exactly as it is known
    provider: str | None = None  # who found it
    # the reference as CSL-JSON, where the source was read or is a paper
    csl: Mapping[str, Any] | None = None

    @property
    def was_read(self) -> bool:
        """Whether its page was fetched: only then does a reference say when; that of a paper may
        come from an index.
        """
        return bool(self.csl and self.csl.get("accessed"))

    def tells_more_than(self, other: Source) -> bool:
        """Whether its reference is to be preferred: that of a page that was read, or any where
        there was none.
        """
        own_worth = (self.was_read, bool(self.csl))
        other_worth = (other.was_read, bool(other.csl))
        return own_worth > other_worth

    def merge(self, new: Source) -> Source:
        """This and what is known of it now: the page itself, once read, counts for more than what
        a search said of it.
        """
        first, second = self, new
        if new.csl and not self.tells_more_than(new):
            first, second = new, self
        return Source(
            url=self.url,
            title=first.title or second.title,
            published=first.published or second.published,
            provider=self.provider or new.provider,
            csl=first.csl or second.csl,
        )
