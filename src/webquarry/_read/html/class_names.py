"""Class names that hide an element, by the conventions of the frameworks that use them.

Names that hide at some window sizes only (`d-none d-md-block`, `hidden lg:flex`) do not count: the
text is visible in a larger or smaller window.
"""

from __future__ import annotations

import re
from functools import lru_cache

from webquarry._native import WordSearch

HIDDEN_CLASS = "hidden class"
FOR_SCREEN_READERS = "screen reader class"
PAGE_CONTROL = "page control"

_MAX_CACHED = 200  # characters
_MAX_NAME = 60  # of a convention
# Each name below has one of these, and most class names have none. The patterns match one name,
# except for the last.
_HINTS = WordSearch(
    """
    hid none invis sr screen a11y skip assist access aural display visible conceal unseen header mw-
    hash- anchor copy jump
    """.split()  # noqa: SIM905
)
_READER = re.compile(
    r"(?!not-|[\w-]*label-)(?:[\w-]*[-_])?(?:"
    r"sr[-_]?only|visually[-_]?hid(?:den|e)|hid(?:den|e)[-_]?visually|a11y[-_]?(?:hidden|only|text)"
    r"|access(?:ibly|ibility)?[-_]?hidden"
    r"|screen[-_]?readers?(?:[-_]?(?:text|only|shortcut|content))?"
    r"|(?:for|only)[-_]?screen[-_]?readers?|(?:show|visible)[-_]for[-_]sr"
    r"|assistive[-_]?text|accessib(?:le|ility)[-_]text|element[-_]invisible"
    r"|off[-_]?screen(?:[-_]text)?|text[-_]hide|hide[-_]text|vis-?hidden"
    r"|helper-hidden-accessible|skip[-_]?"
    r"(?:links?|nav|to[-_](?:main|content)[\w-]*|main|content[-_]link)|skipnav|jump-link|aural"
    r")(?:[-_]+[\w-]*)?"
)
_HIDDEN = re.compile(
    r"(?:(?:is|u|js|uk|x|ui|w|slds|ant|ng|pf-u|has|o|c|g|l|t|amp|jss|mdl|el|element|util"
    r"|utility|helper|it|tw)[-_]{1,2})?(?:"
    r"hidden|hide|d-none|dn?one|display[-_]?none|nodisplay|no[-_]display|invisible|helper-hidden"
    r"|hidden[-_](?:element|div|text|content|block|section)"
    r"|visibility-hidden|not-visible|notvisible|concealed|unseen"
    r")"
)
_CONTROL = re.compile(
    r"(?:mw-editsection|headerlink|header-anchor|hash-link|anchorjs-link"
    r"|mw-cite-backlink|copy-?btn|clipboard-copy)"
)
_SHOWN_SOMEWHERE = re.compile(
    r"(?<!\S)(?!print:)\S+:!?(?:block|flex|grid|inline\S*|table\S*|contents|visible|list-item"
    r"|flow-root|not-sr-only|unset|initial)(?!\S)"
    r"|(?<!\S)(?:u-)?d-(?!print)[a-z]{2,3}-(?!none)\S+"
    r"|(?<!\S)(?:show|visible|display|is-visible|block|flex|inline|hidden|hide)[-_]"
    r"(?:on[-_]|for[-_]|only[-_])?"
    r"(?:xs|sm|md|lg|xl|small|medium|large|tablet|desktop|mobile|phone|touch)\S*"
)


def judge_classes(names: str) -> str | None:
    """Return why an element with these class names is hidden, or None."""
    if len(names) <= _MAX_CACHED:
        return _judge(names)
    short_names = [name for name in names.split() if len(name) <= _MAX_NAME]
    return _judge.__wrapped__(" ".join(short_names))


@lru_cache(maxsize=20_000)
def _judge(names: str) -> str | None:
    """Return the strongest reason of all names."""
    names = names.lower()
    if not _HINTS.is_any_in(names):
        return None
    found = set(map(_judge_name, names.split()))
    for reason in (FOR_SCREEN_READERS, HIDDEN_CLASS):
        if reason in found:
            return None if _SHOWN_SOMEWHERE.search(names) else reason
    if PAGE_CONTROL in found:
        return PAGE_CONTROL
    return None


@lru_cache(maxsize=20_000)
def _judge_name(name: str) -> str | None:
    """Return the reason of one name, or None."""
    if _READER.fullmatch(name):
        return FOR_SCREEN_READERS
    if _HIDDEN.fullmatch(name):
        return HIDDEN_CLASS
    if _CONTROL.fullmatch(name):
        return PAGE_CONTROL
    return None
