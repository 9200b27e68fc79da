"""Fields of a reference given as a sentence: APA, MLA, Chicago, IEEE, Vancouver and similar.

The fields are guesses; records are also compared with the whole sentence, so that a wrong guess
does not cause an accusation.
"""

from __future__ import annotations

import re

from webquarry._search.scholarly.models import Author
from webquarry.verify.references.models import Reference
from webquarry.verify.references.people import ET_AL, parse_author, split_list

_NUMBER = re.compile(r"^\s*(?:\[\w{1,12}\]|\(\d{1,3}\)|\d{1,3}[.)])\s+")
_YEAR = re.compile(r"\(?\b(1[5-9]\d\d|20\d\d|2100)[a-z]?\b(?:,\s*[A-Z][a-z]+\s*\d{0,2})?\)?")
_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»]{6,400})[\"”“»]")
_ADDRESS = re.compile(
    r"(?:(?:available at|retrieved from|accessed)[:\s]{0,3})?https?://\S+"
    r"|\bdoi:?\s*10\.\S+|\bPM(?:ID|CID):?\s*\w+|\bisbn[:\s-]*[\d\sXx-]{10,20}",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(
    r"(?<=[^\W\d_]{2})[.?!]\s+|(?<=\d)\.\s+|(?<=\))\.\s+|(?<=[\])])\s*:\s+"
    # "Wang W. Granular heat": an initial ends the names if words follow
    r"|(?<=\s[A-Z])\.\s+(?=[A-Z][a-z]+\s+(?!and\b|et\b|van\b|von\b|de\b)[a-z])"
)
# Kinds by words of the sentence, and by the publisher.
_KINDS = (
    ("thesis", re.compile(r"(?i)\b(?:thesis|dissertation|habilitation)\b")),
    ("standard", re.compile(r"\b(?:ISO|DIN|ANSI|IEEE Std|EN|Standard)[\s/-]?[A-Z]{0,4}\s?\d{3,6}")),
    ("report", re.compile(r"(?i)\b(?:technical|annual) report\b|\b(?:white|working) paper\b")),
)
_PUBLISHERS = (
    ("book", re.compile(r"(?i)\b(?:press|verlag|publish\w*|books|edition|éditions?|sons)\b")),
    ("report", re.compile(r"(?i)\b(?:ministry|department|agency|commission|bank|office)\b")),
    ("thesis", re.compile(r"(?i)^(?:universit\w+|college)\b|\buniversit\w+ of\b")),
)


def parse_sentence(sentence: str) -> Reference:
    """Return the reference of a sentence, without identifiers."""
    body = " ".join(_ADDRESS.sub(" ", _NUMBER.sub("", sentence, count=1)).split())
    names, year, rest = _split_at_year(body)
    is_shortened = ET_AL.search(names) is not None
    quoted = _QUOTED.search(body)
    if quoted:
        title = quoted[1].strip(" ,.")
        if not names or quoted.start() < len(names):
            names = body[: quoted.start()]
        venue = body[quoted.end() :]
    else:
        title, venue = _split_title(rest)
        is_short = len(re.findall(r"[^\W\d_]{2,}", title)) < 2 and f"({year}" not in body
        if not title or is_short:  # the year is last
            names, title, venue = _split_pieces(names)
    kinds = [kind for kind, pattern in _KINDS if pattern.search(body)]
    kinds += [kind for kind, pattern in _PUBLISHERS if pattern.search(venue)]
    return Reference(
        text=sentence,
        kind=kinds[0] if kinds else "",
        title=title,
        authors=_read_names(ET_AL.sub("", names)),
        is_shortened=is_shortened,
        year=year,
        venue=venue.strip(" ,.;:()")[:300],
        is_free_text=True,
    )


def _split_at_year(body: str) -> tuple[str, int | None, str]:
    """Return the text before the year, the year and the text after it; a year in brackets is
    preferred.
    """
    years = list(_YEAR.finditer(body))
    if not years:
        return body, None, ""
    chosen = next((one for one in years if one[0].startswith("(")), years[-1])
    before = body[: chosen.start()].strip(" ,.;:")
    return before, int(chosen[1]), body[chosen.end() :].strip(" ,.;:)")


def _split_title(rest: str) -> tuple[str, str]:
    """Return the first and the second sentence."""
    pieces = _split(rest)
    if not pieces:
        return "", ""
    end = rest.find(pieces[0]) + len(pieces[0])
    title = pieces[0].rstrip(".")
    if rest[end : end + 1] in ("?", "!"):
        title += rest[end]
    return title, pieces[1] if len(pieces) > 1 else ""


def _split_pieces(text: str) -> tuple[str, str, str]:
    """Return names, title and venue of "Smith J, Doe A. The title. The venue"."""
    pieces = _split(text)
    if len(pieces) < 2:
        return "", text.strip(" ,."), ""
    if len(pieces) == 2:
        pieces = [*pieces, ""]
    return pieces[0], pieces[1], pieces[2]


def _split(text: str) -> list[str]:
    pieces = [piece.strip(" ,") for piece in _SENTENCE_END.split(text)]
    return [piece for piece in pieces if piece]


def _read_names(text: str) -> tuple[Author, ...]:
    """Return the authors; none if one of them cannot be a name."""
    authors: list[Author] = []
    for part in split_list(text.strip(" ,.;:(&")):
        words = part.split()
        if len(words) > 1 and "," not in part and words[-1].isupper() and len(words[-1]) <= 3:
            family = " ".join(words[:-1])  # Vancouver: "Smith JA"
            if not family.isupper() and "." not in family:
                part = f"{family}, {' '.join(words[-1])}"
        author = parse_author(part)
        if author is None or len(author.written.split()) > 6:
            return ()
        authors.append(author)
    return tuple(authors)
