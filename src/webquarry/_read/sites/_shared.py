"""Helpers that several site readers need: counts and sizes, packages of registries, HTML trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import httpx2

from webquarry._read.markdown.compose import Content
from webquarry._read.models import Page
from webquarry._read.sites.site import SiteWriter

if TYPE_CHECKING:
    from lxml import etree

    from webquarry._read.html.parse import Document

MAX_VERSIONS = 10  # of a package
_MAX_DEPENDENCIES = 60


def get_origin(url: httpx2.URL) -> str:
    return f"{url.scheme}://{url.netloc.decode()}"


def count(number: int | None, noun: str) -> str:
    """Format a count: `1 point`, `2,210 points`; empty for None."""
    if number is None:
        return ""
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"


def format_number(number: int | None) -> str:
    """Format a number: `2,210`; empty for None."""
    return "" if number is None else f"{number:,}"


def format_size(size: int | None) -> str:
    """Format a number of bytes: `20.5 kB`; empty for None."""
    if size is None:
        return ""
    if size < 1000:
        return f"{size} B"
    power = min((len(str(size)) - 1) // 3, 3)
    return f"{size / 1000**power:.1f} {'kMG'[power - 1]}B"


def write_package(
    page: SiteWriter,
    name: str,
    version: str,
    *,
    summary: str,
    install: str,
    warnings: Sequence[str],
    facts: Sequence[tuple[str, str]],
    links: Sequence[tuple[str, str]],
    dependencies: Sequence[tuple[str, Sequence[str]]],
    description: Content,
    versions: Sequence[str],
    **fields: Any,
) -> Page:
    """Write a package of a registry: warnings, facts, description (Markdown), newest versions.

    Other fields are those of `SiteWriter.build_page`.
    """
    blocks: list[Content] = [
        *(page.strong(f"Warning: {page.name(warning)}") for warning in warnings),
        page.name(summary),
        page.code_span(f"{install} {name}"),
        page.rows(facts),
        page.facts(page.link(page.plain(label), url) for label, url in links if url),
    ]
    for kind, names in dependencies:
        shown = [page.name(name) for name in names[:_MAX_DEPENDENCIES]]
        if len(names) > _MAX_DEPENDENCIES:
            shown.append(f"and {len(names) - _MAX_DEPENDENCIES} more")
        blocks.append(page.label(f"{kind}: ", ", ".join(shown)))
    newest = page.items(page.name(one) for one in versions[:MAX_VERSIONS])
    blocks += [page.section(2, "Description", description), page.section(2, "Versions", newest)]
    return page.build_page(blocks, f"{name} {version}".strip(), **fields)


def find_by_class(document: Document, *names: str) -> list[etree._Element]:
    """Return the elements with one of these classes, in document order."""
    wanted = frozenset(names)
    return [one for one in document.elements() if wanted & get_classes(one)]


def get_classes(element: etree._Element) -> frozenset[str]:
    return frozenset((element.get("class") or "").split())


def get_text(element: etree._Element) -> str:
    """Return the text of an element as one line."""
    return " ".join("".join(map(str, element.itertext())).split())


def clear_element(element: etree._Element) -> None:
    """Remove the content of an element; the text after it stays."""
    element.clear(keep_tail=True)  # type: ignore[call-arg]  # missing in the stubs
