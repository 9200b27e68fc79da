"""Negations in the most frequent languages of pages."""

from __future__ import annotations

import re

NEGATIONS = frozenset(
    """
    not no never none nothing nobody nowhere neither nor cannot cant without hardly scarcely nay
    nicht nichts kein keine keinen keinem keiner keines nie niemals niemand ohne weder
    pas jamais aucun aucune rien personne sans ni non
    nunca nadie nada ningún ninguno ninguna sin tampoco jamás
    não nem nenhum nenhuma ninguém sem
    mai nessuno nessuna niente nulla senza né
    niet niets geen nooit niemand zonder noch
    nie nigdy nikt nic bez żaden żadna ani
    не нет ни никогда никто ничего без нельзя
    ні немає ніколи ніхто нічого
    inte aldrig ingen inget inga ej utan ikke aldri intet ikkje
    ne nikdy nikdo není bez žádný
    ei eivät en et emme ette eikä ilman
    değil yok hiç asla hiçbir
    δεν μην όχι ποτέ κανείς χωρίς
    לא אין אל בלי מעולם
    لا ليس ليست لم لن ما غير بدون
    nem soha senki semmi nélkül
    nu niciodată nimeni fără
    không chưa tidak bukan jangan belum नहीं ना मत না নয়
    """.split()  # noqa: SIM905
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
# Written without blanks, so the sign itself is looked for.
_SIGNS = re.compile("[不没沒無无非未勿莫别]|ない|ません|なかった|ず(?=に|、|。)|않|없|아니|못|ไม่|มิ")


def is_negation(word: str) -> bool:
    """Return whether a word is a negation."""
    folded = word.casefold().replace("’", "'")
    if folded in NEGATIONS or folded.endswith("n't"):
        return True
    return _SIGNS.search(word) is not None


def find_negation(text: str) -> str | None:
    """Return the first negation of a text."""
    for found in _WORD.finditer(text):
        if is_negation(found[0]):
            return found[0]
    sign = _SIGNS.search(text)
    if sign:
        return sign[0]
    return None
