"""A quote is told by how closely it agrees with its source: what typography changes is accepted,
what changes a statement is not.
"""

from __future__ import annotations

import pytest

from tests.verify.quotes.reading import URL, check, text
from webquarry.verify.quotes.check import check_quote, check_quotes
from webquarry.verify.quotes.source import SourceText

WORDS = (
    "The harbour office counted 1,234 boats in 2024. Fees rose by 12.5% to $5 a night, which is "
    "not allowed to change before May. The minimum was -4 °C in winter."
)


@pytest.mark.parametrize(
    ("quote", "tier"),
    [
        ("The harbour office counted 1,234 boats in 2024.", "exact"),
        ("the harbour office counted 1,234\u00a0boats in 2024", "typography"),
        ("“The harbour office counted 1,234 boats in 2024”", "exact"),
        ("The har\u00adbour of\ufb01ce counted 1,234 boats", "typography"),
        ("The harbour office counted 1,234 boats in 2024!", "letters"),
        ("THE HARBOUR OFFICE COUNTED 1,234 BOATS", "letters"),
        ("The har-\nbour office counted 1,234 boats", "letters"),
        ("The minimum was −4 °C in winter", "typography"),
        ("[T]he harbour office counted 1,234 boats", "letters"),
        ("Fees rose by 12.5% to $5 a night", "exact"),
    ],
)
def test_found_quote_has_a_tier(quote: str, tier: str) -> None:
    finding = check(quote, WORDS)

    assert (finding.tier, finding.is_accepted) == (tier, True)


@pytest.mark.parametrize(
    ("quote", "kind", "own", "other"),
    [
        ("The harbour office counted 1,334 boats in 2024.", "number", "1,334", "1,234"),
        ("The harbour office counted 1.234 boats in 2024.", "number", "1.234", "1,234"),
        ("Fees rose by 125% to $5 a night", "number", "125", "12.5"),
        ("Fees rose by 12.5‰ to $5 a night", "number", "‰", "%"),
        ("Fees rose by 12.5% to €5 a night", "number", "€", "$"),
        ("The minimum was 4 °C in winter", "number", "4", "-4"),
        ("a night, which is allowed to change before May", "negation", "", "not"),
        ("The harbour office counted not 1,234 boats", "negation", "not", ""),
        ("The harbour office tallied 1,234 boats in 2024.", "word", "tallied", "counted"),
        ("The office harbour counted 1,234 boats in 2024.", "order", "office harbour", ""),
    ],
)
def test_changed_quote_is_near_with_the_change(quote: str, kind: str, own: str, other: str) -> None:
    finding = check(quote, WORDS)

    assert finding.tier == "near"
    assert finding.changes[0].kind == kind
    assert finding.changes[0].quote == own
    assert other in finding.changes[0].source


def test_span_is_a_range_of_the_hashed_text() -> None:
    source = text(WORDS)

    finding = check_quote("fees rose by 12.5% to $5 a night", [source])

    (span,) = finding.spans
    assert source.text[span.start : span.end] == "Fees rose by 12.5% to $5 a night"
    assert finding.text_hash == source.text_hash
    assert finding.url == URL


def test_occurrences_are_counted() -> None:
    assert (
        check(
            "ferries leave at noon", "Ferries leave at noon. So: ferries leave at noon."
        ).occurrences
        == 2
    )


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("able to leave the harbour", "They were unable to leave the harbour."),
        ("4 degrees in the harbour", "It was 14 degrees in the harbour."),
        ("5 degrees in the harbour", "It was 1.5 degrees in the harbour."),
        ("5 degrees in the harbour", "It was −5 degrees in the harbour."),
        ("The harbour grew by 5", "The harbour grew by 57 berths."),
        ("x grows as 102 in the harbour", "x grows as 10² in the harbour."),
        ("sıkıldım bu limandan artık", "sikildim bu limandan artık"),
    ],
)
def test_quote_may_not_start_or_end_within_a_word_or_number(quote: str, words: str) -> None:
    assert not check(quote, words).is_accepted


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("港は一九八四年に開かれました", "「港は一九八四年に、開かれました。」"),
        ("港口在2024年统计了1234艘船", "港口在２０２４年统计了１２３４艘船。"),
        ("ISPARTA limanı açıldı bugün", "Isparta limanı açıldı bugün."),
        ("istanbul limanı açıldı bugün", "İstanbul limanı açıldı bugün."),
        ("المرفأ مفتوح كل يوم", "\u200fالمَرْفَأ مفتــوح كل يوم\u200f"),
        ("le café du port est ouvert", "Le cafe\u0301 du port est ouvert."),
        ("die Straße zum Hafen ist zu", "DIE STRASSE ZUM HAFEN IST ZU"),
    ],
)
def test_spellings_of_a_script_are_equal(quote: str, words: str) -> None:
    assert check(quote, words).is_accepted


def test_too_short_absent_and_unchecked_are_distinguished() -> None:
    unread = SourceText("https://gone.example/", text("").words, problem="It answered 503.")

    assert check("boats", WORDS).tier == "too_short"
    assert check("nobody has ever written these words here", WORDS).tier == "absent"
    finding = check_quote("The harbour office counted 1,234 boats", [unread])
    assert (finding.tier, finding.reason) == ("unchecked", "It answered 503.")


def test_quote_of_another_source_is_elsewhere() -> None:
    other = text("Only here is the harbour called a port of refuge.", "https://other.example/")

    (finding,) = check_quotes(
        ["the harbour called a port of refuge"], [text(WORDS), other], expected=URL
    )

    assert (finding.tier, finding.url) == ("elsewhere", "https://other.example/")
