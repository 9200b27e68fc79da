"""What is found once is not looked for again."""

from __future__ import annotations

from webquarry._read.text.remember import found_once


class Page:
    """Counts how often it is read."""

    def __init__(self) -> None:
        self.readings = 0

    @found_once
    def words(self) -> list[str]:
        """Its words."""
        self.readings += 1
        return ["tide", "table"]


def test_a_value_is_found_when_it_is_first_asked_for_and_then_known() -> None:
    page, other = Page(), Page()

    assert page.words is page.words
    assert (page.readings, other.readings) == (1, 0)


def test_the_class_shows_the_property_and_what_it_is() -> None:
    assert isinstance(Page.words, found_once)
    assert Page.words.__doc__ == "Its words."
