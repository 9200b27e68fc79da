"""Settings: the environment, keyword arguments, and errors that name the setting."""

from __future__ import annotations

import subprocess
import sys
from ipaddress import ip_network
from typing import Any

import pytest

from webquarry.errors import BadInput, BadSetting
from webquarry.settings import Settings

HEAVY = ("re", "typing", "dataclasses", "pathlib", "pydantic", "httpx2", "cryptography")


def test_empty_environment_gives_the_defaults() -> None:
    assert Settings.from_environment({}) == Settings()


def test_setting_is_read_from_its_variable() -> None:
    settings = Settings.from_environment(
        {"WEBQUARRY_MAX_BYTES": " 2048 ", "WEBQUARRY_ROBOTS": "0", "WEBQUARRY_CACHE": ""}
    )
    assert (settings.max_bytes, settings.robots, settings.cache) == (2048, False, True)


def test_own_variable_overrides_the_conventional_one() -> None:
    environ = {
        "HTTPS_PROXY": "http://usual.example",
        "WEBQUARRY_HTTPS_PROXY": "http://ours.example",
    }
    assert Settings.from_environment(environ).https_proxy == "http://ours.example"
    assert (
        Settings.from_environment({"ALL_PROXY": "http://all.example"}).http_proxy
        == "http://all.example"
    )


def test_lists_are_separated_by_commas() -> None:
    settings = Settings.from_environment(
        {"WEBQUARRY_ALLOW_NETWORKS": "10.1.0.0/16, ::1/128", "NO_PROXY": "a, .b,"}
    )
    assert settings.allow_networks == [ip_network("10.1.0.0/16"), ip_network("::1/128")]
    assert settings.no_proxy == ["a", ".b"]


@pytest.mark.parametrize("word", ["0", "False", "no", "OFF"])
def test_boolean_words_are_false(word: str) -> None:
    assert Settings.from_environment({"WEBQUARRY_ROBOTS": word}).robots is False


def test_none_removes_a_default_limit() -> None:
    assert Settings.from_environment({"WEBQUARRY_ASK_MAX_USD": "none"}).ask_max_usd is None
    with pytest.raises(BadSetting):
        Settings.from_environment({"WEBQUARRY_TIMEOUT_SECONDS": "none"})


def test_base_url_of_a_provider_is_read_by_its_name() -> None:
    assert Settings.from_environment({"WEBQUARRY_BRAVE_URL": "http://127.0.0.1:9/"}).origins == {
        "brave": "http://127.0.0.1:9"
    }


def test_timeout_of_a_tool_overrides_the_common_one() -> None:
    settings = Settings(call_timeouts=["scrape_page=300.5"], call_timeout_seconds=9)

    assert (settings.seconds_for("scrape_page"), settings.seconds_for("web_search")) == (300.5, 9)


@pytest.mark.parametrize(
    ("variable", "value", "rule"),
    [
        ("WEBQUARRY_MAX_BYTES", "1", "expected integer, at least 1024."),
        ("WEBQUARRY_TIMEOUT_SECONDS", "nan", "expected number, above 0, at most 600."),
        ("WEBQUARRY_ROBOTS", "perhaps", "expected `1` or `0`."),
        ("WEBQUARRY_ALLOW_NETWORKS", "10.0.0.1/8", "expected comma-separated list of networks."),
        ("WEBQUARRY_LOG_LEVEL", "loud", "expected one of `debug`, `info`, `warning`, `error`."),
    ],
)
def test_error_names_the_variable_and_the_rule_but_not_the_value(
    variable: str, value: str, rule: str
) -> None:
    with pytest.raises(BadInput) as caught:
        Settings.from_environment({variable: value})
    assert caught.value.message == f"The setting {variable} is not usable: {rule}"
    assert variable in caught.value.suggested_action


@pytest.mark.parametrize(
    "values",
    [
        {"timeout_seconds": "x"},
        {"retries": 2.5},
        {"no_proxy": [1]},
        {"origins": {"brave": 1}},
        {"mcp_text": "html"},
    ],
)
def test_keyword_argument_that_is_not_allowed_raises_bad_setting(values: dict[str, Any]) -> None:
    with pytest.raises(BadSetting, match=f"The setting {next(iter(values))} is not usable"):
        Settings(**values)


@pytest.mark.parametrize(
    ("variable", "advice"),
    [
        ("WEBQUARRY_MAXBYTES", "is not a setting; did you mean WEBQUARRY_MAX_BYTES?"),
        ("WEBQUARRY_RETRIES", "is no longer a setting: the value is 2."),
        ("WEBQUARRY_HTTP_DRAIN_SECONDS", "is no longer a setting: the server stops listening"),
    ],
)
def test_unknown_and_former_variables_are_named_once_on_stderr(
    variable: str, advice: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webquarry.settings._reported", set())
    environ = {variable: "5", "WEBQUARRY_CROSSREF_URL": "http://127.0.0.1:1"}

    Settings.from_environment(environ)
    Settings.from_environment(environ)

    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{variable} {advice}")


def test_unknown_keyword_argument_raises_bad_setting() -> None:
    with pytest.raises(BadSetting, match=r"Unknown setting: max_byte\."):
        Settings(max_byte=5000)  # type: ignore[call-arg]


def test_settings_are_read_only() -> None:
    settings = Settings()

    with pytest.raises(AttributeError, match="read-only"):
        settings.retries = 5  # type: ignore[misc]
    settings.youtube_languages.append("xx")
    assert settings.youtube_languages == ["en"]


def test_replace_returns_a_copy_with_other_values() -> None:
    settings = Settings(retries=5, robots=False)
    copy = settings.replace(retries=1)

    assert (copy.retries, copy.robots, settings.retries) == (1, False, 5)
    with pytest.raises(BadSetting):
        settings.replace(retries=11)


def test_repr_masks_the_password_of_a_proxy() -> None:
    shown = repr(Settings(https_proxy="http://user:secret-word@proxy.example:3128"))

    assert shown == "Settings(https_proxy='http://***@proxy.example:3128')"


def test_reading_the_environment_imports_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "before = set(sys.modules)\n"
        "from webquarry.settings import Settings\n"
        "Settings.from_environment({'WEBQUARRY_CACHE_FOLDER': '/c', 'WEBQUARRY_MAX_BYTES': '2048'})\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules.keys() - before])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"
