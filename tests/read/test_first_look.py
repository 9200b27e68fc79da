"""The words of a first look: whatever a pattern matches holds one of those that are looked for before
it is searched, which is proved by the pattern itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import product
from re import _parser  # type: ignore[attr-defined]  # of the stubs
from typing import Any

import pytest

from webquarry._read.html import traits
from webquarry._read.text.search import PlainSearch, WordSearch
from webquarry._read.walls import consent, login, shell, soft_404
from webquarry._read.walls import wall_marks as marks
from webquarry._read.walls.first_look import FirstLook

FOLDED: list[tuple[str, Sequence[str], Iterable[re.Pattern[str]]]] = [
    ("built", marks.BUILT_LOOK.words, marks.BUILT.values()),
    ("coded", marks.CODED_LOOK.words, marks.CODED.values()),
    ("demand", marks.DEMAND_LOOK.words, [marks.DEMAND]),
    ("printed", marks.PRINTED_LOOK.words, [first for first, _ in marks.PRINTED.values()]),
    ("missing", soft_404._NOTICE_LOOK.words, [soft_404._NOTICE]),
    ("login", login._REQUEST_LOOK.words, [login._REQUEST]),
    ("pay", consent._PAY_INSTEAD_LOOK.words, [consent._PAY_INSTEAD]),
    (
        "notice",
        shell._NOTICE_LOOK.words,
        [shell._NEEDS_SCRIPTS, shell._LOADING, shell._REDIRECTING],
    ),
    ("address", traits._LOGIN_WORDS.words, [traits._LOGIN_ADDRESS]),
]
EXACT = [
    ("sends on", shell._SENDING_WORDS.words, [shell._SENDS_ON]),
    ("fills", shell._FILLING_WORDS.words, [shell._FILLS]),
]
_MOST = 400  # texts that a part of a pattern may stand for
Texts = set[str] | None  # None for too many to be listed


def list_texts(item: Any) -> Texts:
    """All the texts that a piece of a pattern matches, if they are few."""
    kind, value = str(item[0]), item[1]
    if kind == "LITERAL":
        return {chr(value)}
    if kind == "IN" and all(str(one[0]) == "LITERAL" for one in value):
        return {chr(one[1]) for one in value}
    if kind == "SUBPATTERN":
        return list_sequence(value[3])
    if kind == "BRANCH":
        branches = [list_sequence(branch) for branch in value[1]]
        if any(texts is None for texts in branches):
            return None
        return {text for texts in branches for text in texts or ()}
    if kind in ("MAX_REPEAT", "POSSESSIVE_REPEAT") and value[:2] == (0, 1):
        texts = list_sequence(value[2])
        return None if texts is None else {"", *texts}
    if kind in ("AT", "ASSERT", "ASSERT_NOT"):
        return {""}
    return None


def list_sequence(items: Any) -> Texts:
    """The same for pieces that follow each other."""
    texts: set[str] = {""}
    for item in items:
        following = list_texts(item)
        if following is None or len(texts) * len(following) > _MOST:
            return None
        texts = {before + behind for before, behind in product(texts, following)}
    return texts


def needs_word(items: Any, words: Sequence[str], *, folds: bool = True) -> bool:
    """Whether one of some words is in all that a sequence of pieces matches, put into lower case if
    `folds`.
    """
    run: set[str] = {""}
    for item in items:
        if any(needs_word(inner, words, folds=folds) for inner in list_needed_parts(item)):
            return True
        if str(item[0]) == "BRANCH" and all(
            needs_word(one, words, folds=folds) for one in item[1][1]
        ):
            return True
        following = list_texts(item)
        if following is None or len(run) * len(following) > _MOST:
            run = {""}
            continue
        run = {before + behind for before, behind in product(run, following)}
        written = {text.lower() for text in run} if folds else run
        if all(any(word in text for word in words) for text in written):
            return True
    return False


def list_needed_parts(item: Any) -> list[Any]:
    """The sequences inside a piece of which each match has a match."""
    kind, value = str(item[0]), item[1]
    if kind == "SUBPATTERN":
        return [value[3]]
    if kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") and value[0] > 0:
        return [value[2]]
    return []


@pytest.mark.parametrize(("name", "words", "patterns"), FOLDED, ids=[one[0] for one in FOLDED])
def test_each_match_holds_a_word_in_some_case(
    name: str, words: Sequence[str], patterns: Iterable[re.Pattern[str]]
) -> None:
    assert list(words) == [word.lower() for word in words]
    for pattern in patterns:
        assert needs_word(_parser.parse(pattern.pattern, pattern.flags), words), pattern.pattern


@pytest.mark.parametrize(("name", "words", "patterns"), EXACT, ids=[one[0] for one in EXACT])
def test_each_match_holds_a_word_as_it_is_written(
    name: str, words: Sequence[str], patterns: Iterable[re.Pattern[str]]
) -> None:
    for pattern in patterns:
        assert not pattern.flags & re.IGNORECASE
        assert needs_word(_parser.parse(pattern.pattern), words, folds=False), pattern.pattern


def test_a_word_that_is_missing_is_noticed() -> None:
    tree = _parser.parse(r"\b(?:log|sign)[- ]?in\b|(?:one|two) x")
    assert needs_word(tree, ["login", "log in", "log-in", "sign", "one x", "two x"])
    assert not needs_word(tree, ["login", "log in", "sign", "one x", "two x"])
    assert not needs_word(tree, ["login", "log in", "log-in", "sign", "one x"])
    assert not needs_word(_parser.parse(r"(?:a word)?b"), ["a word"])
    assert not needs_word(_parser.parse(r"(?!a word)b"), ["a word"])


def test_a_first_look_minds_no_case() -> None:
    look = FirstLook("please", "kein", "войдите", "验证")
    for text in ("a PLEASE b", "KEIN", "\u212aein", "ВОЙДИТЕ", "x验证x"):
        assert look.may_match(text), text
    for text in ("", "pleas e", "é ü", "войди те"):
        assert not look.may_match(text), text


def test_letters_that_only_patterns_take_for_others_are_let_through() -> None:
    look = FirstLook("please", "sign in", "войдите")
    for text in ("plea\u017fe", "s\u0131gn in", "s\u0130gn in", "\u1c80ойдите"):
        assert re.search("(?i)please|sign in|войдите", text)
        assert look.may_match(text), text


@pytest.mark.parametrize("kind", [PlainSearch, WordSearch])
def test_every_letter_that_a_pattern_takes_for_another_is_known(kind: Any) -> None:
    letters = {letter for _, words, _ in FOLDED for word in words for letter in word}
    for letter in sorted(letters):
        pattern = re.compile(re.escape(letter), re.IGNORECASE)
        alike = [chr(code) for code in range(0x10000) if pattern.match(chr(code))]
        look = FirstLook(f"{letter}{letter}")
        look._search = kind(look.words)
        assert all(look.may_match(f"{one}{one}") for one in alike), letter
