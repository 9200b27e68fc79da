"""Read labels of ratings that people see as stars: "4.5/5".

Labels are invisible and could say anything. Only the numbers of ratings are read.
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
