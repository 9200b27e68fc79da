"""The paragraphs that bear on a question."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from webquarry.evidence.language.relevant_paragraphs import find_relevant, join_paragraphs
from webquarry.evidence.language.terms import Terms
from webquarry.read.slices.paragraphs import paragraphs_of

TEXT = """# Tides

Boats lie in the mud.

## Power

Tidal power is old.

### Stores

Tidal power storage is new.

## Other

Nothing here.
"""


def kept(text: str, *questions: str) -> tuple[str, bool]:
    parts = paragraphs_of(text.encode())
    bearing = find_relevant(parts, [Terms(question) for question in questions])
    return join_paragraphs(parts, bearing.kept).decode(), bearing.found


def test_of_three_terms_two_are_enough_and_one_is_not() -> None:
    assert kept("Tidal power.\n\nTidal boats.\n", "tidal power storage") == (
        "Tidal power.\n\n[...]\n\n",
        True,
    )


def test_one_term_is_enough_where_no_paragraph_holds_two() -> None:
    assert kept("Mud.\n\nTidal boats.\n", "tidal power storage") == (
        "[...]\n\nTidal boats.\n",
        True,
    )


def test_the_headings_above_are_kept_and_their_other_sections_are_not() -> None:
    assert kept(TEXT, "storage") == (
        "# Tides\n\n[...]\n\n## Power\n\n[...]\n\n### Stores\n\nTidal power storage is "
        "new.\n\n[...]\n\n",
        True,
    )


def test_either_question_is_enough() -> None:
    text, found = kept(TEXT, "storage", "boats in the mud")

    assert found
    assert "Boats lie" in text
    assert "storage is new" in text
    assert "is old" not in text


def test_the_beginning_stays_where_nothing_bears_on_it() -> None:
    assert kept("A.\n\nB.\n\nC.\n", "zebra") == ("A.\n\nB.\n\n[...]\n\n", False)


@given(
    st.lists(st.sampled_from(["# H", "## I", "tide", "boat", "- item of tide", ""]), max_size=12)
)
def test_a_text_with_words_never_becomes_empty(parts: list[str]) -> None:
    text = "\n\n".join(parts)
    body = [part for part in parts if part and not part.startswith("#")]

    shown, _ = kept(text, "tide")

    assert bool(shown.strip()) >= bool(body)
