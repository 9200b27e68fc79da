"""Named sets of domains."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from webquarry._search.lenses import load_lenses, pick_lens
from webquarry.errors import BadInput


def write(folder: Path, name: str, **fields: object) -> None:
    (folder / f"{name}.json").write_text(
        json.dumps({"name": name, "description": "d", "domains": ["a.example"], **fields})
    )


def test_the_built_in_lenses_load_and_describe_themselves() -> None:
    lenses = load_lenses()
    assert len(lenses) >= 15
    assert all(lens.description.endswith(".") and lens.domains for lens in lenses.values())
    assert "arxiv.org" in lenses["academic"].domains


def test_a_lens_of_the_users_own_takes_the_place_of_ours(tmp_path: Path) -> None:
    write(tmp_path, "academic", domains=["https://WWW.Mine.example/x"])
    write(tmp_path, "other", cx="abc:123", routing=["brave"])
    lenses = load_lenses(tmp_path)
    assert lenses["academic"].domains == ["www.mine.example/x"]
    assert lenses["other"].cx == "abc:123"
    assert "news" in lenses


@pytest.mark.parametrize(
    "text",
    [
        "{",
        '{"name": "x", "description": "d", "domains": []}',
        '{"name": "x", "description": "d", "domains": ["not a domain"]}',
        '{"name": "y", "description": "d", "domains": ["a.example"]}',
        '{"name": "x", "description": "d", "domains": ["a.example"], "domain": 1}',
    ],
)
def test_a_bad_lens_file_is_an_error_that_names_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(BadInput, match=r"x\.json is not usable"):
        load_lenses(tmp_path)


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="not there"):
        load_lenses(tmp_path / "none")


def test_an_unknown_lens_is_answered_with_those_there_are() -> None:
    with pytest.raises(BadInput) as caught:
        pick_lens(load_lenses(), "nope")
    assert "academic" in caught.value.suggested_action
