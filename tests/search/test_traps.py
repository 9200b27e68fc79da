"""Captcha and error pages are never read as answers, and results about captchas are answers.

A trap was recorded from one provider, which determines its outcome.
"""

from __future__ import annotations

import pytest

from tests.search.test_providers import BY_NAME, configured
from tests.search.traps import BAD, FOLDER, GOOD, Recorded
from webquarry.errors import OUTCOMES, WebquarryError

each_trap = pytest.mark.parametrize("trap", BAD, ids=lambda trap: trap.file)
each_good = pytest.mark.parametrize("good", GOOD, ids=lambda good: good.file)


def test_there_are_twenty_of_each_and_every_file_is_used() -> None:
    assert len(BAD) >= 20
    assert len(GOOD) >= 20
    for folder, listed in (("bad", BAD), ("good", GOOD)):
        assert {path.name for path in (FOLDER / folder).iterdir()} == {one.file for one in listed}
    assert {one.provider for one in BAD} == {one.provider for one in GOOD} <= set(BY_NAME)


@each_trap
def test_a_trap_is_never_an_answer(trap: Recorded) -> None:
    with pytest.raises(WebquarryError) as caught:
        configured(BY_NAME[trap.provider]).parse_reply(trap.reply)

    assert caught.value.kind == trap.outcome
    assert trap.outcome in OUTCOMES


@each_good
def test_a_good_reply_is_never_refused(good: Recorded) -> None:
    batch = configured(BY_NAME[good.provider]).parse_reply(good.reply)

    assert len(batch.results) == good.results
