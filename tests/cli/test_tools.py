"""`webquarry tools` on the command line: what is printed where, and with which exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from tests.cli.tool_commands import answer, failure, tools
from tests.host.test_process import ends
from tests.host.workbench import WEATHER, Workbench, schema_of

WEBQUARRY = str(Path(sysconfig.get_path("scripts")) / "webquarry")


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    return Workbench.as_ours(tmp_path, monkeypatch)


def test_list_shows_every_tool_with_path_state_and_reason(bench: Workbench) -> None:
    path = bench.tool(WEATHER)
    broken = bench.script("broken", "echo 'what?' >&2; exit 3")
    untrusted = bench.tool(schema_of("theirs"), folder=bench.project_tools)

    assert answer("list") == {
        "tools": [
            {
                "name": "weather",
                "state": "ready",
                "origin": "user",
                "path": str(path),
                "description": WEATHER["description"],
            },
            {
                "name": None,
                "state": "broken",
                "origin": "user",
                "path": str(broken),
                "reason": "it ended with exit code 3: what?",
            },
            {
                "name": None,
                "state": "untrusted",
                "origin": "project",
                "path": str(untrusted),
                "reason": "its folder is not trusted; look at it and run: webquarry tools trust",
            },
        ]
    }


def test_list_for_a_person_is_a_table_in_which_nothing_moves_the_cursor(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    bench.tool(
        schema_of(
            "weather", description="Tells \x1b]0;title\x07\x1b[31m[bold]the weather. And more."
        )
    )
    bench.script("bad\x1b[31mname", "exit 1")

    result = tools("list", "--text")

    assert result.exit_code == 0
    assert "weather" in result.stdout
    assert "Tells [bold]the weather" in result.stdout
    assert "it ended with exit code 1" in result.stdout
    assert "\x1b" not in result.stdout
    assert "\x07" not in result.stdout


def test_empty_list_is_reported(bench: Workbench) -> None:
    assert tools("list", "--text").stdout == "No tools were found.\n"
    assert answer("list") == {"tools": []}


def test_show_gives_the_whole_of_one_tool(bench: Workbench) -> None:
    path = bench.tool(schema_of("getWeather"), file="weather")
    shown = answer("show", "getWeather")

    assert shown["path"] == str(path)
    assert shown["parameters"] == WEATHER["parameters"]
    assert shown["warnings"] == ['$.name: "getWeather" is not snake_case']


def test_show_of_an_unknown_tool_is_an_error(bench: Workbench) -> None:
    bench.tool(WEATHER)
    result = failure(["show", "rain"])

    assert result.stderr == "Error: There is no tool 'rain'.\nTry: Use one of: weather.\n"


def test_check_prints_one_line_per_finding(bench: Workbench) -> None:
    good = bench.tool(WEATHER)
    odd = bench.tool(schema_of("getRain"), file="rain")
    spoilt = {
        **WEATHER,
        "name": "a b",
        "parameters": {"type": "object", "properties": {"x": {"type": "y"}}},
    }
    file = bench.home / "schema.json"
    file.write_text(json.dumps(spoilt))

    result = tools("check", str(good), str(odd), str(file), "no-such-file")

    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        f'{odd}: warning: $.name: "getRain" is not snake_case',
        f'{file}: error: $.name: may hold only letters, digits and underscores, not "a b"',
        f"{file}: error: $.parameters.properties.x.type: must be string, integer, number, "
        'boolean, array or object, not "y"',
        "no-such-file: error: $: it is missing",
    ]


def test_check_exits_with_0_when_there_are_only_warnings(bench: Workbench) -> None:
    odd = bench.tool(schema_of("getRain"), file="rain")

    assert tools("check", str(odd)).exit_code == 0


def test_check_of_a_folder_as_json(bench: Workbench) -> None:
    bench.tool(WEATHER)
    bench.script("broken", "exit 1")

    result = tools("check", str(bench.user_tools), "--json")

    assert result.exit_code == 1
    assert json.loads(result.stdout) == {
        "checked": 2,
        "findings": [
            {
                "path": str(bench.user_tools / "broken"),
                "severity": "error",
                "place": "$",
                "message": "it ended with exit code 1",
            }
        ],
    }


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"{", "its output is not JSON"),
        (b" " * 1_048_577, "longer than 1048576 bytes"),
        (b"\xff", "not UTF-8"),
    ],
)
def test_check_of_a_file_that_is_no_schema_says_why(
    content: bytes, told: str, bench: Workbench
) -> None:
    file = bench.home / "bad.json"
    file.write_bytes(content)
    result = tools("check", str(file))

    assert result.exit_code == 1
    assert told in result.stdout


@pytest.mark.parametrize(
    ("arguments", "keys"),
    [
        (["anthropic"], {"name", "description", "input_schema"}),
        (["openai"], {"type", "name", "description", "parameters", "strict"}),
        (["openai-chat", "--strict"], {"type", "function"}),
        (["gemini"], {"functionDeclarations"}),
        (["mcp"], {"name", "description", "inputSchema"}),
    ],
)
def test_export_writes_every_vendors_form(
    arguments: list[str], keys: set[str], bench: Workbench
) -> None:
    bench.tool(WEATHER)
    bench.tool(schema_of("rain"))

    [exported] = answer("export", "--for", *arguments, "weather")

    assert set(exported) == keys
    assert "weather" in json.dumps(exported)
    assert "rain" not in json.dumps(exported)


def test_export_without_names_writes_all(bench: Workbench) -> None:
    bench.tool(WEATHER)
    bench.tool(schema_of("rain"))

    assert [tool["name"] for tool in answer("export", "--for", "mcp")] == ["rain", "weather"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["export"],
        ["export", "--for", "nobody"],
        ["export", "--for", "gemini", "--strict"],
        ["check"],
        ["run"],
        ["list", "--what"],
        ["nonsense"],
    ],
)
def test_a_command_that_is_not_understood_is_exit_code_2(
    arguments: list[str], bench: Workbench
) -> None:
    result = tools(*arguments)

    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Traceback" not in result.stderr


def test_run_takes_json_on_stdin_and_prints_json(bench: Workbench) -> None:
    bench.tool(WEATHER)

    assert answer("run", "weather", stdin='{"city": "Tromsø", "days": null}') == {"city": "Tromsø"}


@pytest.mark.parametrize(
    ("stdin", "told"),
    [
        ("", "The input on stdin is empty."),
        ("{", "The input on stdin is not JSON"),
        (b"\xff", "The input on stdin is not UTF-8"),
        ("[]", "must be a JSON object"),
        ("{}", "'city' is a required property"),
        ('{"city": "fail"}', "The tool weather failed: No such city."),
    ],
)
def test_run_that_fails_is_one_sentence_and_exit_code_1(
    stdin: str | bytes, told: str, bench: Workbench
) -> None:
    bench.tool(WEATHER, """echo '{"error": "No such city."}'; exit 7""")
    result = failure(["run", "weather"], stdin)

    assert result.stderr.startswith("Error: ")
    assert told in result.stderr


def test_trust_lets_a_projects_tools_be_run_and_untrust_takes_it_back(bench: Workbench) -> None:
    bench.tool(WEATHER, folder=bench.project_tools)

    failure(["run", "weather"], '{"city": "Oslo"}')
    trusted = answer("trust", ".")
    assert trusted["trusted"] == str(bench.project_tools)
    assert trusted["executables"] == ["weather"]
    assert answer("run", "weather", stdin='{"city": "Oslo"}') == {"city": "Oslo"}
    assert answer("untrust") == {"untrusted": str(bench.project_tools)}
    failure(["run", "weather"], '{"city": "Oslo"}')
    failure(["untrust"])


def test_trust_of_a_folder_without_tools_is_refused(bench: Workbench) -> None:
    assert "There is no executable to trust" in failure(["trust", str(bench.home)]).stderr


def test_trust_names_the_trusted_files(bench: Workbench) -> None:
    bench.tool(WEATHER, folder=bench.project_tools)
    said = tools("trust", "--text").stdout

    assert said == f"Trusted, as long as they do not change: weather in {bench.project_tools}\n"


def test_a_setting_that_does_not_fit_is_one_sentence(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBQUARRY_FETCH_MAX_BYTES", "many")

    assert "WEBQUARRY_FETCH_MAX_BYTES is not usable" in failure(["list"]).stderr


def run_command(*arguments: str, stdin: str = "{}") -> subprocess.CompletedProcess[str]:
    """The real command, as a user has it."""
    return subprocess.run(
        [WEBQUARRY, "tools", *arguments], input=stdin, capture_output=True, text=True, check=False
    )


def test_export_names_each_broken_tool_once_on_stderr(bench: Workbench) -> None:
    bench.tool(WEATHER)
    broken = bench.script("broken", "exit 3")
    theirs = bench.tool(schema_of("theirs"), folder=bench.project_tools)
    done = run_command("export", "--for", "mcp")

    assert [tool["name"] for tool in json.loads(done.stdout)] == ["weather"]
    assert done.stderr.count(str(broken)) == 1
    assert f"{broken} is skipped: it ended with exit code 3" in done.stderr
    assert done.stderr.count(str(theirs)) == 1


def test_run_names_files_that_cannot_be_run_once_on_stderr(bench: Workbench) -> None:
    bench.tool(WEATHER)
    unusable = bench.user_tools / "read-me"
    unusable.write_text("hello")
    done = run_command("run", "weather", stdin='{"city": "Oslo"}')

    assert json.loads(done.stdout) == {"city": "Oslo"}
    assert f"{unusable} is skipped: it is not executable" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_run_of_a_broken_tool_tells_its_path_and_the_reason_once(bench: Workbench) -> None:
    bench.tool(WEATHER)
    broken = bench.script("broken", "exit 3")
    done = run_command("run", "broken")

    assert done.returncode == 1
    assert done.stderr.count(str(broken)) == 1
    assert done.stderr.count("it ended with exit code 3") == 1
    assert json.loads(done.stdout)["error"]["kind"] == "bad_input"


def test_list_says_on_stderr_nothing_that_is_in_its_answer(bench: Workbench) -> None:
    bench.script("broken", "exit 3")

    assert run_command("list").stderr == ""


def test_run_requests_the_schema_of_one_tool_only(bench: Workbench) -> None:
    bench.tool(WEATHER)
    bench.script("other", f"touch {bench.home}/was-asked; sleep 60")

    assert answer("run", "weather", stdin='{"city": "Oslo"}') == {"city": "Oslo"}
    assert not (bench.home / "was-asked").exists()


@pytest.mark.parametrize("vendor", ["anthropic", "openai", "openai-chat", "gemini", "mcp"])
def test_run_takes_the_names_that_an_export_has_given(vendor: str, bench: Workbench) -> None:
    inner = {"type": "object", "properties": {"größe": {"type": "integer"}}, "required": ["größe"]}
    properties = {
        "from.city": {"type": "string"},
        "2nd-city": {"type": "string"},
        "x" * 70: {"type": "array", "items": inner},
    }
    parameters = {"type": "object", "properties": properties, "required": ["from.city", "2nd-city"]}
    bench.tool(schema_of("9lives", parameters=parameters))
    [exported] = answer("export", "--for", vendor)
    while not (found := find_properties(exported)):
        exported = next(
            value for value in exported.values() if isinstance(value, (dict, list)) and value
        )
        exported = exported[0] if isinstance(exported, list) else exported
    first, second, third = found
    [inner_name] = found[third]["items"]["properties"]
    sent = {first: "Oslo", second: "Bergen", third: [{inner_name: 5}]}

    assert answer("run", "9lives", stdin=json.dumps(sent)) == {
        "from.city": "Oslo",
        "2nd-city": "Bergen",
        "x" * 70: [{"größe": 5}],
    }


def find_properties(exported: Any) -> Any:
    """The properties of the parameters in a vendor's form, once it is unwrapped so far."""
    for name in ("input_schema", "parameters", "inputSchema", "parametersJsonSchema"):
        if name in exported:
            return exported[name]["properties"]
    return None


