"""Style sheets of `data:` addresses, and what a sheet imports from there -> sheets in the order in
which they count.

Each comes with the groups that all of it stands in: `@import url(...) layer(x) print` is a sheet in
a layer, for printers.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, field
from urllib.parse import unquote_to_bytes

from webquarry._read.css.scan import find_closing
from webquarry._read.text.search import holds_folded

_MOST_IMPORTS = 64  # on a page
_DEEPEST = 4  # imports in imports
_LARGEST = 2_000_000  # bytes of all imported sheets
_LOOKED_AT = 200_000  # bytes
_SKIPPED = re.compile(rb"(?:\s++|/\*(?:[^*]|\*(?!/))*+\*/|<!--|-->)*+")
_IMPORT = re.compile(
    rb"""@import\s*+(?:url\(\s*+(?:"([^"\n]*+)"|'([^'\n]*+)'|([^\s"')]*+))\s*+\)"""
    rb"""|"([^"\n]*+)"|'([^'\n]*+)')([^;{}]*+)(?:;|$)""",
    re.IGNORECASE,
)
_STATEMENT = re.compile(rb"@(?:charset|layer)\s[^;{}]*+;", re.IGNORECASE)
_DATA = re.compile(r"data:([^,]*),(.*)", re.IGNORECASE | re.DOTALL)

_Sheet = tuple[bytes, bytes]  # the groups around it, and its text


@dataclass
class SheetCollector:
    """Collects the sheets of a page. `is_complete` is whether all of them are known."""

    sheets: list[_Sheet] = field(default_factory=list)
    is_complete: bool = True
    _imports: int = 0
    _size: int = 0

    def add(self, css: bytes, wrapper: bytes = b"", depth: int = 0) -> None:
        """Add a sheet, and before it what it imports."""
        if css.find(b"@", 0, _LOOKED_AT) >= 0 and holds_folded(css, b"@import"):
            self._add_imports(css, wrapper, depth)
        self.sheets.append((wrapper, css))

    def add_address(self, address: str, wrapper: bytes = b"", depth: int = 0) -> None:
        """Add the sheet that stands in an address; one that would have to be fetched is not
        known.
        """
        css = decode_data(address)
        if css is None:
            if not address.strip().lower().startswith("data:"):
                self.is_complete = False
            return
        self._imports += 1
        self._size += len(css)
        if self._imports > _MOST_IMPORTS or self._size > _LARGEST or depth > _DEEPEST:
            self.is_complete = False
            return
        self.add(css, wrapper, depth)

    def _add_imports(self, css: bytes, wrapper: bytes, depth: int) -> None:
        """Add what is imported at the beginning of a sheet; elsewhere nothing is."""
        place = 0
        while True:
            blanks = _SKIPPED.match(css, place)
            assert blanks is not None  # it matches nothing, too
            place = blanks.end()
            found = _IMPORT.match(css, place)
            if found is None:
                statement = _STATEMENT.match(css, place)
                if statement is None:
                    return
                if statement[0][:6].lower() == b"@layer":
                    self.sheets.append((wrapper, statement[0]))
                place = statement.end()
                continue
            place = found.end()
            *addresses, conditions = found.groups()
            address = next((one for one in addresses if one is not None), b"")
            groups = wrapper + _read_conditions(conditions.decode(errors="replace"))
            self.add_address(address.decode(errors="replace"), groups, depth + 1)


def decode_data(address: str) -> bytes | None:
    """The sheet in a `data:` address, or None."""
    found = _DATA.fullmatch(address.strip())
    if found is None:
        return None
    kind, *parameters = [part.strip().lower() for part in found[1].split(";")]
    if kind not in ("", "text/css"):
        return None
    text = unquote_to_bytes(found[2])
    if "base64" not in parameters:
        return text
    try:
        return base64.b64decode(b"".join(text.split()) + b"===")
    except (binascii.Error, ValueError):
        return None


def _read_conditions(text: str) -> bytes:
    """`layer(x) supports(display: grid) print` -> the groups that mean the same."""
    groups: list[str] = []
    text = text.strip()
    lowered = text.lower()
    if lowered.startswith("layer("):
        end = find_closing(text, 6)
        if end > 0:
            groups.append(f"@layer {text[6:end].strip()}")
            text = text[end + 1 :].strip()
    elif lowered == "layer" or lowered.startswith("layer "):
        groups.append("@layer")
        text = text[5:].strip()
    if text.lower().startswith("supports("):
        end = find_closing(text, 9)
        if end > 0:
            condition = text[9:end].strip()
            if not condition.startswith("("):
                condition = f"({condition})"
            groups.append(f"@supports {condition}")
            text = text[end + 1 :].strip()
    if text:
        groups.append(f"@media {text}")
    return "".join(f"{group}{{" for group in groups).encode()
