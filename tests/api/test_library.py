"""The library door: every tool by name, sync and async, with what it opened closed."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from threading import get_ident
from typing import Any

import pytest

import webquarry
from webquarry import api as library
from webquarry.bridge import bridge
from webquarry.errors import LoginWall
from webquarry.pages.pages import Pages
from webquarry.registry import module_names
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
        webquarry.call_with(tool, {"url": "https://tidelines.example/members/briefing-17"})


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
        webquarry.call_with("web_fetch", {"url": PAGE, "ofset": 1})


def test_unknown_tool_or_set_error_lists_the_known_ones() -> None:
    with pytest.raises(webquarry.BadInput, match="no tool 'web_fecth'") as unknown:
        webquarry.call_with("web_fecth", {})
    with pytest.raises(webquarry.BadInput, match="no tool set 'nowhere'") as nowhere:
        webquarry.call_with("web_fetch", {}, toolset="nowhere")

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


def test_unknown_tool_is_an_attribute_error() -> None:
    async def use() -> None:
        async with webquarry.open() as quarry:
            assert not hasattr(quarry, "_private")
            with pytest.raises(AttributeError, match="Use one of: "):
                getattr(quarry, "web_fecth")  # noqa: B009 - a type checker refuses the name

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
def test_replaced_toolkit_stays_open_for_its_users(
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
        monkeypatch.setenv("WEBQUARRY_TIMEOUT_SECONDS", "20")
        webquarry.call("web_fetch", url=PAGE, limit=1)
        go_on.set()
        assert waiting.result(30)


def test_invalid_setting_is_reported_and_can_be_corrected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WEBQUARRY_REPLAY", "demo")
    monkeypatch.setenv("WEBQUARRY_MAX_BYTES", "many")
    with pytest.raises(webquarry.BadInput, match="WEBQUARRY_MAX_BYTES"):
        webquarry.call("web_fetch", url=PAGE)
    monkeypatch.delenv("WEBQUARRY_MAX_BYTES")

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


def test_nothing_but_public_names_is_listed() -> None:
    code = (
        "import webquarry, webquarry.api, webquarry.errors; "
        "print(*(name for name in dir(webquarry) if not name.startswith('__')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    public = {name for name in webquarry.__all__ if not name.startswith("__")}

    assert set(done.stdout.split()) == public


FOUND = "https://tidelines.example/2026/09/storing-the-tide"
MISSING = "https://nobody.example/"


def shown(answers: object) -> object:
    """Answers as JSON has them, without what travels beside them."""
    if isinstance(answers, list):
        return [shown(answer) for answer in answers]
    assert isinstance(answers, webquarry.Answer)
    return answers.as_dict()


@pytest.mark.usefixtures("recorded")
def test_search_read_and_cite_give_typed_answers() -> None:
    found = webquarry.search("tidal energy storage", num_results=2)
    page = webquarry.read(found.urls[0], max_length=500)
    cited = webquarry.cite(found.urls[0], style="bibtex")

    assert isinstance(found, webquarry.SearchOutput)
    assert isinstance(page, webquarry.ScrapeOutput)
    assert isinstance(cited, webquarry.CiteOutput)
    assert len(found.results) == 2
    called = webquarry.call("web_search", query="tidal energy storage", num_results=2)
    assert found.as_dict() == called.as_dict()
    assert page.title
    assert page.content_length <= 500
    assert cited.text.startswith("@")
    assert cited.title == page.title
    assert cited.meta.keys() == page.meta.keys()


@pytest.mark.usefixtures("recorded")
@pytest.mark.parametrize("style", ["apa", "mla", "bibtex", "ris", "csl-json"])
def test_a_reference_is_a_text_in_every_style(style: Any) -> None:
    cited = webquarry.cite(FOUND, style=style)

    assert cited.style == style
    assert "tide" in cited.text.lower()
    assert cited.as_dict()["accessed"] == cited.accessed


@pytest.mark.usefixtures("recorded")
def test_the_async_twins_give_the_same_answers_on_a_loop_of_the_user() -> None:
    async def use() -> list[object]:
        return [
            await webquarry.search_async("tidal energy storage"),
            await webquarry.read_async(FOUND),
            await webquarry.cite_async(FOUND),
            await webquarry.read_all_async([FOUND]),
            await webquarry.search_all_async(["tidal energy storage"]),
        ]

    async def use_methods() -> list[object]:
        async with webquarry.open() as quarry:
            return [
                await quarry.search("tidal energy storage"),
                await quarry.read(FOUND),
                await quarry.cite(FOUND),
                await quarry.read_all([FOUND]),
                await quarry.search_all(["tidal energy storage"]),
            ]

    sync: list[object] = [
        webquarry.search("tidal energy storage"),
        webquarry.read(FOUND),
        webquarry.cite(FOUND),
        webquarry.read_all([FOUND]),
        webquarry.search_all(["tidal energy storage"]),
    ]

    assert shown(asyncio.run(use())) == shown(sync)
    assert shown(asyncio.run(use_methods())) == shown(sync)


@pytest.mark.usefixtures("recorded")
def test_of_many_pages_each_has_its_answer_or_its_error_in_order() -> None:
    urls = [MISSING, FOUND, "no url", PAGE, FOUND]
    outcomes = webquarry.read_all(iter(urls), at_once=2)

    kinds = [type(outcome).__name__ for outcome in outcomes]
    assert kinds[0] == "NotRecorded"
    assert isinstance(outcomes[2], webquarry.WebquarryError)
    assert shown([outcomes[1], outcomes[4]]) == shown([webquarry.read(FOUND)] * 2)
    assert shown(outcomes[3]) == shown(webquarry.read(PAGE))


@pytest.mark.usefixtures("recorded")
def test_failed_search_of_a_batch_does_not_affect_others() -> None:
    first, second = webquarry.search_all(["", "tidal energy storage"])

    assert isinstance(first, webquarry.BadInput)
    assert shown(second) == shown(webquarry.search("tidal energy storage"))


@pytest.mark.usefixtures("recorded")
def test_unexpected_exception_fails_one_page_of_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Pages.get

    async def get(self: Pages, url: str, *rest: Any, **options: Any) -> Any:
        if url == PAGE:
            raise ZeroDivisionError("by nobody")
        return await real(self, url, *rest, **options)

    monkeypatch.setattr(Pages, "get", get)
    broken, whole = webquarry.read_all([PAGE, FOUND])

    assert isinstance(broken, webquarry.WebquarryError)
    assert "ZeroDivisionError" in broken.message
    assert isinstance(whole, webquarry.ScrapeOutput)


def test_one_text_is_no_list_of_urls() -> None:
    with pytest.raises(webquarry.BadInput, match="list of URLs"):
        webquarry.read_all(PAGE)
    with pytest.raises(webquarry.BadInput, match="at_once is 0"):
        webquarry.search_all(["a"], at_once=0)
    assert webquarry.read_all([]) == []


@pytest.mark.usefixtures("recorded")
def test_progress_reports_items_and_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WEBQUARRY_CACHE", "off")  # what is kept is not fetched
    told: list[webquarry.CallProgress] = []
    webquarry.read_all([FOUND, MISSING], at_once=1, on_progress=told.append)

    ends = [one for one in told if one.message == "done" or one.message.startswith("failed: ")]
    assert [(one.item, one.done, one.total) for one in ends] == [(FOUND, 1, 2), (MISSING, 2, 2)]
    assert "reading the page" in [one.message for one in told if one.item == FOUND]


@pytest.mark.usefixtures("recorded")
def test_progress_of_an_async_call_runs_on_the_loop_of_the_caller() -> None:
    threads: list[int] = []
    methods: list[str] = []

    async def use() -> None:
        await webquarry.read_async(FOUND, on_progress=lambda _: threads.append(get_ident()))
        async with webquarry.open() as quarry:
            await quarry.web_search(
                query="tidal energy storage", on_progress=lambda one: methods.append(one.message)
            )

    asyncio.run(use())
    assert set(threads) == {get_ident()}
    assert methods[-1] == "done"
    assert len(methods) > 1


@pytest.mark.usefixtures("recorded")
def test_a_callback_that_fails_harms_no_call(caplog: pytest.LogCaptureFixture) -> None:
    asked: list[object] = []

    def fail(progress: object) -> None:
        asked.append(progress)
        raise ZeroDivisionError

    assert webquarry.call("web_fetch", url=PAGE, on_progress=fail)
    assert len(asked) == 1
    assert "on_progress" in caplog.text


def test_search_and_read_are_plain_functions() -> None:
    code = (
        "import webquarry._search.router, webquarry._read.reader\n"
        "import inspect, pickle, webquarry\n"
        "for function in (webquarry.search, webquarry.read):\n"
        "    assert inspect.isfunction(function)\n"
        "    assert pickle.loads(pickle.dumps(function)) is function\n"
        "    assert inspect.getdoc(function) and inspect.getsource(function)\n"
        "    assert 'on_progress' in inspect.signature(function).parameters\n"
        f"print(len(webquarry.search('tidal energy storage', num_results=1).results), "
        f"webquarry.read({PAGE!r}).url)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={"WEBQUARRY_REPLAY": "demo", "BRAVE_API_KEY": "demo", "PATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert (done.stdout, done.stderr) == (f"1 {PAGE}\n", "")


@pytest.mark.parametrize("name", ["sql", "errors", "batch"])
def test_module_is_an_attribute_and_can_be_imported(name: str) -> None:
    code = f"import webquarry; print(webquarry.{name}.__name__); import webquarry.{name}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == f"webquarry.{name}"


@pytest.mark.parametrize("name", ["search", "read"])
def test_internal_package_is_not_importable_by_the_name_of_the_function(name: str) -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"webquarry.{name}")
