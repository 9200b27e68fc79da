"""Formulas in a page -> TeX between dollar signs.

TeX that came along with a formula (an annotation, a fallback image, a script of MathJax) is not
shown by browsers. It is taken only where it says what the reader sees; otherwise the visible MathML
is written out.
"""

from __future__ import annotations

import re
from collections import Counter

from lxml import etree

from webquarry._read.html.tree import text_of, texts_of
from webquarry._read.text.characters import strip_invisible
from webquarry._read.text.delimiters import defuse_verbatim

_LONGEST = 4_000  # characters
_LONGEST_SEEN = 20_000
_DEEPEST = 60
_MOST_WORDS = 12  # a script with more of them is no formula
_TEX_ENCODINGS = frozenset({"application/x-tex", "tex", "latex", "application/x-latex"})
_WRAPPED = re.compile(r"\{\\(?:display|text|script)style\s*+(.*)\}", re.DOTALL)
_COMMAND = re.compile(r"\\(?:begin|end|color|operatorname|label|tag)\*?\s*\{[^{}]*\}|\\[a-zA-Z]+")
_WORDS = re.compile(r"[^\W\d_]{3,}")
_SPACES = re.compile(r"\s+")
_IMAGE_CLASS = re.compile(
    r"(?:^|\s)(?:mwe-math-fallback-image\S*|tex|latex|math|mathjax|ql-img-\S+)(?:\s|$)"
)
_TEX_SIGN = re.compile(r"[\\^_={}+<>/-]|^\W*\w\W*$|\d")
# What stands before, between and behind the children of an element.
_SIGNS = {
    "mfrac": ("\\frac{", "}{", "}"),
    "msup": ("", "^", ""),
    "msub": ("", "_", ""),
    "msubsup": ("", "_", "^", ""),
    "munder": ("", "_", ""),
    "mover": ("", "^", ""),
    "munderover": ("", "_", "^", ""),
}
_LEFT_OUT = frozenset({"annotation", "annotation-xml", "mspace", "mphantom"})


def is_formula_image(element: etree._Element) -> bool:
    """Whether an image stands for a formula that its alternative text spells out."""
    names = element.get("class") or ""
    if _IMAGE_CLASS.search(names) is None:
        return False
    tex = element.get("alt") or ""
    return _TEX_SIGN.search(tex) is not None


def read_image(element: etree._Element, removed: Counter[str]) -> str:
    """The formula of an image; in a display of its own if its class says so."""
    names = element.get("class") or ""
    display = "display" in names and "inline" not in names
    return _format_tex(element.get("alt") or "", display, removed)


def read_script(element: etree._Element, removed: Counter[str]) -> str:
    """The formula of a script that MathJax typesets; empty where it holds something else."""
    tex = element.text or ""
    if len(_find_words(tex)) > _MOST_WORDS or not _TEX_SIGN.search(tex):
        return ""
    display = "mode=display" in (element.get("type") or "")
    return _format_tex(tex, display, removed)


def read_mathml(math: etree._Element, removed: Counter[str]) -> str:
    """The formula of a `math` element."""
    display = math.get("display") == "block" or "display" in (math.get("mode") or "")
    annotated = ""
    for annotation in math.iter("annotation"):
        encoding = (annotation.get("encoding") or "").strip().lower()
        if encoding in _TEX_ENCODINGS:
            annotated = text_of(annotation)
            break
    for tex in (annotated, math.get("alttext") or ""):
        if _is_visible_in(math, tex):
            return _format_tex(tex, display, removed)
    written_out = _mathml_to_tex(math, 0)
    return _format_tex(written_out, display, removed)


def _is_visible_in(math: etree._Element, tex: str) -> bool:
    """Whether every word of the TeX, commands aside, is visible in the MathML too."""
    if not tex.strip() or len(tex) > _LONGEST:
        return False
    texts = []
    for element in math.iter():
        if element.tag not in _LEFT_OUT and element.text:
            texts.append(_SPACES.sub("", element.text))
    visible = "".join(texts)
    if len(visible) > _LONGEST_SEEN:
        return False
    return all(word in visible for word in _find_words(tex))


def _find_words(tex: str) -> list[str]:
    """The words of TeX, commands aside."""
    without_commands = _COMMAND.sub(" ", tex)
    return _WORDS.findall(without_commands)


def _mathml_to_tex(element: etree._Element, depth: int) -> str:
    """MathML as TeX, plain but readable."""
    tag = element.tag
    if not isinstance(tag, str) or tag in _LEFT_OUT:
        return ""
    if depth > _DEEPEST:
        return " ".join(texts_of(element))
    children = [_mathml_to_tex(child, depth + 1) for child in element]
    signs = _SIGNS.get(tag)
    if signs is not None and len(children) == len(signs) - 1:
        tex = signs[0]
        for child, sign in zip(children, signs[1:], strict=True):
            if tag != "mfrac" and len(child) != 1:  # the signs of a fraction are braces themselves
                child = f"{{{child}}}"
            tex += child + sign
        return tex
    if tag == "mroot" and len(children) == 2:
        base, index = children
        return rf"\sqrt[{index}]{{{base}}}"
    parts = [(element.text or "").strip(), *children]
    inside = " ".join(filter(None, parts))
    if tag == "msqrt":
        return rf"\sqrt{{{inside}}}"
    if tag in ("mtr", "mtd", "mtext"):
        return f" {inside} "
    return inside


def _format_tex(tex: str, display: bool, removed: Counter[str]) -> str:
    """TeX between dollar signs; nothing for nothing."""
    tex = _SPACES.sub(" ", tex[:_LONGEST])
    tex = tex.strip().strip("$").strip()
    tex = tex.replace("`", "'")  # a tick would start code
    wrapped = _WRAPPED.fullmatch(tex)
    if wrapped is not None:
        tex = wrapped[1].strip()
    tex = strip_invisible(tex, removed)
    tex = defuse_verbatim(tex, removed)
    if not tex:
        return ""
    if display:
        return f"$${tex}$$"
    return f"${tex}$"
