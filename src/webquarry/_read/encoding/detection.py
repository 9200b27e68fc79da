"""Detects the encoding of bytes that declare none, with chardet.

chardet is imported on first use (one page in a hundred needs it) and may only return encodings that
browsers know. It gets the words around the first bytes beyond ASCII, without markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_SAMPLE = 8 * 1024  # bytes
_WINDOW = 1024 * 1024
_HIGH = re.compile(rb"[\x80-\xff]")
# `<` and `>` are never the second byte of a character in any encoding of the web.
_WORDS = re.compile(rb"[\x80-\xff][^<>]{0,8192}")
_EDGE = re.compile(rb"[<>\x80-\xff]")
_LATIN_9 = re.compile(rb"\xa4|[A-Za-z]\xbd[A-Za-z]")
_ONLY_WINDOWS = re.compile(rb"[\x80-\x9f]")
_DETECTOR_NAMES = {
    "big5": "big5hkscs",
    "euc-jp": "euc_jis_2004",
    "euc-kr": "cp949",
    "gb18030": "gb18030",
    "iso-2022-jp": "iso2022_jp_2",
    "koi8-r": "koi8-r",
    "koi8-u": "koi8-u",
    "shift_jis": "cp932",
    "windows-874": "cp874",
    **{f"iso-8859-{part}": f"iso8859-{part}" for part in (2, 4, 5, 6, 7, 8, 13, 15)},
    **{f"windows-{page}": f"cp{page}" for page in range(1250, 1259)},
}
_NAMES = {theirs: ours for ours, theirs in _DETECTOR_NAMES.items()}
_MIN_HIGH = 4  # bytes beyond ASCII; fewer say nothing
# windows-1252 is so much more common that it needs only this part of the best score.
_WESTERN_PART = 0.6


def detect_encoding(body: bytes) -> str | None:
    """Return the WHATWG name of the likeliest encoding, or None if nothing fits."""
    ranking = rank_encodings(body, _DETECTOR_NAMES)
    if not ranking:
        return None
    best, best_score = ranking[0]
    western_score = dict(ranking).get("windows-1252", 0.0)
    is_scarce = len(_HIGH.findall(_take_sample(body))) < _MIN_HIGH and western_score > 0
    if not is_scarce and western_score < best_score * _WESTERN_PART:
        return best
    # ISO-8859-15 has the euro sign and oe where windows-1252 has signs that are hardly used.
    if _LATIN_9.search(body) and not _ONLY_WINDOWS.search(body):
        return "iso-8859-15"
    return "windows-1252"


def rank_encodings(body: bytes, among: Iterable[str]) -> list[tuple[str, float]]:
    """Return the encodings that fit with chardet's confidence, the best first."""
    import chardet

    answers = chardet.detect_all(
        b"\n" + _take_sample(body),  # a page that starts with "BM" is not a bitmap
        ignore_threshold=True,
        compat_names=False,
        include_encodings=[_DETECTOR_NAMES[name] for name in among if name in _DETECTOR_NAMES],
    )
    found = ((_NAMES.get(answer["encoding"] or ""), answer["confidence"]) for answer in answers)
    return [(name, confidence) for name, confidence in found if name is not None]


def _take_sample(body: bytes) -> bytes:
    """Return the words around bytes beyond ASCII; the beginning if there are none."""
    first = _HIGH.search(body)
    if first is None:
        return body[:_SAMPLE]
    sample = bytearray()
    for words in _WORDS.finditer(body, first.start(), first.start() + _WINDOW):
        before = body[max(0, words.start() - 16) : words.start()]
        sample += b" " + _EDGE.split(before)[-1] + words[0]
        if len(sample) > _SAMPLE:
            break
    return bytes(sample[1 : _SAMPLE + 1])
