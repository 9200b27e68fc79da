"""Decodes pages: bytes and a Content-Type header to text, whatever a page declares. Never raises.

In order: byte order mark, HTTP header, `<meta>`, XML declaration, valid UTF-8, UTF-16 without a
mark, detection, windows-1252. Two rules outrank a label: bytes beyond ASCII that are valid UTF-8
are UTF-8 whatever single-byte encoding is declared, because nothing else is valid UTF-8 by chance;
and a label that contradicts the bytes is ignored. An encoding that the web forbids ("replacement")
decodes to nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

import webencodings

from webquarry._read.html.sheet_links import find_tags

BOMS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16le", b"\xfe\xff": "utf-16be"}
_PRESCAN_BYTES = 16 * 1024  # the standard says 1,024; one page in twelve declares itself later
_MAX_HEADER = 1_000  # characters
_HEADER_CHARSET = re.compile(
    r"(?i)(?:^|[;,\s])charset\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s;,\"']+))"
)
_XML_DECLARATION = re.compile(
    rb"^\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*[\"']\s*([A-Za-z0-9._:\-]{1,40})\s*[\"']"
)
_COMMENT = re.compile(rb"<!-->|<!--[\s\S]*?(?:-->|\Z)")
_CONTENT_CHARSET = re.compile(r"(?i)charset\s*+=\s*+[\"']?\s*+([^\s;\"']+)")
_WIDE_SAMPLE = 4096  # bytes
_NULS = 0.3  # share of NULs at even or odd places; only UTF-16 has more
_MULTI_BYTE = frozenset({"shift_jis", "euc-jp", "iso-2022-jp", "gbk", "gb18030", "big5", "euc-kr"})
_MAX_DAMAGE = 0.1  # share of the characters beyond ASCII that a label may leave unreadable


class DecodedText(NamedTuple):
    """A page as text, the WHATWG name of its encoding, and how the encoding was found."""

    text: str
    encoding: str
    source: str  # bom, header, meta, xml, utf-8, utf-16, detected or fallback


class Label(NamedTuple):
    """A declared encoding: its WHATWG name, and where it is declared (header, meta, xml)."""

    encoding: str
    source: str


def decode(body: bytes, content_type_header: str) -> DecodedText:
    """Decode a page; what cannot be decoded becomes U+FFFD, and the text can always be encoded as
    UTF-8.
    """
    for mark, encoding in BOMS.items():
        if body.startswith(mark):
            return DecodedText(_decode(body[len(mark) :], encoding), encoding, "bom")
    labels = _find_labels(body, content_type_header)
    if labels and labels[0].encoding == "replacement":
        return DecodedText("", *labels[0])
    try:
        utf8 = body.decode("utf-8")
    except UnicodeDecodeError:
        utf8 = None
    utf16 = _find_utf16(body, labels, is_utf8=utf8 is not None)
    if utf16:
        return DecodedText(_decode(body, utf16.encoding), *utf16)
    labels = [label for label in labels if not label.encoding.startswith("utf-16")]
    return _decode_utf8(body, utf8, labels) or _decode_legacy(body, labels)


def _find_labels(body: bytes, content_type_header: str) -> list[Label]:
    """Return the declared encodings in the order in which they are believed.

    Labels are resolved by the table of the web only (webencodings): Python's codec names include
    `utf-7`, `zlib` or `unicode_escape`, which a page must not be able to choose.
    """
    labels: list[Label] = []
    for found in _HEADER_CHARSET.finditer(content_type_header[:_MAX_HEADER]):
        name = _resolve_label(found[1] or found[2] or found[3] or "")
        if name:
            labels.append(Label(name, "header"))
            break  # the first that is known
    media_type = content_type_header.partition(";")[0].strip().lower()
    if "html" in media_type or not media_type or body[:64].lstrip().startswith(b"<"):
        declaration = _XML_DECLARATION.match(body[:400])
        for name, source in (
            (_find_meta(body[:_PRESCAN_BYTES]), "meta"),
            (_resolve_label(declaration[1].decode("ascii")) if declaration else None, "xml"),
        ):
            if name is not None:
                # It could be read as ASCII, so it is not UTF-16: a correction of the standard.
                name = "utf-8" if name.startswith("utf-16") else name
                labels.append(Label("windows-1252" if name == "x-user-defined" else name, source))
    return labels


def _resolve_label(label: str) -> str | None:
    """Return the WHATWG name of a label, or None."""
    encoding = webencodings.lookup(label) if label.isascii() else None
    return None if encoding is None else str(encoding.name)


def _find_meta(head: bytes) -> str | None:
    """Return the first known encoding of a `<meta>` outside comments, by `charset` or by
    `http-equiv`.
    """
    for _, attributes in find_tags(_COMMENT.sub(b"", head), "meta"):
        label = attributes.get("charset", "")
        if not label and attributes.get("http-equiv", "").strip().lower() == "content-type":
            found = _CONTENT_CHARSET.search(attributes.get("content", ""))
            label = found[1] if found else ""
        name = _resolve_label(label)
        if name:
            return name
    return None


def _find_utf16(body: bytes, labels: list[Label], *, is_utf8: bool) -> Label | None:
    """Return UTF-16 without a mark: every other byte of ASCII is NUL, or it is declared and the
    bytes are not UTF-8.
    """
    claim = next((label for label in labels if label.encoding.startswith("utf-16")), None)
    sample = body[:_WIDE_SAMPLE]
    half = max(1, len(sample) // 2)
    even, odd = sample[0::2].count(0) / half, sample[1::2].count(0) / half
    is_wide = max(even, odd) > _NULS and min(even, odd) < _NULS / 4
    if not is_wide and (claim is None or is_utf8):
        return None
    if claim is not None and even == odd:
        return claim
    return Label("utf-16be" if even > odd else "utf-16le", claim.source if claim else "utf-16")


def _decode_utf8(body: bytes, strict: str | None, labels: list[Label]) -> DecodedText | None:
    """Decode the page as UTF-8, of which `strict` is the text if it is valid; None if it is in a
    legacy encoding.
    """
    first = labels[0] if labels else Label("utf-8", "utf-8")
    if strict is not None and body.isascii():
        return None if first.encoding == "iso-2022-jp" else DecodedText(strict, *first)
    claims = [label.source for label in labels if label.encoding == "utf-8"]
    source = next(iter(claims), "utf-8")
    is_other_claimed = not claims and first.encoding in _MULTI_BYTE
    if is_other_claimed and _measure_damage(_decode(body, first.encoding)) == 0:
        return None
    if strict is not None:
        return DecodedText(strict, "utf-8", source)
    # Damaged UTF-8 has more whole characters than broken ones; far more, if another encoding is
    # declared.
    text = body.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    whole = _count_beyond_ascii(text) - broken
    if labels and not claims:
        broken *= 10
    return DecodedText(text, "utf-8", source) if whole >= max(1, broken) else None


def _decode_legacy(body: bytes, labels: list[Label]) -> DecodedText:
    """Decode the page in the first declared encoding that fits, or in the likeliest one."""
    fitting = [
        label
        for label in labels
        if label.encoding not in ("utf-8", "replacement")
        and (
            label.encoding not in _MULTI_BYTE
            or _measure_damage(_decode(body, label.encoding)) <= _MAX_DAMAGE
        )
    ]
    if fitting:
        label, other = fitting[0], fitting[-1]
        # Servers declare windows-1252 for every page by default; another label can fit better.
        if label.encoding == "windows-1252" and other.encoding != label.encoding:
            ranking = _rank_encodings(body, [label.encoding, other.encoding])
            label = other if ranking[:1] and ranking[0][0] == other.encoding else label
        return DecodedText(_decode(body, label.encoding), *label)
    detected = _detect_encoding(body)
    encoding = detected or "windows-1252"
    how = "detected" if detected else "fallback"
    return DecodedText(_decode(body, encoding), encoding, how)


def _measure_damage(text: str) -> float:
    """Return the share of the characters beyond ASCII that could not be decoded."""
    return text.count("\ufffd") / max(1, _count_beyond_ascii(text))


def _count_beyond_ascii(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))


def _decode(body: bytes, encoding: str) -> str:
    """Decode bytes in an encoding by its WHATWG name."""
    if encoding == "gbk":  # decoded with the larger table, as the standard says
        encoding = "gb18030"
    return str(webencodings.lookup(encoding).codec_info.decode(body, "replace")[0])


# Detection with chardet, which is imported on first use (one page in a hundred needs it) and may
# only return encodings that browsers know. It gets the words around the first bytes beyond ASCII.
_SAMPLE = 8 * 1024  # bytes
_WINDOW = 1024 * 1024
_HIGH = re.compile(rb"[\x80-\xff]")
# `<` and `>` are never the second byte of a character in any encoding of the web.
_WORDS = re.compile(rb"[\x80-\xff][^<>]{0,8192}")
_EDGE = re.compile(rb"[<>\x80-\xff]")
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


def _detect_encoding(body: bytes) -> str | None:
    """Return the WHATWG name of the likeliest encoding, or None if nothing fits."""
    ranking = _rank_encodings(body, _DETECTOR_NAMES)
    if not ranking:
        return None
    best, best_score = ranking[0]
    western_score = dict(ranking).get("windows-1252", 0.0)
    is_scarce = len(_HIGH.findall(_take_sample(body))) < _MIN_HIGH and western_score > 0
    if not is_scarce and western_score < best_score * _WESTERN_PART:
        return best
    return "windows-1252"


def _rank_encodings(body: bytes, among: Iterable[str]) -> list[tuple[str, float]]:
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
