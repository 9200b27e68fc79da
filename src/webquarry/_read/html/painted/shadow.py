"""Declarative shadow trees, composed to the tree that browsers show.

The content of `<template shadowrootmode>` replaces the children of its host, which move to its
slots. Children without a slot are not painted: they move to a template without a mode.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from lxml import etree

from webquarry._read.text.brackets import remove_comments, split_top

_HOSTS = frozenset(
    {
        "article", "aside", "blockquote", "body", "div", "footer", "h1", "h2", "h3", "h4", "h5",
        "h6", "header", "main", "nav", "p", "section", "span",
    }
)  # fmt: skip
_MODES = ("open", "closed")
_MODE = "shadowrootmode"
_MARK = "data-shadow-tree"  # attribute of the host, for the rules in the tree
_BETWEEN_RULES = re.compile(r"([{};])")
_HOST = re.compile(r":host(?:-context)?(?:\([^()]*\))?")
_SLOTTED = re.compile(r"::slotted\(([^()]*)\)")

Element = etree._Element


def compose_shadow_trees(roots: Sequence[Element]) -> None:
    """Compose all shadow trees of a page, the innermost first."""
    slots: dict[Element, list[Element]] = defaultdict(list)
    templates: list[Element] = []
    open_templates: list[Element] = []
    for root in roots:
        for event, element in etree.iterwalk(root, ("start", "end"), tag=("template", "slot")):
            if element.tag == "slot":
                if event == "start" and open_templates:
                    slots[open_templates[-1]].append(element)
            elif event == "start":
                open_templates.append(element)
                templates.append(element)
            else:
                open_templates.pop()
    hosts: set[Element] = set()
    trees: list[tuple[Element, Element]] = []
    for template in templates:
        host = template.getparent()
        mode = (template.get(_MODE) or "").strip().lower()
        if host is None or host in hosts or mode not in _MODES or not _can_be_host(host):
            template.attrib.pop(_MODE, "")  # an ordinary template, which is not painted
            continue
        hosts.add(host)
        trees.append((host, template))
    for number, (host, template) in enumerate(trees):
        _scope_styles(host, template, number)
    for host, template in reversed(trees):
        _compose(host, template, slots[template])


def _can_be_host(element: Element) -> bool:
    """Whether an element may have a shadow tree in browsers."""
    return element.tag in _HOSTS or "-" in str(element.tag)


def _compose(host: Element, template: Element, slots: Sequence[Element]) -> None:
    """Replace the children of a host by its shadow tree, and move them to its slots."""
    by_name: dict[str, Element] = {}
    for slot in slots:
        by_name.setdefault(slot.get("name") or "", slot)
    unseen = etree.Element("template")
    filled: set[Element] = set()

    def find_place(name: str) -> Element:
        """Return the slot with a name, without its default content."""
        slot = by_name.get(name)
        if slot is None:
            return unseen
        if slot not in filled:
            filled.add(slot)
            _move_content(slot, unseen)
        return slot

    text, host.text = host.text, None
    if text and not text.isspace():
        _append_text(find_place(""), text)
    for child in list(host):
        tail, child.tail = child.tail, None
        if child is not template:
            host.remove(child)
            find_place(child.get("slot") or "").append(child)
        if tail and not tail.isspace():
            _append_text(find_place(""), tail)
    host.remove(template)
    _move_content(template, host)
    if unseen.text or len(unseen):
        host.append(unseen)


def _move_content(source: Element, target: Element) -> None:
    """Append the text and the children of an element to another one."""
    if source.text:
        _append_text(target, source.text)
        source.text = None
    target.extend(list(source))


def _append_text(element: Element, text: str) -> None:
    """Append text to an element."""
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text


def _scope_styles(host: Element, template: Element, number: int) -> None:
    """Limit the rules in a shadow tree to that tree."""
    styles = list(template.iterchildren("style"))
    if not styles:
        return
    host.set(_MARK, str(number))
    for style in styles:
        style.text = _scope_rules(style.text or "", f'[{_MARK}="{number}"]')


def _scope_rules(css: str, mark: str) -> str:
    """Return a style sheet with the mark in every selector."""
    parts = _BETWEEN_RULES.split(remove_comments(css))
    for place in range(0, len(parts) - 1, 2):
        prelude = parts[place].strip()
        if parts[place + 1] != "{" or not prelude or prelude.startswith("@"):
            continue
        selectors = [_scope_selector(one, mark) for one in split_top(prelude, ",")]
        parts[place] = ",".join(selectors)
    return "".join(parts)


def _scope_selector(selector: str, mark: str) -> str:
    """Return a selector that matches in a shadow tree only."""
    if ":host" in selector:
        return _HOST.sub(mark, selector)
    inner = _SLOTTED.sub(r"\1", selector)
    return f"{mark} {inner}"
