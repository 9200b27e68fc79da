"""Texts of bibliographies: TeX decoded, and words folded for comparison.

Both sides of a comparison are folded by `fold_words`, without markup, TeX, case, accents and
punctuation, so that "Heged{\\H u}s" and "Hegedűs" are one word.
"""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache

_ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", "u": "\u0306",
    ".": "\u0307", '"': "\u0308", "r": "\u030a", "H": "\u030b", "v": "\u030c", "d": "\u0323",
    "c": "\u0327", "k": "\u0328", "b": "\u0331",
}  # fmt: skip
_SYMBOLS = {
    "ss": "ß", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ae": "æ", "AE": "Æ", "oe": "œ",
    "OE": "Œ", "aa": "å", "AA": "Å", "i": "i", "j": "j", "dh": "ð", "DH": "Ð", "dj": "đ",
    "DJ": "Đ", "th": "þ", "TH": "Þ", "ng": "ŋ", "textendash": "–", "textemdash": "—",
    "ldots": "…", "dots": "…", "textquoteright": "’", "textquoteleft": "‘", "infty": "∞",
    "textasciitilde": "~", "textbackslash": "\\", "lbrace": "{", "rbrace": "}",
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε",
    "varepsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ", "kappa": "κ",
    "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ",
    "tau": "τ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
    "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Pi": "Π", "Sigma": "Σ",
    "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
}  # fmt: skip
# An accent and its letter: \"o \"{o} {\"o} \H u \H{u} \'\i \c{c}
_ACCENTED = re.compile(
    r"\\(?P<accent>[`'^~=.\"]|[urHvdckb](?![A-Za-z]))\s{0,3}"
    r"(?:\{\s{0,3}(?:\\(?P<held>[ij])|(?P<inner>[^\W\d_]))\s{0,3}\}"
    r"|\\(?P<bare>[ij])(?![A-Za-z])|(?P<letter>[^\W\d_]))"
)
_COMMAND = re.compile(r"\\([A-Za-z]{1,30})\*?\s?")
_ESCAPED = re.compile(r"\\([&%$#_{}, ;!:/-])")
_BRACES = re.compile(r"[{}$]")


def decode_tex(text: str) -> str:
    """The text as it is printed; one without TeX stays as it is."""
    if "\\" not in text and "{" not in text and "$" not in text and "~" not in text:
        return text
    text = _ACCENTED.sub(_put_accent, text)
    text = _ESCAPED.sub(lambda found: " " if found[1] in ", ;!:/-" else found[1], text)
    text = _COMMAND.sub(lambda found: _SYMBOLS.get(found[1], ""), text)
    text = text.replace("~", " ").replace("---", "—").replace("--", "–")
    text = text.replace("``", "“").replace("''", "”")
    return unicodedata.normalize("NFC", _BRACES.sub("", text))


def _put_accent(found: re.Match[str]) -> str:
    letter = found["held"] or found["inner"] or found["bare"] or found["letter"]
    return letter + _ACCENTS[found["accent"]]


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
