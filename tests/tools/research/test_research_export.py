"""The `research_export` tool: a whole session that can be read, kept and checked, and that nothing
in it can break.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.net.doubles import FakeClock, FakeWeb, redirect, text
from tests.sessions.kits import A, B, C, kit_on, run, step
from webquarry.errors import NotFound, RateLimited
from webquarry.evidence.page.people import Name
from webquarry.evidence.styles.csl import parse_csl, to_csl
from webquarry.evidence.styles.work import Work
from webquarry.progress import listening
from webquarry.sessions.models import KeptQuote, Source
from webquarry.toolkit import Toolkit

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
PAPER = Work(
    "article-journal",
    "Tides of the *lagoon*",
    (Name("Lee", "Ann"),),
    "Sea",
    volume="7",
    doi="10.1000/abc",
    accessed=(2026, 3, 1),
)
PROSE = "The pilot reads the second column of the table first, and then the third one. " * 40


def scenario(
    folder: Path,
    work: Callable[[Toolkit], Awaitable[Any]],
    web: httpx2.AsyncBaseTransport | None = None,
    clock: FakeClock | None = None,
    **environ: str,
) -> Any:
    async def all_of_it() -> Any:
        async with kit_on(folder, web, clock, environ) as kit:
            return await work(kit)

    return asyncio.run(all_of_it())


async def record(kit: Toolkit, id: str, *sources: Source, tool: str = "web_search") -> None:
    await kit.sessions.record(await kit.sessions.read(id), tool, sources)


async def full_session(kit: Toolkit) -> str:
    id = str(
        (await step(kit, 1, researchGoal="Know the tides", sessionSummary="So far."))["sessionId"]
    )
    await record(kit, id, Source(A, "Tides - a.org", "2024-03-02", "brave"), Source(B, ""))
    await step(
        kit,
        2,
        id,
        reasoning="because",
        confidence="low",
        rejectedApproaches=["guess"],
        knowledgeGap="why",
    )
    await record(kit, id, Source(C, "Paper", csl=to_csl(PAPER)), Source(A), tool="academic_search")
    quote = KeptQuote(
        "The tide turns twice *a day*.", "exact", A, text_hash="ab" * 32, spans=((10, 36),)
    )
    lost = KeptQuote("The tide never turns at all.", "absent", reason="No source has it.")
    await kit.sessions.record_quotes(await kit.sessions.read(id), "check_quotes", [quote, lost])
    await step(kit, 3, id, revisesStep=2, confidence="high")
    await step(kit, 4, id, branchFromStep=1, branchId="moon")
    session = await kit.sessions.read(id)
    for _ in range(3):
        await kit.sessions.record_error(session, "web_search", RateLimited("slow down"))
    await kit.sessions.record_error(session, "scrape_page", NotFound("gone"))
    return id


async def exported(kit: Toolkit, id: str, **arguments: Any) -> dict[str, Any]:
    return (await run(kit, "research_export", sessionId=id, **arguments)).as_dict()


def markdown_of(folder: Path) -> tuple[str, dict[str, str]]:
    """What stands before the first section of the full session in Markdown, and the sections by
    their headings.
    """

    async def work(kit: Toolkit) -> Any:
        return await exported(kit, await full_session(kit))

    answer = scenario(folder, work)
    assert set(answer) == {"sessionId", "format", "content", "trust"}
    head, *rest = re.split(
        r"^## (.+)\n\n", answer["content"].replace(answer["sessionId"], "ID"), flags=re.MULTILINE
    )
    return head, dict(zip(rest[::2], rest[1::2], strict=True))


def test_markdown_tells_of_each_step_its_reasons_its_sources_and_what_became_of_it(
    tmp_path: Path,
) -> None:
    assert markdown_of(tmp_path)[1]["Steps"] == (
        """### Step 1

Look at part 1.

Sources: 1, 2.

### Step 2 (superseded by step 3)

Look at part 2.

**Reasoning:** because

**Still unknown:** why

**Rejected:**

- guess

Confidence: low. Sources: 3, 1.

### Step 3 (revises step 2)

Look at part 3.

Confidence: high.

### Step 4

Branch moon, from step 1.

Look at part 4.

