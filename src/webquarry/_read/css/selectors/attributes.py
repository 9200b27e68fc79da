"""An element -> the values of its attributes. `_attributes.pyx` is the same, compiled."""

from __future__ import annotations

from lxml import etree

try:
    from webquarry._read.css.selectors._attributes import find_value, read_names
except (ImportError, ValueError):  # not built, or for another lxml: the same in Python

    def find_value(element: etree._Element, name: str) -> str | None:
        """The value of an attribute, None where an element has none of this name."""
        return element.get(name)

    def read_names(element: etree._Element) -> tuple[str, str | None, str | None]:
        """Tag, class and id of an element; None for what it has none of."""
        return element.tag, element.get("class"), element.get("id")


__all__ = ["find_value", "read_names"]
