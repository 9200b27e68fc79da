"""A parsed page -> how it is built, as far as that tells a page from a wall in front of it.

Text a person sees is judged in `outcome.py`; here are the things beside the text: scripts, frames,
forms, names of elements. All of it is bounded, because a page can be as large and as strange as it
likes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from lxml import etree

from webquarry._native import WordSearch
from webquarry._read.html.tree import first_texts

_MOST_FALLBACKS = 10
_LONGEST_FALLBACK = 1_000  # characters
_PLACEHOLDER = 40  # characters; "Loading..." does not make a place full
_MOST_MARKS = _MOST_CODE = 200_000  # characters
_MOST_PIECES = 200  # of text in one element
_LONGEST_MARK = 1_000
_LONGEST_SCRIPT = 20_000
_MOST_BUTTONS = 50
_LONGEST_LABEL = 100
_MOST_LOGIN_LINKS = 5
_ADDRESSES = {
    "script": "src",
    "iframe": "src",
    "frame": "src",
    "form": "action",
    "embed": "src",
    "object": "data",
}
_MOUNTS = re.compile(
    r"(?i)(?:root|app|spa|mount|application|web-?app|shell|svelte|elm|__next|__nuxt|___gatsby"
    r"|__docusaurus"
    r"|(?:main|client|vue|ng|q|ember|react|site|page|my)[-_]?(?:app|root)"
    r"|(?:app|root|react)[-_]?(?:root|main|container|wrapper|content))"
)
_PLACES = ("article", "ul", "ol", "dl", "table", "tbody", "p", "span", "pre", "output")
_LETTER = re.compile(r"\w")
_UNSEEN_INPUTS = frozenset({"hidden", "submit", "button", "image", "reset", "checkbox", "radio"})
_PRESSED_INPUTS = frozenset({"submit", "button"})
_NAMING_ATTRIBUTES = ("name", "id", "type", "autocomplete")
_IDENTITY = re.compile(r"(?i)e-?mail|user|login|identifier|account|phone")
_LOGIN_ADDRESS = re.compile(
    r"(?i)(?:[/.?&=_-]|^)(?:log-?in|log-?on|sign-?in|sign_in|auth(?:wall|enticate|orize)?|sso"
    r"|session/new|anmelden|connexion)(?:[/.?&=_-]|$)"
)
# One of these is in each of them, in whatever case; quicker than the pattern.
_LOGIN_WORDS = WordSearch(
    (
        "login",
        "log-in",
        "logon",
        "log-on",
        "sign",
        "auth",
        "sso",
        "session",
        "anmelden",
        "connexion",
    )
)
_LONGEST_LOGIN = 500  # characters of an address that are looked at
_LONGEST_ADDRESS = 4_096
_LONGEST_BEGINNING = 20_000
_REFRESH = re.compile(r"(?i)^\s*+[\d.]*+\s*+[;,]\s*+(?:url\s*+=)?\s*+['\"]?\s*+([^'\"\s]+)")


@dataclass(frozen=True)
class Traits:
    """What a page is built of."""

    marks: str = ""  # names and addresses, a line each: `id=px-captcha`, `script=/x.js`
    code: str = ""  # the beginnings of the scripts in the page
    scripts: int = 0
    fields: int = 0  # boxes a person can write into, passwords apart
    passwords: int = 0
    login_fields: int = 0  # the same boxes, in the form that asks for the first password
    identity_field: bool = False  # one of the boxes asks who you are
    login_link: bool = False  # some link or form leads to a login
    login_labels: tuple[str, ...] = ()  # of the first links that do
    empty_mount: bool = False  # an element that scripts are meant to fill is empty
    images: int = 0
    empty_places: int = 0  # elements with a name, or of the page's own making, with nothing in them
    empty_main: bool = False  # the element for the main part is among them
    refresh: str = ""  # where the page sends the browser on to
    fallback: str = ""  # the beginning of what is shown to browsers without scripts
    buttons: tuple[str, ...] = ()  # what stands on them


def leads_to_login(address: str) -> bool:
    """Whether a URL or path looks like a place to log in."""
    address = address[:_LONGEST_LOGIN]
    may_lead = _LOGIN_WORDS.count_in_lower(address, _LONGEST_LOGIN) or not address.isascii()
    return bool(may_lead) and _LOGIN_ADDRESS.search(address) is not None


def collect_traits(elements: Iterable[etree._Element]) -> Traits:
    """The traits of a page, from all its elements in document order."""
    collector = _TraitCollector()
    for element in elements:
        if isinstance(element.tag, str):
            collector.add(element.tag.lower(), element)
    return Traits(
        marks="\n".join(collector.marks),
        code="\n".join(collector.code),
        scripts=collector.scripts,
        fields=collector.fields,
        passwords=collector.passwords,
        login_fields=collector.login_fields,
        identity_field=collector.identity_field,
        login_link=collector.login_link,
        login_labels=tuple(collector.login_labels),
        empty_mount=collector.empty_mount,
        images=collector.images,
        empty_places=collector.empty_places,
        empty_main=collector.empty_main,
        refresh=collector.refresh,
        fallback="\n".join(collector.fallbacks)[:_LONGEST_FALLBACK],
        buttons=tuple(collector.buttons),
    )


class _TraitCollector:
    """What has been seen so far."""

    def __init__(self) -> None:
        self.marks: list[str] = []
        self.code: list[str] = []
        self.marks_room = _MOST_MARKS
        self.code_room = _MOST_CODE
        self.scripts = 0
        self.fields = 0
        self.passwords = 0
        self.login_fields = 0
        self.identity_field = False
        self.login_link = False
        self.login_labels: list[str] = []
        self.empty_mount = False
        self.images = 0
        self.empty_places = 0
        self.empty_main = False
        self.refresh = ""
        self.fallbacks: list[str] = []
        self.buttons: list[str] = []
        self._by_tag = {
            "script": self._add_script,
            "input": self._add_input,
            "textarea": self._add_text_area,
            "button": self._add_button,
            "noscript": self._add_fallback,
            "a": self._add_link,
            "form": self._add_link,
            "meta": self._add_refresh,
            "div": self._add_mount,
            "main": self._add_mount,
            "img": self._add_image,
            "body": self._add_handler,
            "section": self._add_mount,
            **dict.fromkeys(_PLACES, self._add_place),
        }

    def add(self, tag: str, element: etree._Element) -> None:
        """Note the names and addresses of one element, and what its tag stands for."""
        identity = element.get("id")
        if identity:
            self._add_mark("id", identity)
        classes = element.get("class")
        if classes:
            self._add_mark("class", classes)
        if tag in _ADDRESSES:
            address = element.get(_ADDRESSES[tag])
            if address:
                self._add_mark(tag, address)
        if tag in self._by_tag:
            self._by_tag[tag](element)
        elif "-" in tag:  # an element of the page's own making
            self._add_mount(element)

    def _add_mark(self, kind: str, value: str) -> None:
        """Keep a name or an address as one line, `id=px-captcha`, while there is room for more of
        them.
        """
        if self.marks_room <= 0:
            return
        words = value[:_LONGEST_MARK].split()
        mark = f"{kind}={' '.join(words)}"
        self.marks.append(mark)
        self.marks_room -= len(mark)

    def _add_script(self, element: etree._Element) -> None:
        """Count a script and keep the beginning of its code, while there is room.

        Data that stands in a script element is not counted.
        """
        kind = element.get("type", "").lower()
        if "json" in kind:  # data for programs, such as the description of an article
            return
        self.scripts += 1
        code = (element.text or "").strip()
        code = code[: min(_LONGEST_SCRIPT, self.code_room)]
        if code:
            self.code.append(code)
            self.code_room -= len(code)

    def _add_input(self, element: etree._Element) -> None:
        """Count a box to write into, and whether it asks who you are."""
        kind = (element.get("type") or "text").lower()
        if kind == "password":
            if not self.passwords:
                self.login_fields = _count_fields(next(element.iterancestors("form"), None))
            self.passwords += 1
        elif kind in _PRESSED_INPUTS:
            self._add_label(element.get("value") or "")
        elif kind not in _UNSEEN_INPUTS:
            self.fields += 1
            names = [element.get(name) or "" for name in _NAMING_ATTRIBUTES]
            if _IDENTITY.search(" ".join(names)[:200]):
                self.identity_field = True

    def _add_button(self, element: etree._Element) -> None:
        """Keep what stands on a button."""
        self._add_label(_beginning_of(element))

    def _add_label(self, label: str) -> None:
        """Keep the label of a button, if it is short."""
        words = label[:_LONGEST_LABEL].split()
        if words and len(self.buttons) < _MOST_BUTTONS:
            self.buttons.append(" ".join(words))

    def _add_text_area(self, element: etree._Element) -> None:
        """Count a box for longer texts."""
        self.fields += 1

    def _add_fallback(self, element: etree._Element) -> None:
        """Keep what browsers without scripts show."""
        if len(self.fallbacks) < _MOST_FALLBACKS:
            words = _beginning_of(element).split()
            self.fallbacks.append(" ".join(words))

    def _add_link(self, element: etree._Element) -> None:
        """Whether a link or a form leads to a login."""
        if len(self.login_labels) >= _MOST_LOGIN_LINKS:
            return
        address = element.get("href") or element.get("action") or ""
        if leads_to_login(address):
            self.login_link = True
            self.login_labels.append(" ".join(_beginning_of(element)[:_LONGEST_LABEL].split()))

    def _add_refresh(self, element: etree._Element) -> None:
        """Keep where the page sends the browser on to."""
        if element.get("http-equiv", "").strip().lower() != "refresh":
            return
        target = _REFRESH.match(element.get("content") or "")
        if target and not self.refresh:
            self.refresh = target[1][:_LONGEST_ADDRESS]

    def _add_handler(self, element: etree._Element) -> None:
        """Keep the code that runs when the page has come, as that of a script."""
        code = (element.get("onload") or "").strip()[:_LONGEST_MARK]
        if code:
            self.scripts += 1
            self.code.append(code)

    def _add_image(self, element: etree._Element) -> None:
        """Count a picture."""
        self.images += 1

    def _add_place(self, element: etree._Element) -> None:
        """Whether this is an element with a name and nothing in it, as scripts fill."""
        if len(element) or _LETTER.search(element.text or ""):
            return
        tag = str(element.tag).lower()
        is_main = tag in ("main", "article") or element.get("role") == "main"
        if is_main or "-" in tag or element.get("id") or tag == "tbody":
            self.empty_places += 1
            self.empty_main = self.empty_main or is_main

    def _add_mount(self, element: etree._Element) -> None:
        """Whether this is the place that scripts fill, and it is still empty."""
        self._add_place(element)
        if self.empty_mount:
            return
        name = element.get("id") or str(element.tag).lower()
        if _MOUNTS.fullmatch(name):
            text = _beginning_of(element).strip()
            self.empty_mount = len(text) < _PLACEHOLDER


def _count_fields(form: etree._Element | None) -> int:
    """How many boxes a person can write into are in a form, passwords apart."""
    if form is None:
        return 0
    kinds = [(field.get("type") or "text").lower() for field in islice(form.iter("input"), 100)]
    return sum(kind != "password" and kind not in _UNSEEN_INPUTS for kind in kinds)


def _beginning_of(element: etree._Element) -> str:
    """The first pieces of text in an element, bounded in number because elements nest."""
    pieces = first_texts(element, _MOST_PIECES, _LONGEST_BEGINNING)
    return " ".join(piece.strip() for piece in pieces)
