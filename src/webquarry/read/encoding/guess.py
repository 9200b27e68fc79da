"""Bytes that declare nothing -> the encoding they are most likely in.

The detector is imported on first use (it costs more than all other steps together, and one page in
a hundred needs it) and may only answer with encodings that browsers know. It sees the words around
the first bytes beyond ASCII, and nothing of the markup.
"""

from __future__ import annotations

import re

_SAMPLE = 8 * 1024
_WINDOW = 1024 * 1024
_HIGH = re.compile(rb"[\x80-\xff]")
# `<` and `>` are never the second half of a character in any encoding of the web
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
_NAMES = {ours: name for name, ours in _DETECTOR_NAMES.items()}
_SCARCE = 4  # bytes beyond ASCII; fewer say nothing
_BENEFIT_OF_DOUBT = (
    0.6  # windows-1252 is so much commoner that it need not win, only come this near
)


def guess_encoding(body: bytes) -> str | None:
    """The WHATWG name of the likeliest encoding, or None when nothing fits."""
    sample = sample_of(body)
    ranking = _rank(sample, list(_DETECTOR_NAMES))
    if not ranking:
        return None
    best, score = ranking[0]
    western = dict(ranking).get("windows-1252", 0.0)
    scarce = len(_HIGH.findall(sample)) < _SCARCE and western > 0
    if scarce or western >= score * _BENEFIT_OF_DOUBT:
        return _western(body)
    return best


def likelier(body: bytes, declared: str, other: str) -> str:
    """Which of two declared encodings the text is really in; the first when the detector cannot
    tell.
    """
    if declared not in _DETECTOR_NAMES or other not in _DETECTOR_NAMES:
        return declared
    ranking = _rank(sample_of(body), [declared, other])
    if ranking:
        return ranking[0][0]
    return declared


def sample_of(body: bytes) -> bytes:
    """The words around bytes beyond ASCII, up to 8 KB; the beginning when there are none."""
    first = _HIGH.search(body)
    if first is None:
        return body[:_SAMPLE]
    pieces: list[bytes] = []
    size = 0
    for found in _WORDS.finditer(body, first.start(), first.start() + _WINDOW):
        before = _EDGE.split(body[max(0, found.start() - 16) : found.start()])[-1]
        pieces.append(before + found[0])
        size += len(pieces[-1]) + 1
        if size > _SAMPLE:
            break
    return b" ".join(pieces)[:_SAMPLE]


def _rank(sample: bytes, encodings: list[str]) -> list[tuple[str, float]]:
    import chardet

    answers = chardet.detect_all(
        b"\n" + sample,  # so that a page that begins with "BM" is not taken for a bitmap
        ignore_threshold=True,
        compat_names=False,
        include_encodings=[_DETECTOR_NAMES[name] for name in encodings],
    )
    return [
        (_NAMES[answer["encoding"]], answer["confidence"])
        for answer in answers
        if answer["encoding"] in _NAMES
    ]


def _western(body: bytes) -> str:
    """ISO-8859-15 where its euro sign or its oe stand in the place of signs that nobody writes,
    else windows-1252.
    """
    if _LATIN_9.search(body) and not _ONLY_WINDOWS.search(body):
        return "iso-8859-15"
    return "windows-1252"
