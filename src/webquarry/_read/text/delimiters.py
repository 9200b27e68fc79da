"""The marks with which chats and tools tell one speaker from another: broken, with every visible
word left standing.

A page may well write about `<|im_start|>`; what it must not do is end the turn of whoever reads it
aloud. Prose gets a Markdown escape, which renders as the very same text. Code and plain text get
one blank, the least change that shows.
"""

from __future__ import annotations

import re
from collections import Counter

from webquarry._read.text.code_places import find_code
from webquarry._read.text.signs import may_hold_bracket, may_start_turn

DELIMITER = "chat delimiter"

# Names no ordinary document uses for its own markup: broken wherever they stand.
_TOOL_NAMES = (
    r"(?:antml|anthropic):[\w-]+|tool_(?:calls?|use|results?|responses?|outputs?|code)"
    r"|available_tools"
    r"|function_(?:calls?|results?|responses?)"
    r"|system(?:[_-](?:prompt|message|reminder|instructions?))?"
    r"|(?:start|end)_of_turn|(?:begin|end)_of_(?:text|sentence)|im_(?:start|end)"
    r"|untrusted[_-]external[_-]content"
)
# Names that code may use as tags of its own: broken in prose only.
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
_BRACKET = re.compile(rf"(?<!\\){BRACKETS}")
_BRACKET_ENDS = ("INST]", "CALLS]", "RESULTS]", "_TOOLS]", "PROMPT]")  # quicker than the pattern
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
    """Whether there may be something to defuse in a text."""
    if "<" in markdown and _PROSE.search(markdown):
        return True
    if may_hold_bracket(markdown) and any(end in markdown for end in _BRACKET_ENDS):
        return True
    text = "\n" + markdown
    return may_start_turn(text) and _TURN.search(text) is not None


def defuse_prose(markdown: str, removed: Counter[str]) -> str:
    """Markdown in whose prose no delimiter occurs literally; rendered, it reads as before. Its code
    is left alone.
    """
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
    """Prose with every delimiter in it escaped; how many is added to `removed`."""
    prose, escaped = _ESCAPED.subn("&lt;", prose)
    prose, bare = _PROSE.subn("&lt;", prose)
    prose, brackets = _BRACKET.subn(r"\[", prose)
    prose, turns = _TURN.subn(r"\g<0>\\", prose)
    count = escaped + bare + brackets + turns
    if count:
        removed[DELIMITER] += count
    return prose


def defuse_verbatim(text: str, removed: Counter[str]) -> str:
    """Text without Markdown escapes, such as code, with a blank inside each delimiter."""
    count = brackets = turns = 0
    if "<" in text:
        text, count = _VERBATIM.subn("< ", text)
    if may_hold_bracket(text):
        text, brackets = _BRACKET.subn("[ ", text)
    if may_start_turn(text):
        text, turns = _TURN_AFTER_BLANK.subn(r"\n\1 ", text)
    if count or brackets or turns:
        removed[DELIMITER] += count + brackets + turns
    return text
