"""Settings come from the environment, and a value that does not fit names its variable."""

from __future__ import annotations

from ipaddress import ip_network

import pytest

from webquarry.errors import BadInput
from webquarry.settings import Settings


def test_without_an_environment_every_setting_has_its_default() -> None:
    assert Settings.from_environment({}) == Settings()


def test_a_setting_is_read_from_its_variable() -> None:
    settings = Settings.from_environment(
        {"WEBQUARRY_MAX_BYTES": " 2048 ", "WEBQUARRY_ROBOTS": "0", "WEBQUARRY_RETRIES": ""}
    )
    assert (settings.max_bytes, settings.robots, settings.retries) == (
        2048,
        False,
        Settings().retries,
    )


def test_our_own_name_comes_before_the_usual_one() -> None:
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


def test_a_providers_base_url_is_found_by_its_name() -> None:
    assert Settings.from_environment({"WEBQUARRY_BRAVE_URL": "http://127.0.0.1:9/"}).origins == {
        "brave": "http://127.0.0.1:9"
    }


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("WEBQUARRY_MAX_BYTES", "lots"),
        ("WEBQUARRY_MAX_BYTES", "1"),
        ("WEBQUARRY_ROBOTS", "perhaps"),
        ("WEBQUARRY_ALLOW_NETWORKS", "10.0.0.1/8"),
        ("WEBQUARRY_LOG_LEVEL", "loud"),
    ],
)
def test_a_value_that_does_not_fit_names_the_variable(variable: str, value: str) -> None:
    with pytest.raises(BadInput) as caught:
        Settings.from_environment({variable: value})
    assert variable in caught.value.message
    assert variable in caught.value.suggested_action


def test_a_value_that_does_not_fit_is_told_with_what_the_setting_takes() -> None:
    with pytest.raises(BadInput) as caught:
        Settings.from_environment({"WEBQUARRY_CALL_TIMEOUTS": "soon"})

    assert "such as scrape_page=300,web_search=30." in caught.value.suggested_action
