"""A fetched page of a MediaWiki -> its article as Markdown. No further request is made: the page
holds what the interface of the wiki would give.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from lxml import etree

from webquarry._read.html.parse import Document
from webquarry._read.html.tree import length_up_to, text_of
from webquarry._read.markdown.compose import Composer
from webquarry._read.markdown.convert import UNDECIDED_NOTE
from webquarry._read.text.words import Words
from webquarry._read.wiki.article import ArticleWriter, write_categories, write_revision
from webquarry._read.wiki.parts import get_classes
from webquarry._read.wiki.sections import put_section_first
from webquarry._read.wiki.signs import WikiSigns, read_signs
from webquarry.errors import NotFound

READER = "mediawiki"
_BODY_IDS = ("mw-content-text", "bodyContent")  # what the article stands in, the innermost first
_BODY_CLASS = "mw-parser-output"
_TITLE_ID = "firstHeading"
_EDITED_IDS = ("mw-revision-info", "footer-info-lastmod", "lastmod")  # that of old ones first
_CATEGORY_IDS = ("catlinks", "mw-normal-catlinks")
_MISSING_CLASS = "noarticletext"
_DIFFERENCE_CLASS = "diff"
_LANGUAGE_CLASS = "interlanguage-link-target"
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,2}", re.IGNORECASE)
_MOST_LANGUAGES = 100
_AROUND = frozenset({"table", "noscript", "template", "svg"})  # no article stands in one of these
_MUCH_ELSEWHERE = 600  # characters in paragraphs
_LONGEST_TITLE = 500  # characters
_LONGEST_FACT = 400


@dataclass(frozen=True)
class WikiArticle:
    """An article as Markdown."""

    text: str
    title: str
    removed: Mapping[str, int]
    notes: tuple[str, ...]


def write_wiki_page(document: Document, url: str, fragment: str = "") -> WikiArticle | None:
    """The article of the page at a URL, with the section that a fragment names in front; None where
    it is no page of a MediaWiki, or shows something else. Raises NotFound where the wiki says that
    it has no such page.
    """
    signs = read_signs(document.data, url)
    if signs is None or not signs.is_article(url):
        return None
    elements = _Elements(document)
    body = elements.body
    if body is None or elements.has_difference or not _holds_the_text(document, body):
        return None
    if signs.is_missing and elements.has_missing_note:
        host = urlsplit(url).hostname
        raise NotFound(f"{host} has no article {signs.title[:_LONGEST_TITLE]!r}.")

    writer = ArticleWriter(document, url)
    text = writer.write([body])
    if not text:
        return None
    composer = Composer(url)
    title = writer.write_line(elements.title, _LONGEST_TITLE)
    title = title or composer.name(signs.title.replace("_", " "))
    edited = writer.write_line(elements.edited, _LONGEST_FACT)
    facts = [edited, *_write_revisions(signs, url, composer)]
    blocks = [
        f"# {title}",
        " · ".join(filter(None, facts)),
        put_section_first(text, fragment),
        _write_languages(elements.languages),
        write_categories(elements.list_categories(signs), composer),
    ]
    notes: tuple[str, ...] = ()
    if writer.is_undecided:
        notes = (UNDECIDED_NOTE,)
    writer.close()
    removed = writer.removed + composer.removed
    plain_title = " ".join(Words(title).text.split())
    return WikiArticle("\n\n".join(filter(None, blocks)), plain_title, removed, notes)


class _Elements:
    """The elements of a page that its article is made of, found in one pass."""

    def __init__(self, document: Document) -> None:
        wanted = frozenset({*_BODY_IDS, *_EDITED_IDS, *_CATEGORY_IDS, _TITLE_ID})
        self._by_id: dict[str, etree._Element] = {}
        self._output: etree._Element | None = None
        self.languages: dict[str, None] = {}  # in which the wiki has the article too
        self.has_missing_note = False
        self.has_difference = False
        for element in document.elements():
            name = element.get("id")
            if name in wanted:
                self._by_id.setdefault(name, element)
            classes = get_classes(element)
            if _BODY_CLASS in classes and self._output is None:
                self._output = element
            if _LANGUAGE_CLASS in classes:
                self._note_language(element.get("lang") or "")
            self.has_missing_note |= _MISSING_CLASS in classes
            self.has_difference |= _DIFFERENCE_CLASS in classes and element.tag == "table"

    @property
    def body(self) -> etree._Element | None:
        """What the article stands in."""
        found = self._find_first(_BODY_IDS)
        if found is None:
            return self._output
        return found

    @property
    def title(self) -> etree._Element | None:
        """The heading of the page."""
        return self._by_id.get(_TITLE_ID)

    @property
    def edited(self) -> etree._Element | None:
        """What says when it was edited, in the language of the wiki."""
        return self._find_first(_EDITED_IDS)

    def list_categories(self, signs: WikiSigns) -> list[str]:
        """The categories that a reader sees; all of them where the page does not show them."""
        if _CATEGORY_IDS[0] not in self._by_id:
            return list(signs.categories)
        shown = self._by_id.get(_CATEGORY_IDS[1])
        if shown is None:
            return []
        links = list(shown.iter("a"))
        return [" ".join(text_of(link).split()) for link in links[1:]]  # the first explains them

    def _note_language(self, code: str) -> None:
        """Keep the code of a language, if it is one."""
        if len(self.languages) < _MOST_LANGUAGES and _LANGUAGE.fullmatch(code):
            self.languages[code] = None

    def _find_first(self, names: tuple[str, ...]) -> etree._Element | None:
        for name in names:
            if name in self._by_id:
                return self._by_id[name]
        return None


def _holds_the_text(document: Document, body: etree._Element) -> bool:
    """Whether the text of a page stands in this element. A page that only passes for one of a
    MediaWiki has its paragraphs elsewhere.
    """
    for ancestor in body.iterancestors():
        if ancestor.tag in _AROUND:
            return False
    inside = sum(length_up_to(paragraph, _MUCH_ELSEWHERE) for paragraph in body.iter("p"))
    everywhere = 0
    for root in document.roots:
        everywhere += sum(length_up_to(one, _MUCH_ELSEWHERE) for one in root.iter("p"))
    elsewhere = everywhere - inside
    if elsewhere < _MUCH_ELSEWHERE:
        return True
    return elsewhere < length_up_to(body, 2 * elsewhere)


def _write_languages(languages: Iterable[str]) -> str:
    """The codes of the languages in which there is the article too."""
    codes = ", ".join(languages)
    if not codes:
        return ""
    return f"Also in: {codes}"


def _write_revisions(signs: WikiSigns, url: str, composer: Composer) -> list[str]:
    """The revision that is shown, and whether there is a newer one."""
    index = ""
    if signs.interface:
        index = signs.interface.removesuffix("api.php") + "index.php"
    facts = [write_revision(signs.revision, index, signs.title, composer)]
    if 0 < signs.revision < signs.newest:
        facts.append(f"**not the newest revision, which is {signs.newest}**")
    return facts
