"""What a session has covered, and what it should search for next: worked out of its own words."""

from __future__ import annotations

import asyncio

from tests.sessions.kits import A, B, sessions_in
from webquarry.errors import NetworkFailure, RateLimited
from webquarry.sessions.coverage import coverage_of, refinement_queries
from webquarry.sessions.models import ResearchSession, Source, StepDraft
from webquarry.sessions.views import show_repeated_errors

GOAL = "Costs and lifetime of tidal energy storage"


def session(*drafts: StepDraft, titles: tuple[str, ...] = ()) -> ResearchSession:
    async def scenario() -> ResearchSession:
        async with sessions_in(None) as sessions:
            found = await sessions.begin(drafts[0])
            for draft in drafts[1:]:
                found, _ = await sessions.add_step(found.id, draft)
            sources = [Source(url, title) for url, title in zip((A, B), titles, strict=False)]
            await sessions.record(found, "web_search", sources)
            return await sessions.read(found.id)

    return asyncio.run(scenario())


def test_an_aspect_is_covered_by_a_title_mentioned_by_a_step_or_missing() -> None:
    found = coverage_of(
        session(
            StepDraft(1, "Which storage is built?", goal=GOAL),
            titles=("Tidal energies", "Cost data"),
        )
    )

    assert found.covered == ("costs", "tidal", "energy")
    assert found.mentioned == ("storage",)
    assert found.missing == ("lifetime",)
    assert found.share == 0.6


def test_queries_ask_for_the_gap_then_for_what_no_source_speaks_of_then_for_the_step() -> None:
    found = session(
        StepDraft(1, "Which storage is built?", goal=GOAL, gap="corrosion of turbines"),
        titles=("Tidal energy",),
    )

    assert refinement_queries(found, found.current) == [
        "corrosion turbines costs lifetime tidal",
        "costs lifetime tidal storage",
        "storage built costs lifetime tidal",
    ]


def test_rejected_words_are_not_searched_unless_in_the_goal() -> None:
    rejected = ("hydrogen and flywheels", "tidal ponds")
    found = session(
        StepDraft(1, "Compare flywheel with hydrogen storage", goal=GOAL, rejected=rejected)
    )
    words = " ".join(refinement_queries(found, found.current))

    assert "hydrogen" not in words
    assert "flywheel" not in words
    assert "tidal" in words


def test_errors_that_came_back_three_times_are_summed_up_with_advice() -> None:
    async def scenario() -> ResearchSession:
        async with sessions_in(None) as sessions:
            found = await sessions.begin(StepDraft(1, "one"))
            for _ in range(3):
                await sessions.record_error(found, "web_search", RateLimited("slow"))
            await sessions.record_error(found, "scrape_page", RateLimited("slow"))
            for _ in range(2):
                await sessions.record_error(found, "scrape_page", NetworkFailure("gone"))
            return await sessions.read(found.id)

    (pattern,) = show_repeated_errors(asyncio.run(scenario())) or []

    assert (pattern.kind, pattern.count, pattern.tools) == (
        "rate_limited",
        4,
        ["web_search", "scrape_page"],
    )
    assert "another provider" in pattern.advice
