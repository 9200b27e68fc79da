"""Characters of the Symbol and Wingdings fonts, which Office keeps by their place in the font ->
Unicode.
"""

from __future__ import annotations

_SYMBOL = dict(
    zip(
        range(0x41, 0x7B),
        "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ",
        strict=True,
    )
) | {
    0x22: "∀", 0x24: "∃", 0x40: "≅", 0xA2: "′", 0xA3: "≤", 0xA5: "∞", 0xAB: "↔", 0xAC: "←",
    0xAD: "↑", 0xAE: "→", 0xAF: "↓", 0xB0: "°", 0xB1: "±", 0xB2: "″", 0xB3: "≥", 0xB4: "×",
    0xB5: "∝", 0xB6: "∂", 0xB7: "•", 0xB8: "÷", 0xB9: "≠", 0xBA: "≡", 0xBB: "≈", 0xBC: "…",
    0xC5: "⊕", 0xC6: "∅", 0xC7: "∩", 0xC8: "∪", 0xCE: "∈", 0xCF: "∉", 0xD1: "∇", 0xD2: "®",
    0xD3: "©", 0xD4: "™", 0xD6: "√", 0xD7: "⋅", 0xD8: "¬", 0xD9: "∧", 0xDA: "∨", 0xDB: "⇔",
    0xDE: "⇒", 0xE5: "∑", 0xF2: "∫",
}  # fmt: skip
_WINGDINGS = {
    0x4A: "☺", 0x4C: "☹", 0x6C: "●", 0x6E: "■", 0x6F: "□", 0x71: "❑", 0x72: "❒", 0x75: "◆",
    0x76: "❖", 0xA7: "▪", 0xA8: "◻", 0xD8: "➢", 0xDF: "←", 0xE0: "→", 0xE1: "↑", 0xE2: "↓",
    0xE8: "➔", 0xF0: "⇨", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip
_PRIVATE = 0xF000


def symbol_of(font: str, code: str) -> str:
    """The character of a `sym` element; empty where nobody knows it."""
    try:
        number = int(code[:6], 16)
    except ValueError:
        return ""
    place = number
    if _PRIVATE <= number < _PRIVATE + 0x100:
        place = number - _PRIVATE
    table: dict[int, str] = {}
    if font.lower().startswith("symbol"):
        table = _SYMBOL
    elif "wingdings" in font.lower():
        table = _WINGDINGS
    if place in table:
        return table[place]
    is_private = _PRIVATE <= number <= 0xF8FF
    is_surrogate = 0xD800 <= number < 0xE000
    if is_private or is_surrogate or not 0x20 <= number < 0x110000:
        return ""
    return chr(number)
