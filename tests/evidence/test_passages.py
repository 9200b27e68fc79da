"""The passages of a text that bear on a question, within a budget."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.read.written import written
from webquarry.evidence.language.passages import excerpt_of, excerpts_of

HARBOURS = "\n".join(f"|Harbour {number}|{number} m|{1900 + number}|" for number in range(1, 120))
GUIDE = f"""# Guide to the coast

The coast is long. Boats go out in the morning.

## Lighthouses

The tower of Skagen was lit in 1858. {"It has a keeper and a garden. " * 5}

{"Cows graze on the meadows behind the dunes. " * 12}

## Harbours

|Name|Depth|Opened|
|-|-|-|
{HARBOURS}

## Food

{"Fish is eaten with bread and butter everywhere. " * 12}

```python
def boil(fish):
    return fish.heat(minutes=7)
```

### Puddings

- Sago pudding takes an hour.
- Rice pudding takes two.
"""


def ask(question: str, tokens: int, text: str = GUIDE) -> str:
    content = excerpt_of(written(text), question, 4 * tokens).content
    assert len(content) <= 4 * tokens
    return content.decode()


def ask_only(question: str, text: str = GUIDE) -> str:
    """What bears on it, with room for more."""
    return excerpt_of(written(text), question, 2_000, fill=False).content.decode()


def test_a_row_is_shown_with_the_head_of_its_table_and_its_heading() -> None:
    content = ask("When was Harbour 97 opened?", 200)

    assert "## Harbours\n\n|Name|Depth|Opened|\n|-|-|-|\n" in content
    assert "|Harbour 97|97 m|1997|\n" in content
    assert content.count("|Name|Depth|Opened|") == 1
    assert "[...]" in content


def test_a_row_is_found_by_the_words_of_its_head_and_heading() -> None:
    """Nothing in a row says depth or harbour: two tables, of which the question names one."""
    rows = "\n".join(f"|Place {number}|{number}|" for number in range(9))
    text = (
        f"## Villages\n\n|Name|People|\n|-|-|\n{rows}\n\n## Ports\n\n|Name|Depth|\n|-|-|\n{rows}\n"
    )

    content = ask_only("depth of the ports", text)

    assert "|Name|Depth|" in content
    assert "|Name|People|" not in content


def test_rows_that_are_left_out_between_others_leave_a_mark_in_the_table() -> None:
    content = ask("Compare Harbour 3 and Harbour 111.", 300)

    first, _, second = content.partition("|[...]|\n")
    assert "|Harbour 3|" in first
    assert "|Harbour 111|" in second


def test_passages_are_shown_in_the_order_of_the_page() -> None:
    content = ask("rice pudding, and the tower of Skagen", 150)

    assert content.index("Skagen") < content.index("Rice pudding")


def test_where_the_budget_need_not_be_filled_only_what_bears_on_it_is_shown() -> None:
    assert ask_only("When was the tower of Skagen lit?").count("\n\n") == 4
    assert "Cows" not in ask_only("When was the tower of Skagen lit?")


def test_the_rest_of_the_budget_is_filled_with_the_beginning() -> None:
    content = ask("How long does rice pudding take?", 600)

    assert "Rice pudding takes two." in content
    assert content.startswith("# Guide to the coast\n\nThe coast is long.")


def test_nothing_bears_on_it_is_said_and_only_a_short_beginning_given() -> None:
    excerpt = excerpt_of(written(GUIDE), "quantum chromodynamics", 8_000)

    assert excerpt.bearing == "none"
    assert len(excerpt.content) <= 800
    assert excerpt.content.startswith(b"# Guide to the coast")


def test_passage_has_section_and_position() -> None:
    text = written(GUIDE)
    excerpt = excerpt_of(text, "rice pudding; when was Harbour 97 opened", 2_000, fill=False)

    sections = [passage.section for passage in excerpt.passages]
    assert "Guide to the coast > Harbours" in sections
    assert sections[-1] == "Guide to the coast > Food > Puddings"
    last = excerpt.passages[-1]
    assert text.data[last.start :].startswith(b"- Sago pudding")


def test_code_that_is_cut_stays_between_its_fences() -> None:
    lines = "\n".join(f"value_{number} = compute({number})" for number in range(200))
    text = f"Words.\n\n```python\n{lines}\n```\n\nAfter the code.\n"

    content = ask("value 150", 200, text)

    assert "value_150 = compute(150)" in content
    assert content.count("```") == 2
    assert content.index("```python\n") < content.index("value_150") < content.index("```\n\n")


@pytest.mark.parametrize(
    ("tokens", "shown"),
    [
        (1, "The"),
        (3, "The tower"),
        (5, "The tower of"),
        (25, "The tower of Skagen was lit in"),
    ],
)
def test_a_budget_smaller_than_any_passage_cuts_the_best_one(tokens: int, shown: str) -> None:
    assert shown in ask("When was the tower of Skagen lit?", tokens)


def test_the_head_of_a_wide_table_gives_way_to_its_rows() -> None:
    head = "|" + "a very long name of a column|" * 30
    rows = "\n".join(f"|row {number}|" for number in range(50))
    text = f"{head}\n|{'-|' * 30}\n{rows}\n"

    assert "|row 33|" in ask("row 33", 120, text)


def test_several_texts_share_the_budget_by_worth() -> None:
    rich = "\n\n".join(f"The tide at noon number {n} turns the mill." for n in range(40))
    poor = "The tide turns.\n\n" + "Nothing else is said of that. " * 100
    texts = [written(text) for text in (rich, poor, "Bread is baked with flour. " * 60)]

    shares = excerpts_of(texts, "when does the tide turn the mill", 2_000, fill=False)

    assert sum(len(share.content) for share in shares) <= 2_000
    assert len(shares[0].content) > 3 * len(shares[1].content)
    assert b"The tide turns." in shares[1].content
    assert [share.bearing for share in shares] == ["clear", "clear", "none"]


def test_a_text_of_many_tables_that_say_the_same_does_not_take_the_budget_of_another() -> None:
    rows = "\n".join(f"|{month}|{month * 3}|" for month in range(12))
    tables = "\n\n".join(
        f"### Station {n}\n\n|Month|Tidal energy|\n|-|-|\n{rows}" for n in range(40)
    )
    essay = "\n\n".join(
        f"Reason {n}: the energy of a tidal stream is kept for the hours of slack water."
        for n in range(20)
    )

    figures, reasons = excerpts_of(
        [written(f"## Annex: tidal energy\n\n{tables}"), written(essay)], "tidal energy", 3_000
    )

    assert len(reasons.content) > 1_000
    assert len(figures.content) > 500


PARTS = st.sampled_from(
    [
        "# Tide\n\n",
        "### Größe\n\n",
        "The tide turns at noon. ",
        "Ebbe und Flut: 12 % über dem Maß. ",
        "潮の満ち引き。",
        "\n\n",
        "\n",
        "- an item of tide\n",
        "|tide|b|\n|-|-|\n|1|2|\n|ä|[...]|\n",
        "|no head\n",
        "```\ntide = 1\n",
        "```\n",
        "x" * 700 + " ",
    ]
)


@given(st.lists(PARTS, max_size=30), st.integers(1, 900), st.booleans())
def test_any_text_keeps_to_any_budget(parts: list[str], budget: int, fill: bool) -> None:
    text = written("".join(parts))

    excerpt = excerpt_of(text, "when does the tide turn at 潮の満", budget, fill=fill)

    assert len(excerpt.content) <= budget
    excerpt.content.decode()
    for passage in excerpt.passages:
        text.data[passage.start :].decode()
    whole = excerpt_of(text, "tide", len(text.data) + 100)
    if whole.bearing == "clear":
        assert whole.content == text.data


def test_a_table_is_found_by_its_caption() -> None:
    rows = "\n".join(f"|Place {number}|{number}|" for number in range(60))
    tables = [
        f"{subject} of the coast\n\n|Name|Count|\n|-|-|\n{rows.replace('Place', subject)}"
        for subject in ("Mills", "Wells", "Inns")
    ]
    text = "\n\n".join(tables).replace("|Wells ", "|Spring ")

    content = ask("How many wells are there at each place?", 150, text)

    assert "|Spring 0|" in content
    assert "|Mills" not in content
