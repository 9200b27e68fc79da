"""What a tool gets of its own: variables, time and output, and never a key of ours in silence."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.executables import Answer, Site
from tests.host.workbench import WEATHER, Workbench, schema_of
from webquarry.errors import Refused, TooLarge, ToolFailure
from webquarry.host.host import ToolHost
from webquarry.host.trust import TrustStore


def run(host: ToolHost, name: str = "weather") -> dict[str, Any]:
    return asyncio.run(host.run(name, {"city": "Oslo"}))


def env_tool(bench: Workbench, options: str = "", folder: Path | None = None) -> Path:
    """A tool that writes down the environment of each of its starts."""
    text = json.dumps(WEATHER)
    dump = f"""env >> {bench.home}/seen
if [ "$1" = --schema ]; then echo '{text}'; else echo '{{}}'; fi"""
    path = bench.script("weather", dump, folder)
    if options:
        path.with_name("weather.toml").write_text(options)
    return path


def seen(bench: Workbench, **environ: str) -> list[str]:
    """The lines of the environment that the tool gets, at its description and at its run."""
    run(bench.host(**environ))
    return (bench.home / "seen").read_text().splitlines()


def test_options_file_names_the_variables_of_a_tool(bench: Workbench) -> None:
    env_tool(bench, 'variables = ["WEATHER_TOKEN", "NOT_SET"]')
    lines = seen(bench, WEATHER_TOKEN="t-123", OTHER_TOKEN="t-456")

    assert lines.count("WEATHER_TOKEN=t-123") == 2
    assert "OTHER_TOKEN=t-456" not in lines
    assert not any(line.startswith("NOT_SET") for line in lines)


def test_a_setting_names_the_variables_of_a_tool(bench: Workbench) -> None:
    env_tool(bench)
    entries = "weather=WEATHER_TOKEN,weather=REGION,rain=OTHER_TOKEN"
    lines = seen(
        bench, WEBQUARRY_TOOL_VARIABLES=entries, WEATHER_TOKEN="a", REGION="b", OTHER_TOKEN="c"
    )

    assert {"WEATHER_TOKEN=a", "REGION=b"} <= set(lines)
    assert "OTHER_TOKEN=c" not in lines


OWN = ["BRAVE_API_KEY", "ANTHROPIC_API_KEY", "EPO_OPS_SECRET", "REDIS_URL", "brave_api_key"]


@pytest.mark.parametrize("variable", OWN)
def test_a_key_of_ours_is_not_handed_on_because_a_file_says_so(
    variable: str, bench: Workbench
) -> None:
    env_tool(bench, f'variables = ["{variable}"]')
    host = bench.host(**{variable: "canary-0123456789"})

    [skipped] = host.skipped
    assert skipped.reason.startswith(f"its weather.toml names {variable}, which is webquarry's own")
    assert f"WEBQUARRY_TOOL_VARIABLES=weather={variable}" in skipped.reason
    assert not (bench.home / "seen").exists()


def test_a_key_of_ours_is_handed_on_when_the_user_says_so(bench: Workbench) -> None:
    env_tool(bench, 'variables = ["BRAVE_API_KEY"]')
    lines = seen(
        bench, WEBQUARRY_TOOL_VARIABLES="weather=BRAVE_API_KEY", BRAVE_API_KEY="canary-0123456789"
    )

    assert lines.count("BRAVE_API_KEY=canary-0123456789") == 2


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("timeout_seconds = ", "Invalid value"),
        ("timeout = 5", "unknown field `timeout`"),
        ("timeout_seconds = 0", "Expected `float` > 0.0"),
        ("timeout_seconds = '5'", "Expected `float | null`, got `str`"),
        ("timeout_seconds = nan", "Expected `float`"),
        ("timeout_seconds = inf", "Expected `float` <= 3600.0"),
        ("max_output_bytes = 10", "Expected `int` >= 1024"),
        ("variables = 'PATH'", "Expected `array`, got `str` - at `$.variables`"),
        ("variables = ['A=B']", "at `$.variables[0]`"),
        ("#" * 70_000, "is longer than 65,536 bytes"),
        ("variables = " + "[" * 50_000, "is not usable"),
    ],
)
def test_a_file_that_cannot_be_used_keeps_its_tool_from_being_served(
    options: str, told: str, bench: Workbench
) -> None:
    env_tool(bench, options)
    bench.tool(schema_of("rain"))
    host = bench.host()

    [skipped] = host.skipped
    assert skipped.reason.startswith("its weather.toml ")
    assert told in skipped.reason
    assert skipped.reason.isprintable()
    assert [tool.name for tool in host.tools] == ["rain"]


def test_the_file_gives_a_tool_more_time_and_room(bench: Workbench) -> None:
    path = bench.tool(WEATHER, """printf '{"a": "%09000d"}' 0""")
    path.with_name("weather.toml").write_text("max_output_bytes = 20000")
    narrow = {"tool_max_output_bytes": "2000"}

    assert len(run(bench.host(**narrow))["a"]) == 9000
    path.with_name("weather.toml").write_text("max_output_bytes = 3000")
    with pytest.raises(TooLarge, match="printed more than 3000 bytes"):
        run(bench.host())

    path = bench.tool(WEATHER, "sleep 60")
    path.with_name("weather.toml").write_text("timeout_seconds = 0.2")
    with pytest.raises(ToolFailure, match=r"did not end within 0\.2 seconds") as caught:
        run(bench.host())
    assert "`timeout_seconds` in weather.toml" in caught.value.suggested_action


def test_the_trust_in_a_project_covers_the_file(bench: Workbench) -> None:
    path = env_tool(bench, 'variables = ["WEATHER_TOKEN"]', bench.project_tools)
    bench.environ |= {"WEATHER_TOKEN": "t-123", "OTHER_TOKEN": "t-456"}
    store = TrustStore.of(bench.environ)
    store.trust(bench.project_tools)
    host = bench.host()
    run(host)
    assert (bench.home / "seen").read_text().count("WEATHER_TOKEN=t-123") == 2

    path.with_name("weather.toml").write_text('variables = ["OTHER_TOKEN"]')
    with pytest.raises(Refused, match="its folder has changed"):
        run(host)
    [skipped] = bench.host().skipped
    assert skipped.state == "untrusted"
    assert "OTHER_TOKEN" not in (bench.home / "seen").read_text()


def test_proxies_without_their_passwords_and_the_xdg_folders_are_handed_on(
    bench: Workbench,
) -> None:
    env_tool(bench)
    plain = {
        "NO_PROXY": "localhost,.example",
        "no_proxy": "localhost",
        "ALL_PROXY": "socks5://proxy.example:1080",
        "XDG_CONFIG_HOME": "/x/config",
        "XDG_CACHE_HOME": str(bench.home / "cache"),
        "XDG_DATA_HOME": "/x/data",
        "XDG_RUNTIME_DIR": "/x/run",
        "XDG_DATA_DIRS": "/x/a:/x/b",
    }
    secret = {
        "HTTPS_PROXY": "http://user:canary@proxy.example:3128",
        "https_proxy": "user:canary/@x@proxy.example:3128",
        "HTTP_PROXY": "http://us@er:canary@proxy.example/",
    }
    lines = seen(bench, **plain, **secret)

    assert {f"{name}={value}" for name, value in plain.items()} <= set(lines)
    assert {"HTTPS_PROXY=http://proxy.example:3128", "HTTP_PROXY=http://proxy.example/"} <= set(
        lines
    )
    assert "canary" not in str(lines)


def test_our_own_web_fetch_fits_what_our_host_reads_and_says_where_to_go_on(
    bench: Workbench,
) -> None:
    text = "\n".join(str(number) + '"\\"' * 30 for number in range(15_000))
    del bench.environ["WEBQUARRY_SYSTEM_TOOLS"]
    assert len(text.encode()) > 65_536 * 10
    with Site(Answer(text.encode(), headers={"Content-Type": "text/plain"})) as site:
        host = ToolHost.discover(environ=bench.environ | site.environ, names=["web_fetch"])
        first = asyncio.run(host.run("web_fetch", {"url": site.origin}))
        second = asyncio.run(
            host.run("web_fetch", {"url": site.origin, "offset": first["next_offset"]})
        )

    assert len(json.dumps(first, ensure_ascii=False).encode()) <= 65_536
    assert len(first["content"].encode()) > 20_000
    assert first["next_offset"] == first["lines_read"] + 1
    assert second["content"] != first["content"]
    assert second["total_lines"] == first["total_lines"]


@pytest.mark.parametrize(("chosen", "told"), [("500", 500), ("0", 2488), ("900000", 2488)])
def test_a_smaller_limit_of_the_users_own_stays(chosen: str, told: int, bench: Workbench) -> None:
    env_tool(bench, "max_output_bytes = 9072")
    lines = seen(bench, WEBQUARRY_FETCH_MAX_BYTES=chosen)

    assert f"WEBQUARRY_FETCH_MAX_BYTES={told}" in lines
