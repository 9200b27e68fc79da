"""A formula of an Office file -> TeX between dollar signs. What has no sign of its own is written
out in order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from lxml import etree

from webquarry.read.documents.office import child_of, name_of, value_of
from webquarry.read.text.characters import strip_invisible
from webquarry.read.text.delimiters import defuse_verbatim

_LONGEST = 4_000  # characters
_BLANKS = re.compile(r"\s+")
_PROPERTIES = re.compile(r"m:\w+Pr")
_SPECIAL = re.compile(r"([#$%&_{}])")
_OPERATORS = {
    "∑": r"\sum",
    "∏": r"\prod",
    "∫": r"\int",
    "∬": r"\iint",
    "∮": r"\oint",
    "⋃": r"\bigcup",
    "⋂": r"\bigcap",
}
_ACCENTS = {
    "\u0302": r"\hat",
    "\u0303": r"\tilde",
    "\u0304": r"\bar",
    "\u0305": r"\bar",
    "\u0307": r"\dot",
    "\u20d7": r"\vec",
}


def to_tex(math: etree._Element, removed: Counter[str]) -> str:
    """The formula, on one line; empty where there is nothing in it."""
    tex = _BLANKS.sub(" ", _inside(math)).strip()[:_LONGEST]
    tex = defuse_verbatim(strip_invisible(tex, removed), removed)
    if tex:
        return f"${tex}$"
    return ""


def _inside(element: etree._Element | None) -> str:
    if element is not None:
        return "".join(map(_tex, element))
    return ""


def _tex(element: etree._Element) -> str:
    name = name_of(element.tag)
    if name in ("m:t", "w:t"):
        return _SPECIAL.sub(r"\\\1", element.text or "")
    if _PROPERTIES.fullmatch(name) or name in ("w:rPr", "w:del", "w:moveFrom"):
        return ""
    return _SIGNS.get(name, _inside)(element)


def _part(element: etree._Element, name: str) -> str:
    return _inside(child_of(element, f"m:{name}")).strip()


def _fraction(element: etree._Element) -> str:
    return rf"\frac{{{_part(element, 'num')}}}{{{_part(element, 'den')}}}"


def _scripts(element: etree._Element) -> str:
    lower, upper = _part(element, "sub"), _part(element, "sup")
    script = (f"_{{{lower}}}" if lower else "") + (f"^{{{upper}}}" if upper else "")
    base = _part(element, "e")
    if name_of(element.tag) == "m:sPre":
        return script + base
    return base + script


def _root(element: etree._Element) -> str:
    degree = _part(element, "deg")
    if degree:
        return rf"\sqrt[{degree}]{{{_part(element, 'e')}}}"
    return rf"\sqrt{{{_part(element, 'e')}}}"


def _large_operator(element: etree._Element) -> str:
    sign = value_of(child_of(child_of(element, "m:naryPr"), "m:chr")) or "∫"
    lower, upper = _part(element, "sub"), _part(element, "sup")
    limits = (f"_{{{lower}}}" if lower else "") + (f"^{{{upper}}}" if upper else "")
    return f"{_OPERATORS.get(sign, sign)}{limits} {_part(element, 'e')}"


def _brackets(element: etree._Element) -> str:
    settings = child_of(element, "m:dPr")
    opening = value_of(child_of(settings, "m:begChr"))
    closing = value_of(child_of(settings, "m:endChr"))
    between = value_of(child_of(settings, "m:sepChr")) or "|"
    parts = [_inside(child).strip() for child in element if name_of(child.tag) == "m:e"]
    left, right = ("(" if opening is None else opening), (")" if closing is None else closing)
    return _SPECIAL.sub(r"\\\1", left) + between.join(parts) + _SPECIAL.sub(r"\\\1", right)


def _function(element: etree._Element) -> str:
    return f"{_part(element, 'fName')} {_part(element, 'e')}"


def _accent(element: etree._Element) -> str:
    sign = value_of(child_of(child_of(element, "m:accPr"), "m:chr")) or "\u0302"
    command = _ACCENTS.get(sign, r"\overline")
    return f"{command}{{{_part(element, 'e')}}}"


def _limit(element: etree._Element) -> str:
    mark = "_" if name_of(element.tag) == "m:limLow" else "^"
    return f"{_part(element, 'e')}{mark}{{{_part(element, 'lim')}}}"


def _matrix(element: etree._Element) -> str:
    rows = [
        " & ".join(_inside(cell).strip() for cell in row if name_of(cell.tag) == "m:e")
        for row in element
        if name_of(row.tag) == "m:mr"
    ]
    return r"\begin{matrix}" + r" \\ ".join(rows) + r"\end{matrix}"


def _lines(element: etree._Element) -> str:
    return r" \\ ".join(_inside(child).strip() for child in element if name_of(child.tag) == "m:e")


def _bar(element: etree._Element) -> str:
    return rf"\overline{{{_part(element, 'e')}}}"


_SIGNS: dict[str, Callable[[etree._Element], str]] = {
    "m:f": _fraction,
    "m:sSup": _scripts,
    "m:sSub": _scripts,
    "m:sSubSup": _scripts,
    "m:sPre": _scripts,
    "m:rad": _root,
    "m:nary": _large_operator,
    "m:d": _brackets,
    "m:func": _function,
    "m:acc": _accent,
    "m:bar": _bar,
    "m:limLow": _limit,
    "m:limUpp": _limit,
    "m:m": _matrix,
    "m:eqArr": _lines,
}
