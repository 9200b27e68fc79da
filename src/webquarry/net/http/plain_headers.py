"""Headers of ASCII alone, as nearly all: looked up by name in a dict, where httpx2 passes over all
of them for each name.

Whoever does more with them than to look them up, to change them above all, does it to headers of
httpx2, which are made then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar, overload

import httpx2

_Default = TypeVar("_Default")
_OURS = frozenset({"_pairs", "_by_name", "_written"})

NO_HEADERS = httpx2.Headers()  # for a response that gets its own as they are: httpx2 copies others


def build_headers(raw: Sequence[tuple[bytes, bytes]]) -> httpx2.Headers:
    """Headers as a connection gives them."""
    return read_headers([(name.decode("latin-1"), value.decode("latin-1")) for name, value in raw])


def read_headers(pairs: Sequence[tuple[str, str]]) -> httpx2.Headers:
    """The same from texts that have one character for each byte."""
    by_name: dict[str, str | None] = {}
    for name, value in pairs:
        if not name.isascii() or not value.isascii():
            raw = [(one.encode("latin-1"), other.encode("latin-1")) for one, other in pairs]
            return httpx2.Headers(raw)
        folded = name.lower()
        by_name[folded] = None if folded in by_name else value
    return PlainHeaders(pairs, by_name)


class PlainHeaders(httpx2.Headers):
    """Headers as they came, or as they will be sent."""

    def __init__(
        self,
        pairs: Sequence[tuple[str, str]],
        by_name: dict[str, str | None],
        written: bytes | None = None,
    ) -> None:
        """`by_name` has the names in lower case, and None for a name that comes more than once;
        `written` is what a request says by them. All this is shared, and never changed.
        """
        self._pairs = pairs
        self._by_name: dict[str, str | None] | None = by_name  # None: httpx2 has taken over
        self._written = written

    @classmethod
    def of(cls, headers: httpx2.Headers, written: bytes | None) -> PlainHeaders:
        """The same headers, which are ASCII and have no name twice."""
        pairs = [(name.decode("ascii"), value.decode("ascii")) for name, value in headers.raw]
        return cls(pairs, {name.lower(): value for name, value in pairs}, written)

    def share(self) -> PlainHeaders:
        """The same headers for somebody who may change them."""
        assert self._by_name is not None
        return PlainHeaders(self._pairs, self._by_name, self._written)

    @property
    def pairs(self) -> Sequence[tuple[str, str]] | None:
        """Names and values as they came; None where they may have been changed since."""
        return None if self._by_name is None else self._pairs

    @property
    def written(self) -> bytes | None:
        """What a request says by them; None where that has to be found out."""
        return None if self._by_name is None else self._written

    @property
    def raw(self) -> list[tuple[bytes, bytes]]:
        if self._by_name is None:
            return super().raw
        return [(name.encode("ascii"), value.encode("ascii")) for name, value in self._pairs]

    @property
    def encoding(self) -> str:
        if self._by_name is None:
            return super().encoding
        return "ascii"

    @encoding.setter
    def encoding(self, value: str) -> None:
        self._hand_over()
        httpx2.Headers.encoding.__set__(self, value)  # type: ignore[attr-defined]

    @overload
    def get(self, key: str, /) -> str | None: ...

    @overload
    def get(self, key: str, default: _Default) -> str | _Default: ...

    def get(self, key: str, default: _Default | None = None) -> str | _Default | None:
        if self._by_name is None:
            return super().get(key, default)
        name = key.lower()
        if name not in self._by_name:
            return default
        return self._by_name[name] or super().get(key, default)

    def __getitem__(self, key: str) -> str:
        if self._by_name is None:
            return super().__getitem__(key)
        return self._by_name.get(key.lower()) or super().__getitem__(key)

    def __contains__(self, key: Any) -> bool:
        if self._by_name is None:
            return super().__contains__(key)
        return key.lower() in self._by_name

    def __len__(self) -> int:
        if self._by_name is None:
            return super().__len__()
        return len(self._pairs)

    def __getattr__(self, name: str) -> Any:
        """Whatever httpx2 keeps of headers is missing until something asks for it."""
        if name in _OURS or self._by_name is None:
            raise AttributeError(name)
        self._hand_over()
        return object.__getattribute__(self, name)

    def _hand_over(self) -> None:
        """Be headers of httpx2 from now on: those who asked may change them."""
        if self._by_name is not None:
            raw = self.raw
            self._by_name = None
            super().__init__(raw)
