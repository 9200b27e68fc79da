"""Fields of a reference given as a sentence: APA, MLA, Chicago, IEEE, Vancouver and similar.

The fields are guesses; records are also compared with the whole sentence, so that a wrong guess
does not cause an accusation.
"""

from __future__ import annotations

import re

from webquarry._search.scholarly.models import Author
from webquarry.verify.references.identifiers import find_identifiers
from webquarry.verify.references.models import Reference
from webquarry.verify.references.people import parse_author, split_list

_LONGEST = 4_000
_NUMBER = re.compile(r"^\s*(?:\[\w{1,12}\]|\(\d{1,3}\)|\d{1,3}[.)])\s+")
_YEAR = re.compile(r"\(?\b(1[5-9]\d\d|20\d\d|2100)[a-z]?\b(?:,\s*[A-Z][a-z]+\s*\d{0,2})?\)?")
_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»]{6,400})[\"”“»]")
_ADDRESS = re.compile(
    r"(?:(?:available at|retrieved from|accessed)[:\s]{0,3})?https?://\S+"
    r"|\bdoi:?\s*10\.\S+|\bPM(?:ID|CID):?\s*\w+|\bisbn[:\s-]*[\d\sXx-]{10,20}",
    re.IGNORECASE,
)
_PIECE = re.compile(
    r"(?<=[^\W\d_]{2})[.?!]\s+|(?<=\d)\.\s+|(?<=\))\.\s+|(?<=[\])])\s*:\s+"
    # "Wang W. Granular heat": an initial ends the names where words follow it
    r"|(?<=\s[A-Z])\.\s+(?=[A-Z][a-z]+\s+(?!and\b|et\b|van\b|von\b|de\b)[a-z])"
)
_ET_AL = re.compile(r"\bet\.?\s{0,2}al\b\.?|\band others\b|…|\.\.\.", re.IGNORECASE)
_MORE = re.compile(r"^(?:in|in proceedings of|in:|proc\.?)\s*:?\s+", re.IGNORECASE)
_NAME = re.compile(
    r"[A-ZÀ-Þ\u0370-\u03ff\u0400-\u04ff][\w'’.-]*(?:\s+[\w'’.-]+){0,4}"
    r"|[\u3040-\u30ff\u4e00-\u9fff]{2,8}"
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_INITIAL = re.compile(r"\b[A-Z]\.")
_DETAILS = re.compile(r",?\s*(?:vol\.|pp\.|no\.|\d+\s*\(|\d+[:,]\s*\d|\d{1,4}[-–]\d).*$", re.I)

_SAID_KINDS = (
    ("thesis", re.compile(r"(?i)\b(?:thesis|dissertation|habilitation)\b")),
    ("standard", re.compile(r"\b(?:ISO|DIN|ANSI|IEEE Std|EN|Standard)[\s/-]?[A-Z]{0,4}\s?\d{3,6}")),
    ("report", re.compile(r"(?i)\b(?:technical|annual) report\b|\b(?:white|working) paper\b")),
)
# Who brings out a work of a kind.
_PLACES = (
    ("book", re.compile(r"(?i)\b(?:press|verlag|publish\w*|books|edition|éditions?|sons)\b")),
    ("report", re.compile(r"(?i)\b(?:ministry|department|agency|commission|bank|office)\b")),
    ("thesis", re.compile(r"(?i)^(?:universit\w+|college)\b|\buniversit\w+ of\b")),
)


def parse_free_text(text: str) -> Reference:
    """Return the reference of a sentence."""
    sentence = " ".join(text[:_LONGEST].split())
    sentence = _NUMBER.sub("", sentence, count=1)
    found = find_identifiers(sentence)
    body = " ".join(_ADDRESS.sub(" ", sentence).split())
    names, year, rest = _split_at_year(body)
    is_shortened = _ET_AL.search(names) is not None
    quoted = _QUOTED.search(body)
    if quoted:
        title = quoted[1].strip(" ,.")
        if not names or quoted.start() < len(names):
            names = body[: quoted.start()]
        venue = body[quoted.end() :]
    else:
        title, venue = _split_title(rest)
    is_short = len(_WORD.findall(title)) < 2 and f"({year}" not in body
    if not quoted and (not title or is_short):  # the year is last: names, title and venue before it
        names, title, venue = _split_pieces(names)
    authors = _read_names(_ET_AL.sub("", names))
    reference = Reference(
        text=text,
        kind=_guess_kind(body, venue),
        title=title,
        authors=authors,
        is_shortened=is_shortened,
        year=year,
        venue=_clean_venue(venue),
        is_free_text=True,
    )
    return reference.add_identifiers(found)


def _split_at_year(body: str) -> tuple[str, int | None, str]:
    """Return the text before the year, the year and the text after it; a year in brackets is
    preferred.
    """
    years = list(_YEAR.finditer(body))
    bracketed = [one for one in years if one[0].startswith("(")]
    if not years:
        return body, None, ""
    chosen = bracketed[0] if bracketed else years[-1]
    before = body[: chosen.start()].strip(" ,.;:")
    behind = body[chosen.end() :].strip(" ,.;:)")
    return before, int(chosen[1]), behind


def _split_title(rest: str) -> tuple[str, str]:
    """Return the first and the second sentence."""
    if not rest:
        return "", ""
    pieces = [piece.strip(" ,") for piece in _PIECE.split(rest)]
    pieces = [piece for piece in pieces if piece]
    if not pieces:
        return "", ""
    end = rest.find(pieces[0]) + len(pieces[0])
    title = pieces[0].rstrip(".")
    if end < len(rest) and rest[end] in "?!":
        title += rest[end]
    return title, pieces[1] if len(pieces) > 1 else ""


def _split_pieces(text: str) -> tuple[str, str, str]:
    """Return names, title and venue of "Smith J, Doe A. The title. The venue"."""
    pieces = [piece.strip(" ,") for piece in _PIECE.split(text)]
    pieces = [piece for piece in pieces if piece]
    if len(pieces) >= 3:
        return pieces[0], pieces[1], pieces[2]
    if len(pieces) == 2 and _looks_like_names(pieces[0]):
        return pieces[0], pieces[1], ""
    if len(pieces) == 2:
        return "", pieces[0], pieces[1]
    return "", text.strip(" ,."), ""


def _looks_like_names(text: str) -> bool:
    parts = split_list(text)
    return all(_NAME.fullmatch(part.partition(",")[0]) for part in parts) and (
        len(parts) > 1 or _INITIAL.search(text) is not None or len(text.split()) <= 3
    )


def _read_names(text: str) -> tuple[Author, ...]:
    """Return the authors; none if one of them cannot be a name."""
    text = text.strip(" ,.;:(&")
    if not text:
        return ()
    authors: list[Author] = []
    for part in split_list(text):
        author = parse_author(_vancouver(part))
        if author is None or len(author.written.split()) > 6:
            return ()
        authors.append(author)
    return tuple(authors)


def _vancouver(name: str) -> str:
    """Return "Smith JA" as "Smith, J A"; other names unchanged."""
    words = name.split()
    if len(words) > 1 and "," not in name and words[-1].isupper() and len(words[-1]) <= 3:
        family = " ".join(words[:-1])
        if not family.isupper() and "." not in family:
            return f"{family}, {' '.join(words[-1])}"
    return name


def _clean_venue(text: str) -> str:
    """Return the name of a venue without volume, pages and later details."""
    bare = _MORE.sub("", text.strip(" ,.;:"))
    bare = _DETAILS.sub("", bare)
    bare = _YEAR.sub("", bare)
    bare = bare.split(". ")[0]
    return bare.strip(" ,.;:()")[:300]


def _guess_kind(body: str, venue: str) -> str:
    """Return the kind of work if the sentence states it."""
    for kind, pattern in _SAID_KINDS:
        if pattern.search(body):
            return kind
    for kind, pattern in _PLACES:
        if pattern.search(venue):
            return kind
    return ""
