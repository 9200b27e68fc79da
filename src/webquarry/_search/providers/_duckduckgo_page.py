"""A page of DuckDuckGo's -> what stands on it: results, "nothing found", a challenge, the form for
the next page.

Both of its plain pages are read, `html` (a box for each result) and `lite` (rows of a table). A
challenge is told by its elements and never by words: a result may well be about captchas.
Advertisements, and links that stay on DuckDuckGo, are left out; its redirects (`/l/?uddg=`) are
replaced by where they lead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast
from urllib.parse import parse_qs, urlsplit

from webquarry._search.query.domains import host_of
from webquarry._search.replies.text import iso_date, plain

if TYPE_CHECKING:
    from lxml import etree

_MOMENT = re.compile(r"(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.(\d+))?")
_NOTHING = re.compile(r"No\s+(?:more\s+)?results(?:\s+found\b.*)?\.?", re.IGNORECASE)
_LARGEST = 500_000  # bytes that are looked at; a real page has a tenth of that
_MOST_FIELDS = 40
_LONGEST_FIELD = 4000


@dataclass(frozen=True)
class Hit:
    """One result as it stands on the page, its link already out of the redirect."""

    title: str
    url: str
    snippet: str
    published: str | None


class ResultPage:
    """One page of results, of either kind."""

    def __init__(self, body: bytes) -> None:
        from lxml import etree  # which whoever asks another provider does not need

        # libxml2 ends a document silently at a byte that it cannot convert, so every byte must be
        # good UTF-8.
        data = body[:_LARGEST].decode("utf-8", "replace").replace("\x00", "").encode()
        parser = etree.HTMLParser(
            encoding="utf-8", remove_comments=True, remove_pis=True, collect_ids=False
        )
        try:
            root: etree._Element | None = etree.fromstring(data, parser)
        except etree.XMLSyntaxError:
            root = None
        if root is None:  # nothing was in it
            root = etree.Element("html")
        self._root = root

    @property
    def is_challenge(self) -> bool:
        """Whether the page wants ducks to be picked."""
        forms = '//form[@id="challenge-form" or contains(@action, "anomaly.js")]'
        return bool(self._find(f'{forms} | //*[contains(@class, "anomaly-modal")]'))

    @property
    def has_results(self) -> bool:
        """Whether there are results, if only some that are left out."""
        return bool(self._boxes() or self._links())

    @property
    def says_nothing_found(self) -> bool:
        """Whether the page itself says that there are no results."""
        if not self._find('//form[@action="/html/" or @action="/lite/"]'):
            return False  # somebody else's page, with nothing found of its own
        if self._find(
            f"//*[{_class('result--no-result')} or {_class('no-results')} or "
            f"{_class('no-results__message')}]"
        ):
            return True
        path = '(//div[@id="links"])[1]//*'
        if self.is_lite:
            path = "//td"
        # A sentence, and no box of them.
        sentences = [cell for cell in self._find(path) if len(cell) < 3]
        return any(_NOTHING.fullmatch(_text(sentence)) for sentence in sentences)

    def hits(self) -> Iterator[Hit]:
        """The results in their order."""
        boxes = self._boxes()
        if boxes:
            yield from filter(None, map(_parse_box, boxes))
        else:
            yield from filter(None, map(_parse_row, self._links()))

    def next_fields(self) -> dict[str, str]:
        """The hidden fields of the form that leads to the next page; empty when there is none."""
        forms = self._find(
            f'//form[{_class("next_form")}] | //div[{_class("nav-link")}]//form[@action="/html/"]'
        )
        for form in reversed(forms):
            buttons = _find(form, './/input[@type="submit"]')
            label = " ".join(button.get("value") or "" for button in buttons).lower()
            fields = {}
            for field in _find(form, './/input[@type="hidden"][@name]')[:_MOST_FIELDS]:
                fields[str(field.get("name"))] = field.get("value") or ""
            leads_on = "prev" not in label and fields.get("s", "0") != "0"
            if leads_on and all(len(value) <= _LONGEST_FIELD for value in fields.values()):
                return fields
        return {}

    @property
    def is_lite(self) -> bool:
        """Whether this is the lite page, and not the html one."""
        return bool(self._find('//form[@action="/lite/"]'))

    def _boxes(self) -> list[etree._Element]:
        """The boxes of the html page that hold a result, advertisements aside."""
        conditions = (
            _class("web-result"),
            f"not({_class('result--ad')})",
            f"not(.//*[{_class('badge--ad')}])",
        )
        link = f".//a[{_class('result__a')}]"
        return self._find(f"//div[{' and '.join(conditions)}][{link}]")

    def _links(self) -> list[etree._Element]:
        """The links of the lite page that lead to results, advertisements aside."""
        return self._find(
            f"//a[{_class('result-link')}][not(ancestor::tr[{_class('result-sponsored')}])]"
        )

    def _find(self, path: str) -> list[etree._Element]:
        return _find(self._root, path)


def target_of(href: str) -> str | None:
    """Where a link of the page leads: out of DuckDuckGo's redirect, and None when it stays there or
    leads nowhere.
    """
    if href.startswith("//"):
        url = f"https:{href}"
    else:
        url = href.strip()
    host = host_of(url)
    if host and _is_duckduckgo(host) and urlsplit(url).path == "/l/":
        try:
            parameters = parse_qs(urlsplit(url).query, max_num_fields=_MOST_FIELDS)
        except ValueError:
            return None
        url = parameters.get("uddg", [""])[0]
        host = host_of(url)
    if host is None or _is_duckduckgo(host):
        return None
    return url


def _parse_box(box: etree._Element) -> Hit | None:
    """A result of the html page, which has a box of its own."""
    link = _find(box, f".//a[{_class('result__a')}]")[0]
    snippets = _find(box, f".//*[{_class('result__snippet')}]")
    dates = _find(box, f".//*[{_class('result__extras__url')}]/span[not(@class)]")
    return _build_hit(link, snippets, dates)


def _parse_row(link: etree._Element) -> Hit | None:
    """A result of the lite page: the row of its link and the rows below it, up to the next
    link.
    """
    snippets: list[etree._Element] = []
    dates: list[etree._Element] = []
    row = next(link.iterancestors("tr"), None)
    if row is not None:
        for below in row.itersiblings("tr"):
            if _find(below, f".//a[{_class('result-link')}]"):
                break
            snippets += _find(below, f".//td[{_class('result-snippet')}]")
            dates += _find(below, f".//span[{_class('timestamp')}]")
    return _build_hit(link, snippets, dates)


def _build_hit(
    link: etree._Element, snippets: list[etree._Element], dates: list[etree._Element]
) -> Hit | None:
    """The hit of a link and what belongs to it; None for a link that stays on DuckDuckGo."""
    url = target_of(link.get("href") or "")
    if url is None:
        return None
    snippet = ""
    if snippets:
        snippet = _text(snippets[0])
    published = next(filter(None, map(_parse_moment, dates)), None)
    return Hit(_text(link) or plain(url), url, snippet, published)


def _parse_moment(element: etree._Element) -> str | None:
    """The moment in a span: seven digits of a second are one too many, and midnight means that only
    the day is known.
    """
    found = _MOMENT.fullmatch(_text(element))
    if not found:
        return None
    date, time, digits = found.groups()
    fraction = (digits or "")[:6].rstrip("0")
    if fraction:
        return iso_date(f"{date}T{time}.{fraction}")
    if time == "00:00:00":
        return iso_date(date)
    return iso_date(f"{date}T{time}")


def _is_duckduckgo(host: str) -> bool:
    return host == "duckduckgo.com" or host.endswith(".duckduckgo.com")


def _class(name: str) -> str:
    """The XPath condition for an element of this class."""
    return f'contains(concat(" ", normalize-space(@class), " "), " {name} ")'


def _find(element: etree._Element, path: str) -> list[etree._Element]:
    return cast("list[etree._Element]", element.xpath(path))


def _text(element: etree._Element) -> str:
    """All the text in an element, in one line."""
    parts = [str(part) for part in element.itertext()]
    return plain("".join(parts))
