"""A text of a reference or a record -> its words as they are compared: without markup, TeX, case,
accents and punctuation.

Both sides are folded by the same function, so that "Heged{\\H u}s" and "Hegedűs" are one word.
"""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache

from webquarry.verify.references.forms.tex import decode_tex

_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
_WORD = re.compile(r"[^\W_]+")
_LONGEST = 4_000  # characters of a field that are compared
# Letters that no decomposition takes apart.
_LETTERS = str.maketrans(
    {
        "ß": "ss", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "æ": "ae",
        "œ": "oe", "ħ": "h", "ŋ": "n", "ĸ": "k", "ŧ": "t", "’": "'", "‘": "'", "ʼ": "'",
        "α": " alpha ", "β": " beta ", "γ": " gamma ", "δ": " delta ", "ε": " epsilon ",
        "ϵ": " epsilon ", "ζ": " zeta ", "η": " eta ", "θ": " theta ", "κ": " kappa ",
        "λ": " lambda ", "μ": " mu ", "ν": " nu ", "ξ": " xi ", "π": " pi ", "ρ": " rho ",
        "σ": " sigma ", "τ": " tau ", "φ": " phi ", "ϕ": " phi ", "χ": " chi ", "ψ": " psi ",
        "ω": " omega ", "∞": " infinity ", "&": " and ", "\u00ad": "", "\u200b": "",
    }
)  # fmt: skip
_GREEK = re.compile(r"[\u0370-\u03ff]")


@lru_cache(maxsize=4096)
def fold_words(text: str) -> tuple[str, ...]:
    """The words of a text, folded."""
    plain = _TAG.sub("", html.unescape(html.unescape(text[:_LONGEST])))
    plain = decode_tex(plain)
    plain = unicodedata.normalize("NFKD", plain).casefold()
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    is_greek = len(_GREEK.findall(plain)) > 12  # a text in Greek, not one with formulas
    if not is_greek:
        plain = plain.translate(_LETTERS)
    plain = plain.replace("'", "")
    return tuple(_WORD.findall(plain))


def fold_letters(text: str) -> str:
    """Letters and digits alone: blanks and hyphens make no difference."""
    return "".join(fold_words(text))
