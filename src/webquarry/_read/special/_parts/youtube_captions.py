"""Captions as YouTube sends them -> what is said, and when. JSON (json3) is asked for; XML (srv1,
srv3) may come instead.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from webquarry._search.replies.body import objects
from webquarry._search.replies.text import unescape_entities

_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,100}>")
_NUMBER = re.compile(r"\d{1,12}(?:\.\d{1,6})?")
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
        cues = _parse_json(body)
    elif start == b"<":
        cues = _parse_xml(body)
    else:
        return []
    spoken: list[Cue] = []
    for cue in cues:
        text = " ".join(cue.text.split())
        if text:
            spoken.append(Cue(cue.seconds, text))
    return spoken


def join_into_paragraphs(cues: Sequence[Cue]) -> list[Cue]:
    """Cues put together, so that a time stands before every half minute and not before every few
    words.
    """
    groups: list[list[Cue]] = []
    for cue in cues:
        if groups and cue.seconds - groups[-1][0].seconds < _PARAGRAPH_SECONDS:
            groups[-1].append(cue)
        else:
            groups.append([cue])
    paragraphs: list[Cue] = []
    for group in groups:
        text = " ".join(cue.text for cue in group)
        paragraphs.append(Cue(group[0].seconds, text))
    return paragraphs


def clock_time(seconds: float) -> str:
    """`1:02:03`, as players show it."""
    whole = max(0, int(seconds))
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}:{minutes:02}:{rest:02}"
    return f"{minutes}:{rest:02}"


def _parse_json(body: bytes) -> Iterator[Cue]:
    """The cues of the form `json3`."""
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):
        return
    if not isinstance(fields, dict):
        return
    for event in objects(fields.get("events")):
        start = event.get("tStartMs")
        if not isinstance(start, int | float):
            continue
        texts: list[str] = []
        for segment in objects(event.get("segs")):
            text = segment.get("utf8")
            if isinstance(text, str):
                texts.append(text)
        yield Cue(start / 1000, "".join(texts))


def _parse_xml(body: bytes) -> Iterator[Cue]:
    """`<text start>` counts in seconds, `<p t>` in milliseconds."""
    from lxml import etree

    if b"<!ENTITY" in body:  # captions have none
        return
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True)
    try:
        root = etree.fromstring(body, parser)
    except etree.XMLSyntaxError:
        return
    if root is None:
        return
    for element in root.iter("text", "p"):
        start = element.get("start") or element.get("t") or ""
        if not _NUMBER.fullmatch(start):
            continue
        seconds = float(start)
        text = "".join(str(part) for part in element.itertext())
        if element.tag == "text":  # escaped twice over
            text = _TAG.sub("", unescape_entities(text))
        else:
            seconds /= 1000
        yield Cue(seconds, text)
