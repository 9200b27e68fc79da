"""Requests to the reader that are never the point of a page: turn scripts on, accept cookies.

An article may speak of either; a notice stands in a box of its own, or where only browsers without
scripts show it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from webquarry.read.main_content.blocks import Flow
from webquarry.read.main_content.tags import FALLBACK_FLAG

_LONGEST = 600  # characters
_SCRIPT = re.compile(
    r"(?i)(?:enable|turn on|activate|allow|support|requires?|needs?|without|aktivier\w*|activ\w+|habilit\w+|включите|启用|开启|有効)"
    r"[^.!?]{0,60}java ?script|java ?script[^.!?]{0,40}(?:disabled|enabled|required|turned off|not supported|deaktiviert|désactivé|deshabilitado|отключен|有効|禁用)"
)
_CONSENT = re.compile(
    r"(?i)\b(?:we|site|website|page|our partners|service)\b[^.!?]{0,40}\buses? (?:\w+ ){0,2}cookies|accept (?:all )?cookies|cookie (?:policy|settings|preferences|consent)"
    r"|(?:verwende[nt]|nutz(?:t|en)|setzt) (?:\w+ ){0,2}cookies|utilis\w+ (?:des |les )?cookies|utiliza(?:mos)? cookies|usa(?:mos)? (?:i )?cookies?|использу\w+ (?:файлы )?cookie"
)


def is_notice(text: str) -> bool:
    """Whether a text reads like a notice about scripts or cookies."""
    if len(text) > _LONGEST:
        return False
    lowered = text.lower()
    return ("script" in lowered and _SCRIPT.search(text) is not None) or (
        "cookie" in lowered and _CONSENT.search(text) is not None
    )


def without_notices(flow: Flow, kept: Sequence[int]) -> list[int]:
    """The blocks that are no notices, or that stand among others as a part of them."""
    suspects = {index for index in kept if is_notice(flow.texts[index])}
    if not suspects:
        return list(kept)
    others = [index for index in kept if index not in suspects]
    dropped = {index for index in suspects if _stands_alone(flow, index, others)}
    return [index for index in kept if index not in dropped]


def _stands_alone(flow: Flow, index: int, others: Sequence[int]) -> bool:
    box = flow.boxes[index]
    if flow.flags[box] & FALLBACK_FLAG:
        return True
    parent = max(flow.parents[box], 0)
    return not any(flow.first[parent] <= other < flow.last[parent] for other in others)
