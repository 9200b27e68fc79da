"""What an icon says where it stands for a word, as in tables that compare: yes or no.

Only what is listed here is taken: a label that nobody sees could say anything.
"""

from __future__ import annotations

import re

YES, NO = "✓", "✗"
# Labels of icons in tables, which say the same as the icon.
_LABELS = frozenset(
    {
         "yes", "no", "true", "false", "included", "excluded", "available", "unavailable",
         "supported", "unsupported", "enabled", "disabled", "check", "checked", "checkmark",
         "tick", "cross", "unchecked", "partial", "limited", "optional", "full", "none",
         "not included", "not available", "not supported", "check mark", "ja", "nein",
         "enthalten", "nicht enthalten", "verfügbar", "nicht verfügbar", "teilweise", "oui",
         "non", "inclus", "non inclus", "disponible", "sí", "incluido", "no incluido", "sì",
         "incluso", "sim", "não", "incluído", "nee", "tak", "nie", "да", "нет", "是", "否",
         "有", "无", "無", "支持", "不支持", "はい", "いいえ", "対応", "非対応", "예", "아니요",
    }
)  # fmt: skip
# The names that icon sets give to them. Some say so only with the name of a set before them.
_SHAPE = r"(?:circle-|square-)?"
_SETS = r"(?:fa[a-z]?|bi|icons?|ico|mdi|lucide|glyphicon|svg|heroicon|feather|ti)-"
_YES_NAME = re.compile(
    rf"(?:[a-z]+-){{0,2}}{_SHAPE}(?:check(?:mark)?|tick)(?:-[a-z]+){{0,2}}"
    rf"|{_SETS}{_SHAPE}(?:ok|yes)"
)
_NO_NAME = re.compile(
    rf"(?:[a-z]+-){{0,2}}{_SHAPE}(?:xmark|cross)(?:-[a-z]+){{0,2}}"
    rf"|{_SETS}{_SHAPE}(?:times|close|remove|no|x)(?:-[a-z]+){{0,2}}"
)
_LONGEST = 200  # characters of names


def read_icon_label(label: str) -> str:
    """The label of an icon, if it is one of those that are taken."""
    told = label.strip()
    if told.lower() in _LABELS:
        return told
    return ""


def read_icon_name(names: str) -> str:
    """The sign that an icon shows by its classes, or by its place in a file of icons; nothing where
    they do not tell, or tell both.
    """
    signs = set()
    for name in names[:_LONGEST].lower().replace("#", " ").split():
        if _YES_NAME.fullmatch(name):
            signs.add(YES)
        elif _NO_NAME.fullmatch(name):
            signs.add(NO)
    if len(signs) == 1:
        return signs.pop()
    return ""
