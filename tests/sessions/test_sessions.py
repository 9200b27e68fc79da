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
from tests.sessions.kits import A, B, C, sessions_in
from webquarry.caller import serving
from webquarry.clock import Clock
from webquarry.errors import (
    BadInput,
    NetworkFailure,
    NotFound,
    RateLimited,
    RecordsFailure,
    TooLarge,
    WebquarryError,
)
from webquarry.records.file import RecordFile
from webquarry.records.journals import FileJournals
from webquarry.sessions import sessions as engine
from webquarry.sessions.models import KeptQuote, ResearchSession, StepDraft
from webquarry.sessions.sessions import Sessions
from webquarry.sessions.source import Source
from webquarry.settings import Settings

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


def test_a_later_goal_summary_and_estimate_take_the_place_of_the_earlier_ones() -> None:
    async def scenario() -> ResearchSession:
        async with sessions_in(None) as sessions:
            id = (await sessions.begin(StepDraft(1, "one", goal="old", estimate=2))).id
            await sessions.add_step(
                id, StepDraft(2, "two", goal="new", summary="so far", estimate=5)
            )
            return (await sessions.add_step(id, StepDraft(3, "three")))[0]

    session = asyncio.run(scenario())

    assert (session.goal, session.summary, session.estimate) == ("new", "so far", 5)


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


def test_a_step_from_the_second_on_does_not_begin_a_session() -> None:
    error = refusal(StepDraft(2, "two"))

    assert "no sessionId" in error.message
    assert "step 1 returned" in error.suggested_action


@pytest.mark.parametrize(
    ("draft", "words"),
    [
        (StepDraft(2, "x", is_revision=True), "without revisesStep"),
        (StepDraft(2, "x", revises=2), "no step 2 to revise"),
        (StepDraft(2, "x", revises=0), "no step 0 to revise"),
        (StepDraft(2, "x", revises=-1), "no step -1 to revise"),
        (StepDraft(2, "x", branch_from=1), "belong together"),
        (StepDraft(2, "x", branch_id="b"), "belong together"),
        (StepDraft(2, "x", branch_from=7, branch_id="b"), "no step 7 to branch off from"),
        (StepDraft(2, "x", branch_from=0, branch_id="b"), "no step 0 to branch off from"),
        (StepDraft(3, "x", revises=1), "is step 2, the next one"),
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
    "extra", [{"revises": 1}, {"is_revision": True}, {"branch_from": 1, "branch_id": "b"}]
)
def test_a_first_step_has_nothing_to_revise_or_to_branch_off_from(extra: dict[str, int]) -> None:
    assert "new session" in refusal(StepDraft(1, "one", **extra)).message  # type: ignore[arg-type]


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


def test_a_repeated_step_that_has_something_new_to_say_is_not_swallowed() -> None:
    assert (
        "expects 3"
        in refusal(
            StepDraft(1, "one"), StepDraft(2, "two"), StepDraft(2, "two", finished=True)
        ).message
    )


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


def test_a_session_ends_thirty_days_after_its_last_use() -> None:
    async def scenario() -> None:
        clock = FakeClock()
        async with sessions_in(None, clock) as sessions:
            id = (await sessions.begin(StepDraft(1, "one"))).id
            clock.seconds += 30 * DAYS
            await sessions.add_step(id, StepDraft(2, "two"))  # used: the time begins anew
            clock.seconds += 30 * DAYS
            session = await sessions.read(id)
            assert len(session.steps) == 2
            assert sessions.ends_at(session) == clock.now()
            clock.seconds += 1
            with pytest.raises(NotFound, match="no research session") as caught:
                await sessions.read(id)
            assert "end 30 days after" in caught.value.suggested_action
            assert "stepNumber 1" in caught.value.suggested_action
            with pytest.raises(NotFound):
                await sessions.add_step(id, StepDraft(3, "three"))

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("seconds", "said"), [(4 * HOURS, "4 hours"), (90, "90 seconds"), (2.5 * 86_400, "2.5 days")]
)
def test_how_long_sessions_are_kept_is_a_setting_and_is_told(seconds: float, said: str) -> None:
    async def scenario() -> None:
        async with sessions_in(None, session_idle_seconds=seconds) as sessions:
            await sessions.read("no such session")

    with pytest.raises(NotFound) as caught:
        asyncio.run(scenario())
    assert f"end {said} after" in caught.value.suggested_action


