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
# windows-1252 is so much commoner that it need not win, only come this near.
_BENEFIT_OF_DOUBT = 0.6


def guess_encoding(body: bytes) -> str | None:
    """Bytes that declare nothing -> the WHATWG name of the likeliest encoding, or None when nothing
    fits.
    """
    sample = take_sample(body)
    ranking = _rank(sample, list(_DETECTOR_NAMES))
    if not ranking:
        return None
    best, best_score = ranking[0]
    western_score = dict(ranking).get("windows-1252", 0.0)
    is_scarce = len(_HIGH.findall(sample)) < _SCARCE and western_score > 0
    if not is_scarce and western_score < best_score * _BENEFIT_OF_DOUBT:
        return best
    # ISO-8859-15 where its euro sign or its oe stand in the place of signs that nobody writes.
    if _LATIN_9.search(body) and not _ONLY_WINDOWS.search(body):
        return "iso-8859-15"
    return "windows-1252"


def choose_likelier(body: bytes, declared: str, other: str) -> str:
    """Which of two declared encodings the text is really in; the first when the detector cannot
    tell.
    """
    if declared not in _DETECTOR_NAMES or other not in _DETECTOR_NAMES:
        return declared
    sample = take_sample(body)
    ranking = _rank(sample, [declared, other])
    if not ranking:
        return declared
    best, _ = ranking[0]
    return best


def take_sample(body: bytes) -> bytes:
    """The words around bytes beyond ASCII, up to 8 KB; the beginning when there are none."""
    first = _HIGH.search(body)
    if first is None:
        return body[:_SAMPLE]
    pieces: list[bytes] = []
    size = 0
    for words in _WORDS.finditer(body, first.start(), first.start() + _WINDOW):
        start = words.start()
        before = body[max(0, start - 16) : start]
        word_start = _EDGE.split(before)[-1]
        piece = word_start + words[0]
        pieces.append(piece)
        size += len(piece) + 1
        if size > _SAMPLE:
            break
    return b" ".join(pieces)[:_SAMPLE]


def _rank(sample: bytes, encodings: list[str]) -> list[tuple[str, float]]:
    """Some of our encodings with the detector's confidence in each, the best first."""
    import chardet

    answers = chardet.detect_all(
        b"\n" + sample,  # so that a page that begins with "BM" is not taken for a bitmap
        ignore_threshold=True,
        compat_names=False,
        include_encodings=[_DETECTOR_NAMES[name] for name in encodings],
    )
    ranking: list[tuple[str, float]] = []
    for answer in answers:
        name = _NAMES.get(answer["encoding"] or "")
        if name is not None:
            ranking.append((name, answer["confidence"]))
    return ranking
