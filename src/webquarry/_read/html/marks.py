"""A page as bytes -> where the tags start that open a mark: `<b>`, `<small>` and the like.
`_marks.pyx` is the same, compiled.
"""

from __future__ import annotations

import re

_MARK = re.compile(rb"<(?i:b|u|s|strike|tt|big|small)[\s/>]")


def find_marks(data: bytes) -> list[int]:
    """The places of the angle brackets."""
    return [found.start() for found in _MARK.finditer(data)]
