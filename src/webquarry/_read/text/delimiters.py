"""Break the delimiters of speakers in chats and tools, and keep every visible word.

A page may write about `<|im_start|>`, but must not end the turn of the model that reads it. Prose
gets a Markdown escape, which renders as the same text; code and plain text get a space.
"""

from __future__ import annotations

import re
from collections import Counter

from webquarry._read.text.code_places import find_code

DELIMITER = "chat delimiter"

# Names that no ordinary document uses for its own markup: broken everywhere.
_TOOL_NAMES = (
    r"(?:antml|anthropic):[\w-]+|tool_(?:calls?|use|results?|responses?|outputs?|code)"
    r"|available_tools"
    r"|function_(?:calls?|results?|responses?)"
    r"|system(?:[_-](?:prompt|message|reminder|instructions?))?"
    r"|(?:start|end)_of_turn|(?:begin|end)_of_(?:text|sentence)|im_(?:start|end)"
    r"|untrusted[_-]external[_-]content"
)
# Names that code may use for its own tags: broken in prose only.
_ROLE_NAMES = (
    r"user|assistant|human|developer|tools?|invoke|parameter|think(?:ing)?|instructions?|s|bos|eos"
)
_BARS = "[|\uff5c]"

_TOKEN = rf"<(?={_BARS}(?!\s)[^<>|\uff5c\n]{{1,80}}(?<!\s){_BARS}>)"
_TAG_IN_PROSE = rf"(?=/?(?i:{_TOOL_NAMES}|{_ROLE_NAMES})(?:[\s/>]|\\>))"
_TAG_IN_CODE = rf"<(?=/?(?i:{_TOOL_NAMES})[\s/>])"
_LLAMA_TAG = "<(?=</?SYS>>)"
BRACKET_NAMES = frozenset(
    {"INST", "TOOL_CALLS", "TOOL_RESULTS", "AVAILABLE_TOOLS", "SYSTEM_PROMPT"}
)
BRACKETS = rf"\[(?=/?(?:{'|'.join(sorted(BRACKET_NAMES))})\])"
_BRACKET = re.compile(rf"{BRACKETS}(?<!\\\[)")
_ESCAPED = re.compile(rf"\\<{_TAG_IN_PROSE}")
_PROSE = re.compile(rf"(?:<{_TAG_IN_PROSE}|{_TOKEN}|{_LLAMA_TAG})")
_VERBATIM = re.compile(rf"(?:{_TAG_IN_CODE}|{_TOKEN}|{_LLAMA_TAG})")
_SPEAKER = r"(?:[Hh]uman|[Aa]ssistant|[Ss]ystem|[Uu]ser|[Dd]eveloper|HUMAN|ASSISTANT|SYSTEM|USER)"
_TURN = re.compile(
    rf"\n(?=[#HhAaSsUuDd])(?:#{{1,6}} (?:{_SPEAKER}|[Ii]nstruction|[Rr]esponse|[Ii]nput)"
    rf"|{_SPEAKER})[ \t]{{0,4}}(?=:)"
)
_TURN_AFTER_BLANK = re.compile(rf"\n([ \t]*\n)(?={_SPEAKER}[ \t]{{0,4}}:)")


def may_hold_delimiter(markdown: str) -> bool:
    """Return whether a text may contain a delimiter."""
    if "<" in markdown and _PROSE.search(markdown):
        return True
    return _BRACKET.search(markdown) is not None or _TURN.search("\n" + markdown) is not None


def defuse_prose(markdown: str, removed: Counter[str]) -> str:
    """Escape the delimiters in the prose of Markdown, which renders the same; code is unchanged."""
    if not may_hold_delimiter(markdown):
        return markdown
    text = "\n" + markdown
    parts: list[str] = []
    place = 0
    for start, end in find_code(text):
        parts.append(_defuse(text[place:start], removed))
        parts.append(text[start:end])
        place = end
    parts.append(_defuse(text[place:], removed))
    return "".join(parts)[1:]


def _defuse(prose: str, removed: Counter[str]) -> str:
    """Escape every delimiter, and add their number to `removed`."""
    prose, escaped = _ESCAPED.subn("&lt;", prose)
    prose, bare = _PROSE.subn("&lt;", prose)
    prose, brackets = _BRACKET.subn(r"\[", prose)
    prose, turns = _TURN.subn(r"\g<0>\\", prose)
    count = escaped + bare + brackets + turns
    if count:
        removed[DELIMITER] += count
    return prose


def defuse_verbatim(text: str, removed: Counter[str]) -> str:
    """Insert a space in each delimiter of a text without Markdown escapes, such as code."""
    text, count = _VERBATIM.subn("< ", text)
    text, brackets = _BRACKET.subn("[ ", text)
    text, turns = _TURN_AFTER_BLANK.subn(r"\n\1 ", text)
    if count or brackets or turns:
        removed[DELIMITER] += count + brackets + turns
    return text
