"""What a page lets a person open: panels of tabs and accordions, menus, dialogs that some control
on the page points to.

Such text is hidden at first, but anybody can read it with one click; it counts as seen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from lxml import etree

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
_CONTROL_TAGS = (
    "a", "button", "div", "li", "label", "input", "span", "summary", "section", "header", "h2",
    "h3", "h4", "h5", "dt", "td", "tr", "p", "img", "svg", "i", "ul", "details", "option",
)  # fmt: skip
_CONTROL_NAMES = frozenset({*_POINTERS, "data-toggle", "data-bs-toggle", "aria-expanded"})
_SWITCH = re.compile(
    r"(?i)tab|accordion|toggle|collaps|expand|button|btn|nav-link|more|faq|switch|open|modal"
)


class Expandable:
    """The controls of one page, looked up when the first hidden element asks for them."""

    def __init__(self, roots: Sequence[etree._Element]) -> None:
        self._roots = roots
        self._targets: set[str] | None = None
        self._controls: set[str] = set()

    def can_be_opened(self, element: etree._Element) -> bool:
        """Whether a control or a convention says that this element opens."""
        names = element.get("class") or ""
        if _COPY_CLASS.search(names):
            return False
        role = (element.get("role") or "").strip().lower()
        if role in _PANEL_ROLES or element.get("aria-roledescription") == "slide":
            return True
        for name in names.lower().split():
            if len(name) <= _LONGEST_NAME and _PANEL_CLASS.fullmatch(name):
                return True
        identity = element.get("id") or ""
        if _PANEL_ID.search(identity[:_LONGEST_NAME]):
            return True
        if self.is_pointed_at(element):
            return True

        # What stands right before it, or before the box around it, may say that it expands.
        for box in (element, element.getparent()):
            if box is None:
                continue
            before = box.getprevious()
            if before is None:
                continue
            for inner in islice(before.iter(etree.Element), _MOST_INSIDE):
                if inner.get("aria-expanded"):
                    return True
        return False

    def is_pointed_at(self, element: etree._Element) -> bool:
        """Whether a control names this element, or is named by it as its label. The controls of the
        page are collected once.
        """
        identity = element.get("id")
        labels = element.get("aria-labelledby")
        if identity is None and labels is None:
            return False
        if self._targets is None:
            self._targets = self._find_targets()
        if identity in self._targets:
            return True
        return not self._controls.isdisjoint((labels or "").split())

    def _find_targets(self) -> set[str]:
        """The ids of all that a control on the page points to."""
        targets: set[str] = set()
        for root in self._roots:
            for element in root.iter(*_CONTROL_TAGS):
                if not element.attrib:
                    continue
                names = element.keys()
                is_tab = "role" in names and element.get("role") == "tab"
                if is_tab or not _CONTROL_NAMES.isdisjoint(names):
                    targets.update(self._find_targets_of(element))
            for link in root.iter("a"):
                href = link.get("href")
                if href and href[0] == "#":
                    targets.update(self._find_targets_of(link))
        targets.discard("")
        return targets

    def _find_targets_of(self, element: etree._Element) -> list[str]:
        """The ids that a control points to; its own id is remembered."""
        pointers = " ".join(element.get(name) or "" for name in _POINTERS)
        targets = pointers.replace("#", " ").split()
        is_switch = bool(targets) or element.get("role") in ("tab", "button") or _is_switch(element)
        if not is_switch:
            return targets
        identity = element.get("id")
        if identity:
            self._controls.add(identity)
        href = element.get("href") or ""
        if href.startswith("#"):
            targets.append(href[1:])
        return targets


def _is_switch(control: etree._Element) -> bool:
    """Whether a control, by its attributes or by the names around it, opens something."""
    for attribute in ("data-toggle", "data-bs-toggle", "aria-expanded"):
        if control.get(attribute):
            return True
    names = [control.get("class") or ""]
    for around in islice(control.iterancestors(), 2):
        names.append(around.get("class") or "")
        names.append(around.get("role") or "")
    return _SWITCH.search(" ".join(names)) is not None
