"""Formulas in a page -> TeX between dollar signs.

TeX that came along with a formula (an annotation, a fallback image, a script of MathJax) is not
shown by browsers. It is taken only where it says what the reader sees; otherwise the visible MathML
is written out.
"""

from __future__ import annotations

import re
from collections import Counter

from lxml import etree

from webquarry.read.html.tree import text_of, texts_of
from webquarry.read.text.characters import strip_invisible
from webquarry.read.text.delimiters import defuse_verbatim

_LONGEST = 4_000  # characters
_LONGEST_SEEN = 20_000
_DEEPEST = 60
_TEX_ENCODINGS = frozenset({"application/x-tex", "tex", "latex", "application/x-latex"})
_WRAPPED = re.compile(r"\{\\(?:display|text|script)style\s*(.*)\}", re.DOTALL)
_COMMAND = re.compile(r"\\(?:begin|end|color|operatorname|label|tag)\*?\s*\{[^{}]*\}|\\[a-zA-Z]+")
_WORDS = re.compile(r"[^\W\d_]{3,}")
_SPACES = re.compile(r"\s+")
_IMAGE_CLASS = re.compile(
    r"(?:^|\s)(?:mwe-math-fallback-image\S*|tex|latex|math|mathjax|ql-img-\S+)(?:\s|$)"
)
_TEX_SIGN = re.compile(r"[\\^_={}+<>/-]|^\W*\w\W*$|\d")
_SIGNS = {
    "mfrac": ("\\frac{", "}{", "}"), "msup": ("", "^", ""), "msub": ("", "_", ""), "msubsup": ("", "_", "^", ""),
    "munder": ("", "_", ""), "mover": ("", "^", ""), "munderover": ("", "_", "^", ""),
}  # fmt: skip
_LEFT_OUT = frozenset({"annotation", "annotation-xml", "mspace", "mphantom"})


def is_formula_image(element: etree._Element) -> bool:
    """Whether an image stands for a formula that its alternative text spells out."""
    return bool(_IMAGE_CLASS.search(element.get("class") or "")) and bool(
        _TEX_SIGN.search(element.get("alt") or "")
    )


def from_image(element: etree._Element, removed: Counter[str]) -> str:
    """The formula of an image; in a display of its own if its class says so."""
    names = element.get("class") or ""
    return _dollars(element.get("alt") or "", "display" in names and "inline" not in names, removed)


def from_script(element: etree._Element, removed: Counter[str]) -> str:
    """The formula of a script that MathJax typesets; empty where the script holds something else."""
    tex = element.text or ""
    if len(_WORDS.findall(_COMMAND.sub(" ", tex))) > 12 or not _TEX_SIGN.search(tex):
        return ""
    return _dollars(tex, "mode=display" in (element.get("type") or ""), removed)


def from_mathml(math: etree._Element, removed: Counter[str]) -> str:
    """The formula of a `math` element."""
    display = math.get("display") == "block" or "display" in (math.get("mode") or "")
    annotations = (
        one
        for one in math.iter("annotation")
        if (one.get("encoding") or "").strip().lower() in _TEX_ENCODINGS
    )
    annotation = next(annotations, None)
    for tex in ("" if annotation is None else text_of(annotation), math.get("alttext") or ""):
        if _says_what_is_seen(tex, math):
            return _dollars(tex, display, removed)
    return _dollars(_written_out(math, 0), display, removed)


def _says_what_is_seen(tex: str, math: etree._Element) -> bool:
    """Every word of the TeX, commands aside, must be visible in the MathML too."""
    if not tex.strip() or len(tex) > _LONGEST:
        return False
    seen = "".join(_seen_texts(math))
    return len(seen) <= _LONGEST_SEEN and all(
        word in seen for word in _WORDS.findall(_COMMAND.sub(" ", tex))
    )


def _seen_texts(math: etree._Element) -> list[str]:
    texts = []
    for element in math.iter():
        if element.tag not in _LEFT_OUT and element.text:
            texts.append(_SPACES.sub("", element.text))
    return texts


def _written_out(element: etree._Element, depth: int) -> str:
    """MathML as TeX, plain but readable."""
    tag = element.tag
    if not isinstance(tag, str) or tag in _LEFT_OUT:
        return ""
    if depth > _DEEPEST:
        return " ".join(texts_of(element))
    parts = [(element.text or "").strip(), *(_written_out(child, depth + 1) for child in element)]
    if tag in _SIGNS and len(parts) == len(_SIGNS[tag]):
        grouped = parts[1:] if tag == "mfrac" else map(_group, parts[1:])
        return "".join(sign + part for sign, part in zip(_SIGNS[tag], [*grouped, ""], strict=True))
    if tag == "mroot" and len(parts) == 3:
        return rf"\sqrt[{parts[2]}]{{{parts[1]}}}"
    inside = " ".join(part for part in parts if part)
    if tag == "msqrt":
        return rf"\sqrt{{{inside}}}"
    return f" {inside} " if tag in ("mtr", "mtd", "mtext") else inside


def _group(tex: str) -> str:
    return tex if len(tex) == 1 else f"{{{tex}}}"


def _dollars(tex: str, display: bool, removed: Counter[str]) -> str:
    tex = (
        _SPACES.sub(" ", tex[:_LONGEST]).strip().strip("$").strip().replace("`", "'")
    )  # a tick would start code
    if found := _WRAPPED.fullmatch(tex):
        tex = found[1].strip()
    tex = defuse_verbatim(strip_invisible(tex, removed), removed)
    if not tex:
        return ""
    return f"$${tex}$$" if display else f"${tex}$"
