"""Texts of bibliographies: TeX decoded, words folded for comparison, titles compared.

Both sides of a comparison are folded by `fold_words`: no markup, TeX, case, accents, punctuation.
Titles are the same with equal letters and digits, or if one is the other without its subtitle. Near
titles share most words; they may be sequels or other works, so the differing words are shown.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import islice
from typing import Literal

_ACCENTS = dict(zip("`'^~=u.\"rHvdckb", "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a"
                    "\u030b\u030c\u0323\u0327\u0328\u0331", strict=True))  # fmt: skip
_SYMBOL_TABLE = """
ss=ß o=ø O=Ø l=ł L=Ł ae=æ AE=Æ oe=œ OE=Œ aa=å AA=Å i=i j=j dh=ð DH=Ð dj=đ DJ=Đ th=þ TH=Þ ng=ŋ
textendash=– textemdash=— ldots=… dots=… textquoteright=’ textquoteleft=‘ infty=∞ textasciitilde=~
textbackslash=\\ lbrace={ rbrace=} alpha=α beta=β gamma=γ delta=δ epsilon=ε varepsilon=ε zeta=ζ
eta=η theta=θ kappa=κ lambda=λ mu=μ nu=ν xi=ξ pi=π rho=ρ sigma=σ tau=τ phi=φ varphi=φ chi=χ psi=ψ
omega=ω Gamma=Γ Delta=Δ Theta=Θ Lambda=Λ Pi=Π Sigma=Σ Phi=Φ Psi=Ψ Omega=Ω
"""
_SYMBOLS = dict(pair.split("=") for pair in _SYMBOL_TABLE.split())
# An accent and its letter: \"o \"{o} {\"o} \H u \H{u} \'\i \c{c}
_ACCENTED = re.compile(
    r"\\(?P<accent>[`'^~=.\"]|[urHvdckb](?![A-Za-z]))\s{0,3}"
    r"(?:\{\s{0,3}(?:\\(?P<held>[ij])|(?P<inner>[^\W\d_]))\s{0,3}\}"
    r"|\\(?P<bare>[ij])(?![A-Za-z])|(?P<letter>[^\W\d_]))"
)
_COMMAND = re.compile(r"\\([A-Za-z]{1,30})\*?\s?")
_ESCAPED = re.compile(r"\\([&%$#_{}, ;!:/-])")


def decode_tex(text: str) -> str:
    """Return the printed form of a text with TeX commands."""
    if not re.search(r"[\\{$~]", text):
        return text
    text = _ACCENTED.sub(
        lambda found: next(filter(None, found.groups()[1:])) + _ACCENTS[found["accent"]], text
    )
    text = _ESCAPED.sub(lambda found: " " if found[1] in ", ;!:/-" else found[1], text)
    text = _COMMAND.sub(lambda found: _SYMBOLS.get(found[1], ""), text)
    text = text.replace("~", " ").replace("---", "—").replace("--", "–")
    text = text.replace("``", "“").replace("''", "”")
    return unicodedata.normalize("NFC", re.sub(r"[{}$]", "", text))


_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
_WORD = re.compile(r"[^\W_]+")
_MAX_LENGTH = 4_000  # characters of a field that are compared
# Letters that NFKD does not decompose.
_LETTERS = str.maketrans(
    {
        "ß": "ss", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "æ": "ae",
        "œ": "oe", "ħ": "h", "ŋ": "n", "ŧ": "t", "’": "", "‘": "", "ʼ": "", "'": "",
        "∞": " infinity ", "&": " and ", "\u00ad": "", "\u200b": "",
    }
    | {
        letter: f" {unicodedata.name(letter).split()[3].lower()} "
        for letter in "αβγδεζηθκμνξπρστφχψω"
    }
    | {"λ": " lambda "}
)  # fmt: skip


@lru_cache(maxsize=4096)
def fold_words(text: str) -> tuple[str, ...]:
    """Return the folded words of a text."""
    plain = _TAG.sub("", html.unescape(html.unescape(text[:_MAX_LENGTH])))
    plain = unicodedata.normalize("NFKD", decode_tex(plain)).casefold()
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return tuple(_WORD.findall(plain.translate(_LETTERS)))


def fold_letters(text: str) -> str:
    """Return the folded letters and digits of a text."""
    return "".join(fold_words(text))


Likeness = Literal["same", "short", "near", "other"]
_ORDER: tuple[Likeness, ...] = ("other", "near", "short", "same")
_NEAR_WORDS = 0.6  # share of common words of near titles
_MAX_WORDS = 60
_SUBTITLE = re.compile(r"\s*[:?.\u2013\u2014\u2012]\s+|\s+-\s+|\s*:\s*")
_MAX_PARTS = 16
_MIN_NAME = 4  # letters of a single word that can be a whole title
# Publishers put this before the title of a retracted work.
_MARK = re.compile(
    r"^\s*[\[(]?(?:retracted(?: article)?|withdrawn|retraction)[\])]?\s*[:.\u2013\u2014-]*\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class TitleMatch:
    """The most similar title of a record."""

    likeness: Likeness
    title: str = ""


def compare_titles(given: str, titles: Iterable[str]) -> TitleMatch:
    """Return the best match of a title among those of a record."""
    matches = [TitleMatch(_compare(given, title), title) for title in titles]
    return max(matches, key=lambda one: _ORDER.index(one.likeness), default=TitleMatch("other"))


def name_differences(given: str, other: str) -> str:
    """Return the words in which two titles differ: `"tuning" for "optimization"`."""
    left = fold_words(given)[:_MAX_WORDS]
    right = fold_words(other)[:_MAX_WORDS]
    pairs = []
    for tag, start, end, start2, end2 in SequenceMatcher(None, left, right, False).get_opcodes():
        if tag != "equal":
            pairs.append(f'"{" ".join(left[start:end])}" for "{" ".join(right[start2:end2])}"')
    return ", ".join(pairs[:4])


def _compare(given: str, title: str) -> Likeness:
    given = _MARK.sub("", given, count=1)
    title = _MARK.sub("", title, count=1)
    left = fold_words(given)
    right = fold_words(title)
    if not left or not right:
        return "other"
    if "".join(left) == "".join(right):
        return "same"
    if _is_main_title(given, right) or _is_main_title(title, left):
        return "short"
    left, right = left[:_MAX_WORDS], right[:_MAX_WORDS]
    blocks = SequenceMatcher(None, left, right, False).get_matching_blocks()
    common = sum(block.size for block in blocks)
    return "near" if common >= _NEAR_WORDS * max(len(left), len(right)) else "other"


def _is_main_title(whole: str, words: Sequence[str]) -> bool:
    """Return whether the words are the title before its subtitle."""
    letters = "".join(words)
    if len(letters) < _MIN_NAME and len(words) < 2:  # the name of a method
        return False
    ends = [found.start() for found in islice(_SUBTITLE.finditer(whole), _MAX_PARTS)]
    return any(fold_letters(whole[:end]) == letters for end in ends)
