"""Phrases of walls, logins, consents, teasers and pagers, from `phrases.toml`, and their matcher.

A text is split into lower-case words, numbers and punctuation; characters of scripts without spaces
are words of their own. The phrases of a topic are compiled to one nondeterministic automaton over
words, which reads a text once from left to right. The syntax of phrases is described in
`phrases.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # kana, Han, Hangul
_TOKEN = re.compile(
    rf"(?:[a-z]++|[^\W\d_{_UNSPACED}])(?:[^\W_{_UNSPACED}]++)?+(?:'(?!s\b)[^\W_{_UNSPACED}]++)*+"
    rf"|\d+(?:[.,'\u00a0\u202f]\d+)*+|[{_UNSPACED}]|[€$£%+]|[^\w €$£%+](?:[^\w€$£%+]|_)*+"
)
_SYNTAX = re.compile(r"[()|?]|[^\s()|?]+")
_LINE, _SENTENCE, _SEPARATOR = "\n", ". ", "|"
_BOUNDARIES = frozenset({_LINE, _SENTENCE})
_SENTENCE_ENDS = frozenset(".!?…。！？")
_SEPARATORS = frozenset("|·»–—")
_SYMBOLS = frozenset("€$£%+/")
_LONGEST_PAGE = 8_000  # characters of a page that are matched; walls and notices are shorter
_ACCEPT = 0

Steps = tuple[int, ...]
_Choice = list[list["str | _Choice"]]  # alternative sequences of parts of a phrase
_Word = tuple[frozenset[str], tuple[str, ...]]  # words and stems, one of which matches


def fold(text: str) -> str:
    """Fold case and apostrophes."""
    return text.replace("\u2019", "'").casefold()


def tokenize(text: str) -> list[str]:
    """Split a text into words, numbers and punctuation that has a meaning, between two newlines."""
    tokens = _TOKEN.findall(f"\n{fold(text)}\n")
    read = (token if token[0].isalnum() else _read_mark(token) for token in tokens)
    return list(filter(None, read))


@lru_cache(maxsize=4)
def tokenize_page(text: str) -> list[str]:
    """Split the beginning of the text of a page, once for all topics."""
    return tokenize(text[:_LONGEST_PAGE])


def _read_mark(mark: str) -> str:
    """Return the boundary, separator or symbol of punctuation; empty for none."""
    if _LINE in mark:
        return _LINE
    if mark != "." and not _SENTENCE_ENDS.isdisjoint(mark):
        return _SENTENCE
    if not _SEPARATORS.isdisjoint(mark) or mark.startswith(("- ", ": ")) or " - " in mark:
        return _SEPARATOR
    return mark.strip() if mark.strip() in _SYMBOLS else ""


def _parse(parts: Iterator[str]) -> _Choice:
    """Parse the parts of a phrase up to a closing parenthesis, or to the end."""
    choices: _Choice = [[]]
    for part in parts:
        if part == ")":
            break
        sequence = choices[-1]
        if part == "|":
            choices.append([])
        elif part == "?":
            sequence[-1] = [[sequence[-1]], []]
        elif part == "(":
            sequence.append(_parse(parts))
        else:
            sequence.append(part)
    return choices


class _Step(NamedTuple):
    """Condition for one token, and the steps after it."""

    words: frozenset[str]
    stems: tuple[str, ...]
    kind: str  # "word", "number", "code", "any" (not a boundary), "inline" (not a line's end)
    after: Steps

    def accepts(self, token: str) -> bool:
        if self.kind == "word":
            return token in self.words or (bool(self.stems) and token.startswith(self.stems))
        if self.kind == "number":
            return token[0].isdecimal()
        if self.kind == "code":
            return any(map(str.isdecimal, token))
        return token != _LINE and (self.kind == "inline" or token != _SENTENCE)


class _Automaton:
    """Finds phrases in tokens: the set of steps that come next advances with every token."""

    def __init__(self, steps: list[_Step], first: Iterable[int]) -> None:
        self._steps = steps
        self._by_word: dict[str, list[int]] = {}  # steps after the first ones, by word
        self._others: list[_Step] = []  # first steps that are not only words
        for number in first:
            step = steps[number]
            for word in step.words:
                self._by_word.setdefault(word, []).extend(step.after)
            if step.kind != "word" or step.stems:
                self._others.append(step)

    def match(self, tokens: Iterable[str]) -> bool:
        """Whether the tokens contain a phrase."""
        waiting: set[int] = set()
        for token in tokens:
            begun = self._by_word.get(token, ())
            if not begun and not waiting and not self._others:
                continue
            reached = set(begun)
            for step in (*self._others, *map(self._steps.__getitem__, waiting)):
                if step.accepts(token):
                    reached.update(step.after)
            if _ACCEPT in reached:
                return True
            waiting = reached
        return False


class Phrases:
    """The phrases of one topic in all languages."""

    def __init__(self, languages: Iterable[str]) -> None:
        self._steps: list[_Step] = [_Step(frozenset(), (), "word", ())]  # 0 accepts
        self._lists: dict[str, str] = {}
        wanted: list[int] = []
        unwanted: list[int] = []
        for language in languages:
            self._lists = {}
            for line in language.splitlines():
                name, colon, list_of = line.partition(": ")
                if colon:
                    self._lists[name] = list_of
                elif line.startswith("!"):
                    unwanted += self._compile(line[1:])
                elif line:
                    wanted += self._compile(line)
        self._wanted = _Automaton(self._steps, wanted)
        self._unwanted = _Automaton(self._steps, unwanted)

    def match(self, text: str) -> bool:
        """Whether a text contains one of the phrases, and none of the exceptions."""
        return self.match_tokens(tokenize(text))

    def match_tokens(self, tokens: Sequence[str]) -> bool:
        """The same for a text that is split already."""
        return self._wanted.match(tokens) and not self._unwanted.match(tokens)

    def _compile(self, phrase: str) -> Steps:
        """Add the steps of a phrase; returns its first ones."""
        return self._add(_parse(iter(_SYNTAX.findall(phrase))), (_ACCEPT,))

    def _add(self, node: str | _Choice, after: Steps) -> Steps:
        """Add a part of a phrase; returns its first steps."""
        if isinstance(node, str):
            return self._add_part(node, after)
        entries: dict[int, None] = {}
        for sequence in node:
            entry = after
            for part in reversed(sequence):
                entry = self._add(part, entry)
            entries.update(dict.fromkeys(entry))
        return tuple(entries)

    def _add_part(self, part: str, after: Steps) -> Steps:
        """Add one word with its alternatives, an anchor, a gap or a reference to a list."""
        if part.startswith("..."):
            return self._add_gap(part, after)
        if part[0] == "{":
            return self._add(_parse(iter(_SYNTAX.findall(self._lists[part[1:-1]]))), after)
        kind = {"#": "number", "##": "code", "_": "any"}.get(part)
        if kind:
            return (self._add_step(_Step(frozenset(), (), kind, after)),)
        symbols = {"^": {_LINE}, "$": {_LINE}, ".": _BOUNDARIES, "--": {_SEPARATOR}}.get(part)
        if symbols:
            return (self._add_step(_Step(frozenset(symbols), (), "word", after)),)
        words, stems, sequences = _parse_words(part)
        entries: list[int] = []
        for *first, (last_words, last_stems) in sequences:
            entry = self._add_step(_Step(last_words, last_stems, "word", after))
            for known, _ in reversed(first):
                entry = self._add_step(_Step(known, (), "word", (entry,)))
            entries.append(entry)
        if words or stems:
            entries.append(self._add_step(_Step(words, stems, "word", after)))
        return tuple(entries)

    def _add_gap(self, part: str, after: Steps) -> Steps:
        """Add a gap: `...` within a sentence, `....` within a line, up to a number of words."""
        dots = len(part) - len(part.lstrip("."))
        kind = "any" if dots == 3 else "inline"
        if len(part) == dots:
            state = len(self._steps)
            self._add_step(_Step(frozenset(), (), kind, (state, *after)))
            return (state, *after)
        entry = after
        for _ in range(int(part[dots:])):
            entry = (self._add_step(_Step(frozenset(), (), kind, entry)), *after)
        return entry

    def _add_step(self, step: _Step) -> int:
        self._steps.append(step)
        return len(self._steps) - 1


@cache
def _parse_words(part: str) -> tuple[frozenset[str], tuple[str, ...], list[list[_Word]]]:
    """Parse alternatives to words, stems, and sequences of several words."""
    words: list[str] = []
    stems: list[str] = []
    sequences: list[list[_Word]] = []
    for choice in part.split("/"):
        plain = choice.rstrip("*")
        is_stem = plain != choice
        tokens = [plain]
        if not (plain.isascii() and plain.isalnum()):
            tokens = tokenize(plain)[1:-1] or ["/"]
        if len(tokens) == 1:
            (stems if is_stem else words).append(tokens[0])
            continue
        sequence: list[_Word] = [(frozenset({token}), ()) for token in tokens]
        if is_stem:
            sequence[-1] = (frozenset(), (tokens[-1],))
        sequences.append(sequence)
    return frozenset(words), tuple(stems), sequences


@cache
def load() -> dict[str, Any]:
    """Return the parsed data file."""
    return tomllib.loads(Path(__file__).with_name("phrases.toml").read_text(encoding="utf-8"))


@cache
def phrases(topic: str) -> Phrases:
    """Return the phrases of a topic, such as `login.request`, in all languages."""
    section: Any = load()
    for name in topic.split("."):
        section = section[name]
    return Phrases(section.values())
