"""Charts, diagrams, symbols and formulas of Office files as text, tables and TeX."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from itertools import islice, zip_longest

from webquarry._read.documents.office import (
    Element,
    child_value,
    children_of,
    find_child,
    name_of,
    parse_number,
)
from webquarry._read.text.characters import strip_invisible
from webquarry._read.text.delimiters import defuse_verbatim

_MOST_POINTS = 500  # of one series
_MOST_SERIES = 30
_MOST_TEXTS = 500
_VALUES = ("c:val", "c:yVal", "c:bubbleSize")
_CATEGORIES = ("c:cat", "c:xVal")


def read_chart_title(root: Element) -> str:
    """Return the title of a chart, if it has one."""
    title = find_child(root, "c:chart", "c:title")
    return " ".join(_texts(title, "a:t")).strip()


def read_chart_rows(root: Element) -> list[list[str]]:
    """Return the values of a chart: a row per category, a column per series."""
    names: list[str] = []
    columns: list[list[str]] = []
    categories: list[str] = []
    all_series = (one for one in root.iter() if name_of(one.tag) == "c:ser")
    for series in islice(all_series, _MOST_SERIES):
        names.append(" ".join(_texts(find_child(series, "c:tx"), "c:v")))
        columns.append(_read_points(series, _VALUES))
        categories = categories or _read_points(series, _CATEGORIES)
    if not any(columns):
        return []
    rows = zip_longest(categories, *columns, fillvalue="")
    return [["", *names], *map(list, rows)]


def read_diagram_texts(root: Element) -> list[str]:
    """Return the texts of a diagram (SmartArt), one per point."""
    texts: list[str] = []
    for point in root.iter():
        if name_of(point.tag) == "dgm:pt":
            texts.append(" ".join("".join(_texts(point, "a:t")).split()))
    return list(filter(None, texts))[:_MOST_TEXTS]


def _read_points(series: Element, names: tuple[str, ...]) -> list[str]:
    """Return the cached values of the first of these elements, by index."""
    cells = (find_child(series, name) for name in names)
    first = next((cell for cell in cells if cell is not None), None)
    if first is None:
        return []
    found: dict[int, str] = {}
    for point in first.iter():
        index = parse_number(point.get("idx"))
        if name_of(point.tag) == "c:pt" and index is not None and index < _MOST_POINTS:
            found[index] = " ".join(_texts(point, "c:v"))
    return [found.get(index, "") for index in range(max(found, default=-1) + 1)]


def _texts(element: Element | None, name: str) -> list[str]:
    """Return the texts of the descendants of that name."""
    inner = [] if element is None else element.iter()
    return [one.text for one in inner if name_of(one.tag) == name and one.text]


# Characters of Wingdings: arrows that Word writes for `-->`, check marks and bullets.
_WINGDINGS = {
    0xA7: "▪", 0xA8: "□", 0xD8: "➢", 0xDF: "←", 0xE0: "→", 0xF3: "⇔", 0xFB: "✗", 0xFC: "✓",
    0xFD: "☒", 0xFE: "☑",
}  # fmt: skip
_GREEK = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ"
_SYMBOLS_BY_FONT = {"wingdings": _WINGDINGS, "symbol": dict(enumerate(_GREEK, ord("A")))}
_PRIVATE = 0xF000


def symbol_of(font: str, code: str) -> str:
    """Return the Unicode character of a `sym` element; empty if it is unknown."""
    try:
        number = int(code[:6], 16)
    except ValueError:
        return ""
    index = number - _PRIVATE if _PRIVATE <= number < _PRIVATE + 0x100 else number
    for name, symbols in _SYMBOLS_BY_FONT.items():
        if name in font.lower():
            return symbols.get(index, "")
    character = chr(number) if number < 0x110000 else ""
    return character if character.isprintable() else ""  # not one of private use


_LONGEST_FORMULA = 4_000  # characters
_SPACES = re.compile(r"\s+")
_PROPERTIES = re.compile(r"m:\w+Pr")
_SPECIAL = re.compile(r"([#$%&_{}])")
_TEMPLATES = {  # formulas that consist of their parts
    "m:f": (r"\frac{{{}}}{{{}}}", ("num", "den")),
    "m:func": ("{} {}", ("fName", "e")),
    "m:bar": (r"\overline{{{}}}", ("e",)),
    "m:limLow": ("{}_{{{}}}", ("e", "lim")),
    "m:limUpp": ("{}^{{{}}}", ("e", "lim")),
    "m:sSup": ("{}^{{{}}}", ("e", "sup")),
    "m:sSub": ("{}_{{{}}}", ("e", "sub")),
    "m:sSubSup": ("{}_{{{}}}^{{{}}}", ("e", "sub", "sup")),
    "m:sPre": ("_{{{}}}^{{{}}}{}", ("sub", "sup", "e")),
}
_OPERATORS = {
    "∑": r"\sum", "∏": r"\prod", "∫": r"\int", "∬": r"\iint", "∮": r"\oint", "⋃": r"\bigcup",
    "⋂": r"\bigcap",
}  # fmt: skip


def to_tex(math: Element, removed: Counter[str]) -> str:
    """Return an OMML formula as TeX between dollar signs; empty if there is none."""
    tex = _SPACES.sub(" ", _write_children(math)).strip()
    visible = strip_invisible(tex[:_LONGEST_FORMULA], removed)
    safe = defuse_verbatim(visible, removed)
    return f"${safe}$" if safe else ""


def _write_children(element: Element | None) -> str:
    return "" if element is None else "".join(map(_write, element))


def _write(element: Element) -> str:
    """Return an element as TeX; unknown elements are written as their children."""
    name = name_of(element.tag)
    if name in ("m:t", "w:t"):
        return _escape_tex(element.text or "")
    if _PROPERTIES.fullmatch(name) or name in ("w:rPr", "w:del", "w:moveFrom"):
        return ""
    if name in _TEMPLATES:
        template, parts = _TEMPLATES[name]
        return template.format(*(_part(element, part) for part in parts))
    writer = _WRITERS.get(name, _write_children)
    return writer(element)


def _write_root(element: Element) -> str:
    degree = _part(element, "deg")
    root = rf"\sqrt[{degree}]" if degree else r"\sqrt"
    return f"{root}{{{_part(element, 'e')}}}"


def _write_sum(element: Element) -> str:
    sign = child_value(find_child(element, "m:naryPr"), "m:chr") or "∫"
    lower, upper = _part(element, "sub"), _part(element, "sup")
    limits = (f"_{{{lower}}}" if lower else "") + (f"^{{{upper}}}" if upper else "")
    return f"{_OPERATORS.get(sign, sign)}{limits} {_part(element, 'e')}"


def _write_brackets(element: Element) -> str:
    settings = find_child(element, "m:dPr")
    opening = child_value(settings, "m:begChr")
    closing = child_value(settings, "m:endChr")
    left = "(" if opening is None else _escape_tex(opening)
    right = ")" if closing is None else _escape_tex(closing)
    separator = child_value(settings, "m:sepChr") or "|"
    return left + separator.join(_arguments(element)) + right


def _write_matrix(element: Element) -> str:
    rows = [" & ".join(_arguments(row)) for row in children_of(element, "m:mr")]
    return r"\begin{matrix}" + r" \\ ".join(rows) + r"\end{matrix}"


def _write_lines(element: Element) -> str:
    return r" \\ ".join(_arguments(element))


_WRITERS: dict[str, Callable[[Element], str]] = {
    "m:d": _write_brackets,
    "m:eqArr": _write_lines,
    "m:m": _write_matrix,
    "m:nary": _write_sum,
    "m:rad": _write_root,
}


def _escape_tex(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def _part(element: Element, name: str) -> str:
    return _write_children(find_child(element, f"m:{name}")).strip()


def _arguments(element: Element) -> list[str]:
    return [_write_children(argument).strip() for argument in children_of(element, "m:e")]
