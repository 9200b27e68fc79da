"""The causes for which real works were called invented, each with the rule that avoids it; and the
one case in which the accusation is right.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.verify.references.world import (
    World,
    bibtex,
    check,
    differing,
    people,
    record,
    state_of,
)
from webquarry._search.scholarly.models import Notice
from webquarry.verify.references.people import match_authors
from webquarry.verify.references.read import find_doi, read_references

TITLE = "Granular heat storage in shallow estuaries"
AUTHORS = "Ann Lee; Wei Wang; Jan-Willem van de Meent"
DOI = "10.5555/tide.1"
GIVEN = bibtex(
    "inproceedings",
    title=TITLE,
    author="Ann Lee and Wei Wang and Jan-Willem van de Meent",
    booktitle="ICML",
    year="2021",
    doi=DOI,
)
WITHOUT_DOI = bibtex(
    "inproceedings",
    title=TITLE,
    author="Ann Lee and Wei Wang and Jan-Willem van de Meent",
    booktitle="ICML",
    year="2021",
)
LONG = "International Conference on Machine Learning"
CROSSREF = record("crossref", TITLE, AUTHORS, 2021, venue=LONG, doi=DOI)
OPENALEX = record("openalex", TITLE, AUTHORS, 2021, venue=LONG, doi=DOI)
DBLP = record("dblp", TITLE, AUTHORS, 2021, venue="ICML")


def test_01_a_doi_of_another_agency_is_not_unknown_because_crossref_does_not_have_it() -> None:
    zenodo = record("datacite", "Tide data", "Ann Lee", 2021, doi="10.5281/zenodo.1")
    given = bibtex("misc", title="Tide data", author="Ann Lee", year="2021", doi="10.5281/zenodo.1")
    world = World({"datacite": [zenodo]}, registered=frozenset({"10.5281/zenodo.1"}))

    assert check(given, world).verdict == "confirmed"
    assert check(given, World()).verdict == "not_registered"


def test_02_a_new_preprint_is_looked_up_at_arxiv_by_its_number_first() -> None:
    preprint = record("arxiv", TITLE, AUTHORS, 2026, venue="arXiv", arxiv_id="2602.01234")
    given = bibtex(
        "misc", title=TITLE, author="Ann Lee and others", eprint="2602.01234", year="2026"
    )
    world = World({"arxiv": [preprint]})

    assert check(given, world).verdict == "confirmed"
    assert [index for index, _ in world.asked] == ["arxiv"]


@pytest.mark.parametrize(
    "written",
    [
        "2602.01234v3",
        "arXiv:2602.01234v1",
        "https://arxiv.org/abs/2602.01234v2",
        "10.48550/arXiv.2602.01234v2",
    ],
)
def test_03_the_version_of_a_preprint_is_no_part_of_its_number(written: str) -> None:
    (reference,) = read_references(written)

    assert reference.arxiv_id == "2602.01234"


def test_04_subtitle_may_be_separate_or_missing() -> None:
    given = bibtex(title="NeRF: Scenes as fields", author="Ann Lee", year="2021", doi=DOI)
    short = record("crossref", "NeRF", "Ann Lee", 2021, doi=DOI)
    apart = record(
        "crossref", "", "Ann Lee", 2021, doi=DOI, titles=["NeRF: Scenes as fields", "NeRF"]
    )

    assert check(given, World({"crossref": [short]})).verdict == "confirmed"
    assert check(given, World({"crossref": [apart]})).verdict == "confirmed"
    stranger = record("crossref", "NeRF", "Olga Petrakis", 2021, doi=DOI)
    assert check(given, World({"crossref": [stranger]})).verdict == "differs"


@pytest.mark.parametrize(
    ("given", "recorded"),
    [
        ("Lee, Ann", "Ann Lee"),
        ("A. Lee", "Ann Lee"),
        ("Wang Wei", "Wei Wang"),
        ("J.-W. van de Meent", "Jan-Willem van de Meent"),
        ("Robin A. A. Ince", "Robin Ince"),
        ("Kim, Jaegwon Mark", "Mark Kim"),
        ("Smith JA", "John Adam Smith"),
    ],
)
def test_05_names_are_compared_in_both_readings(given: str, recorded: str) -> None:
    (reference,) = read_references(bibtex(title="x y", author=given))
    match = match_authors(reference.authors, people(recorded))

    assert (match.common, match.strangers) == (1, ())


@pytest.mark.parametrize(
    ("given", "recorded"),
    [
        (r"Heged{\H u}s, Zolt{\'a}n", "Zoltán Hegedűs"),
        (r"{\O}ystein S{\o}rensen", "Oystein Sorensen"),
        ("Müller, Jürgen", "Jurgen Muller"),
        ("Jean\u2010Pierre Serre", "Jean-Pierre Serre"),
        (r"{\L}ukasz Kaiser", "Lukasz Kaiser"),
        (r"\"{I}smail \.{I}lkan Ceylan", "İsmail İlkan Ceylan"),
        ("Francesco d&apos;Amore", "Francesco d’Amore"),
    ],
)
def test_06_accents_are_folded_on_both_sides(given: str, recorded: str) -> None:
    (reference,) = read_references(bibtex(title="x y", author=given))
    match = match_authors(reference.authors, people(recorded))

    assert (match.common, match.strangers) == (1, ())


def test_07_the_order_of_authors_alone_never_differs() -> None:
    sorted_names = replace(CROSSREF, authors=people("Wei Wang; Jan-Willem van de Meent; Ann Lee"))

    assert check(GIVEN, World({"crossref": [sorted_names]})).verdict == "confirmed"


def test_08_a_list_that_says_there_are_more_is_whole_and_one_that_does_not_differs() -> None:
    world = World({"crossref": [CROSSREF], "openalex": [OPENALEX], "dblp": [DBLP]})
    marked = GIVEN.replace("Ann Lee and Wei Wang and Jan-Willem van de Meent", "Ann Lee and others")
    silent = GIVEN.replace("Ann Lee and Wei Wang and Jan-Willem van de Meent", "Ann Lee")

    assert check(marked, world).verdict == "confirmed"
    cut = check(silent, world)
    assert (cut.verdict, differing(cut)) == ("differs", ["author"])
    assert "1 of 3 authors" in cut.checks[1].note


def test_08_group_may_replace_or_accompany_its_members() -> None:
    world = World({"crossref": [CROSSREF], "openalex": [OPENALEX]})
    names = "Ann Lee and Wei Wang and Jan-Willem van de Meent"
    for written in ("{The Tide Collaboration}", f"{names} and {{Tide Study Group}}"):
        assert check(GIVEN.replace(names, written), world).verdict == "confirmed"
    beside = replace(CROSSREF, authors=(*CROSSREF.authors, *people("Tide Study Group")))
    assert check(GIVEN, World({"crossref": [beside]})).verdict == "confirmed"


@pytest.mark.parametrize(
    ("year", "verdict"),
    [("2019", "confirmed"), ("2022", "confirmed"), ("2017", "differs"), ("2031", "differs")],
)
def test_09_a_year_between_posted_and_printed_is_right(year: str, verdict: str) -> None:
    spread = replace(CROSSREF, years=(2020, 2021))
    given = GIVEN.replace("2021", year)

    assert check(given, World({"crossref": [spread]})).verdict == verdict


@pytest.mark.parametrize(
    ("given", "recorded", "verdict"),
    [
        ("ICML", "2021 International Conference on Machine Learning (ICML)", "confirmed"),
        ("NeurIPS", "Advances in Neural Information Processing Systems 34", "confirmed"),
        ("J. Mach. Learn. Res.", "Journal of Machine Learning Research", "confirmed"),
        ("J. Coast. Eng.", "Journal of Coastal Engineering", "confirmed"),
        ("Acta Cryst. D", "Acta Crystallographica Section D", "confirmed"),
        ("SOUPS", "Symposium on Usable Privacy and Security", "confirmed"),
        (
            "Proc. Natl. Acad. Sci. U.S.A.",
            "Proceedings of the National Academy of Sciences",
            "confirmed",
        ),
        ("ICML", "Lecture Notes in Computer Science", "confirmed"),
        ("ICML", "", "confirmed"),
        ("ICLR", "International Conference on Machine Learning", "differs"),
        ("Symposium on Regularization Techniques", "Journal of Coastal Engineering", "differs"),
        ("Nature", "Nature Communications", "differs"),
        (
            "ACL",
            "North American Chapter of the Association for Computational Linguistics",
            "differs",
        ),
    ],
)
def test_10_a_venue_has_many_names_and_a_series_is_none(
    given: str, recorded: str, verdict: str
) -> None:
    named = replace(CROSSREF, venues=(recorded,) if recorded else ())
    reference = GIVEN.replace("ICML", given)

    assert check(reference, World({"crossref": [named]})).verdict == verdict


def test_11_a_preprint_alone_does_not_contradict_the_publication_that_is_cited() -> None:
    preprint = record(
        "arxiv",
        TITLE,
        AUTHORS,
        2021,
        venue="arXiv",
        arxiv_id="2101.01234",
        is_preprint=True,
        date="2021-01-04",
    )
    given = WITHOUT_DOI.replace("year =", "eprint = {2101.01234},\n year =")

    alone = check(given, World({"arxiv": [preprint]}))
    assert alone.verdict == "could_not_verify"
    accepted = replace(preprint, remarks="12 pages. Accepted at ICML 2021")
    assert check(given, World({"arxiv": [accepted]})).verdict == "confirmed"
    assert check(given, World({"arxiv": [preprint], "dblp": [DBLP]})).verdict == "confirmed"


def test_11_publication_missing_after_half_a_year_is_reported() -> None:
    def known(source: str, day: str) -> object:
        return record(
            source,
            TITLE,
            AUTHORS,
            int(day[:4]),
            venue="arXiv",
            arxiv_id="2101.01234",
            is_preprint=True,
            date=day,
        )

    given = WITHOUT_DOI.replace("year =", "eprint = {2101.01234},\n year =")
    old = World({name: [known(name, "2021-01-04")] for name in ("arxiv", "openalex", "dblp")})  # type: ignore[list-item]
    new = World({name: [known(name, "2026-02-01")] for name in ("arxiv", "openalex", "dblp")})  # type: ignore[list-item]

    told = check(given, old)
    assert (told.verdict, differing(told)) == ("differs", ["venue"])
    assert check(given.replace("2021}", "2026}"), new).verdict == "could_not_verify"


def test_12_near_title_of_other_authors_is_another_work() -> None:
    near = record("openalex", TITLE + " revisited", "Olga Petrakis", 2021, venue=LONG)
    assert check(WITHOUT_DOI, World({"openalex": [near]})).verdict == "not_found"

    same_title = record("openalex", "Deep learning", "Olga Petrakis", 2016, venue="KDD")
    given = bibtex(title="Deep learning", author="Yann LeCun", journal="Nature", year="2015")
    judged = check(given, World({"openalex": [same_title]}))
    assert judged.verdict == "could_not_verify"
    assert judged.other is not None


def test_12_a_near_title_of_the_same_people_is_shown_with_the_words_that_differ() -> None:
    misnamed = WITHOUT_DOI.replace("heat storage", "heat transport")
    judged = check(misnamed, World({"openalex": [OPENALEX], "dblp": [DBLP]}))

    assert (judged.verdict, differing(judged)) == ("differs", ["title"])
    assert '"transport" for "storage"' in judged.checks[0].note


def test_13_one_index_that_gathers_cannot_make_a_conflict() -> None:
    wrong = record("openalex", "Lighthouse corrosion in four ports", "Olga Petrakis", 2011, doi=DOI)
    world = World({"openalex": [wrong]}, registered=frozenset({DOI}))
    assert check(GIVEN, world).verdict == "could_not_verify"

    mixed_up = replace(OPENALEX, titles=("Lighthouse corrosion in four ports",))
    world = World({"crossref": [CROSSREF], "openalex": [mixed_up]})
    assert check(GIVEN, world).verdict == "confirmed"


def test_13_a_number_that_an_index_gave_is_not_held_against_the_reference() -> None:
    lent = replace(OPENALEX, doi="10.5555/other.9")
    other = record("crossref", "Lighthouse corrosion", "Olga Petrakis", 2011, doi="10.5555/other.9")
    world = World({"openalex": [lent], "crossref": [other]})

    assert check(WITHOUT_DOI, world).verdict == "confirmed"


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("book", {"publisher": "Edition Zwischenraum"}),
        ("phdthesis", {"school": "University of Northmoor"}),
        ("techreport", {"institution": "Ministry of Waterways"}),
        ("misc", {"howpublished": "Standard WM 411-2, Waterways Measurement Committee"}),
        ("misc", {"howpublished": "web page", "url": "https://reports.example/1"}),
    ],
)
def test_14_what_the_indexes_do_not_hold_is_not_called_missing(
    kind: str, more: dict[str, str]
) -> None:
    given = bibtex(kind, title=TITLE, author="Ann Lee", year="2020", **more)

    assert check(given, World()).verdict == "could_not_verify"


@pytest.mark.parametrize("down", ["crossref", "openalex", "dblp", "semanticscholar", "arxiv"])
def test_15_an_index_that_did_not_answer_has_not_said_no(down: str) -> None:
    assert check(WITHOUT_DOI, World()).verdict == "not_found"
    judged = check(WITHOUT_DOI, World(down=frozenset({down})))
    assert judged.verdict == "could_not_verify"
    assert judged.failed == {down: "network"}


@pytest.mark.parametrize(
    ("kind", "state"),
    [
        ("erratum", "corrected"),
        ("correction", "corrected"),
        ("addendum", "corrected"),
        ("expression_of_concern", "concern"),
        ("retraction", "retracted"),
        ("withdrawal", "withdrawn"),
        ("new_version", "clean"),
    ],
)
def test_16_an_erratum_or_a_concern_is_no_retraction(kind: str, state: str) -> None:
    noted = replace(CROSSREF, notices=(Notice(kind, "2021-06-03", "10.5555/notice", "publisher"),))

    assert state_of(GIVEN, World({"crossref": [noted]})).state == state


def test_16_a_retraction_that_only_the_notice_tells_of_is_found() -> None:
    notice = replace(
        record("crossref", f"Retraction: {TITLE}", doi="10.5555/notice"),
        updates=(DOI,),
        notices=(Notice("retraction", "2021-06-03", "10.5555/notice", "publisher"),),
    )
    world = World({"crossref": [CROSSREF, notice]})

    assert state_of(GIVEN, world).state == "retracted"
    cited = state_of("10.5555/notice", World({"crossref": [notice]}))
    assert (cited.is_notice, cited.state) == (True, "clean")


@pytest.mark.parametrize(
    ("written", "doi", "other"),
    [
        ("10.1016/S0140-6736(97)11096-0", "10.1016/s0140-6736(97)11096-0", ""),
        (
            "(see https://doi.org/10.1016/S0140-6736(97)11096-0).",
            "10.1016/s0140-6736(97)11096-0",
            "",
        ),
        ("https://www.example.org/doi/full/10.1000/182/full", "10.1000/182/full", "10.1000/182"),
        ("doi:10.1000/182.", "10.1000/182", ""),
        ("10.1000%2F182", "10.1000/182", ""),
    ],
)
def test_17_a_doi_is_taken_as_written_and_then_trimmed(written: str, doi: str, other: str) -> None:
    assert find_doi(written) == (doi, other)


def test_17_the_trimmed_doi_is_looked_up_where_the_written_one_is_not_registered() -> None:
    given = GIVEN.replace(DOI, f"{DOI}/full")
    world = World({"crossref": [CROSSREF]}, registered=frozenset({DOI}))

    assert check(given, world).verdict == "confirmed"


def test_18_an_index_that_is_full_does_not_undo_what_another_confirmed() -> None:
    world = World(
        {"openalex": [replace(OPENALEX, doi="")]}, down=frozenset({"semanticscholar", "dblp"})
    )

    assert check(WITHOUT_DOI, world).verdict == "confirmed"


@pytest.mark.parametrize(
    "title",
    [
        "GRANULAR HEAT STORAGE IN SHALLOW ESTUARIES.",
        "{Granular} Heat $\\mathrm{Storage}$ in Shallow Estuaries",
        "<i>Granular</i> heat storage in shallow estuaries",
        "Granular heat-storage in shallow estuaries",
        "Granular heat storage in shallow es\u00adtuaries",
    ],
)
def test_19_markup_case_and_marks_make_no_other_title(title: str) -> None:
    assert (
        check(GIVEN.replace(TITLE, title), World({"crossref": [CROSSREF]})).verdict == "confirmed"
    )


def test_20_any_of_the_titles_of_a_work_may_agree() -> None:
    both = replace(CROSSREF, titles=(TITLE, "Körnige Wärmespeicher in flachen Mündungen"))
    given = GIVEN.replace(TITLE, "Körnige Wärmespeicher in flachen Mündungen")

    assert check(given, World({"crossref": [both]})).verdict == "confirmed"


def test_21_a_later_reinstatement_wins_and_a_still_later_retraction_wins_again() -> None:
    def noted(*events: tuple[str, str]) -> World:
        notices = tuple(Notice(kind, day, "10.5555/n", "retraction-watch") for kind, day in events)
        return World({"crossref": [replace(CROSSREF, notices=notices)]})

    first, back, again = (
        ("retraction", "2021-06-01"),
        ("reinstatement", "2021-06-09"),
        ("retraction", "2022-01-01"),
    )
    assert state_of(GIVEN, noted(first, back)).state == "reinstated"
    assert state_of(GIVEN, noted(first, back, again)).state == "retracted"


def test_22_a_doi_of_another_work_is_a_conflict_and_both_are_shown() -> None:
    other = record("crossref", "Lighthouse corrosion in four ports", "Olga Petrakis", 2011, doi=DOI)
    judged = check(GIVEN, World({"crossref": [other], "openalex": [replace(OPENALEX, doi="")]}))

    assert judged.verdict == "conflict"
    assert judged.record is not None
    assert judged.record.title == "Lighthouse corrosion in four ports"
    assert judged.other is not None
    assert judged.other.title == TITLE


def test_22_a_title_that_the_doi_shares_an_author_with_differs_only() -> None:
    other = record(
        "crossref", "Lighthouse corrosion in four ports", "Ann Lee", 2021, doi=DOI, venue=LONG
    )

    assert check(GIVEN, World({"crossref": [other]})).verdict == "differs"


def test_22_one_of_two_numbers_that_is_of_another_work_is_named() -> None:
    other = record("pubmed", "Lighthouse corrosion in four ports", "Olga Petrakis", 2011, pmid="77")
    given = GIVEN.replace("year =", "pmid = {77},\n  year =")
    judged = check(given, World({"crossref": [CROSSREF], "pubmed": [other]}))

    assert (judged.verdict, differing(judged)) == ("differs", ["pmid"])
    assert (judged.checks[-1].given, judged.checks[-1].record) == ("77", other.title)


WORDS = ("invented", "fabricated", "hallucinat", "fake")


def test_no_verdict_says_that_a_work_is_invented() -> None:
    worlds = [World(), World(down=frozenset({"crossref"})), World(registered=frozenset({DOI}))]
    for world in worlds:
        for given in (GIVEN, WITHOUT_DOI):
            reason = check(given, world).reason.lower()
            assert not any(word in reason for word in WORDS)
    assert "Not found in OpenAlex" in check(WITHOUT_DOI, World()).reason


@pytest.mark.parametrize(
    "given", [GIVEN, WITHOUT_DOI, DOI, "arXiv:2101.01234", f"Lee, A. (2021). {TITLE}. ICML."]
)
def test_a_reference_takes_eight_requests_at_most(given: str) -> None:
    for down in (frozenset[str](), frozenset({"crossref", "doi"}), frozenset({"arxiv"})):
        world = World({"openalex": [replace(OPENALEX, years=(1999,))]}, down=down)
        check(given, world)
        assert len(world.asked) <= 7  # a title at PubMed takes two requests


def test_room_is_left_for_the_archive_where_there_is_an_address() -> None:
    given = WITHOUT_DOI.replace("year =", "url = {https://site.example/paper},\n  year =")
    world = World(registered=frozenset({DOI}))
    check(given.replace("url =", f"doi = {{{DOI}}},\n  url ="), world)

    assert len(world.asked) == 6
