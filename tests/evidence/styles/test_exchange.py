"""The forms that programs read: what a page calls itself cannot break them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import rispy
from bibtexparser.entrypoint import parse_string
from bibtexparser.middlewares import LatexDecodingMiddleware
from hypothesis import given
from hypothesis import strategies as st

from tests.evidence.works import FOLDER, case, work_of
from webquarry.evidence.page.people import Name
from webquarry.evidence.styles.csl import to_csl
from webquarry.evidence.styles.exchange import to_bibtex, to_ris
from webquarry.evidence.styles.work import Work, plain

SAMPLES: list[dict[str, Any]] = json.loads((FOLDER / "sample.csl.json").read_text("utf-8"))
HOSTILE = [
    "Tides}, author = {Mallory",
    "Tides}\n}\n@misc{evil,\n title = {x}",
    "100% of {NASA} \\ data & more_",
    "a\\",
    "{{{{",
    "}}}}",
    'quote " and # hash',
    "one\nER  - \nTY  - JOUR\nTI  - forged",
    "one\u2028ER  - \u2028TI  - forged",
    "one\x85TI  - forged\x1e\x0b",
]
words = st.text(
    st.one_of(st.sampled_from('{}\\"@%#=,&~^$_\n\r-'), st.characters(exclude_categories=["Cs"])),
    min_size=1,
    max_size=40,
)


def unescaped(value: str) -> str:
    """What TeX prints for a value of ours."""
    named = {"backslash": "\\", "asciitilde": "~", "asciicircum": "^"}
    value = value.replace(r"\ensuremath{\lbrace}", "\x01").replace(r"\ensuremath{\rbrace}", "\x02")
    value = re.sub(
        r"\\text(\w+?)\{\}|\\([$&#%_])",
        lambda found: named[found[1]] if found[1] else found[2],
        value,
    )
    return value.replace("\x01", "{").replace("\x02", "}")


def entry_of(work: Work) -> dict[str, str]:
    """The only entry that a reader finds in our BibTeX."""
    library = parse_string(to_bibtex(work))
    assert library.failed_blocks == []
    assert len(library.blocks) == 1
    return {field.key: str(field.value) for field in library.entries[0].fields}


def record_of(work: Work) -> dict[str, Any]:
    records = rispy.loads(to_ris(work))
    assert len(records) == 1
    return dict(records[0])


def braces_stay_balanced(text: str) -> bool:
    """As BibTeX itself counts them: a backslash in front of a brace means nothing."""
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if depth == 0 and place < len(text.rstrip()) - 1 and "{" in text[: place + 1]:
            return False
    return depth == 0


@pytest.mark.parametrize("title", HOSTILE)
def test_no_title_can_end_its_field_in_bibtex(title: str) -> None:
    work = Work(title=title, url="https://harbor.example/tide")

    assert unescaped(entry_of(work)["title"]) == plain(title)
    assert braces_stay_balanced(to_bibtex(work))


@pytest.mark.parametrize("title", [title for title in HOSTILE if "^" not in title])
def test_a_program_that_decodes_tex_gets_the_title_with_its_braces(title: str) -> None:
    library = parse_string(
        to_bibtex(Work(title=title)), append_middleware=[LatexDecodingMiddleware()]
    )

    assert library.entries[0]["title"] == plain(title)


@given(words, words, words)
def test_whatever_a_page_calls_itself_is_read_back_from_bibtex(
    title: str, author: str, site: str
) -> None:
    work = Work(title=title, authors=(Name(literal=author),), container=site, issued=(2024, 2))
    entry = entry_of(work)

    assert set(entry) <= {"title", "author", "howpublished", "year", "month"}
    assert unescaped(entry.get("title", "")) == plain(title)
    assert unescaped(entry.get("howpublished", "")) == plain(site)
    assert unescaped(entry.get("author", "{}"))[1:-1] == plain(author)
    assert braces_stay_balanced(to_bibtex(work))


@given(words)
def test_no_address_can_end_its_field_in_bibtex(tail: str) -> None:
    entry = entry_of(Work(title="Tides", url=f"https://harbor.example/{tail}"))

    assert set(entry) == {"title", "url"} | ({"note"} & set(entry))
    assert not set('{}\\"') & set(entry["url"])


@pytest.mark.parametrize("title", HOSTILE)
def test_no_title_can_end_its_field_in_ris(title: str) -> None:
    record = record_of(Work(title=title, url="https://harbor.example/tide"))

    assert record == {
        "type_of_reference": "ELEC",
        "title": plain(title),
        "urls": ["https://harbor.example/tide"],
    }


@given(words, words)
def test_whatever_a_page_calls_itself_is_read_back_from_ris(title: str, author: str) -> None:
    record = record_of(Work(title=title, authors=(Name(literal=author),)))

    assert set(record) <= {"type_of_reference", "title", "authors"}
    assert record.get("title", "") == plain(title)
    assert record.get("authors", [""]) == [plain(author)]


def test_the_recorded_samples_come_out_of_bibtex_as_they_are() -> None:
    sample = (FOLDER / "sample.bib").read_text("utf-8")
    ours = [to_bibtex(case(name)) for name in ("journal-2-authors", "web-full")]

    assert "\n".join(ours).strip() == sample[: sample.index("@misc{worldtide")].strip()


def test_the_recorded_samples_come_out_of_ris_as_they_are() -> None:
    sample = (FOLDER / "sample.ris").read_bytes().decode().replace("\r\n", "\n")
    ours = [to_ris(case(name)).replace("\r\n", "\n") for name in ("journal-2-authors", "web-full")]

    assert "\n".join(ours).split() == sample.split()
    assert all(line.endswith("\r") for line in to_ris(case("web-full")).split("\n")[:-1])


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: str(sample["id"]))
def test_the_recorded_samples_come_out_of_csl_as_they_are(sample: dict[str, Any]) -> None:
    item = to_csl(work_of(sample, accessed=()))

    assert item | {"id": sample["id"]} == sample


def test_a_name_that_bibtex_would_take_for_two_is_held_together() -> None:
    work = Work(
        title="T", authors=(Name(family="Sand and Sea", given="A"), Name(literal="Tides and Co"))
    )

    assert entry_of(work)["author"] == "{Sand and Sea}, A and {Tides and Co}"
