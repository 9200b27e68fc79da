"""Research sessions: what was acknowledged is kept, for its caller alone, within bounds."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.net.doubles import FakeClock
from tests.sessions.kits import A, sessions_in
from webquarry.clock import Clock
from webquarry.errors import (
    NetworkFailure,
    RateLimited,
    WebquarryError,
)
from webquarry.sessions.models import ResearchSession, Source, StepDraft
from webquarry.sessions.sessions import Sessions
from webquarry.settings import Settings
from webquarry.store.journals import FileJournals
from webquarry.store.records import RecordFile

HOURS = 3600.0
DAYS = 24 * HOURS


def test_a_session_is_a_uuid_and_has_its_first_step_and_goal() -> None:
    async def scenario() -> ResearchSession:
        async with sessions_in(None) as sessions:
            return await sessions.begin(
                StepDraft(1, " What is a tide? ", goal="Tides", confidence="low", rejected=("x",))
            )

    session = asyncio.run(scenario())

    assert uuid.UUID(session.id).version == 4
    assert (session.goal, session.finished) == ("Tides", False)
    assert [(step.number, step.text, step.confidence, step.rejected) for step in session.steps] == [
        (1, "What is a tide?", "low", ("x",))
    ]


def test_steps_sources_and_errors_are_there_after_a_restart(tmp_path: Path) -> None:
    async def scenario() -> tuple[ResearchSession, ResearchSession]:
        async with sessions_in(tmp_path) as sessions:
            id = (await sessions.begin(StepDraft(1, "one", goal="g", summary="s", estimate=4))).id
            session, _ = await sessions.add_step(
                id, StepDraft(2, "two", gap="why?", reasoning="because")
            )
            await sessions.record(
                session, "web_search", [Source(A, "Title", "2026-01-01", "brave")]
            )
            await sessions.record_error(session, "scrape_page", RateLimited("slow down"))
            before = await sessions.read(id)
        async with sessions_in(tmp_path) as sessions:
            return before, await sessions.read(id)

    before, after = asyncio.run(scenario())

    assert before == after
    assert after.sources[0].source == Source(A, "Title", "2026-01-01", "brave")
    assert (after.sources[0].number, after.sources[0].steps, after.sources[0].tools) == (
        1,
        (2,),
        ("web_search",),
    )
    assert [(error.kind, error.tool, error.step) for error in after.errors] == [
        ("rate_limited", "scrape_page", 2)
    ]
    assert (after.goal, after.summary, after.estimate, after.current.gap) == ("g", "s", 4, "why?")


def refusal(*drafts: StepDraft) -> WebquarryError:
    """What the last of these steps is refused with."""

    async def scenario() -> None:
        async with sessions_in(None) as sessions:
            session = await sessions.begin(drafts[0])
            for draft in drafts[1:]:
                await sessions.add_step(session.id, draft)

    with pytest.raises(WebquarryError) as caught:
        asyncio.run(scenario())
    return caught.value


@pytest.mark.parametrize("number", [1, 2, 4, 99])
def test_a_wrong_number_is_refused_with_the_one_that_was_expected(number: int) -> None:
    error = refusal(StepDraft(1, "one"), StepDraft(2, "two"), StepDraft(number, "another"))

    assert error.kind == "bad_input"
    assert "expects 3" in error.message


def test_only_step_one_starts_a_session() -> None:
    error = refusal(StepDraft(2, "two"))

    assert "no sessionId" in error.message
    assert "step 1 returned" in error.suggested_action


@pytest.mark.parametrize(
    ("draft", "words"),
    [
        (StepDraft(2, "x", is_revision=True), "cannot revise step 2"),
        (StepDraft(2, "x", revises=0), "cannot revise step 0"),
        (StepDraft(2, "x", branch_from=1), "belong together"),
        (StepDraft(2, "x", branch_from=7, branch_id="b"), "no step 7 to branch off from"),
        (StepDraft(3, "x", revises=1), "cannot revise step 1"),
        (StepDraft(2, "  "), "blank"),
        (StepDraft(2, "x" * 10_001), "searchStep has 10001 characters"),
        (StepDraft(2, "x", rejected=("y",) * 21), "more than 20"),
        (StepDraft(2, "x", goal="y" * 2_001), "researchGoal"),
    ],
)
def test_a_step_that_cannot_be_meant_is_refused(draft: StepDraft, words: str) -> None:
    error = refusal(StepDraft(1, "one"), draft)

    assert error.kind == "bad_input"
    assert words in error.message


@pytest.mark.parametrize(
    "draft",
    [
        StepDraft(4, "better", is_revision=True, revises=2),
        StepDraft(4, "better", revises=2),
        StepDraft(2, "better", is_revision=True),
    ],
)
def test_a_revision_gets_the_next_number_and_the_revised_step_shows_it(draft: StepDraft) -> None:
    async def scenario() -> ResearchSession:
        async with sessions_in(None) as sessions:
            id = (await sessions.begin(StepDraft(1, "one"))).id
            await sessions.add_step(id, StepDraft(2, "two"))
            await sessions.add_step(id, StepDraft(3, "three"))
            await sessions.add_step(id, draft)
            return (await sessions.add_step(id, draft))[0]  # sent twice, recorded once

    session = asyncio.run(scenario())

    assert [step.superseded_by for step in session.steps] == [None, 4, None, None]
    assert session.steps[3].revises == 2


def test_branches_share_one_running_number() -> None:
    async def scenario() -> ResearchSession:
        async with sessions_in(None) as sessions:
            id = (await sessions.begin(StepDraft(1, "one"))).id
            await sessions.add_step(id, StepDraft(2, "aside", branch_from=1, branch_id="cost"))
            return (await sessions.add_step(id, StepDraft(3, "back")))[0]

    session = asyncio.run(scenario())

    assert [(step.number, step.branch_id, step.branch_from) for step in session.steps] == [
        (1, None, None),
        (2, "cost", 1),
        (3, None, None),
    ]


def test_a_step_sent_again_word_for_word_is_recorded_once() -> None:
    async def scenario() -> list[int]:
        async with sessions_in(None) as sessions:
            id = (await sessions.begin(StepDraft(1, "one"))).id
            answers = [await sessions.add_step(id, StepDraft(2, "two")) for _ in range(3)]
            return [len(session.steps) for session, _ in answers] + [
                step.number for _, step in answers
            ]

    assert asyncio.run(scenario()) == [2, 2, 2, 2, 2, 2]


def test_a_finished_session_is_opened_again_by_a_further_step() -> None:
    async def scenario() -> list[bool]:
        async with sessions_in(None) as sessions:
            begun = await sessions.begin(StepDraft(1, "one", finished=True))
            states = [begun.finished]
            states.append((await sessions.add_step(begun.id, StepDraft(2, "two")))[0].finished)
            states.append(
                (await sessions.add_step(begun.id, StepDraft(3, "three", finished=True)))[
                    0
                ].finished
            )
            return states

    assert asyncio.run(scenario()) == [True, False, True]


def test_error_is_stored_by_kind_without_secrets() -> None:
    async def scenario() -> ResearchSession:
        async with sessions_in(None) as sessions:
            session = await sessions.begin(StepDraft(1, "one"))
            await sessions.record_error(
                session, "t", NetworkFailure("no answer from https://a.org/?key=abcdefgh1234")
            )
            await sessions.record_error(session, "t", ValueError("private words"))
            return await sessions.read(session.id)

    errors = asyncio.run(scenario()).errors

    assert [error.kind for error in errors] == ["network", "internal"]
    assert not any(
        word in error.message for error in errors for word in ("abcdefgh1234", "private")
    )


def ids_of(repeatable: bool, *texts: str) -> list[str]:
    async def scenario() -> list[str]:
        file = RecordFile(None)
        sessions = Sessions(FileJournals(file), FakeClock(), Settings(), repeatable=repeatable)
        found = [(await sessions.begin(StepDraft(1, text))).id for text in texts]
        file.close()
        return found

    return asyncio.run(scenario())


def test_ids_follow_from_the_content_while_a_recording_is_replayed() -> None:
    first, second = ids_of(True, "a", "b", "a"), ids_of(True, "a", "b", "a")

    assert first == second
    assert len(set(first)) == 3  # the second "a" is another session
    assert {uuid.UUID(id).version for id in first} == {5}
    assert ids_of(False, "a") != ids_of(False, "a")


KILLED = """
import asyncio, sys
from pathlib import Path
from webquarry.clock import Clock
from webquarry.store.records import RecordFile
from webquarry.store.journals import FileJournals
from webquarry.sessions.models import StepDraft
from webquarry.sessions.models import Source
from webquarry.sessions.sessions import Sessions
from webquarry.settings import Settings

