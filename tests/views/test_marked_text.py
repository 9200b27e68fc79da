"""The text of a page in pieces: every character once, and a quote exactly where it stands."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from webquarry._read.plain.words import PageWords, WordSection
from webquarry.sessions.models import KeptQuote
from webquarry.views.describe import identify_quote
from webquarry.views.page import cut_text, place_quotes

TEXT = "Title\nA first 🌊 line.\nHidden words\nThe tide turns; the tide waits.\n"


def quote_at(words: PageWords, *spans: tuple[int, int], text: str = "q") -> KeptQuote:
    matched = tuple(words.text[start:end] for start, end in spans)
    return KeptQuote(
        text, "exact", "https://a.org/", text_hash=words.digest, spans=spans, matched=matched
    )


def words_of_mark(pieces: list[dict[str, object]], number: int) -> str:
    return "".join(str(one["text"]) for one in pieces if number in one.get("marks", ()))  # type: ignore[operator]


@given(st.data(), st.text("ab \n🌊é<", min_size=2, max_size=40))
def test_every_character_occurs_once_and_every_quote_at_its_span(
    data: st.DataObject, text: str
) -> None:
    words = PageWords(text)
    place = st.integers(0, len(text))
    pairs = data.draw(
        st.lists(st.tuples(place, place).filter(lambda pair: pair[0] != pair[1]), max_size=5)
    )
    spans = [(min(pair), max(pair)) for pair in pairs]
    quotes = [quote_at(words, span, text=str(number)) for number, span in enumerate(spans)]
    placed = place_quotes(words, quotes)

    pieces = cut_text(words, placed)

    assert "".join(piece["text"] for piece in pieces) == text
    for number, one in enumerate(placed):
        ((start, end),) = one.spans
        assert words_of_mark(pieces, number) == text[start:end]


def test_hidden_text_is_omitted_and_counted() -> None:
    start = TEXT.index("Hidden")
    words = PageWords(TEXT, hidden=((start, start + 12),))

    pieces = cut_text(words, [])

    assert {"hidden": 12} in pieces
    assert "Hidden" not in "".join(piece.get("text", "") for piece in pieces)


def test_headings_have_levels() -> None:
    words = PageWords(TEXT, sections=(WordSection(0, 1, "Title"),))

    assert cut_text(words, [])[0] == {"text": "Title", "level": 1}


def test_a_quote_of_another_reading_is_marked_at_the_same_words() -> None:
    before = PageWords("The tide turns.")
    quote = quote_at(before, (4, 14))

    (placed,) = place_quotes(PageWords(TEXT), [quote])

    assert placed.state == "moved"
    assert [TEXT[start:end] for start, end in placed.spans] == ["tide turns"]


def test_a_quote_whose_words_are_gone_is_marked_nowhere() -> None:
    before = PageWords("The moon turns.")

    (placed,) = place_quotes(PageWords(TEXT), [quote_at(before, (4, 14))])

    assert (placed.state, placed.spans) == ("gone", ())


def test_a_quote_has_one_name_for_one_text() -> None:
    words = PageWords(TEXT)

    assert identify_quote(quote_at(words, (0, 5))) == identify_quote(quote_at(words, (0, 5)))
    assert identify_quote(quote_at(words, (0, 5))) != identify_quote(
        quote_at(PageWords("x"), (0, 1))
    )


def test_a_character_that_turns_the_direction_of_reading_does_not_come_through() -> None:
    words = PageWords("safe \u202e text")

    assert cut_text(words, [])[0]["text"] == "safe  text"
