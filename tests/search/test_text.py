"""Providers' text and dates become plain text and ISO 8601, and nothing is guessed."""

from __future__ import annotations

import pytest

from webquarry._search.text import (
    iso_date,
    normalize_letters,
    plain_from_html,
    rfc_date,
    shorten_text,
    unescape_entities,
)


@pytest.mark.parametrize(
    ("fragment", "text"),
    [
        ("<strong>Tidal</strong> Turbine O&amp;M", "Tidal Turbine O&M"),
        ("three retrievals<br>\nand what wore out", "three retrievals and what wore out"),
        ('<span class="x">x</span> <em>y</em>', "x y"),
        ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
        ("List<String> a < b > c", "List<String> a < b > c"),
        ("  a \t\n b\u3000c  ", "a b c"),
        ("a\x00b\x1bc", "abc"),
    ],
)
def test_highlighting_goes_and_entities_are_decoded_once(fragment: str, text: str) -> None:
    assert plain_from_html(fragment) == text


@pytest.mark.parametrize(
    ("given", "date"),
    [
        ("2026-04-12T14:22:41", "2026-04-12T14:22:41"),
        ("2026-01-16T12:00:00Z", "2026-01-16T12:00:00Z"),
        ("2026-03-03T08:15:00-0500", "2026-03-03T08:15:00-0500"),
        ("2026-03-03", "2026-03-03"),
        ("2026-03-03 08:15:00 +0100", "2026-03-03T08:15:00+0100"),
    ],
)
def test_an_iso_date_keeps_its_zone_and_its_precision(given: str, date: str) -> None:
    assert iso_date(given) == date


@pytest.mark.parametrize(
    "given",
    [
        "2 days ago",
        "03/04/2026",
        "2026-13-01",
        "2026-03-03T25:00:00",
        "0001-01-01T00:00:00",
        "2026",
        "２０２６-03-03",
        None,
        20260303,
    ],
)  # fmt: skip
def test_whatever_is_not_an_iso_date_is_no_date(given: object) -> None:
    assert iso_date(given) is None


@pytest.mark.parametrize(
    ("given", "date"),
    [
        ("Fri, 13 Nov 2026 08:05:00 GMT", "2026-11-13T08:05:00Z"),
        (" Sun, 1 Mar 2026 23:30:00 -0500 ", "2026-03-02T04:30:00Z"),
    ],
)
def test_a_date_of_rfc_1123_becomes_iso_8601_in_utc(given: str, date: str) -> None:
    assert rfc_date(given) == date


@pytest.mark.parametrize(
    "given",
    [
        "Fri, 13 Nov 2026 "
                               "08:05:00",
        "Fri, 31 Feb 2026 08:05:00 GMT",
        "Fri, 13 Xxx 2026 08:05:00 GMT",
        "Fri, 13 Nov 2026 08:05:00 +9999",
        None,
    ],
)  # fmt: skip
def test_whatever_is_not_of_rfc_1123_is_no_date(given: object) -> None:
    assert rfc_date(given) is None


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("twelve chars", "twelve chars"),
        ("thirteen long chars", "thirteen ..."),
        ("nowhereablank", "nowherea ..."),
    ],
)
def test_a_text_is_cut_between_words_where_it_has_some(text: str, short: str) -> None:
    assert shorten_text(text, 12) == short


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (f"&#{'0' * 5_000}65;", "A"),
        (f"&#{'9' * 5_000};", "\ufffd"),
        (f"&#{'0' * 5_000};", "\ufffd"),
        (f"a&#{'1' * 5_000}b", "a\ufffdb"),
    ],
)
def test_a_number_of_thousands_of_digits_is_read_too(written: str, read: str) -> None:
    assert unescape_entities(written) == read


def test_more_marks_on_a_letter_than_any_script_has_are_left_out() -> None:
    marked = "a" + "\u0301\u0316" * 50_000 + "b\u0301"

    assert normalize_letters("NFD", marked) == "a" + "\u0316" * 15 + "\u0301" * 15 + "b\u0301"
