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
        if (element.get("role") or "").strip().lower() in _PANEL_ROLES or element.get(
            "aria-roledescription"
        ) == "slide":
            return True
        words = [word for word in names.lower().split() if len(word) <= _LONGEST_NAME]
        if any(map(_PANEL_CLASS.fullmatch, words)) or _PANEL_ID.search(
            (element.get("id") or "")[:_LONGEST_NAME]
        ):
            return True
        return self.is_pointed_at(element) or _follows_switch(element)

    def is_pointed_at(self, element: etree._Element) -> bool:
        """Whether a control names this element, or is named by it as its label."""
        identity, labels = element.get("id"), element.get("aria-labelledby")
        if identity is None and labels is None:
            return False
        if self._targets is None:
            self._targets = self._find_targets()
        return identity in self._targets or not self._controls.isdisjoint((labels or "").split())

    def _find_targets(self) -> set[str]:
        targets: set[str] = set()
        for root in self._roots:
            for element in root.iter(*_CONTROL_TAGS):
                names = element.keys() if element.attrib else ()
                if not _CONTROL_NAMES.isdisjoint(names) or (
                    "role" in names and element.get("role") == "tab"
                ):
                    targets.update(self._targets_of(element))
            for link in root.iter("a"):
                if (link.get("href") or "")[:1] == "#":
                    targets.update(self._targets_of(link))
        targets.discard("")
        return targets

    def _targets_of(self, element: etree._Element) -> list[str]:
        """What a control points to."""
        href = element.get("href") or ""
        pointed = " ".join(element.get(name) or "" for name in _POINTERS).replace("#", " ").split()
        switch = bool(pointed) or element.get("role") in ("tab", "button") or _is_switch(element)
        if switch and (identity := element.get("id")):
            self._controls.add(identity)
        if switch and href.startswith("#"):
            return [*pointed, href[1:]]
        return pointed


def _follows_switch(element: etree._Element) -> bool:
    """Whether what stands right before an element, or before the box around it, says that it can be
    expanded.
    """
    parent = element.getparent()
    for place in (element, parent):
        before = place.getprevious() if place is not None else None
        if before is not None and any(
            inner.get("aria-expanded") for inner in islice(before.iter(etree.Element), 12)
        ):
            return True
    return False


def _is_switch(control: etree._Element) -> bool:
    if control.get("data-toggle") or control.get("data-bs-toggle") or control.get("aria-expanded"):
        return True
    parent = control.getparent()
    names = control.get("class") or ""
    if parent is not None:
        names += f" {parent.get('class') or ''} {parent.get('role') or ''}"
        above = parent.getparent()
        if above is not None:
            names += f" {above.get('class') or ''} {above.get('role') or ''}"
    return _SWITCH.search(names) is not None
