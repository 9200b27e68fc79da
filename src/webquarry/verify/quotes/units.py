"""Words and signs behind and before a number -> its unit in one spelling, and its scale."""

from __future__ import annotations

import re
from decimal import Decimal

SIGNS = "$€£¥₹₽₩"
_UNITS = {
    "percent": "% percent pct per_cent prozent pourcent pour_cent por_ciento por_cento per_cento "
    "процентов процента",
    "permille": "‰ permille promille",
    "percentage points": "percentage_points percentage_point prozentpunkte pp",
    "USD": "$ usd us$ dollars dollar",
    "EUR": "€ eur euros euro",
    "GBP": "£ gbp pounds_sterling",
    "JPY": "¥ jpy yen 円",
    "CNY": "元 yuan rmb",
    "INR": "₹ inr rupees",
    "RUB": "₽ rub рублей",
    "KRW": "₩ krw won",
    "CHF": "chf francs",
    "°C": "°c celsius",
    "°F": "°f fahrenheit",
    "km": "km kilometres kilometers kilometre kilometer",
    "mi": "miles mile",
    "m": "metres meters metre meter",
    "cm": "cm", "mm": "mm",
    "ft": "ft feet foot", "in": "inches inch",
    "kg": "kg kilograms kilogram", "g": "grams gram", "lb": "lb lbs pounds", "t": "tonnes tonne",
    "years": "years year jahre jahren ans años", "months": "months month monate",
    "weeks": "weeks week wochen", "days": "days day tage jours días",
    "hours": "hours hour stunden heures", "minutes": "minutes minute minuten",
    "seconds": "seconds second sekunden",
    "GB": "gb", "MB": "mb", "TB": "tb", "kB": "kb",
    "MW": "mw", "GW": "gw", "kWh": "kwh", "MWh": "mwh", "GWh": "gwh", "TWh": "twh",
}  # fmt: skip
_SCALES = {
    3: "thousand thousands tausend mille mil tsd. k тысяч тыс.",
    4: "万 萬",
    5: "lakh lakhs",
    6: "million millions millionen millones milioni milhões mio. mio mn миллионов млн",
    7: "crore crores",
    8: "亿 億",
    9: "billion billions milliarden milliarde milliards mrd. mrd bn миллиардов млрд miliardi",
    12: "trillion trillions billionen tn",
}


def _list_words(table: dict[str, str]) -> dict[str, str]:
    words = {}
    for name, spellings in table.items():
        for word in _split(spellings):
            words[word] = name
    return words


def _split(spellings: str) -> list[str]:
    """The spellings in a list; a line in one of them stands for a blank."""
    return [word.replace("_", " ") for word in spellings.split()]


_UNIT_OF = _list_words(_UNITS)
_SCALE_OF = {word: power for power, spellings in _SCALES.items() for word in _split(spellings)}


def _build_pattern(words: list[str]) -> str:
    longest_first = sorted(words, key=len, reverse=True)
    return "(?i:" + "|".join(map(re.escape, longest_first)) + ")"


UNIT = _build_pattern(list(_UNIT_OF))
SCALE = _build_pattern(list(_SCALE_OF))


def name_unit(written: str | None) -> str | None:
    """The unit that a word or a sign stands for."""
    if not written:
        return None
    word = written.strip().lower()
    return _UNIT_OF.get(word) or _UNIT_OF.get(word[-1:])


def scale_of(written: str | None) -> Decimal:
    """How many times a word such as million makes a number."""
    if not written:
        return Decimal(1)
    return Decimal(10) ** _SCALE_OF[written.lower()]
