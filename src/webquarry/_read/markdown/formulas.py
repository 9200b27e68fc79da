"""Formulas in a page as TeX between dollar signs.

Browsers do not show TeX that accompanies a formula (an annotation, a fallback image). It is used
only if its words are visible; otherwise the MathML is converted.
"""

from __future__ import annotations

import re
from collections import Counter

from lxml import etree

from webquarry._read.html.tree import text_of
from webquarry._read.text.characters import strip_invisible
from webquarry._read.text.delimiters import defuse_verbatim

_MAX_TEX = 4_000  # characters
_MAX_VISIBLE = 20_000
_MAX_DEPTH = 60
_TEX_ENCODINGS = frozenset({"application/x-tex", "tex", "latex", "application/x-latex"})
_WRAPPED = re.compile(r"\{\\(?:display|text|script)style\s*+(.*)\}", re.DOTALL)
_COMMAND = re.compile(r"\\(?:begin|end|color|operatorname|label|tag)\*?\s*\{[^{}]*\}|\\[a-zA-Z]+")
_WORDS = re.compile(r"[^\W\d_]{3,}")
_SPACES = re.compile(r"\s+")
_IMAGE_CLASS = re.compile(
    r"(?:^|\s)(?:mwe-math-fallback-image\S*|tex|latex|math|mathjax|ql-img-\S+)(?:\s|$)"
)
_TEX_SIGN = re.compile(r"[\\^_={}+<>/-]|^\W*\w\W*$|\d")
# TeX before, between and after the children of an element.
_SIGNS = {
    "mfrac": ("\\frac{", "}{", "}"),
    "msup": ("", "^", ""),
    "msub": ("", "_", ""),
    "msubsup": ("", "_", "^", ""),
    "munder": ("", "_", ""),
    "mover": ("", "^", ""),
    "munderover": ("", "_", "^", ""),
}
_SKIPPED = frozenset({"annotation", "annotation-xml", "mspace", "mphantom"})


def is_formula_image(element: etree._Element) -> bool:
    """Whether an image is a formula with TeX as its alternative text."""
    names = element.get("class") or ""
    if _IMAGE_CLASS.search(names) is None:
        return False
    tex = element.get("alt") or ""
    return _TEX_SIGN.search(tex) is not None


def read_image(element: etree._Element, removed: Counter[str]) -> str:
    """Return the formula of an image."""
    names = element.get("class") or ""
    is_display = "display" in names and "inline" not in names
    tex = element.get("alt") or ""
    return _format_tex(tex, is_display, removed)


def read_mathml(math: etree._Element, removed: Counter[str]) -> str:
    """Return the formula of a `math` element."""
    is_display = math.get("display") == "block" or "display" in (math.get("mode") or "")
    annotated = ""
    for annotation in math.iter("annotation"):
        encoding = (annotation.get("encoding") or "").strip().lower()
        if encoding in _TEX_ENCODINGS:
            annotated = text_of(annotation)
            break
    for tex in (annotated, math.get("alttext") or ""):
        if _is_visible(math, tex):
            return _format_tex(tex, is_display, removed)
    converted = _to_tex(math, 0)
    return _format_tex(converted, is_display, removed)


def _is_visible(math: etree._Element, tex: str) -> bool:
    """Whether all words of TeX, except for commands, are visible in MathML."""
    if not tex.strip() or len(tex) > _MAX_TEX:
        return False
    texts = [one.text for one in math.iter() if one.text and one.tag not in _SKIPPED]
    visible = _SPACES.sub("", "".join(texts))
    return len(visible) <= _MAX_VISIBLE and all(word in visible for word in _find_words(tex))


def _find_words(tex: str) -> list[str]:
    """Return the words of TeX, except for commands."""
    without_commands = _COMMAND.sub(" ", tex)
    return _WORDS.findall(without_commands)


def _to_tex(element: etree._Element, depth: int) -> str:
    """Convert MathML to plain TeX."""
    tag = element.tag
    if not isinstance(tag, str) or tag in _SKIPPED:
        return ""
    if depth > _MAX_DEPTH:
        return text_of(element)
    children = [_to_tex(child, depth + 1) for child in element]
    signs = _SIGNS.get(tag)
    if signs is not None and len(children) == len(signs) - 1:
        tex = signs[0]
        for child, sign in zip(children, signs[1:], strict=True):
            is_braced = tag == "mfrac" or len(child) == 1
            tex += child + sign if is_braced else f"{{{child}}}{sign}"
        return tex
    if tag == "mroot" and len(children) == 2:
        return rf"\sqrt[{children[1]}]{{{children[0]}}}"
    inside = " ".join(filter(None, [(element.text or "").strip(), *children]))
    if tag == "msqrt":
        return rf"\sqrt{{{inside}}}"
    return f" {inside} " if tag in ("mtr", "mtd", "mtext") else inside


def _format_tex(tex: str, is_display: bool, removed: Counter[str]) -> str:
    """Return TeX between dollar signs; empty for blank TeX."""
    tex = _SPACES.sub(" ", tex[:_MAX_TEX])
    tex = tex.strip().strip("$").strip()
    tex = tex.replace("`", "'")  # a backtick would start code
    wrapped = _WRAPPED.fullmatch(tex)
    if wrapped is not None:
        tex = wrapped[1].strip()
    tex = strip_invisible(tex, removed)
    tex = defuse_verbatim(tex, removed)
    if not tex:
        return ""
    if is_display:
        return f"$${tex}$$"
    return f"${tex}$"
