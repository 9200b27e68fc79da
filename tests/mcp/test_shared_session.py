"""Two server processes work on one research session; one is killed, the other continues."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.mcp.stdio_process import Lines, lines

COMMAND = ("webquarry", "mcp")


def call(server: Lines, name: str, **arguments: Any) -> dict[str, Any]:
    result = server.ask("tools/call", name=name, arguments=arguments)
    assert not result.get("isError"), result
    content: dict[str, Any] = result["structuredContent"]
    return content


def step(server: Lines, number: int, session: str | None = None, **more: Any) -> dict[str, Any]:
    given = {"searchStep": f"Step {number}.", "stepNumber": number} | (
        {"sessionId": session} if session else {}
    )
    return call(server, "sequential_search", **given, **more)


def test_acknowledged_steps_survive_when_one_of_two_servers_is_killed(tmp_path: Path) -> None:
    environ = {"WEBQUARRY_REPLAY": "demo", "WEBQUARRY_STATE_FOLDER": str(tmp_path / "state")}
    with lines(environ, COMMAND) as first, lines(environ, COMMAND) as second:
        id = step(first, 1, researchGoal="Tides")["sessionId"]
        found = call(
            second, "web_search", query="tidal energy storage", num_results=3, sessionId=id
        )
        assert step(second, 2, id)["totalSources"] == 3
        page = call(first, "scrape_page", url=found["urls"][0], sessionId=id)
        assert step(first, 3, id, revisesStep=1)["totalSteps"] == 3
        first.begin(
            "tools/call",
            name="sequential_search",
            arguments={"searchStep": "Perhaps.", "stepNumber": 4, "sessionId": id},
        )
        first.process.kill()
        first.process.wait()

        # The step in progress may have been recorded or not.
        known = call(second, "get_research_session", sessionId=id)["summary"]["totalSteps"]
        assert known in (3, 4)
        assert step(second, known + 1, id)["totalSteps"] == known + 1
        export = call(second, "research_export", sessionId=id, format="json")

    texts = [one["text"] for one in export["steps"]]
    assert [one for one in texts if one != "Perhaps."] == [
        "Step 1.",
        "Step 2.",
        "Step 3.",
        f"Step {known + 1}.",
    ]
    assert export["steps"][0]["supersededBy"] == 3
    assert [one["url"] for one in export["sources"] if one.get("read")] == [page["url"]]
    assert len(export["sources"]) == 3
