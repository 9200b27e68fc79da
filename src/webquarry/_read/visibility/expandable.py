"""What a page lets a person open: panels of tabs and accordions, menus, dialogs that some control
on the page points to.

Such text is hidden at first, but anybody can read it with one click; it counts as seen. The control
must be seen itself, and names alone open nothing: where no control is found, a script must be
there that may change the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from lxml import etree

from webquarry._read.css.selectors.attributes import find_value
from webquarry._read.html.tree import having_attributes, links_within
from webquarry._read.text.search import WordSearch
from webquarry._read.visibility.scripts import Scripts

# Panels by the names that common frameworks give them; compared with whole class names, in lower
# case.
_PANEL_CLASS = re.compile(
    r"(?:[\w-]*[-_])?(?:tabs?|accordion|collaps(?:e|ed|ible)|expand(?:er|ed|able)?|toggle|faq"
    r"|spoiler|disclosure)"
    r"(?:[-_]*(?:pane|panel|content|contents|body|inner|item|collapse|text|answer|section|details"
    r"|block|container|wrap|wrapper|data|box|area))+(?:[-_][\w-]*)?"
    r"|collapse|collapsed|collapsible|panel-collapse|expandable|spoiler|faq-?answer|answer"
    r"|accordion|uk-switcher"
    r"|w-tab-pane|et_pb_toggle_content|vc_tta-panel-body|wp-block-[\w-]*accordion[\w-]*"
    r"|[\w-]*(?:carousel|slick|swiper|splide|flickity|slide(?:r|show)?|gallery)[\w-]*"
)
_PANEL_ID = re.compile(
    r"expand|collaps|accordion|tab[-_]?(?:pane|panel|content)|(?:^|[-_])tab(?:[-_\d]|$)|faq"
    r"|spoiler",
    re.IGNORECASE,
)
_LONGEST_NAME = 60  # characters
_MOST_INSIDE = 12  # elements in the one before that are looked at
_MOST_CONTROLS = 6  # of one element
_MOST_FIELDS = 200  # that are looked at for boxes to be ticked
_LONGEST_HANDLER = 300  # characters
_WORD = re.compile(r"[\w:.-]{1,60}")
_FOUND_BY_LINKS = "until-found"
_COPY_CLASS = re.compile(r"(?:^|\s)(?:slick-cloned|swiper-slide-duplicate)(?:\s|$)")
_PANEL_ROLES = frozenset({"tabpanel"})
_POINTERS = (
    "aria-controls",
    "data-bs-target",
    "data-target",
    "popovertarget",
    "commandfor",
    "aria-owns",
    "data-tab",
)
_CONTROL_TAGS = frozenset({
    "a", "button", "div", "li", "label", "input", "span", "summary", "section", "header", "h2",
    "h3", "h4", "h5", "dt", "td", "tr", "p", "img", "svg", "i", "ul", "details", "option",
})  # fmt: skip
_CONTROL_NAMES = frozenset({*_POINTERS, "data-toggle", "data-bs-toggle", "aria-expanded"})
_LOOKED_AT = _CONTROL_NAMES | {"role", "onclick"}
_SWITCH = WordSearch(
    """
    tab accordion toggle collaps expand button btn nav-link more faq switch open modal
    """.split()  # noqa: SIM905
)


class Expandable:
    """The controls of one page, looked up when the first hidden element asks for them.

    `is_seen` tells whether a person sees something of an element.
    """

    def __init__(
        self,
        roots: Sequence[etree._Element],
        scripts: Scripts,
        is_seen: Callable[[etree._Element], bool],
    ) -> None:
        self._roots = roots
        self._scripts = scripts
        self._is_seen = is_seen
        self._targets: dict[str, list[etree._Element]] | None = None
        self._controls: dict[str, etree._Element] = {}
        self._links: dict[str, list[etree._Element]] = {}
        self._handlers: dict[str, list[etree._Element]] = {}  # by the names in what a click does
        self._has_box: bool | None = None

    def can_be_opened(self, element: etree._Element, *, needs_proof: bool = True) -> bool:
        """Whether this element opens: by a control that is seen, or by a script, where its names
        say that it is something to be opened. Without the need of a proof, names and any control
        are enough.
        """
        if _COPY_CLASS.search(element.get("class") or ""):
            return False
        controls = [*self._find_controls(element), *_find_controls_before(element)]
        if any(map(self._is_seen, controls)):
            return True
        if not needs_proof:
            return bool(controls) or is_panel(element)
        return is_panel(element) and self._scripts.are_any

    def is_pointed_at(self, element: etree._Element) -> bool:
        """Whether a control that is seen names this element, or is named by it as its label."""
        return any(map(self._is_seen, self._find_controls(element)))

    def _find_controls(self, element: etree._Element) -> list[etree._Element]:
        """The controls that name an element, or that it names as its labels. Those of the page are
        collected once.
        """
        identity = element.get("id")
        labels = element.get("aria-labelledby")
        if identity is None and labels is None:
            return []
        controls = list(self._find_targets().get(identity or "", ()))
        if is_panel(element):
            controls += self._handlers.get(identity or "", ())
        if element.get("hidden") == _FOUND_BY_LINKS:
            controls += self._links.get(identity or "", ())
        for label in (labels or "").split()[:_MOST_CONTROLS]:
            if label in self._controls:
                controls.append(self._controls[label])
        return controls[:_MOST_CONTROLS]

    def is_linked_to(self, element: etree._Element) -> bool:
        """Whether a link that is seen leads to this element."""
        self._find_targets()
        links = self._links.get(element.get("id") or "", [])
        return any(map(self._is_seen, links[:_MOST_CONTROLS]))

    def has_box_to_tick(self) -> bool:
        """Whether the page has a box to be ticked that is seen, itself or by its label."""
        if self._has_box is None:
            self._has_box = self._find_box_to_tick()
        return self._has_box

    def _find_box_to_tick(self) -> bool:
        identities: set[str] = set()
        for root in self._roots:
            for field in islice(root.iter("input"), _MOST_FIELDS):
                if (field.get("type") or "").lower() not in ("checkbox", "radio"):
                    continue
                if self._is_seen(field):
                    return True
                identities.add(field.get("id") or "")
        identities.discard("")
        for root in self._roots:
            for label in islice(root.iter("label"), _MOST_FIELDS):
                if label.get("for") in identities and self._is_seen(label):
                    return True
        return False

    def _find_targets(self) -> dict[str, list[etree._Element]]:
        """The ids of all that controls on the page point to, with the first of their controls."""
        if self._targets is not None:
            return self._targets
        targets = self._targets = {}
        for root in self._roots:
            for element in having_attributes(root, _LOOKED_AT):
                if element.tag not in _CONTROL_TAGS:
                    continue
                names = element.keys()
                is_tab = "role" in names and find_value(element, "role") == "tab"
                if is_tab or not _CONTROL_NAMES.isdisjoint(names):
                    for identity in self._find_targets_of(element):
                        _add_control(targets, identity, element)
                if "onclick" in names:
                    handler = (element.get("onclick") or "")[:_LONGEST_HANDLER]
                    for identity in _WORD.findall(handler):
                        _add_control(self._handlers, identity, element)
            for link in links_within(root):
                _add_control(self._links, (find_value(link, "href") or "")[1:], link)
                for identity in self._find_targets_of(link):
                    _add_control(targets, identity, link)
        targets.pop("", None)
        return targets

    def _find_targets_of(self, element: etree._Element) -> list[str]:
        """The ids that a control points to; its own id is remembered."""
        pointers = [find_value(element, name) or "" for name in _POINTERS]
        targets = " ".join(pointers).replace("#", " ").split()
        is_switch = bool(targets) or find_value(element, "role") in ("tab", "button")
        is_switch = is_switch or _is_switch(element)
        if not is_switch:
            return targets
        identity = find_value(element, "id")
        if identity:
            self._controls.setdefault(identity, element)
        href = find_value(element, "href") or ""
        if href.startswith("#"):
            targets.append(href[1:])
        return targets


def _find_controls_before(element: etree._Element) -> Iterator[etree._Element]:
    """What stands right before an element, or before the box around it, and says that it
    expands.
    """
    for box in (element, element.getparent()):
        if box is None:
            continue
        before = box.getprevious()
        if before is None:
            continue
        for inner in islice(before.iter(etree.Element), _MOST_INSIDE):
            if inner.get("aria-expanded"):
                yield inner


def _add_control(
    controls: dict[str, list[etree._Element]], identity: str, control: etree._Element
) -> None:
    """Remember a control of an element, if there are not enough of them."""
    known = controls.setdefault(identity, [])
    if len(known) < _MOST_CONTROLS:
        known.append(control)


def is_panel(element: etree._Element) -> bool:
    """Whether an element, by its role or its names, is one of those that open."""
    if _COPY_CLASS.search(element.get("class") or ""):
        return False
    role = (element.get("role") or "").strip().lower()
    if role in _PANEL_ROLES or element.get("aria-roledescription") == "slide":
        return True
    for name in (element.get("class") or "").lower().split():
        if len(name) <= _LONGEST_NAME and _PANEL_CLASS.fullmatch(name):
            return True
    identity = element.get("id") or ""
    return _PANEL_ID.search(identity[:_LONGEST_NAME]) is not None


def _is_switch(control: etree._Element) -> bool:
    """Whether a control, by its attributes or by the names around it, opens something."""
    for attribute in ("data-toggle", "data-bs-toggle", "aria-expanded"):
        if find_value(control, attribute):
            return True
    names = [find_value(control, "class") or ""]
    for around in islice(control.iterancestors(), 2):
        names.append(find_value(around, "class") or "")
        names.append(find_value(around, "role") or "")
    return _SWITCH.is_any_in(" ".join(names).lower())
