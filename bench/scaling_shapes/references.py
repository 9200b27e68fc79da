"""References: texts of any shape are read as references, and compared with records as titles,
venues and names.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from scaling_shapes.shape import Shape, number, repeat
from webquarry.errors import BadInput
from webquarry.verify.references.people import parse_authors
from webquarry.verify.references.read import read_references
from webquarry.verify.references.text import compare_titles, decode_tex, name_differences
from webquarry.verify.references.venues import compare_venues

_PIECES = {
    "letters": "a",
    "words": "the tide of ",
    "different words": "tide# of the ",
    "commas": ",",
    "apostrophes": "'",
    "blanks": " \t",
    "initials": "A. B. ",
    "names": "Lock, B., ",
    "joined names": "B. Lock and ",
    "years": "(2019) ",
    "digits": "19",
    "open braces": "{",
    "braces": "{a} ",
    "quotation marks": '"a" ',
    "entries": "@article{a#, title={T}, year=2019}\n",
    "open entries": "@article{a, title={T\n",
    "bare entries": "@a(",
    "RIS entries": "TY  - JOUR\nTI  - T\nER  - \n",
    "open RIS entries": "TY  - JOUR\n",
    "accents": "\\'{e}",
    "commands": "\\a ",
    "DOIs": "10.1000/a ",
    "open DOIs": "10.1000/(",
    "arXiv": "arXiv:2101.00001 ",
    "numbers": "978-0-306-40615-7 ",
    "addresses": "https://a.example/",
    "colons": "a: ",
    "full stops": ". ",
    "Han": "潮",
    "marks": "\u0301\u0316",
}
_TITLE = "The tide of the basin: how turbines are kept"
_VENUES = ["Journal of Machine Learning Research", "NeurIPS 2019"]


def _read(text: str) -> object:
    with suppress(BadInput):  # nothing of it names a work
        return read_references(text)
    return None


def _read_field(text: str) -> object:
    return _read(f"@article{{a, title={{{text}}}, author={{{text}}}, journal={{{text}}}}}")


def _compare_title(text: str) -> object:
    return compare_titles(text, [_TITLE]), name_differences(text, _TITLE)


def _compare_venue(text: str) -> object:
    return compare_venues(f"A{text}b", _VENUES)


_RUNS = {
    "reference of": _read,
    "fields of": _read_field,
    "title of": _compare_title,
    "venue of": _compare_venue,
    "authors of": parse_authors,
    "TeX of": decode_tex,
}

SHAPES = [
    Shape(f"references: {run} {name}", partial(number if "#" in piece else repeat, piece), step)
    for name, piece in _PIECES.items()
    for run, step in _RUNS.items()
]
