"""A text -> the language of its words, for each script that it is written in.

A script that one language is written in tells it. Where several share a script, those small words
tell which say nothing else, and letters that the others do not have.
"""

from __future__ import annotations

import re
from collections import Counter

from webquarry.evidence.language.letters import MARKS, fold, script_of
from webquarry.evidence.language.stopwords import STOP_WORDS

NO_LANGUAGE = ""  # of a script whose languages are not known here
# The languages of each script; where nothing tells more, it is the first.
_BY_SCRIPT = {
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
# Letters that few others of the same script have; each counts as a small word does.
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
_WORD = re.compile(rf"[^\W\d_](?:[^\W\d_]|[{MARKS}])*+")


def _list_languages(signs: dict[str, frozenset[str]]) -> dict[str, list[str]]:
    """The languages that each sign speaks for."""
    spoken: dict[str, list[str]] = {}
    for language, words in signs.items():
        for word in words:
            spoken.setdefault(word, []).append(language)
    return spoken


_BY_WORD = _list_languages(STOP_WORDS)
_BY_LETTER = _list_languages({name: frozenset(letters) for name, letters in _LETTERS.items()})


def languages_of(text: str, beside: str = "") -> dict[str, str]:
    """The language of the words in each script that occurs, the most frequent script first. A text
    beside it tells more where the first one is short and says little.
    """
    words = _count_words(text)
    words_beside = _count_words(beside)
    votes = _vote(words, text)
    # each sign in the text itself counts as much as a third of the words beside it
    factor = 1 + words_beside.total() // 3
    for language in votes:
        votes[language] *= factor
    votes += _vote(words_beside, beside)
    scripts: Counter[str] = Counter()
    for word, count in (words + words_beside).items():
        scripts[script_of(word[0])] += count * len(word)

    languages: dict[str, str] = {}
    for script, _ in scripts.most_common():
        choices = _BY_SCRIPT.get(script, (NO_LANGUAGE,))
        languages[script] = max(choices, key=votes.__getitem__)
    return languages


def _count_words(text: str) -> Counter[str]:
    """The words of a text, and how often each occurs."""
    return Counter(_WORD.findall(fold(text)))


def _vote(words: Counter[str], text: str) -> Counter[str]:
    """How many small words and letters speak for each language."""
    votes: Counter[str] = Counter()
    for word in words.keys() & _BY_WORD.keys():
        for language in _BY_WORD[word]:
            votes[language] += words[word]
    if not text.isascii():
        for letter, count in Counter(text.casefold()).items():
            for language in _BY_LETTER.get(letter, ()):
                votes[language] += count
    return votes


def usual_language(script: str) -> str:
    """The language of a script where nothing tells more."""
    return _BY_SCRIPT.get(script, (NO_LANGUAGE,))[0]


def language_of(text: str) -> str:
    """The language that most of a text is in; English where nothing tells another."""
    languages = languages_of(text)
    return next(iter(languages.values()), "english")
