"""TeX as bibliographies have it -> the characters that it prints.

Accents are put on their letters without a blank between them, whatever braces stand around
(`Heged{\\H u}s`); a command that is not known leaves its argument.
"""

from __future__ import annotations

import re
import unicodedata

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