async def main():
    sessions = Sessions(FileJournals(RecordFile(Path(sys.argv[1]))), Clock(), Settings())
    session = await sessions.begin(StepDraft(1, "step 1", goal="tides"))
    print(session.id, flush=True)
    for number in range(2, 200):
        session, step = await sessions.add_step(session.id, StepDraft(number, f"step {number}"))
        await sessions.record(session, "web_search", [Source(f"https://a.org/{number}")])
        print(number, flush=True)

asyncio.run(main())
"""


def killed_after(folder: Path, script: str, wanted: Callable[[list[str]], bool]) -> list[str]:
    """Run a process and kill it once it has said enough; all that it said."""
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(folder)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    said: list[str] = []
    with process:
        for line in process.stdout:
            said.append(line.strip())
            if wanted(said):
                break
        os.kill(process.pid, signal.SIGKILL)
        said += [
            line for line in process.stdout.read().split("\n")[:-1] if line
        ]  # the last line may be half
    return said


def test_a_killed_process_leaves_every_acknowledged_step_and_another_one_carries_on(
    tmp_path: Path,
) -> None:
    said = killed_after(tmp_path, KILLED, lambda lines: len(lines) == 12)
    id, acknowledged = said[0], int(said[-1])

    async def scenario() -> ResearchSession:
        async with sessions_in(tmp_path, Clock()) as sessions:
            found = await sessions.read(id)
            assert [step.text for step in found.steps[:acknowledged]] == [
                f"step {number}" for number in range(1, acknowledged + 1)
            ]
            assert len(found.sources) >= acknowledged - 1
            return (await sessions.add_step(id, StepDraft(len(found.steps) + 1, "carried on")))[0]

    assert asyncio.run(scenario()).current.text == "carried on"
