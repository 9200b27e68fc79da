"""Articles of MediaWiki on any host: the article of a page as Markdown.

No further request is needed: the page contains what the API of the wiki would return.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from lxml import etree

from webquarry._read.html.parse import Document
from webquarry._read.html.sheet_links import find_tags
from webquarry._read.html.tree import get_classes, length_up_to
from webquarry._read.markdown.blocks import Block, strip_links
from webquarry._read.markdown.compose import Composer, Content, one_line
from webquarry._read.markdown.convert import Markdown, render, title_of
from webquarry._read.slices.text import read_line
from webquarry._read.style.styles import is_shown
from webquarry.errors import NotFound

READER = "mediawiki"

# The profile of MediaWiki: XPath of the parts of a page, dropped elements, and infoboxes as tables.
_CONTENT = (".//*[@id='mw-content-text']", ".//*[@id='bodyContent']")
_TITLE = ".//*[@id='firstHeading']"
_EDITED = (".//*[@id='mw-revision-info']", ".//*[@id='footer-info-lastmod']", ".//*[@id='lastmod']")
_MISSING = ".//*[contains(@class, 'noarticletext')]"
_DIFF = ".//table[contains(concat(' ', @class, ' '), ' diff ')]"
_DROPPED_CLASSES = frozenset({
    "navbox", "mw-editsection", "noprint", "shortdescription", "mw-cite-backlink", "metadata",
    "mw-empty-elt", "sistersitebox", "authority-control", "navbar", "toc", "printfooter",
    "catlinks", "mw-jump-link", "mw-pt-languages", "vertical-navbox", "mw-indicators",
    "editsection", "mw-usertoollinks",
})  # fmt: skip
_DROPPED_IDS = frozenset({
    "toc", "siteSub", "contentSub", "contentSub2", "jump-to-nav", "siteNotice", "catlinks",
    "mw-navigation",
})  # fmt: skip
_NOT_AROUND = frozenset({"table", "noscript", "template", "svg"})  # no ancestors of an article
_DROPPED_TAGS = frozenset({"noscript", "noframes", "noembed"})
_UNLINKED_CLASSES = frozenset({"new", "image", "mw-file-description"})  # missing pages and files
_INFOBOX_TAGS = {
    "portable-infobox": "div", "pi-group": "div", "pi-panel": "div", "pi-section": "div",
    "pi-title": "p", "pi-header": "th", "pi-data": "tr", "pi-data-label": "th",
    "pi-data-value": "td",
}  # fmt: skip
_INFOBOX_ROWS = frozenset({"pi-header", "pi-data"})
_INFOBOX_TABLE = "portable-infobox-rows"
_DROPPED = "dropped"  # tag
_MAX_LINE = 500  # characters of a title or a date
_MAX_HEAD = 1_000_000  # bytes
_MUCH_TEXT = 600  # characters of paragraphs outside of the article
_OTHER_NAMESPACES = frozenset({6, 8, 10, 14, 828})  # files, messages, templates, categories, Lua


def write_wiki_page(document: Document, url: str, fragment: str = "") -> Markdown | None:
    """Write the article of the page at a URL, the section that a fragment names first.

    Returns None for a page that is not an article of MediaWiki. Raises NotFound if the wiki states
    that it has no such page.
    """
    if not _is_article(document):
        return None
    body = next(iter(_select(document, *_CONTENT)), None)
    if body is None or _select(document, _DIFF) or not _contains_text(document, body):
        return None
    title = _write_line(document, url, _TITLE)
    if b'"wgArticleId":0' in document.data and _select(document, _MISSING):
        raise NotFound(f"{urlsplit(url).hostname} has no article {title!r}.")
    edited = _write_line(document, url, *_EDITED)
    revision = re.search(rb'"wgRevisionId":([1-9][0-9]{0,11})\b', document.data)
    prepare_article(body)
    article = render(document, url, [body])
    if not article.blocks:
        return None
    composer = Composer(url)
    title = title or composer.name(title_of(document))
    facts = [edited, f"revision {int(revision[1])}" if revision else ""]
    blocks: list[Content] = [
        composer.heading(1, title),
        composer.facts(facts),
        put_section_first(article.blocks, fragment),
    ]
    removed = article.removed + composer.removed
    return Markdown(composer.join(blocks), read_line(strip_links(title)), removed, article.notes)


def _is_article(document: Document) -> bool:
    """Return whether a page is a view of an article, as its body (`ns-0 action-view`) states."""
    data = document.data
    is_named = b'"wgPageName"' in data or b'content="MediaWiki ' in data
    if not is_named or re.search(rb'"wgPageContentModel":"(?!wikitext")', data):
        return False
    # from the bytes, because the parser loses a body after other text
    bodies = [attributes for _, attributes in find_tags(data[:_MAX_HEAD], "body")]
    classes = bodies[0].get("class", "").split() if bodies else []
    if "mediawiki" not in classes or "action-view" not in classes:
        return False
    numbers = [one[3:] for one in classes if re.fullmatch("ns-[0-9]{1,5}", one)]
    return any(int(one) % 2 == 0 and int(one) not in _OTHER_NAMESPACES for one in numbers)


def _write_line(document: Document, url: str, *paths: str) -> str:
    """Write the first element of a path as one line; empty if it is longer."""
    elements = _select(document, *paths)[:1]
    for element in elements:
        prepare_article(element)
    line = one_line(render(document, url, elements).blocks)
    return "" if len(line) > _MAX_LINE else line


def _select(document: Document, *paths: str) -> list[etree._Element]:
    """Return the elements of the first path that selects any."""
    for path in paths:
        found: list[Any] = [root.xpath(path) for root in document.roots]
        if any(found):
            return [element for elements in found for element in elements]
    return []


def _contains_text(document: Document, body: etree._Element) -> bool:
    """Return whether the text of a page is in this element, and not in paragraphs elsewhere."""
    if any(one.tag in _NOT_AROUND for one in body.iterancestors()):
        return False
    if not is_shown(body, document.roots, document.page_info):
        return False
    elsewhere = -sum(length_up_to(one, _MUCH_TEXT) for one in body.iter("p"))
    for root in document.roots:
        elsewhere += sum(length_up_to(one, _MUCH_TEXT) for one in root.iter("p"))
    return elsewhere < _MUCH_TEXT or elsewhere < length_up_to(body, 2 * elsewhere)


def prepare_article(body: etree._Element) -> None:
    """Remove elements that are not part of an article and link targets that are not articles, and
    convert infoboxes to tables.
    """
    rows = []
    for element in list(body.iterdescendants(etree.Element)):
        classes = get_classes(element)
        is_dropped = element.tag in _DROPPED_TAGS or element.get("id") in _DROPPED_IDS
        if is_dropped or classes & _DROPPED_CLASSES:
            element.tag = _DROPPED
        elif element.tag == "a" and classes & _UNLINKED_CLASSES:
            element.attrib.pop("href", "")
        elif element.tag not in ("table", "tr", "th", "td"):
            tags = [tag for name, tag in _INFOBOX_TAGS.items() if name in classes]
            element.tag = tags[0] if tags else element.tag
            if classes & _INFOBOX_ROWS:
                rows.append(element)
    etree.strip_elements(body, _DROPPED, with_tail=False)
    for row in rows:
        _move_to_table(row)


def _move_to_table(row: etree._Element) -> None:
    """Move a row of an infobox to the table of the row before it, or to a new table."""
    table = row.getprevious()
    if table is None or table.get("class") != _INFOBOX_TABLE:
        table = etree.Element("table", {"class": _INFOBOX_TABLE})
        row.addprevious(table)
    row.tail = None
    if row.tag == "th":
        table = etree.SubElement(table, "tr")
    table.append(row)


def put_section_first(article: Sequence[Block], fragment: str) -> list[Block]:
    """Move the section that the fragment of a URL names to the front."""
    wanted = unquote(fragment).replace("_", " ").strip()
    levels = [0 if block.around else block.level for block in article]
    for start, level in enumerate(levels):
        if level and wanted and read_line(strip_links(article[start].text)) == wanted:
            after = (one for one in range(start + 1, len(levels)) if 0 < levels[one] <= level)
            end = next(after, len(levels))
            rest = [*article[:start], *article[end:]]
            return [*article[start:end], Block("rule"), *rest]
    return list(article)