def test_a_session_that_is_only_looked_at_is_not_the_one_idle_longest() -> None:
    async def scenario() -> None:
        clock = FakeClock()
        async with sessions_in(None, clock, session_most=2) as sessions:
            looked_at = await sessions.begin(StepDraft(1, "one"))
            clock.seconds += HOURS
            forgotten = await sessions.begin(StepDraft(1, "two"))
            clock.seconds += HOURS
            await sessions.touch(await sessions.read(looked_at.id))
            new = await sessions.begin(StepDraft(1, "three"))
            held = {id for id, _ in await sessions.list()}
            assert held == {looked_at.id, new.id}
            assert forgotten.id not in held

    asyncio.run(scenario())


def test_a_session_that_is_looked_at_or_used_by_tools_is_not_idle() -> None:
    async def scenario() -> ResearchSession:
        clock = FakeClock()
        async with sessions_in(None, clock) as sessions:
            session = await sessions.begin(StepDraft(1, "one"))
            await sessions.record(session, "web_search", [Source(A)])
            for _ in range(3):
                clock.seconds += 3 * HOURS
                session = await sessions.read(session.id)
                await sessions.record(session, "web_search", [Source(A)])  # nothing new
            before = session.version
            for _ in range(10):
                await sessions.touch(await sessions.read(session.id))
            assert (
                await sessions.read(session.id)
            ).version <= before + 1  # written only now and then
            return await sessions.read(session.id)

    assert len(asyncio.run(scenario()).sources) == 1


@pytest.mark.parametrize(
    "id", ["", "s-1", "../../x", "\udcff", "3f2a0f7e-0000-4000-8000-000000000000", "x" * 5000]
)
def test_an_unknown_session_is_not_found(id: str) -> None:
    async def scenario() -> None:
        async with sessions_in(None) as sessions:
            await sessions.read(id)

    with pytest.raises(NotFound, match="There is no research session"):
        asyncio.run(scenario())


