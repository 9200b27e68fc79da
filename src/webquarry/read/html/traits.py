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

_MOST_FALLBACKS = 10
_LONGEST_FALLBACK = 1_000  # characters
_PLACEHOLDER = 40  # characters; "Loading..." does not make a place full
_MOST_MARKS = _MOST_CODE = 200_000  # characters
_LONGEST_MARK = 1_000
_LONGEST_SCRIPT = 20_000
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
_UNSEEN_INPUTS = frozenset({"hidden", "submit", "button", "image", "reset", "checkbox", "radio"})
_IDENTITY = re.compile(r"(?i)e-?mail|user|login|identifier|account|phone")
_LOGIN_ADDRESS = re.compile(
    r"(?i)(?:[/.?&=_-]|^)(?:log-?in|log-?on|sign-?in|sign_in|auth(?:wall|enticate|orize)?|sso"
    r"|session/new|anmelden|connexion)(?:[/.?&=_-]|$)"
)
_REFRESH = re.compile(r"(?i)^\s*[\d.]*\s*[;,]\s*(?:url\s*=)?\s*['\"]?\s*([^'\"\s]+)")


@dataclass(frozen=True)
class Traits:
    """What a page is built of."""

    marks: str = ""  # names and addresses, a line each: `id=px-captcha`, `script=/x.js`
    code: str = ""  # the beginnings of the scripts in the page
    scripts: int = 0
    fields: int = 0  # boxes a person can write into, passwords apart
    passwords: int = 0
    identity_field: bool = False  # one of the boxes asks who you are
    login_link: bool = False  # some link or form leads to a login
    empty_mount: bool = False  # an element that scripts are meant to fill is empty
    refresh: str = ""  # where the page sends the browser on to
    fallback: str = ""  # the beginning of what is shown to browsers without scripts


def leads_to_login(address: str) -> bool:
    """Whether a URL or path looks like a place to log in."""
    return _LOGIN_ADDRESS.search(address[:500]) is not None


def collect_traits(elements: Iterable[etree._Element]) -> Traits:
    """The traits of a page, from all its elements in document order."""
    notes = _Notes()
    for element in elements:
        if isinstance(element.tag, str):
            notes.take(element.tag.lower(), element)
    return Traits(
        marks="\n".join(notes.marks),
        code="\n".join(notes.code),
        scripts=notes.scripts,
        fields=notes.fields,
        passwords=notes.passwords,
        identity_field=notes.identity_field,
        login_link=notes.login_link,
        empty_mount=notes.empty_mount,
        refresh=notes.refresh,
        fallback="\n".join(notes.fallbacks)[:_LONGEST_FALLBACK],
    )


class _Notes:
    """What has been seen so far."""

    def __init__(self) -> None:
        self.marks: list[str] = []
        self.code: list[str] = []
        self.room = _MOST_MARKS
        self.code_room = _MOST_CODE
        self.scripts = self.fields = self.passwords = 0
        self.identity_field = self.login_link = self.empty_mount = False
        self.refresh = ""
        self.fallbacks: list[str] = []

    def take(self, tag: str, element: etree._Element) -> None:
        for name in ("id", "class"):
            value = element.get(name)
            if value:
                self._mark(name, value)
        if tag in _ADDRESSES and element.get(_ADDRESSES[tag]):
            self._mark(tag, element.get(_ADDRESSES[tag]) or "")
        if tag == "script":
            self._take_script(element)
        elif tag == "input":
            self._take_input(element)
        elif tag == "noscript" and len(self.fallbacks) < _MOST_FALLBACKS:
            self.fallbacks.append(" ".join(_beginning_of(element).split()))
        elif tag == "textarea":
            self.fields += 1
        elif tag in {"a", "form"}:
            self.login_link = self.login_link or leads_to_login(
                element.get("href") or element.get("action") or ""
            )
        elif tag == "meta" and (element.get("http-equiv") or "").strip().lower() == "refresh":
            found = _REFRESH.match(element.get("content") or "")
            self.refresh = self.refresh or (found[1] if found else "")
        elif tag in {"div", "main", "section"} or "-" in tag:
            self._take_mount(tag, element)

    def _take_script(self, element: etree._Element) -> None:
        kind = (element.get("type") or "").lower()
        if "json" in kind:  # data for programs, such as the description of an article
            return
        self.scripts += 1
        code = (element.text or "").strip()[: min(_LONGEST_SCRIPT, self.code_room)]
        if code:
            self.code.append(code)
            self.code_room -= len(code)

    def _take_input(self, element: etree._Element) -> None:
        kind = (element.get("type") or "text").lower()
        if kind == "password":
            self.passwords += 1
        elif kind not in _UNSEEN_INPUTS:
            self.fields += 1
            names = " ".join(
                element.get(name) or "" for name in ("name", "id", "type", "autocomplete")
            )
            self.identity_field = self.identity_field or _IDENTITY.search(names[:200]) is not None

    def _take_mount(self, tag: str, element: etree._Element) -> None:
        name = element.get("id") or tag
        if not self.empty_mount and _MOUNTS.fullmatch(name):
            self.empty_mount = len(_beginning_of(element).strip()) < _PLACEHOLDER

    def _mark(self, kind: str, value: str) -> None:
        mark = f"{kind}={' '.join(value[:_LONGEST_MARK].split())}"
        if self.room > 0:
            self.marks.append(mark)
            self.room -= len(mark)


def _beginning_of(element: etree._Element) -> str:
    """The first pieces of text in an element, bounded in number because elements nest."""
    return " ".join(str(piece).strip() for piece in islice(element.itertext(), 200))
