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
