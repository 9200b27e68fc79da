"""Phrases of walls, logins, consents, teasers and pagers, from `phrases.toml`, and their matcher.

A text is split once into lower-case words; characters of scripts without spaces are words of their
own. The phrases of a topic are compiled to one automaton over words, which reads a text once from
left to right. The syntax of phrases is described in `phrases.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # kana, Han, Hangul
_TOKEN = re.compile(
    rf"[{_UNSPACED}]|\d+(?:[.,'\u00a0\u202f]\d+)*+|[^\W_{_UNSPACED}]++(?:'(?!s\b)[^\W_{_UNSPACED}]++)*+"
    r"|[€$£%+]|[^\w €$£%+](?:[^\w€$£%+]|_)*+"
)
_SYNTAX = re.compile(r"[()|?]|[^\s()|?]+")
_LINE, _SENTENCE, _SEPARATOR = "\n", ".", "|"
_BOUNDARIES = frozenset({_LINE, _SENTENCE})
_SENTENCE_ENDS = frozenset(".!?…。！？")
_SEPARATORS = frozenset("|·»–—")
_CACHED_WORDS = 20_000
_LONGEST_PAGE = 8_000  # characters of a page that are matched; walls and notices are shorter
_ACCEPT = 0
_QUOTES = "\"'\u2018\u201c\u201e\u00ab\u300c"

Tokens = list[str]
States = tuple[int, ...]
_Word = tuple[frozenset[str], tuple[str, ...]]  # words and stems, one of which matches


def fold(text: str) -> str:
    """Fold case and apostrophes."""
    return text.replace("\u2019", "'").casefold()


def tokenize(text: str) -> Tokens:
    """Split a text into words, symbols and boundaries; it begins and ends with that of a line."""
    tokens = _TOKEN.findall(f"\n{fold(text)}\n")
    return [token for one in tokens if (token := one if one[0].isalnum() else _read_mark(one))]


@lru_cache(maxsize=4)
def tokenize_page(text: str) -> Tokens:
    """Split the beginning of the text of a page, once for all topics."""
    return tokenize(text[:_LONGEST_PAGE])


@lru_cache(maxsize=1_000)
def _read_mark(marks: str) -> str:
    """Return what punctuation between two words stands for; empty for nothing."""
    if _LINE in marks:
        return _LINE
    if marks != "." and not _SENTENCE_ENDS.isdisjoint(marks):
        return _SENTENCE
    if not _SEPARATORS.isdisjoint(marks) or marks.startswith(("- ", ": ")) or " - " in marks:
        return _SEPARATOR
    return marks.strip() if marks.strip() in {"€", "$", "£", "%", "+", "/"} else ""


class _Step(NamedTuple):
    """A state that consumes one token: one of `words`, or of any kind that `stems` begin."""

    words: frozenset[str]
    stems: tuple[str, ...]
    kind: str  # "word", "number", "code", "any" (not a boundary), "inline" (not a line's end)
    after: States

    def accepts(self, token: str) -> bool:
        if self.kind == "word":
            return token in self.words or (bool(self.stems) and token.startswith(self.stems))
        if self.kind == "number":
            return token[0].isdecimal()
        if self.kind == "code":
            return any(map(str.isdecimal, token))
        return token != _LINE and (self.kind == "inline" or token != _SENTENCE)


class Phrases:
    """The phrases of one topic in all languages, as a nondeterministic automaton."""

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
        self._wanted = _Starts(self._steps, wanted)
        self._unwanted = _Starts(self._steps, unwanted) if unwanted else None

    def match(self, text: str, *, with_exceptions: bool = True) -> bool:
        """Whether a text contains one of the phrases, and none of the exceptions."""
        if not with_exceptions:
            return self._run(self._wanted, tokenize(text)) is not None
        return self.match_tokens(tokenize(text))

    def match_tokens(self, tokens: Tokens) -> bool:
        """The same for a text that is split already."""
        if self._run(self._wanted, tokens) is None:
            return False
        return self._unwanted is None or self._run(self._unwanted, tokens) is None

    def match_unquoted(self, text: str) -> bool:
        """Whether a text contains one of the phrases, the first one not after a quotation mark."""
        tokens = tokenize(text)
        start = self._run(self._wanted, tokens)
        if start is None or not self.match_tokens(tokens):
            return False
        start += tokens[start] in _BOUNDARIES
        folded = f"\n{fold(text)}"
        found = (
            one for one in _TOKEN.finditer(folded) if one[0][0].isalnum() or _read_mark(one[0])
        )
        first = next(islice(found, start, None))
        before = folded[: first.start()].rstrip()
        return not before or before[-1] not in _QUOTES

    def _run(self, starts: _Starts, tokens: Tokens) -> int | None:
        """Return the number of the token at which the first phrase that is complete begins."""
        steps = self._steps
        active: dict[int, int] = {}  # state -> where its phrase began
        known = starts.known
        for number, token in enumerate(tokens):
            begun = known[token] if token in known else starts.find(token)
            if not active and not begun:
                continue
            reached: dict[int, int] = {}
            for state, start in active.items():
                if steps[state].accepts(token):
                    for following in steps[state].after:
                        reached.setdefault(following, start)
            for following in begun:
                reached.setdefault(following, number)
            if _ACCEPT in reached:
                return reached[_ACCEPT]
            active = reached
        return None

    def _compile(self, phrase: str) -> States:
        """Add the states of a phrase; returns those that it begins with."""
        return self._add_choice(_SYNTAX.findall(phrase), (_ACCEPT,))

    def _add_choice(self, parts: list[str], after: States) -> States:
        """Add alternatives, separated by `|` outside of parentheses."""
        depth = 0
        choices: list[list[str]] = [[]]
        for part in parts:
            depth += (part == "(") - (part == ")")
            if part == "|" and not depth:
                choices.append([])
            else:
                choices[-1].append(part)
        entries: dict[int, None] = {}
        for choice in choices:
            entries.update(dict.fromkeys(self._add_sequence(choice, after)))
        return tuple(entries)

    def _add_sequence(self, parts: list[str], after: States) -> States:
        """Add parts that follow each other, from the last to the first."""
        end = len(parts)
        while end:
            is_optional = parts[end - 1] == "?"
            end -= is_optional
            start = end - 1
            if parts[start] == ")":
                depth = 1
                while depth:
                    start -= 1
                    depth += (parts[start] == ")") - (parts[start] == "(")
                entry = self._add_choice(parts[start + 1 : end - 1], after)
            else:
                entry = self._add_part(parts[start], after)
            after = tuple(dict.fromkeys((*entry, *after))) if is_optional else entry
            end = start
        return after

    def _add_part(self, part: str, after: States) -> States:
        """Add one word with its alternatives, an anchor, a gap or a reference to a list."""
        if part.startswith("..."):
            return self._add_gap(part, after)
        if part[0] == "{":
            return self._add_choice(_SYNTAX.findall(self._lists[part[1:-1]]), after)
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

    def _add_gap(self, part: str, after: States) -> States:
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


class _Starts:
    """First steps of phrases by token."""

    def __init__(self, steps: list[_Step], states: Iterable[int]) -> None:
        self.known: dict[str, States] = {}
        self._words: dict[str, list[int]] = {}
        self._others: list[_Step] = []
        for state in states:
            step = steps[state]
            for word in step.words:
                self._words.setdefault(word, []).extend(step.after)
            if step.stems or step.kind != "word":
                self._others.append(step)

    def find(self, token: str) -> States:
        """Return the states after the first steps that accept a token, and remember them."""
        if len(self.known) >= _CACHED_WORDS:
            self.known.clear()
        found = list(self._words.get(token, ()))
        for step in self._others:
            if token not in step.words and step.accepts(token):
                found += step.after
        self.known[token] = tuple(dict.fromkeys(found))
        return self.known[token]


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