def test_a_session_of_somebody_else_is_not_found(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with sessions_in(tmp_path) as sessions:
            with serving("ada"):
                session = await sessions.begin(StepDraft(1, "one"))
            with serving("bob"):
                for attempt in (
                    sessions.read(session.id),
                    sessions.add_step(session.id, StepDraft(2, "two")),
                    sessions.record(session, "web_search", [Source(A)]),
                ):
                    with pytest.raises(NotFound):
                        await attempt
                assert await sessions.list() == []
            with serving("ada"):
                assert await sessions.list() == [(session.id, False)]
                assert (await sessions.read(session.id.upper())).id == session.id

    asyncio.run(scenario())


def test_beyond_a_thousand_sessions_a_finished_one_gives_way_then_the_one_idle_longest(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        clock = FakeClock()
        async with sessions_in(tmp_path, clock) as sessions:
            ids = []
            for number in range(1_000):
                clock.seconds += 1
                ids.append((await sessions.begin(StepDraft(1, f"one {number}"))).id)
            await sessions.add_step(ids[7], StepDraft(2, "enough", finished=True))
            with serving("somebody else"):
                await sessions.begin(StepDraft(1, "theirs"))
            first = await sessions.begin(StepDraft(1, "one more"))
            held = {id for id, _ in await sessions.list()}
            assert held == {*ids, first.id} - {ids[7]}
            second = await sessions.begin(StepDraft(1, "and one more"))
            held = {id for id, _ in await sessions.list()}
            assert held == {*ids, first.id, second.id} - {ids[7], ids[0]}

    asyncio.run(scenario())


def test_the_201st_step_is_refused_and_a_full_session_may_give_way() -> None:
    async def scenario() -> ResearchSession:
        async with sessions_in(None) as sessions:
            session = await sessions.begin(StepDraft(1, "one"))
            for number in range(2, 201):
                session, _ = await sessions.add_step(
                    session.id, StepDraft(number, f"step {number}")
                )
            with pytest.raises(BadInput, match="200 steps, which is the most") as caught:
                await sessions.add_step(session.id, StepDraft(201, "too many"))
            assert "begin a new one" in caught.value.suggested_action
            return await sessions.read(session.id)

    session = asyncio.run(scenario())

    assert len(session.steps) == 200
    assert session.finished


def sources_after(*records: tuple[int, list[Source]]) -> ResearchSession:
    """A session of three steps, and what is recorded with them."""

    async def scenario() -> ResearchSession:
        async with sessions_in(None) as sessions:
            id = (await sessions.begin(StepDraft(1, "one"))).id
            await sessions.add_step(id, StepDraft(2, "two"))
            await sessions.add_step(id, StepDraft(3, "three"))
            for step, found in records:
                await sessions.record(await sessions.read(id), "tool", found, step)
            return await sessions.read(id)

    return asyncio.run(scenario())


def test_one_page_is_one_source_whatever_its_address_and_however_often_it_is_found() -> None:
    session = sources_after(
        (1, [Source(A, "From a search", provider="brave"), Source(B)]),
        (2, [Source(C), Source(A + "?utm_source=x")]),
    )

    assert [(one.number, one.source.url, one.steps) for one in session.sources] == [
        (1, A, (1, 2)),
        (2, B, (1,)),
        (3, C, (2,)),
    ]
    assert [step.sources for step in session.steps] == [(1, 2), (3, 1), ()]
    assert [one.number for one in session.sources_of(session.steps[1])] == [3, 1]


def test_a_page_that_was_read_is_known_better_than_one_that_was_found() -> None:
    read = Source(
        A,
        "The real title",
        "2026-02-02",
        csl={"type": "webpage", "title": "The real title", "abstract": "x"},
    )
    found = Source(A, "the real tit...", provider="brave")

    for order in ([found, read], [read, found]):
        source = sources_after(*[(1, [one]) for one in order]).sources[0].source
        assert (source.title, source.published) == ("The real title", "2026-02-02")
        assert source.csl == {
            "type": "webpage",
            "title": "The real title",
        }  # an abstract is somebody's text


@pytest.mark.parametrize("steps", [(1, 1), (1, 2)])
def test_a_paper_that_an_index_knows_counts_as_read_only_when_its_page_was(
    steps: tuple[int, int],
) -> None:
    paper = Source(A, "A paper", csl={"type": "article-journal", "title": "A paper"})
    read = Source(
        A, "A paper", csl={"type": "article-journal", "accessed": {"date-parts": [[2026, 3, 1]]}}
    )

    assert not sources_after((1, [paper])).sources[0].source.was_read
    for order in ([paper, read], [read, paper]):
        found = sources_after(*[(step, [one]) for step, one in zip(steps, order, strict=True)])
        assert found.sources[0].source.csl == read.csl


def test_a_secret_in_an_address_is_not_kept() -> None:
    session = sources_after((1, [Source("https://a.org/x?token=abcdefgh12345")]))

    assert "abcdefgh12345" not in session.sources[0].source.url


def test_beyond_the_most_sources_nothing_is_dropped_in_silence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "MOST_SOURCES", 2)

    with pytest.raises(TooLarge, match="2 sources, which is the most"):
        sources_after((1, [Source(A), Source(B)]), (2, [Source(A), Source(B)]), (3, [Source(C)]))


def test_an_error_is_kept_by_kind_and_without_secrets() -> None:
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


def test_a_store_that_fails_is_said() -> None:
    async def scenario() -> None:
        async with sessions_in(None) as sessions:
            sessions._journals._file._open = _broken  # type: ignore[attr-defined]
            await sessions.begin(StepDraft(1, "one"))

    def _broken() -> None:
        raise RecordsFailure("The record file did not answer.")

    with pytest.raises(RecordsFailure):
        asyncio.run(scenario())


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
from webquarry.records.file import RecordFile
from webquarry.records.journals import FileJournals
from webquarry.sessions.models import StepDraft
from webquarry.sessions.source import Source
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


def test_quotes_that_were_checked_are_kept_with_the_source_they_stand_in(tmp_path: Path) -> None:
    quotes = [
        KeptQuote("It turns twice a day.", "exact", A, spans=((3, 24),), text_hash="aa"),
        KeptQuote("It turns thrice a day.", "near", A, text_hash="aa"),
        KeptQuote("A page nobody searched for.", "letters", C, title="C"),
        KeptQuote("Nowhere at all, this one.", "absent"),
    ]

    async def scenario() -> tuple[int, int, ResearchSession]:
        async with sessions_in(tmp_path) as sessions:
            session = await sessions.begin(StepDraft(1, "one"))
            await sessions.record(session, "web_search", [Source(A, "A"), Source(B, "B")])
            first = await sessions.record_quotes(session, "check_quotes", quotes)
            session = await sessions.read(session.id)
            again = await sessions.record_quotes(session, "check_quotes", quotes)
            return first, again, await sessions.read(session.id)

    first, again, session = asyncio.run(scenario())

    assert (first, again) == (4, 0)
    assert [recorded.stage for recorded in session.sources] == ["quoted", "found", "quoted"]
    assert [recorded.tools for recorded in session.sources] == [
        ("web_search",),
        ("web_search",),
        ("check_quotes",),
    ]
    assert session.sources[0].quotes[0].spans == ((3, 24),)
    assert session.sources[0].count_of_quotes == 1
    assert [quote.tier for quote in session.quotes] == ["exact", "near", "letters", "absent"]
