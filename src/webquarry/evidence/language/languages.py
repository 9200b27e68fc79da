"""Detection of the language of a text, for each script in it.

A script that is used by one language determines it. Where several languages share a script, stop
words and letters that the others do not have decide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from webquarry.evidence.language.stopwords import STOP_WORDS
from webquarry.evidence.language.words import find_words, fold, script_of

# The languages of each script, the default one first. Others have no known language.
_LANGUAGES = {
    "greek": ("greek",),
    "cyrillic": ("russian", "ukrainian", "bulgarian", "serbian"),
    "armenian": ("armenian",),
    "hebrew": ("hebrew", "yiddish"),
    "arabic": ("arabic", "persian", "urdu"),
    "devanagari": ("hindi", "nepali"),
    "bengali": ("bengali",),
    "tamil": ("tamil",),
    "latin": (
        "english", "german", "french", "spanish", "italian", "portuguese", "dutch", "swedish",
        "danish", "norwegian", "finnish", "turkish", "romanian", "hungarian", "indonesian",
        "lithuanian", "polish", "czech", "estonian", "catalan", "basque", "irish", "vietnamese",
        "serbian",
    ),
}  # fmt: skip
# Letters that few other languages of the script have; each counts as a stop word does.
_LETTERS = {
    "german": "äöüß",
    "french": "èêœ",
    "spanish": "ñ¿¡",
    "portuguese": "ãõ",
    "swedish": "åäö",
    "danish": "åæø",
    "norwegian": "åæø",
    "finnish": "äö",
    "estonian": "äöüõ",
    "turkish": "ğşıçöü",
    "romanian": "ășțţ",
    "hungarian": "őű",
    "lithuanian": "ąęėįųūčšž",
    "polish": "ąęłńśźżć",
    "czech": "ěřůčšžý",
    "vietnamese": "ơưđạảấầếềểệịọốồộớờợụứừự",
    "ukrainian": "іїєґ",
    "serbian": "ђјљњћџ",
    "bulgarian": "ъ",
    "russian": "ыэё",
    "persian": "پچژگ",
    "urdu": "ٹڈڑںےہھ",
    "yiddish": "ײױװ",
}


def _invert(table: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """Return the languages of each word or letter."""
    languages: dict[str, list[str]] = {}
    for language, signs in table.items():
        for sign in signs:
            languages.setdefault(sign, []).append(language)
    return languages


_BY_WORD = _invert(STOP_WORDS)
_BY_LETTER = _invert(_LETTERS)


def languages_of(text: str, context: str = "") -> dict[str, str]:
    """Return the language of each script in a text, the most frequent script first; an empty
    string for scripts without a known language.

    A context in the same language helps if the text is short. Evidence in the text itself weighs
    as much as a third of the words of the context.
    """
    words = _count_words(text)
    context_words = _count_words(context)
    votes = _vote(context_words, context)
    factor = 1 + context_words.total() // 3
    for language, count in _vote(words, text).items():
        votes[language] += count * factor
    scripts: Counter[str] = Counter()
    for word, count in (words + context_words).items():
        scripts[script_of(word[0])] += count * len(word)
    return {
        script: max(_LANGUAGES.get(script, ("",)), key=votes.__getitem__)
        for script, _ in scripts.most_common()
    }


def _count_words(text: str) -> Counter[str]:
    return Counter(word for word in find_words(fold(text)) if not word[0].isdigit())


def _vote(words: Counter[str], text: str) -> Counter[str]:
    """Return how many stop words and letters are typical of each language."""
    votes: Counter[str] = Counter()
    for counts, table in ((words, _BY_WORD), (Counter(text.casefold()), _BY_LETTER)):
        for sign in counts.keys() & table.keys():
            for language in table[sign]:
                votes[language] += counts[sign]
    return votes


def usual_language(script: str) -> str:
    """Return the default language of a script."""
    return _LANGUAGES.get(script, ("",))[0]
