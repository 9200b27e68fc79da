"""How a page is built, as far as that distinguishes a page from a wall in front of it: scripts,
frames, forms, names of elements. All of it is limited, because pages can be of any size.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from io import StringIO
from itertools import islice

from lxml import etree

from webquarry._native import WordSearch
from webquarry._read.html.tree import first_texts

_MAX_FALLBACK = 1_000  # characters
_MAX_PLACEHOLDER = 40  # characters; a mount with "Loading..." is empty
_MAX_TOTAL = 200_000  # characters of marks, and of code
_MAX_PIECES = 200  # of text in one element
_MAX_MARK = 1_000
_MAX_SCRIPT = 20_000
_MAX_BUTTONS = 50
_MAX_LABEL = 100
_MAX_LOGIN_LINKS = 5
_MAX_LOGIN_ADDRESS = 500  # characters that are examined
_MAX_ADDRESS = 4_096
_MAX_BEGINNING = 20_000
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
_MOUNT_TAGS = ("div", "main", "section")
_PLACE_TAGS = ("article", "ul", "ol", "dl", "table", "tbody", "p", "span", "pre", "output")
_LETTER = re.compile(r"\w")
_NOT_FIELDS = frozenset({"hidden", "submit", "button", "image", "reset", "checkbox", "radio"})
_NAMING_ATTRIBUTES = ("name", "id", "type", "autocomplete")
_IDENTITY = re.compile(r"(?i)e-?mail|user|login|identifier|account|phone")
_LOGIN_ADDRESS = re.compile(
    r"(?i)(?:[/.?&=_-]|^)(?:log-?in|log-?on|sign-?in|sign_in|auth(?:wall|enticate|orize)?|sso"
    r"|session/new|anmelden|connexion)(?:[/.?&=_-]|$)"
)
# Each login address has one of these; faster than the pattern.
_LOGIN_WORDS = WordSearch(
    "login log-in logon log-on sign auth sso session anmelden connexion".split()  # noqa: SIM905
)
_REFRESH = re.compile(r"(?i)^\s*+[\d.]*+\s*+[;,]\s*+(?:url\s*+=)?\s*+['\"]?\s*+([^'\"\s]+)")

Element = etree._Element


@dataclass(slots=True)
class Traits:
    """How a page is built."""

    marks: str = ""  # names and addresses, one per line: `id=px-captcha`, `script=/x.js`
    code: str = ""  # the beginnings of the scripts in the page
    scripts: int = 0
    fields: int = 0  # for text, without passwords
    passwords: int = 0
    login_fields: int = 0  # fields in the form that asks for the first password
    identity_field: bool = False  # a field asks for a user
    login_link: bool = False  # a link or form leads to a login
    login_labels: list[str] = field(default_factory=list)  # of the first such links
    empty_mount: bool = False  # an element that scripts fill is empty
    images: int = 0
    empty_places: int = 0  # elements with a name, or custom elements, that are empty
    empty_main: bool = False  # the element of the main content is among them
    refresh: str = ""  # where the page redirects the browser
    fallback: str = ""  # the beginning of the text for browsers without scripts
    buttons: list[str] = field(default_factory=list)  # their labels


def leads_to_login(address: str) -> bool:
    """Whether a URL or path looks like that of a login."""
    address = address[:_MAX_LOGIN_ADDRESS]
    may_lead = _LOGIN_WORDS.count_in_lower(address, _MAX_LOGIN_ADDRESS) or not address.isascii()
    return bool(may_lead) and _LOGIN_ADDRESS.search(address) is not None


def collect_traits(elements: Iterable[Element]) -> Traits:
    """Return the traits of a page from its elements in document order."""
    traits = Traits()
    marks, code, fallbacks = StringIO(), StringIO(), StringIO()
    for element in elements:
        if not isinstance(element.tag, str):
            continue
        tag = element.tag.lower()
        for kind, name in (("id", "id"), ("class", "class"), (tag, _ADDRESSES.get(tag))):
            value = element.get(name) if name else None
            if value and marks.tell() < _MAX_TOTAL:
                marks.write(f"{kind}={' '.join(value[:_MAX_MARK].split())}\n")
        if tag == "script" or tag == "body":
            _add_script(traits, element, code)
        elif tag == "noscript":
            if fallbacks.tell() < _MAX_FALLBACK:
                fallbacks.write(" ".join(_read_beginning(element).split()) + "\n")
        elif tag in _COLLECT:
            _COLLECT[tag](traits, element)
        elif "-" in tag:  # a custom element
            _add_mount(traits, element)
    traits.marks = marks.getvalue().rstrip("\n")
    traits.code = code.getvalue().rstrip("\n")
    traits.fallback = fallbacks.getvalue()[:_MAX_FALLBACK].rstrip("\n")
    return traits


def _add_script(traits: Traits, element: Element, code: StringIO) -> None:
    """Count a script or the handler of a page; data for programs is no script."""
    if element.tag == "body":
        source = (element.get("onload") or "")[:_MAX_MARK].strip()
        traits.scripts += bool(source)
    elif "json" in element.get("type", "").lower():
        return
    else:
        source = (element.text or "").strip()[:_MAX_SCRIPT]
        traits.scripts += 1
    if source and code.tell() < _MAX_TOTAL:
        code.write(f"{source[: _MAX_TOTAL - code.tell()]}\n")


def _add_input(traits: Traits, element: Element) -> None:
    """Count a field, or add the label of a button."""
    kind = (element.get("type") or "text").lower()
    if kind == "password":
        if not traits.passwords:
            traits.login_fields = _count_fields(next(element.iterancestors("form"), None))
        traits.passwords += 1
    elif kind in ("submit", "button"):
        _add_label(traits, element.get("value") or "")
    elif kind not in _NOT_FIELDS:
        traits.fields += 1
        names = [element.get(name) or "" for name in _NAMING_ATTRIBUTES]
        if _IDENTITY.search(" ".join(names)[:200]):
            traits.identity_field = True


def _count_fields(form: Element | None) -> int:
    """Return the number of fields for text in a form, without passwords."""
    if form is None:
        return 0
    kinds = [(one.get("type") or "text").lower() for one in islice(form.iter("input"), 100)]
    return sum(kind != "password" and kind not in _NOT_FIELDS for kind in kinds)


def _add_text_area(traits: Traits, element: Element) -> None:
    traits.fields += 1


def _add_button(traits: Traits, element: Element) -> None:
    label = _read_beginning(element)
    _add_label(traits, label)


def _add_label(traits: Traits, label: str) -> None:
    """Add the label of a button."""
    words = label[:_MAX_LABEL].split()
    if words and len(traits.buttons) < _MAX_BUTTONS:
        traits.buttons.append(" ".join(words))


def _add_link(traits: Traits, element: Element) -> None:
    """Examine whether a link or form leads to a login."""
    if len(traits.login_labels) >= _MAX_LOGIN_LINKS:
        return
    if leads_to_login(element.get("href") or element.get("action") or ""):
        traits.login_link = True
        label = _read_beginning(element)[:_MAX_LABEL]
        traits.login_labels.append(" ".join(label.split()))


def _add_refresh(traits: Traits, element: Element) -> None:
    """Keep the first address that the page redirects to."""
    kind = element.get("http-equiv", "").strip().lower()
    if kind != "refresh" or traits.refresh:
        return
    target = _REFRESH.match(element.get("content") or "")
    if target:
        traits.refresh = target[1][:_MAX_ADDRESS]


def _add_image(traits: Traits, element: Element) -> None:
    traits.images += 1


def _add_place(traits: Traits, element: Element) -> None:
    """Examine whether an element with a name is empty, such as those that scripts fill."""
    if len(element) or _LETTER.search(element.text or ""):
        return
    tag = str(element.tag).lower()
    is_main = tag in ("main", "article") or element.get("role") == "main"
    if is_main:
        traits.empty_main = True
    if is_main or "-" in tag or element.get("id") or tag == "tbody":
        traits.empty_places += 1


def _add_mount(traits: Traits, element: Element) -> None:
    """Examine whether an element that scripts fill is empty."""
    _add_place(traits, element)
    if traits.empty_mount:
        return
    name = element.get("id") or str(element.tag).lower()
    if _MOUNTS.fullmatch(name):
        text = _read_beginning(element).strip()
        traits.empty_mount = len(text) < _MAX_PLACEHOLDER


def _read_beginning(element: Element) -> str:
    """Return the first pieces of text in an element."""
    pieces = first_texts(element, _MAX_PIECES, _MAX_BEGINNING)
    return " ".join(map(str.strip, pieces))


_COLLECT: dict[str, Callable[[Traits, Element], None]] = {
    "input": _add_input,
    "textarea": _add_text_area,
    "button": _add_button,
    "a": _add_link,
    "form": _add_link,
    "meta": _add_refresh,
    "img": _add_image,
    **dict.fromkeys(_MOUNT_TAGS, _add_mount),
    **dict.fromkeys(_PLACE_TAGS, _add_place),
}
