"""What a row of stars says: its label in, its numbers out ("4.5/5").

Labels are not seen, so they could say anything: nothing but the numbers of one is ever taken, and
only where it says that it is a rating.
"""

from __future__ import annotations

import re

_LONGEST = 120  # characters of a label, and of names
_NUMBER = r"\d{1,3}(?:[.,]\d{1,2})?"
_HIGHEST = r"(?:5|6|7|10|20|100)(?![.,]?\d)"
_BETWEEN = (
    r"out of|of|von|aus|sur|de|di|su|van|op|av|af|ud af|z|ze|od|из|от|/|／|从|中|"
    r"[^\W\d]{1,12} (?:out of|of|von|sur|de|su|van|av|af|z|из)"
)
_OUT_OF = re.compile(rf"(?<![\d.,])({_NUMBER}),?\s{{0,3}}(?:{_BETWEEN})\s{{0,3}}({_HIGHEST})")
# How Chinese, Japanese, Korean and Turkish put it: the highest first, or with a word of its own.
_HIGHEST_FIRST = re.compile(
    rf"(?<![\d.,])({_HIGHEST})\s{{0,3}}"
    r"(?:つ星のうち|星のうち|点満点中|점 만점에|üzerinden)"
    rf"\s{{0,3}}({_NUMBER})"
)
# Without the highest, stars count where the label is about nothing else.
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
    """The rating that a label tells, or nothing; `names` are the classes of what shows it."""
    told = label.strip().lower()
    if not told or len(told) > _LONGEST:
        return ""
    names = names[:_LONGEST].lower()
    if not _SAYS_RATING.search(told) and not _RATING_NAME.search(names):
        return ""
    found = _OUT_OF.search(told)
    if found is not None:
        return f"{found[1]}/{found[2]}"
    found = _HIGHEST_FIRST.search(told)
    if found is not None:
        return f"{found[2]}/{found[1]}"
    found = _STARS.match(told)
    if found is not None:
        return f"{found[1]} ★"
    return ""