"""
    )


def test_json_has_the_same_as_data(tmp_path: Path) -> None:
    async def work(kit: Toolkit) -> Any:
        return await exported(kit, await full_session(kit), format="json")

    answer = scenario(tmp_path, work)
    first, second, third = answer["sources"]

    assert (answer["researchGoal"], answer["sessionSummary"], answer["status"]) == (
        "Know the tides",
        "So far.",
        "in_progress",
    )
    assert [one["stepNumber"] for one in answer["steps"]] == [1, 2, 3, 4]
    assert answer["steps"][1]["supersededBy"] == 3
    assert answer["steps"][3]["branchFromStep"] == 1
    assert (first["number"], first["steps"], first["tools"]) == (
        1,
        [1, 2],
        ["web_search", "academic_search"],
    )
    assert first["citation"] == f"Tides. (2024, March 2). a.org. {A}"
    assert [one["stage"] for one in answer["sources"]] == ["quoted", "found", "read"]
    assert [one.get("read") for one in answer["sources"]] == [None, None, True]
    assert (first["quoted"], first["quotes"][0]["spans"]) == (1, [[10, 36]])
    assert second["title"] == "b.org/2"
    assert not {"citation", "reference", "quotes"} & set(second)
    assert (
        third["citation"]
        == "Lee, A. (n.d.). Tides of the *lagoon*. Sea, 7. https://doi.org/10.1000/abc"
    )
    assert parse_csl(third["reference"]).doi == "10.1000/abc"
    assert first["reference"]["id"] != third["reference"]["id"]
    assert [(one["kind"], one["count"], "advice" in one) for one in answer["errors"]] == [
        ("rate_limited", 3, True),
        ("not_found", 1, False),
    ]
    assert "content" not in answer


@pytest.mark.parametrize("format", ["markdown", "json"])
def test_the_same_session_gives_the_same_bytes_but_for_the_time_of_the_export(
    tmp_path: Path, format: str
) -> None:
    clock = FakeClock()

    async def work(kit: Toolkit) -> Any:
        id = await full_session(kit)
        first = await exported(kit, id, format=format)
        clock.seconds += 3.5 * 3600  # long enough for the session to be marked as used
        return first, await exported(kit, id, format=format)

    before, after = (json.dumps(one, indent=1) for one in scenario(tmp_path, work, clock=clock))
    written = [
        (one, two)
        for one, two in zip(re.split(r"\\n|\n", before), re.split(r"\\n|\n", after), strict=True)
    ]

    assert [pair for pair in written if pair[0] != pair[1]] == [
        (pair[0], pair[0].replace("T12:00:00Z", "T15:30:00Z"))
        for pair in written
        if "xported" in pair[0]
    ]
    assert before != after


def structure(markdown: str) -> list[str]:
    """What a parser sees but for the text: tokens by name, headings with their words."""
    tokens = PARSER.parse(markdown)
    kinds = []
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            kinds.append(f"{token.tag} {tokens[place + 1].content}")
        elif token.type == "inline":
            kinds.append(
                " ".join(child.type for child in token.children or [] if child.type in MARKUP)
            )
        else:
            kinds.append(token.type)
    return kinds


MARKUP = {"html_inline", "image", "link_open", "code_inline", "em_open", "strong_open", "s_open"}
NASTY = [
    "## x",
    "a\n## x\n===\n- b\n1. c\n> d\n```\ne\n~~~\nf",
    "| a | b |\n| --- | --- |\n| c | d |",
    "<script>alert(1)</script>\n<div>\n</div>",
    "[a](javascript:x) ![b](c) [d]: https://e.org",
    "*a* _b_ **c** `d` ~~e~~ &amp; \\",
    "<https://evil.org> \\<b>",
    "a\n\n    code\n\n---\n\nb",
    "a\u2028# b\r\n# c\x00\u200b\u202e",
]
texts = st.one_of(
    st.sampled_from(NASTY),
    st.text(st.sampled_from("ab1 \n\t*_`[]()<>&;#+-=.!~|\\/:\"'{}\u00e9"), min_size=1, max_size=40),
).filter(lambda value: bool(value.strip()) and bool(re.search(r"\w", value)))


@given(said=texts, title=texts)
@example(said=NASTY[1], title=NASTY[2])
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@pytest.mark.slow
def test_no_text_of_users_or_the_web_breaks_the_structure(
    tmp_path_factory: Any, said: str, title: str
) -> None:
    async def content(kit: Toolkit, said: str, title: str) -> Any:
        arguments = dict.fromkeys(
            ("searchStep", "researchGoal", "sessionSummary", "reasoning", "knowledgeGap"), said
        )
        id = (await step(kit, 1, rejectedApproaches=[said], **arguments))["sessionId"]
        await step(kit, 2, id, branchFromStep=1, branchId=said[:90])
        signed = Work("report", title, (Name(literal=title), Name(title, "X")), title, title, url=A)
        await record(kit, id, Source(A, title, csl=to_csl(signed)), Source(B, title))
        return (await exported(kit, id))["content"]

    async def work(kit: Toolkit) -> Any:
        return await content(kit, said, title), await content(kit, "said", "title")

    folder = tmp_path_factory.mktemp("session")
    nasty, plain = scenario(folder, work)
    # a text of several paragraphs is several paragraphs, which is all that may differ
    seen = [
        [kind for kind in structure(one) if "paragraph" not in kind and kind]
        for one in (nasty, plain)
    ]

    assert seen[0] == seen[1]


def test_links_are_checked_and_each_has_a_state(tmp_path: Path) -> None:
    pages: dict[str, Any] = {
        "https://ok.org/p": text(f"<title>T</title><p>{PROSE}"),
        "https://old.org/p": redirect("https://new.org/q"),
        "https://new.org/q": text(f"<title>T</title><p>{PROSE}"),
        "https://front.org/p": redirect("https://front.org/"),
        "https://front.org/": text(f"<title>T</title><p>{PROSE}"),
        "https://www.twin.org/p": redirect("https://twin.org/p/"),
        "https://twin.org/p/": text(f"<title>T</title><p>{PROSE}"),
        "https://soft.org/p": text(
            "<title>Page not found</title><h1>404</h1><p>This page does not exist."
        ),
        "https://shut.org/p": text("no", 403),
        "https://slow.org/p": text("wait", 429),
        "https://down.org/p": text("oops", 503),
        "https://rules.org/robots.txt": httpx2.Response(200, text="User-agent: *\nDisallow: /"),
        "https://doi.org/10.1000/abc": redirect("https://new.org/q"),
        "https://large.org/p": text(f"<title>T</title><p>{PROSE}" + "x" * 3_000_000),
    }
    expected = {
        "https://ok.org/p": ("ok", None),
        "https://old.org/p": ("moved", "https://new.org/q"),
        "https://front.org/p": ("moved", "https://front.org/"),
        "https://www.twin.org/p": ("ok", None),
        "https://gone.org/p": ("gone", None),
        "https://soft.org/p": ("gone", None),
        "https://shut.org/p": ("blocked", None),
        "https://slow.org/p": ("blocked", None),
        "https://rules.org/p": ("blocked", None),
        "http://127.0.0.1/p": ("blocked", None),
        "https://down.org/p": ("unreachable", None),
        "https://doi.org/10.1000/abc": ("ok", None),
        "https://large.org/p": ("ok", None),
        "https://key.org/p?api_key=***": ("unchecked", None),
    }
    notes: list[str] = []

    async def work(kit: Toolkit) -> Any:
        id = (await step(kit, 1))["sessionId"]
        await record(kit, id, *(Source(url) for url in expected))
        with listening(notes.append):
            data = await exported(kit, id, format="json", verify_links=True)
        return data, await exported(kit, id, verify_links=True)

    data, markdown = scenario(tmp_path, work, FakeWeb(pages), WEBQUARRY_MAX_BYTES="2000000")
    links = {one["url"]: one["link"] for one in data["sources"]}

    assert {url: (link["state"], link.get("newUrl")) for url, link in links.items()} == expected
    assert all(
        link.get("reason") for link in links.values() if link["state"] not in ("ok", "moved")
    )
    assert "front page" in links["https://front.org/p"]["reason"]
    assert data["links"] == {
        "blocked": 4,
        "gone": 2,
        "moved": 2,
        "ok": 4,
        "unchecked": 1,
        "unreachable": 1,
    }
    assert f"{len(expected)} of {len(expected)} links checked" in notes
    assert "Link: moved to <https://new.org/q>" in markdown["content"]
    assert markdown["links"] == data["links"]
