"""The tree of an article of a MediaWiki -> Markdown: the text, what is known of it in one line
before, and its categories behind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from urllib.parse import quote

from lxml import etree

from webquarry._read.html.parse import Document
from webquarry._read.markdown.compose import Composer
from webquarry._read.markdown.convert import PartsWriter
from webquarry._read.markdown.footnotes import Footnotes
from webquarry._read.markdown.links import Links
from webquarry._read.style.styles import Styles
from webquarry._read.text.delimiters import defuse_prose
from webquarry._read.wiki.parts import ArticleParts, find_left_out, mend_article

Element = etree._Element


class ArticleWriter:
    """Writes elements of one page, without what is no text of an article."""

    def __init__(self, document: Document, base_url: str) -> None:
        page_info = document.page_info
        visibility = Styles(document.roots, page_info)
        links = Links(base_url, page_info.base)
        footnotes = Footnotes(document.roots)
        self.removed: Counter[str] = Counter()
        self._visibility = visibility
        self._writer = PartsWriter(document, visibility, links, footnotes, frozenset())

    @property
    def is_undecided(self) -> bool:
        """Whether the page has more rules of style than could be weighed."""
        return bool(self._visibility.undecided)

    def write(self, elements: Iterable[Element]) -> str:
        """Some elements as Markdown."""
        chosen = list(elements)
        mend_article(chosen)
        walker = self._writer.write(ArticleParts(chosen, find_left_out(chosen)))
        text = defuse_prose(walker.blocks.text(), walker.removed)
        self.removed.update(walker.removed)
        return text.strip()

    def write_line(self, element: Element | None, longest: int) -> str:
        """An element that is shown in one line; nothing where it is none, or longer."""
        if element is None:
            return ""
        line = self.write([element]).lstrip("#- ")  # whatever it stands in
        if "\n" in line or len(line) > longest:
            return ""
        return line

    def close(self) -> None:
        """Let go of the page."""
        self._visibility.close()


def write_revision(number: int | str, index: str, title: str, composer: Composer) -> str:
    """The revision of an article, with a link where the address of `index.php` is known."""
    if not number:
        return ""
    words = f"revision {number}"
    if not index:
        return words
    key = quote(title.replace(" ", "_"), safe="")
    return composer.link(words, f"{index}?title={key}&oldid={number}")


def write_categories(categories: Iterable[str], composer: Composer) -> str:
    """The categories of an article in one line."""
    names = [composer.name(category.replace("_", " ")) for category in categories]
    if not names:
        return ""
    return f"Categories: {', '.join(names)}"
