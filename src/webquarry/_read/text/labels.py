"""Read labels of icons and ratings that people see as pictures: "yes", or "4.5/5".

Labels are invisible and could say anything. Only known words and the numbers of ratings are read.
"""

from __future__ import annotations

import re

YES, NO = "✓", "✗"
# Labels of icons in tables.
_LABELS = frozenset(
    {
         "yes", "no", "true", "false", "included", "excluded", "available", "unavailable",
         "supported", "unsupported", "enabled", "disabled", "check", "checked", "checkmark",
         "tick", "cross", "unchecked", "partial", "limited", "optional", "full", "none",
         "not included", "not available", "not supported", "check mark", "ja", "nein",
         "enthalten", "nicht enthalten", "verfügbar", "nicht verfügbar", "teilweise", "oui",
         "non", "inclus", "non inclus", "disponible", "sí", "incluido", "no incluido", "sì",
         "incluso", "sim", "não", "incluído", "nee", "tak", "nie", "да", "нет", "是", "否",
         "有", "无", "無", "支持", "不支持", "はい", "いいえ", "対応", "非対応", "예", "아니요",
    }
)  # fmt: skip
# Names in icon sets. Some require the name of the set in front.
_SHAPE = r"(?:circle-|square-)?"
_SETS = r"(?:fa[a-z]?|bi|icons?|ico|mdi|lucide|glyphicon|svg|heroicon|feather|ti)-"
_YES_NAME = re.compile(
    rf"(?:[a-z]+-){{0,2}}{_SHAPE}(?:check(?:mark)?|tick)(?:-[a-z]+){{0,2}}"
    rf"|{_SETS}{_SHAPE}(?:ok|yes)"
)
_NO_NAME = re.compile(
    rf"(?:[a-z]+-){{0,2}}{_SHAPE}(?:xmark|cross)(?:-[a-z]+){{0,2}}"
    rf"|{_SETS}{_SHAPE}(?:times|close|remove|no|x)(?:-[a-z]+){{0,2}}"
)
_LONGEST_NAMES = 200  # characters


def read_icon_label(label: str) -> str:
    """Return the label of an icon if it is known, otherwise an empty string."""
    text = label.strip()
    if text.lower() in _LABELS:
        return text
    return ""


def read_icon_name(names: str) -> str:
    """Return the sign that an icon shows by its classes or its place in a file of icons; an empty
    string if they name none or both.
    """
    signs = set()
    for name in names[:_LONGEST_NAMES].lower().replace("#", " ").split():
        if _YES_NAME.fullmatch(name):
            signs.add(YES)
        elif _NO_NAME.fullmatch(name):
            signs.add(NO)
    if len(signs) == 1:
        return signs.pop()
    return ""


_LONGEST = 120  # characters of a label, and of names
_NUMBER = r"\d{1,3}(?:[.,]\d{1,2})?"
_HIGHEST = r"(?:5|6|7|10|20|100)(?![.,]?\d)"
_BETWEEN = (
    r"out of|of|von|aus|sur|de|di|su|van|op|av|af|ud af|z|ze|od|из|от|/|／|从|中|"
    r"[^\W\d]{1,12} (?:out of|of|von|sur|de|su|van|av|af|z|из)"
)
_OUT_OF = re.compile(rf"(?<![\d.,])({_NUMBER}),?\s{{0,3}}(?:{_BETWEEN})\s{{0,3}}({_HIGHEST})")
# Chinese, Japanese, Korean and Turkish: the highest number first, or with its own word.
_HIGHEST_FIRST = re.compile(
    rf"(?<![\d.,])({_HIGHEST})\s{{0,3}}"
    r"(?:つ星のうち|星のうち|点満点中|점 만점에|üzerinden)"
    rf"\s{{0,3}}({_NUMBER})"
)
# Without the highest number, only labels that start with the stars count.
_STARS = re.compile(
    rf"(?:(?:rated|rating|bewertung|note)\W{{1,3}})?({_NUMBER})[\s-]{{0,3}}"
    r"(?:stars?|sterne?n?|étoiles?|estrellas?|stelle|stella|estrelas?|sterren|ster|stjärnor"
    r"|stjerner|gwiazd(?:ki|ek|ka)?|звезд(?:ы|а)?|звёзд(?:ы)?|yıldız|hvězd(?:y|ičky)?|颗星|顆星|つ星|"
    r"星级|별)(?![^\W\d_])"
)
_SAYS_RATING = re.compile(
    r"\bstars\b|\d[\s-]star\b|\brat(?:ed|ings?)\b|\bscored?\b|stern|bewert|étoile|\bnoté?e?\b"
    r"|estrell|puntua|valora|valutaz|stell[ae]|estrela|avalia|sterren|beoordel|stjärn|stjern|betyg"
    r"|gwiazd|ocen|звезд|звёзд|оценк|рейтинг|yıldız|puan|hvězd|hodnocen|星|評価|评分|評分|평점|별점"
    r"|نجوم|تقييم|דירוג"
)
_RATING_NAME = re.compile(r"(?<![a-z])(?:stars?|ratings?|scores?|sterne?|bewertung)(?![a-z])")


def read_rating(label: str, names: str = "") -> str:
    """Return the rating in a label, or an empty string; `names` are the classes of its element."""
    text = label.strip().lower()
    if not text or len(text) > _LONGEST:
        return ""
    names = names[:_LONGEST].lower()
    if not _SAYS_RATING.search(text) and not _RATING_NAME.search(names):
        return ""
    found = _OUT_OF.search(text)
    if found is not None:
        return f"{found[1]}/{found[2]}"
    found = _HIGHEST_FIRST.search(text)
    if found is not None:
        return f"{found[2]}/{found[1]}"
    found = _STARS.match(text)
    if found is not None:
        return f"{found[1]} ★"
    return ""
