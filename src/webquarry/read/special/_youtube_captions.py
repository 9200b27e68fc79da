"""Captions as YouTube sends them -> what is said, and when. JSON (json3) is asked for; XML (srv1,
srv3) may come instead.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lxml import etree

from webquarry.search.replies.body import objects

_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,100}>")
_PARAGRAPH_SECONDS = 30


@dataclass(frozen=True)
class Cue:
    """What is said from a moment on."""

    seconds: float
    text: str


def read_captions(body: bytes) -> list[Cue]:
    """The cues in order; none for an empty body or one in another form."""
    start = body.lstrip()[:1]
    if start == b"{":
        found = list(_from_json(body))
    elif start == b"<":
        found = list(_from_xml(body))
    else:
        return []
    lines = [Cue(cue.seconds, " ".join(cue.text.split())) for cue in found]
    return [cue for cue in lines if cue.text]


def paragraphs(cues: Sequence[Cue]) -> list[Cue]:
    """Cues put together, so that a time stands before every half minute and not before every few
    words.
    """
    joined: list[list[Cue]] = []
    for cue in cues:
        if joined and cue.seconds - joined[-1][0].seconds < _PARAGRAPH_SECONDS:
            joined[-1].append(cue)
        else:
            joined.append([cue])
    return [Cue(part[0].seconds, " ".join(cue.text for cue in part)) for part in joined]


def clock_time(seconds: float) -> str:
    """`1:02:03`, as players show it."""
    whole = max(0, int(seconds))
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    if hours:
        return f"{hours}:{minutes:02}:{rest:02}"
    return f"{minutes}:{rest:02}"


def _from_json(body: bytes) -> Iterator[Cue]:
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):
        return
    for event in objects(fields.get("events") if isinstance(fields, dict) else None):
        text = "".join(
            part
            for segment in objects(event.get("segs"))
            if isinstance(part := segment.get("utf8"), str)
        )
        start = event.get("tStartMs")
        if isinstance(start, int | float):
            yield Cue(start / 1000, text)


def _from_xml(body: bytes) -> Iterator[Cue]:
    if b"<!ENTITY" in body:  # captions have none
        return
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True)
    try:
        root = etree.fromstring(body, parser)
    except etree.XMLSyntaxError:
        return
    for element in [] if root is None else root.iter("text", "p"):
        start = element.get("start") or element.get("t") or ""
        if not re.fullmatch(r"\d{1,12}(?:\.\d{1,6})?", start):
            continue
        text = "".join(str(part) for part in element.itertext())
        if element.tag == "text":  # escaped twice over
            text = _TAG.sub("", html.unescape(text))
        yield Cue(float(start) / (1 if element.tag == "text" else 1000), text)
