"""The library door: every tool by name, sync and async, with what it opened closed."""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import webquarry
from webquarry.errors import LoginWall
from webquarry.registry import module_names
from webquarry.surfaces import library
from webquarry.surfaces.bridge import bridge
from webquarry.toolkit import Toolkit

PAGE = "https://blog.saltmarsh.example/notes/reading-list.md"


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recorded web, with a key that it does not look at."""
    monkeypatch.setenv("WEBQUARRY_REPLAY", "demo")
    monkeypatch.setenv("BRAVE_API_KEY", "demo")


@pytest.mark.usefixtures("recorded")
def test_a_tool_is_called_by_name_and_answers_with_a_typed_answer() -> None:
    answer = webquarry.call("web_fetch", url=PAGE, limit=2)

    assert type(answer).__name__ == "FetchAnswer"
    assert answer.model_dump(exclude_none=True)["lines_read"] == 2


@pytest.mark.usefixtures("recorded")
@pytest.mark.parametrize("tool", ["web_fetch", "scrape_page"])
def test_a_page_that_wants_a_login_is_an_error_of_every_tool(tool: str) -> None:
    with pytest.raises(LoginWall):
        webquarry.call(tool, url="https://tidelines.example/members/briefing-17")


@pytest.mark.usefixtures("recorded")
def test_a_call_works_where_a_loop_is_running() -> None:
    async def notebook() -> object:
        return webquarry.call("web_fetch", url=PAGE, limit=1)

    assert asyncio.run(notebook()) == webquarry.call("web_fetch", url=PAGE, limit=1)


@pytest.mark.usefixtures("recorded")
def test_calls_from_many_threads_give_the_same_answer() -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: webquarry.call("web_fetch", url=PAGE), range(16)))

    assert all(answer == answers[0] for answer in answers)


@pytest.mark.usefixtures("recorded")
def test_an_error_of_a_tool_is_raised_to_the_caller() -> None:
    with pytest.raises(webquarry.NotRecorded):
        webquarry.call("web_fetch", url="https://nobody.example/")
    with pytest.raises(webquarry.BadInput, match="'ofset' is unknown"):
        webquarry.call("web_fetch", url=PAGE, ofset=1)


def test_an_unknown_tool_or_tool_set_is_told_with_those_that_are_known() -> None:
    with pytest.raises(webquarry.BadInput, match="no tool 'web_fecth'") as unknown:
        webquarry.call("web_fecth")
    with pytest.raises(webquarry.BadInput, match="no tool set 'nowhere'") as nowhere:
        webquarry.call("web_fetch", toolset="nowhere")

    assert "web_fetch" in unknown.value.suggested_action
    assert "executables" in nowhere.value.suggested_action


@pytest.mark.usefixtures("recorded")
def test_every_tool_is_an_async_method_with_its_own_signature() -> None:
    async def use() -> object:
        async with webquarry.open(toolset="executables") as quarry:
            for name in module_names("webquarry.tools.executables"):
                assert name in dir(quarry)
                assert inspect.iscoroutinefunction(getattr(quarry, name))
            assert list(inspect.signature(quarry.web_fetch).parameters) == [
                "url",
                "offset",
                "limit",
            ]
            assert (quarry.web_fetch.__doc__ or "").startswith("Fetches content")
            return await quarry.web_fetch(url=PAGE)

    assert asyncio.run(use()) == webquarry.call("web_fetch", url=PAGE)


def test_a_tool_that_is_not_there_is_no_attribute() -> None:
    async def use() -> None:
        async with webquarry.open() as quarry:
            assert not hasattr(quarry, "_private")
            with pytest.raises(AttributeError, match="Use one of: "):
                _ = quarry.web_fecth

    asyncio.run(use())


def test_settings_can_be_given_and_count_for_more_than_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WEBQUARRY_REPLAY", "/nowhere.warc")
    settings = webquarry.Settings.from_environment({"WEBQUARRY_REPLAY": "demo"})

    async def use() -> object:
        async with webquarry.open(settings) as quarry:
            return await quarry.web_fetch(url=PAGE, limit=1)

    assert asyncio.run(use())


@pytest.mark.usefixtures("recorded")
def test_calls_share_one_toolkit_until_the_environment_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    closed: list[Toolkit] = []
    real = Toolkit.aclose

    async def aclose(self: Toolkit) -> None:
        closed.append(self)
        await real(self)

    monkeypatch.setattr(Toolkit, "aclose", aclose)
    webquarry.call("web_fetch", url=PAGE, limit=1)
    first = library._current
    webquarry.call("web_fetch", url=PAGE, limit=1)
    assert library._current is first
    assert first is not None
    closed.clear()

    monkeypatch.setenv("WEBQUARRY_FETCH_MAX_BYTES", "12")
    assert webquarry.call("web_fetch", url=PAGE).model_dump()["next_offset"]
    assert closed == [first.kit]


@pytest.mark.usefixtures("recorded")
def test_a_toolkit_that_is_replaced_stays_open_for_those_who_use_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    began, go_on = threading.Event(), threading.Event()

    async def slow() -> bool:
        async with library._share_toolkit() as kit:
            began.set()
            await asyncio.to_thread(go_on.wait, 30)
            return bool(await kit.reader.read(PAGE))

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(bridge.run, slow())
        assert began.wait(30)
        monkeypatch.setenv("WEBQUARRY_RETRIES", "1")
        webquarry.call("web_fetch", url=PAGE, limit=1)
        go_on.set()
        assert waiting.result(30)


def test_a_setting_that_cannot_be_used_is_told_and_can_be_mended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WEBQUARRY_REPLAY", "demo")
    monkeypatch.setenv("WEBQUARRY_RETRIES", "many")
    with pytest.raises(webquarry.BadInput, match="WEBQUARRY_RETRIES"):
        webquarry.call("web_fetch", url=PAGE)
    monkeypatch.delenv("WEBQUARRY_RETRIES")

    assert webquarry.call("web_fetch", url=PAGE)


def test_a_process_that_has_called_ends_without_a_warning() -> None:
    code = f"import webquarry; print(webquarry.call('web_fetch', url={PAGE!r}).lines_read > 0)"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={"WEBQUARRY_REPLAY": "demo", "PATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")
