"""Seed 000, row by row: names, schemas and credentials of the three executables. Each test is named
after its row.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.executables import BRAVE, KEYS, Asked, InProcess, Site, as_json, run_script, script_path
from tests.search.replies import recorded
from tests.seeds.seed_000 import (
    QUERY,
    REPLIES,
    SEARCHES,
    SEED,
    each_script,
    each_search,
    seed_json,
    seed_schema,
)


@each_script
def test_external_executable_is_installed_under_its_name(script: str) -> None:
    assert Path(script_path(script)).is_file()
    assert f"External executable: `{script}`" in SEED


@each_script
def test_tool_name_in_api_is_that_of_the_schema(run: InProcess, script: str) -> None:
    name = run(script, flags=("--schema",)).stdout
    assert json.loads(name)["name"] == seed_json(script, "parameters")["name"]


@each_script
def test_schema_flag_prints_the_seeds_block_to_the_byte(script: str) -> None:
    done = run_script(script, flags=("--schema",))

    assert done.stdout.decode("utf-8") == seed_schema(script)
    assert (done.code, done.stderr) == (0, "")


def test_the_search_schemas_are_byte_identical_but_for_name_and_provider(run: InProcess) -> None:
    brave, google = (run(script, flags=("--schema",)).stdout for script in SEARCHES)

    assert brave != google
    assert (
        brave.replace(b"web_search_brave", b"web_search_google").replace(
            b"using Brave Search API", b"using Google Custom Search API"
        )
        == google
    )


CREDENTIAL_FILES = {
    "BRAVE_API_KEY": "brave-api-key",
    "GOOGLE_SEARCH_API_KEY": "google-api-key",
    "GOOGLE_SEARCH_ENGINE_ID": "google-engine-id",
}


def files_at(home: Path) -> None:
    folder = home / ".config" / "ikigai"
    folder.mkdir(parents=True)
    for variable, name in CREDENTIAL_FILES.items():
        (folder / name).write_text(f"from-file-{KEYS[variable]}\n")
        (folder / name).chmod(0o600)


def key_sent(asked: Asked) -> str:
    return asked.headers.get("x-subscription-token") or asked.headers["x-goog-api-key"]


@each_search
def test_credential_discovery_takes_the_environment_variable_first(
    run: InProcess, tmp_path: Path, script: str
) -> None:
    files_at(tmp_path)
    with Site(as_json(recorded(REPLIES[script]))) as site:
        run(script, QUERY, site.environ | {"HOME": str(tmp_path)})

    assert key_sent(site.asked[0]) in KEYS.values()


@each_search
def test_credential_discovery_takes_the_file_in_the_config_folder_second(
    run: InProcess, tmp_path: Path, script: str
) -> None:
    files_at(tmp_path)
    with Site(as_json(recorded(REPLIES[script]))) as site:
        environ = {name: value for name, value in site.environ.items() if name not in KEYS}
        done = run(script, QUERY, environ | {"HOME": str(tmp_path)})

    assert done.code == 0
    assert key_sent(site.asked[0]).startswith("from-file-")


@each_search
def test_credential_discovery_ends_with_a_helpful_error(
    run: InProcess, tmp_path: Path, script: str
) -> None:
    done = run(script, QUERY, {"HOME": str(tmp_path)})

    assert done.answer == seed_json(script, "error")
    assert "auth" in done.stderr


@pytest.mark.parametrize("script", SEARCHES)
def test_each_tool_discovers_its_credentials_independently(run: InProcess, script: str) -> None:
    own = "BRAVE" if script == BRAVE else "GOOGLE"
    with Site(as_json(recorded(REPLIES[script]))) as site:
        environ = {
            name: value
            for name, value in site.environ.items()
            if name not in KEYS or name.startswith(own)
        }
        done = run(script, QUERY, environ)

    assert done.code == 0
