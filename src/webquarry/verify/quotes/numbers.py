"""Numbers of a draft compared with a source: value and unit in any notation.

Units are never converted; a day with its month has the unit `date`. `found` is the same value with
the same unit, or with none in both texts, `rounded` one that the source has with more decimals,
`different` neither.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Literal

from webquarry.verify.quotes.findings import QuoteSpan
from webquarry.verify.quotes.source import SourceText

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
    "°": "degrees degree °",
    "mi": "miles mile",
    "km/h": "km/h kph kilometres_per_hour kilometers_per_hour",
    "mph": "mph miles_per_hour",
    "km²": "km² km2 square_kilometres square_kilometers",
    "m²": "m² m2 square_metres square_meters",
    "m³": "m³ m3 cubic_metres cubic_meters",
    "ha": "ha hectares hectare", "acre": "acres acre",
    "ft": "ft feet foot", "in": "inches inch", "nmi": "nautical_miles nautical_mile",
    "lb": "lb lbs pounds pound", "oz": "oz ounces ounce", "t": "t tonnes tonne",
    "years": "years year jahre jahren ans años", "months": "months month monate",
    "weeks": "weeks week wochen", "days": "days day tage jours días",
    "hours": "h hours hour stunden heures", "minutes": "min minutes minute minuten",
    "seconds": "seconds second sekunden",
    "date": "january february march april june july august september october november "
    "december jan feb mar apr jun jul aug sept sep oct nov dec januar februar märz mai juni juli "
    "oktober dezember janvier février mars avril juin juillet août septembre octobre novembre "
    "décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre",
}  # fmt: skip
# Units that are written with prefixes: their words, their sign, and the prefixes in use.
_PREFIXES = {"kilo": "k", "mega": "m", "giga": "g", "tera": "t", "milli": "m", "centi": "c"}
_PREFIXED = (
    ("m metres meters metre meter", "m", "kilo milli centi"),
    ("g grams grammes gram", "g", "kilo milli"),
    ("l litres liters litre liter", "l", "milli centi"),
    ("w watts watt", "w", "kilo mega giga tera"),
    ("watt-hours watt-hour watt_hours watt_hour watthours watthour", "wh", "kilo mega giga tera"),
    ("hertz", "hz", "kilo mega giga"),
    ("joules joule", "j", "kilo mega giga"),
    ("bytes byte", "b", "kilo mega giga tera"),
    ("v volts volt", "v", "kilo milli"),
    ("amperes ampere amps amp", "a", "milli"),
)
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
    """Return the spellings of a list; an underscore is a blank."""
    return [word.replace("_", " ") for word in spellings.split()]


def _list_prefixed() -> dict[str, str]:
    """Return the spellings of units with and without prefixes."""
    units = {}
    for words, sign, prefixes in _PREFIXED:
        for word in _split(words):
            units[word] = sign
            for prefix in prefixes.split():
                name = f"{prefix}{sign}"
                units[_PREFIXES[prefix] + sign] = name
                for joint in ("", "-", " "):
                    units[prefix + joint + word] = name
    return units


_UNIT_OF = _list_words(_UNITS) | _list_prefixed()
_SCALE_OF = {word: power for power, spellings in _SCALES.items() for word in _split(spellings)}


def _build_pattern(words: list[str]) -> str:
    longest_first = sorted(words, key=len, reverse=True)
    return "(?i:" + "|".join(map(re.escape, longest_first)) + ")"


UNIT = _build_pattern(list(_UNIT_OF))
SCALE = _build_pattern(list(_SCALE_OF))


def name_unit(written: str | None) -> str | None:
    """Return the unit of a word or sign."""
    if not written:
        return None
    word = written.strip().lower()
    return _UNIT_OF.get(word) or _UNIT_OF.get(word[-1:])


def scale_of(written: str | None) -> Decimal:
    """Return the factor of a word such as million."""
    if not written:
        return Decimal(1)
    return Decimal(10) ** _SCALE_OF[written.lower()]


NumberVerdict = Literal["found", "rounded", "different", "unchecked"]
_MOST_SPANS = 20
_MONTHS = "(?:Jan|Febr)uary|March|April|June|July|August|(?:Septem|Octo|Novem|Decem)ber"
_GROUP = "[,.'’\u00a0\u2009\u202f ]"
_NUMBER = re.compile(
    rf"(?P<before>(?:US|A|C|HK|NZ|R)?[{SIGNS}]\s?|\b(?:USD|EUR|GBP|CHF|JPY|{_MONTHS})\s)?"
    r"(?P<sign>(?<![\w.,)\]])[-−–])?(?<![\w.,])"
    rf"(?P<digits>\d{{1,3}}(?:{_GROUP}\d{{2,3}})+(?:[.,]\d+)?(?![.,]?\d)"
    r"|\d+(?:[.,]\d+)?(?![.,]?\d))"
    rf"(?:[\s\u00a0-]?(?P<scale>{SCALE})(?![^\W\d_]))?"
    rf"(?:[\s\u00a0-]?(?P<unit>{UNIT})(?![^\W\d_]))?"
)
_GROUPED = re.compile(r"\d{1,3}(?:([,.'’\u00a0\u2009\u202f ])\d{3})(?:\1\d{3})*(?:[.,]\d+)?")
_INDIAN = re.compile(r"\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?")
_DECIMAL_COMMA = re.compile(r"\d,\d{1,2}(?![\d,])")
_DECIMAL_POINT = re.compile(r"\d\.\d{1,2}(?![\d.])")
_LONGEST = 40  # characters of a number


@dataclass(frozen=True)
class NumberMention:
    """A number as written."""

    text: str
    start: int
    end: int
    value: Decimal
    scale: Decimal
    decimals: int  # digits behind the decimal sign, as written
    unit: str | None = None


@dataclass(frozen=True)
class NumberFinding:
    """A number and what it was compared with."""

    number: str
    verdict: NumberVerdict
    url: str | None = None
    matched: str | None = None  # as the source writes it
    spans: tuple[QuoteSpan, ...] = ()
    text_hash: str | None = None
    reason: str | None = None


def uses_decimal_comma(text: str) -> bool:
    """Return whether a text writes 1,5 and not 1.5."""
    commas = len(_DECIMAL_COMMA.findall(text))
    return commas > len(_DECIMAL_POINT.findall(text))


def list_numbers(text: str, *, decimal_comma: bool | None = None) -> list[NumberMention]:
    """Return the numbers of a text."""
    if decimal_comma is None:
        decimal_comma = uses_decimal_comma(text)
    mentions = []
    for found in _NUMBER.finditer(text):
        mention = _build_mention(found, decimal_comma)
        if mention is not None:
            mentions.append(mention)
    return mentions


def _build_mention(found: re.Match[str], decimal_comma: bool) -> NumberMention | None:
    digits = found["digits"]
    if len(digits) > _LONGEST:
        return None
    plain = _make_plain(digits, decimal_comma)
    try:
        value = Decimal(plain)
    except InvalidOperation:
        return None
    if found["sign"]:
        value = -value
    unit = name_unit(found["before"]) or name_unit(found["unit"])
    scale = scale_of(found["scale"])
    decimals = len(plain.partition(".")[2])
    return NumberMention(
        found[0].strip(), found.start(), found.end(), value * scale, scale, decimals, unit
    )


def _make_plain(digits: str, decimal_comma: bool) -> str:
    """Return digits with at most a decimal point."""
    is_single = sum(not letter.isdigit() for letter in digits) == 1
    if is_single and digits.count(",") and decimal_comma:
        return digits.replace(",", ".")
    if is_single and digits.count(".") and (not decimal_comma or digits.startswith("0.")):
        return digits
    grouped = _GROUPED.fullmatch(digits)
    if grouped or _INDIAN.fullmatch(digits):
        separator = grouped[1] if grouped else ","
        whole = digits.replace(separator, "")
        return whole.replace(",", ".")
    if is_single:
        return digits.replace(",", ".")
    return re.sub(r"\D", "_x", digits)  # no number: a date, a version, a list


class NumberChecker:
    """Checks numbers against the same sources."""

    def __init__(self, sources: Sequence[SourceText]) -> None:
        readable = [one for one in sources if one.problem is None]
        self._sources = [one for one in readable if one.text.strip()]
        self._mentions: dict[str, list[NumberMention]] = {}  # by URL

    def check(self, wanted: NumberMention, expected: str | None = None) -> NumberFinding:
        """The best that is found of a number in the sources, or in the expected one."""
        best: NumberFinding | None = None
        for source in self._sources:
            if expected not in (None, source.url):
                continue
            if source.url not in self._mentions:
                self._mentions[source.url] = _list_both_ways(source.text)
            found = _compare(wanted, source, self._mentions[source.url])
            if found.verdict == "found":
                return found
            if best is None or found.verdict == "rounded":
                best = found
        if best is None:
            reason = "Its source was not read."
            return NumberFinding(wanted.text, "unchecked", url=expected, reason=reason)
        return best


def _list_both_ways(text: str) -> list[NumberMention]:
    """Return the numbers of a text; where it writes both 1,5 and 1.5, 1,234 may be either."""
    mentions = list_numbers(text)
    if _DECIMAL_COMMA.search(text) and _DECIMAL_POINT.search(text):
        mentions += list_numbers(text, decimal_comma=not uses_decimal_comma(text))
    return mentions


def _compare(
    wanted: NumberMention, source: SourceText, mentions: Sequence[NumberMention]
) -> NumberFinding:
    """Return whether a source has a number."""
    verdict: NumberVerdict = "found"
    found = [one for one in mentions if one.value == wanted.value and _units_agree(wanted, one)]
    if not found:
        verdict = "rounded"
        found = [one for one in mentions if _is_rounded(wanted, one)]
    if not found:
        return NumberFinding(
            wanted.text,
            "different",
            url=source.url,
            text_hash=source.text_hash,
            reason="No number of that value and unit is in the text it was compared with.",
        )
    page_at = source.words.page_at
    spans = [QuoteSpan(one.start, one.end, page_at(one.start)) for one in found[:_MOST_SPANS]]
    return NumberFinding(
        wanted.text,
        verdict,
        url=source.url,
        matched=found[0].text,
        spans=tuple(spans),
        text_hash=source.text_hash,
    )


def _units_agree(wanted: NumberMention, other: NumberMention) -> bool:
    """Return whether both have the same unit or none; degrees are those of any scale."""
    if wanted.unit == other.unit:
        return True
    units = {wanted.unit, other.unit}
    return "°" in units and units <= {"°", "°C", "°F"}


def _is_rounded(wanted: NumberMention, other: NumberMention) -> bool:
    """Return whether a number is another one truncated or rounded half up."""
    if not _units_agree(wanted, other) or wanted.value == 0:
        return False
    if other.scale == wanted.scale and other.decimals <= wanted.decimals:
        return False
    if other.scale > wanted.scale or (wanted.scale == 1 and other.decimals == 0):
        return False
    step = Decimal(1).scaleb(-wanted.decimals)
    if abs(wanted.value - other.value) > step * wanted.scale:
        return False
    exact = other.value / wanted.scale
    mine = wanted.value / wanted.scale
    return mine in (exact.quantize(step, ROUND_HALF_UP), exact.quantize(step, ROUND_DOWN))
