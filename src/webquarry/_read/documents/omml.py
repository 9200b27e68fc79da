"""A formula of an Office file -> TeX between dollar signs. What has no sign of its own is written
out in order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from webquarry._read.documents.office import Element, child_of, child_value, children_of, name_of
from webquarry._read.text.characters import strip_invisible
from webquarry._read.text.delimiters import defuse_verbatim

_LONGEST = 4_000  # characters
_BLANKS = re.compile(r"\s+")
_PROPERTIES = re.compile(r"m:\w+Pr")
_SPECIAL = re.compile(r"([#$%&_{}])")
_LINE_BREAK = r" \\ "
_TEMPLATES = {  # formulas that are written from their parts alone
    "m:f": (r"\frac{{{}}}{{{}}}", ("num", "den")),
    "m:func": ("{} {}", ("fName", "e")),
    "m:bar": (r"\overline{{{}}}", ("e",)),
    "m:limLow": ("{}_{{{}}}", ("e", "lim")),
    "m:limUpp": ("{}^{{{}}}", ("e", "lim")),
}
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


def to_tex(math: Element, removed: Counter[str]) -> str:
    """The formula, on one line; empty where there is nothing in it."""
    written = _write_children(math)
    tex = _BLANKS.sub(" ", written).strip()
    visible = strip_invisible(tex[:_LONGEST], removed)
    safe = defuse_verbatim(visible, removed)
    if not safe:
        return ""
    return f"${safe}$"


def _write_children(element: Element) -> str:
    """What is in an element, in order."""
    return "".join(map(_write, element))


def _write(element: Element) -> str:
    """An element as TeX."""
    name = name_of(element.tag)
    if name in ("m:t", "w:t"):
        return _escape_tex(element.text or "")
    if _PROPERTIES.fullmatch(name) or name in ("w:rPr", "w:del", "w:moveFrom"):
        return ""
    if name in _TEMPLATES:
        template, parts = _TEMPLATES[name]
        texts = [_part(element, part) for part in parts]
        return template.format(*texts)
    if name == "m:eqArr":
        return _LINE_BREAK.join(_arguments(element))
    write = _WRITERS.get(name, _write_children)
    return write(element)


def _escape_tex(text: str) -> str:
    """A text, its special characters written so that TeX prints them."""
    return _SPECIAL.sub(r"\\\1", text)


def _part(element: Element, name: str) -> str:
    """A part of a formula by its name; empty where there is none."""
    child = child_of(element, f"m:{name}")
    if child is None:
        return ""
    return _write_children(child).strip()


def _arguments(element: Element) -> list[str]:
    """The arguments of a formula that has several."""
    arguments = children_of(element, "m:e")
    return [_write_children(argument).strip() for argument in arguments]


def _scripts_of(element: Element) -> str:
    """What stands below and above a sign."""
    lower = _part(element, "sub")
    upper = _part(element, "sup")
    scripts = ""
    if lower:
        scripts += f"_{{{lower}}}"
    if upper:
        scripts += f"^{{{upper}}}"
    return scripts


def _write_scripts(element: Element) -> str:
    """A base with what stands below, above or in front of it."""
    base = _part(element, "e")
    scripts = _scripts_of(element)
    if name_of(element.tag) == "m:sPre":
        return scripts + base
    return base + scripts


def _write_root(element: Element) -> str:
    """A square root, or one of a higher degree."""
    degree = _part(element, "deg")
    radicand = _part(element, "e")
    if degree:
        return rf"\sqrt[{degree}]{{{radicand}}}"
    return rf"\sqrt{{{radicand}}}"


def _write_large_operator(element: Element) -> str:
    """A sum, a product or an integral with its limits."""
    settings = child_of(element, "m:naryPr")
    sign = child_value(settings, "m:chr") or "∫"
    operator = _OPERATORS.get(sign, sign)
    scripts = _scripts_of(element)
    body = _part(element, "e")
    return f"{operator}{scripts} {body}"


def _write_brackets(element: Element) -> str:
    """Arguments in brackets, divided by a sign."""
    settings = child_of(element, "m:dPr")
    opening = child_value(settings, "m:begChr")
    closing = child_value(settings, "m:endChr")
    between = child_value(settings, "m:sepChr") or "|"
    left = "("
    if opening is not None:
        left = _escape_tex(opening)
    right = ")"
    if closing is not None:
        right = _escape_tex(closing)
    inside = between.join(_arguments(element))
    return left + inside + right


def _write_accent(element: Element) -> str:
    """A letter with a sign above it."""
    settings = child_of(element, "m:accPr")
    sign = child_value(settings, "m:chr") or "\u0302"
    command = _ACCENTS.get(sign, r"\overline")
    letter = _part(element, "e")
    return f"{command}{{{letter}}}"


def _write_matrix(element: Element) -> str:
    """A matrix, row by row."""
    rows: list[str] = []
    for row in children_of(element, "m:mr"):
        cells = _arguments(row)
        rows.append(" & ".join(cells))
    lines = _LINE_BREAK.join(rows)
    return rf"\begin{{matrix}}{lines}\end{{matrix}}"


_WRITERS: dict[str, Callable[[Element], str]] = {
    "m:sSup": _write_scripts,
    "m:sSub": _write_scripts,
    "m:sSubSup": _write_scripts,
    "m:sPre": _write_scripts,
    "m:rad": _write_root,
    "m:nary": _write_large_operator,
    "m:d": _write_brackets,
    "m:acc": _write_accent,
    "m:m": _write_matrix,
}
