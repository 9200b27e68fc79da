"""The style sheets of a page, and their rules about some names.

Sheets are style elements, linked sheets that were fetched, and `data:` addresses. Each is parsed
once; rules about other names are skipped unread.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from lxml import etree

from webquarry._native import NameSet, scan_rules, strip_comments
from webquarry._read.html.page_info import PageInfo, style_of
from webquarry._read.html.sheet_links import is_sheet_link, join_address
from webquarry._read.style.conditions import ALWAYS, NEVER, judge_group, judge_media

_LOOKED_AT = 200_000  # bytes in which imports are looked for
_LONGEST_MEDIA = 1_000  # characters
_IMPORT = re.compile(rb"@import\b", re.IGNORECASE)
_DATA = re.compile(r"data:([^,]*),(.*)", re.IGNORECASE | re.DOTALL)
_GROUP = re.compile(r"(@[\w-]+)\s*(.*)", re.DOTALL)

_Chain = tuple[bytes, ...]  # the preludes of the blocks around a rule


def _is_for_all(media: str) -> bool:
    return judge_media(media.strip().lower()[:_LONGEST_MEDIA]) == ALWAYS


def _is_css(kind: str | None) -> bool:
    return (kind or "").partition(";")[0].strip().lower() in ("", "text/css")


@dataclass
class Sheets:
    """The sheets of a page in their order, each with the groups around it and without comments.

    `is_complete` is False if the page has sheets that are not known.
    """

    sheets: list[tuple[_Chain, bytes]] = field(default_factory=list)
    is_complete: bool = True

    def add(self, css: bytes, around: _Chain = ()) -> None:
        """Add a sheet. What it imports is not known."""
        if 0 in css:
            css = css.replace(b"\0", b"\xef\xbf\xbd")
        css = strip_comments(css)
        if _IMPORT.search(css, 0, _LOOKED_AT):
            self.is_complete = False
        if css:
            self.sheets.append((around, css))

    def add_address(self, address: str, around: _Chain = ()) -> None:
        """Add the sheet of a `data:` address; others are not known."""
        css = decode_data(address)
        if css is None:
            self.is_complete = False
        else:
            self.add(css, around)


def collect_sheets(page_info: PageInfo) -> Sheets:
    """Return the sheets of a page."""
    linked = page_info.linked_sheets
    base = join_address(page_info.url, page_info.base or "") if linked else ""
    sheets = Sheets()
    for element in page_info.style_elements:
        if element.tag == "style":
            media = element.get("media") or ""
            if _is_css(element.get("type")) and _is_for_all(media):
                css = style_of(element)
                if css is None:
                    css = etree.tostring(element, method="text", encoding="utf-8", with_tail=False)
                sheets.add(css)
            continue
        attributes = {str(name): str(value) for name, value in element.items()}
        if not is_sheet_link(attributes):
            continue
        media = attributes.get("media", "").strip()
        around = (f"@media {media}".encode(errors="replace"),) if media else ()
        address = attributes.get("href", "")
        css = linked.get(join_address(base, address)) if linked else None
        if css is not None:
            sheets.add(css, around)
        elif sheets.is_complete or "data:" in address.lower():
            sheets.add_address(address, around)
    return sheets


def decode_data(address: str) -> bytes | None:
    """Return the sheet in a `data:` address, or None."""
    found = _DATA.fullmatch(address.strip())
    if found is None:
        return None
    kind, *parameters = [part.strip().lower() for part in found[1].split(";")]
    if not _is_css(kind):
        return None
    text = unquote_to_bytes(found[2])
    if "base64" not in parameters:
        return text
    try:
        return base64.b64decode(b"".join(text.split()) + b"===")
    except (binascii.Error, ValueError):
        return None


@dataclass(eq=False, slots=True)
class Layer:
    """A cascade layer. Layers inside it come before its own rules."""

    inner: dict[str, Layer] = field(default_factory=dict)
    rank: int = 0


class SheetRule(NamedTuple):
    """A rule as it is written."""

    selectors: str
    body: bytes
    when: int  # ALWAYS and so on
    layer: Layer
    outer: tuple[str, ...]  # selectors of the rules around it, the outermost first
    order: int


def read_rules(sheets: Sheets, names: NameSet | None, *, related: bool = False) -> list[SheetRule]:
    """List the rules about some names, except those that never apply.

    `related` includes rules in which one known name is enough.
    """
    root = Layer()
    rules: list[SheetRule] = []
    # by identity: anonymous layers with the same text are different ones
    contexts: dict[int, tuple[_Chain, int, Layer, tuple[str, ...]]] = {}
    for around, css in sheets.sheets:
        for prelude, body, chain in scan_rules(css, names, around, related=related):
            context = contexts.get(id(chain))
            if context is None:
                context = contexts[id(chain)] = (chain, *_read_chain(chain, root))
            _, when, layer, outer = context
            if prelude is None:
                for name in body.decode(errors="replace")[6:].split(","):
                    _declare_layer(layer, name.strip())
            elif when != NEVER:
                selectors = " ".join(prelude.decode(errors="replace").split())
                rules.append(SheetRule(selectors, body, when, layer, outer, len(rules)))
    _rank_layers(root)
    return rules


def _read_chain(chain: _Chain, layer: Layer) -> tuple[int, Layer, tuple[str, ...]]:
    """Return when rules in some blocks apply, their layer, and the selectors around them."""
    when = ALWAYS
    outer: list[str] = []
    for prelude in chain:
        text = " ".join(prelude.decode(errors="replace").split())
        found = _GROUP.fullmatch(text)
        if found is None:
            outer.append(text)
            continue
        name, query = found[1].lower(), found[2]
        when = max(when, judge_group(name, query))
        if name == "@layer":
            layer = _declare_layer(layer, query)
    return when, layer, tuple(outer)


def _declare_layer(around: Layer, name: str) -> Layer:
    """Return the layer of a name such as `a.b`; a new one for an empty name."""
    layer = around
    for step in (name or f"\0{len(around.inner)}").split("."):
        layer = layer.inner.setdefault(step.strip(), Layer())
    return layer


def _rank_layers(root: Layer) -> None:
    """Number the layers; a higher rank wins. Rules outside of layers have the highest."""
    rank = 0
    open_layers = [(root, False)]
    while open_layers:
        layer, is_done = open_layers.pop()
        if is_done:
            rank += 1
            layer.rank = rank
            continue
        open_layers.append((layer, True))
        open_layers.extend((inner, False) for inner in reversed(layer.inner.values()))