def test_a_parameter_that_is_given_under_both_its_names_is_refused(bench: Workbench) -> None:
    parameters = {"type": "object", "properties": {"größe": {"type": "integer"}}}
    bench.tool(schema_of("size", parameters=parameters))
    [exported] = answer("export", "--for", "anthropic")
    [alias] = exported["input_schema"]["properties"]
    sent = json.dumps({alias: 1, "größe": 2})

    assert "was unexpected" in failure(["run", "size"], sent).stderr


@pytest.mark.parametrize(
    "body",
    ["kill -SEGV $$", "echo hello", """echo '{"error": "No."}'; exit 1"""],
)  # fmt: skip
def test_a_tool_that_crashed_is_no_trouble_of_the_network(body: str, bench: Workbench) -> None:
    bench.tool(WEATHER, body)
    error = json.loads(failure(["run", "weather"], '{"city": "Oslo"}').stdout)["error"]

    assert (error["kind"], error["provider"], error["retryable"]) == ("tool", "weather", False)


def test_trust_tells_which_variables_the_tools_get(bench: Workbench) -> None:
    bench.tool(WEATHER, folder=bench.project_tools)
    (bench.project_tools / "weather.toml").write_text('variables = ["WEATHER_TOKEN"]')

    assert answer("trust")["variables"] == {"weather": ["WEATHER_TOKEN"]}
    assert "; weather gets WEATHER_TOKEN" in tools("trust", "--text").stdout


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_the_command_ends_the_process_group_of_the_tool(
    number: signal.Signals, bench: Workbench
) -> None:
    fifo = bench.home / "fifo"
    os.mkfifo(fifo)
    child = f"(sleep 60 >/dev/null 2>&1 & echo $! > {bench.home}/pid)"
    bench.tool(WEATHER, f"{child}; echo $$ $(cat {bench.home}/pid) > {fifo}; sleep 60")
    command = [WEBQUARRY, "tools", "run", "weather"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin
        process.stdin.write(b'{"city": "Oslo"}')
        process.stdin.close()
        pids = [int(pid) for pid in fifo.read_text().split()]
        process.send_signal(number)
        process.wait(30)

    assert len(pids) == 2
    assert all(map(ends, pids))


def test_text_of_a_tool_is_text_for_a_person(bench: Workbench) -> None:
    bench.tool(WEATHER)

    text = tools("show", "weather", "--text").stdout

    assert text.startswith(f"weather\n  {WEATHER['description']}")
    assert "state: ready" in text
    for name in WEATHER["parameters"]["properties"]:
        assert f"  {name}  " in text
    assert "{" not in text
