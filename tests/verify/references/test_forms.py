"""References in whatever form they are given, read into their fields."""

from __future__ import annotations

import json

import pytest

from webquarry.errors import BadInput
from webquarry.verify.references.models import Reference
from webquarry.verify.references.read import is_valid_isbn, read_bibtex, read_references
from webquarry.verify.references.text import decode_tex

BIB = """% a comment
@string{icml = "International Conference on Machine Learning"}
@comment{ignored, title = {no}}

@inproceedings{lee2021,
  title = "Granular {H}eat" # " Storage",
  author = {Lee, Ann and {The Tide Team} and others},
  booktitle = icml,
  year = 2021,
}
@article{petrakis2020, title = {Tides (and more)}, author = {Olga Petrakis},
  journal = {Nature}, date = {2020-03-01}, doi = {https://doi.org/10.1000/ABC} }
"""
RIS = """TY  - JOUR
AU  - Lee, Ann
AU  - Wang, Wei
TI  - Granular heat storage
T2  - Nature
PY  - 2021
DO  - 10.1000/abc
ER  -

TY  - BOOK
A1  - Kestrel, Jun
T1  - Slate dust
SN  - 978-0-00-000000-2
ER  -
"""


def read(given: object) -> Reference:
    (reference,) = read_references(given)  # type: ignore[arg-type]
    return reference


def names(reference: Reference) -> list[str]:
    return [author.written for author in reference.authors]


def test_bibtex_file_is_split_into_entries_with_lines() -> None:
    first, second = read_references(BIB, place=3)

    assert (first.key, first.line, first.place) == ("lee2021", 5, 3)
    assert (first.title, first.venue, first.year) == (
        "Granular Heat Storage", "International Conference on Machine Learning", 2021,
    )  # fmt: skip
    assert names(first) == ["Ann Lee", "The Tide Team"]
    assert first.is_shortened
    assert (second.key, second.line, second.doi, second.year) == (
        "petrakis2020", 11, "10.1000/abc", 2020,
    )  # fmt: skip


def test_entry_with_unbalanced_braces_has_its_other_fields() -> None:
    given = (
        "@article{k,\n  author = {Ann Lee and Man{\\'e},\n  title = {Tides},\n  year = {2021},\n}"
    )

    reference = read(given)
    assert (reference.title, reference.year) == ("Tides", 2021)


def test_unterminated_entry_does_not_consume_the_next() -> None:
    entries = read_bibtex("@article{a, title = {One\n@article{b, title = {Two}}\n")

    assert [(entry.key, entry.title) for entry in entries] == [("a", ""), ("b", "Two")]


def test_ris_is_split_into_its_records() -> None:
    article, book = read_references(RIS)

    assert (article.title, article.venue, article.year, article.doi) == (
        "Granular heat storage", "Nature", 2021, "10.1000/abc",
    )  # fmt: skip
    assert names(article) == ["Ann Lee", "Wei Wang"]
    assert (book.kind, book.isbn, book.line) == ("book", "9780000000002", 10)


def test_csl_json_is_read_as_an_object_and_as_text() -> None:
    item = {
        "id": "x", "type": "article-journal", "title": "Tides", "DOI": "10.1000/abc",
        "author": [{"family": "Lee", "given": "Ann"}], "issued": {"date-parts": [[2021, 3]]},
        "container-title": "Nature",
    }  # fmt: skip
    for given in (item, json.dumps(item), json.dumps([item])):
        reference = read(given)
        assert (reference.key, reference.title, reference.venue) == ("x", "Tides", "Nature")
        assert (reference.doi, reference.year, names(reference)) == (
            "10.1000/abc",
            2021,
            ["Ann Lee"],
        )


@pytest.mark.parametrize(
    ("given", "field", "value"),
    [
        ("10.1000/182", "doi", "10.1000/182"),
        ("https://doi.org/10.1000/182", "doi", "10.1000/182"),
        ("2101.01234v2", "arxiv_id", "2101.01234"),
        ("arXiv:hep-th/9901001", "arxiv_id", "hep-th/9901001"),
        ("PMID: 31452104", "pmid", "31452104"),
        ("PMC1234567", "pmcid", "PMC1234567"),
        ("ISBN 978-0-00-000000-2", "isbn", "9780000000002"),
        ("RFC 9110", "rfc", "9110"),
        ("https://site.example/page", "url", "https://site.example/page"),
    ],
)
def test_bare_identifier_is_recognized_by_its_form(given: str, field: str, value: str) -> None:
    assert getattr(read(given), field) == value


@pytest.mark.parametrize(
    ("sentence", "title", "authors", "year"),
    [
        (
            "Lee, A., & Wang, W. (2021). Granular heat storage: a record. Nature, 12(3), 4-5. https://doi.org/10.1000/1",
            "Granular heat storage: a record", ["A Lee", "W Wang"], 2021,
        ),
        (
            'Lee, Ann, and Wei Wang. "Granular heat storage." Nature, vol. 12, 2021, pp. 4-5.',
            "Granular heat storage", ["Ann Lee", "Wei Wang"], 2021,
        ),
        (
            "[12] A. Lee and W. Wang, “Granular heat storage,” in Proc. ICML, 2021, pp. 4-5.",
            "Granular heat storage", ["A. Lee", "W. Wang"], 2021,
        ),
        (
            "Lee A, Wang W. Granular heat storage. Nature. 2021;12:4-5.",
            "Granular heat storage", ["A Lee", "W Wang"], 2021,
        ),
        ("Lee, A. (2021). Tides. Nature.", "Tides", ["A Lee"], 2021),
        (
            "Lee et al. (2021) Granular heat storage. ICML.",
            "Granular heat storage", ["Lee"], 2021,
        ),
    ],
)  # fmt: skip
def test_sentence_is_parsed_into_fields(
    sentence: str, title: str, authors: list[str], year: int
) -> None:
    reference = read(sentence)

    assert (reference.title, names(reference), reference.year) == (title, authors, year)
    assert reference.is_free_text


def test_claim_of_a_reference_is_returned_with_it() -> None:
    assert read({"reference": "10.1000/182", "claim": "Tides rise."}).claim == "Tides rise."


@pytest.mark.parametrize("given", ["", "  \n", "...", {}, {"claim": "alone"}])
def test_item_without_a_work_is_refused_with_its_place(given: object) -> None:
    with pytest.raises(BadInput, match="Item 7"):
        read_references(given, place=7)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("isbn", "is_valid"),
    [
        ("9780000000002", True),
        ("9780000000003", False),
        ("080442957X", True),
        ("0804429570", False),
    ],
)
def test_the_check_digit_of_an_isbn_is_checked(isbn: str, is_valid: bool) -> None:
    assert is_valid_isbn(isbn) == is_valid


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"Heged{\H u}s", "Hegedűs"), (r"\'{E}cole", "École"), (r"Stra{\ss}e", "Straße"),
        (r"na{\"\i}ve", "naïve"), ("A~B", "A B"), (r"50\% of \emph{all}", "50% of all"),
        ("plain", "plain"),
    ],
)  # fmt: skip
def test_tex_is_decoded(tex: str, text: str) -> None:
    assert decode_tex(tex) == text


def test_kind_of_misc_depends_on_its_fields() -> None:
    assert read("@misc{k, title={T}, url={https://x.example/}}").kind == "webpage"
    assert read("@misc{k, title={T}, eprint={2101.01234}}").kind == "preprint"
    assert read("@misc{k, title={T}, howpublished={ISO 9001}}").kind == "standard"
