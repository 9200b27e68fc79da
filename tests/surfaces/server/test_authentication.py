"""A server for others, as a process: nobody passes without a good token, and everybody sees only
what is theirs.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import select
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.surfaces.mcp.stdio_process import command_of
from tests.surfaces.server.http_process import HEADERS, Served, http_server, message_in, modern
from tests.surfaces.server.issuer import issuing
from webquarry.caller import LOCAL, serving
from webquarry.calls.log import CallLog
from webquarry.calls.segments import CallSegments
from webquarry.errors import BadInput
from webquarry.settings import Settings
from webquarry.surfaces.server.access import configure_access
from webquarry.surfaces.server.principal import AccessDenied
from webquarry.surfaces.server.tokens import METRICS, TokenFile

REPLAY = {"WEBQUARRY_REPLAY": "demo"}


def bearing(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture
def tokens(tmp_path: Path) -> TokenFile:
    return TokenFile(tmp_path / "tokens.json")


def environ_of(tokens: TokenFile) -> dict[str, str]:
    return REPLAY | {"WEBQUARRY_HTTP_AUTH": "token", "WEBQUARRY_TOKENS_FILE": str(tokens.path)}


def test_only_a_good_token_passes_and_a_revoked_one_is_worth_nothing_at_once(
    tokens: TokenFile,
) -> None:
    good, other = tokens.add("laptop"), tokens.add("phone")
    with http_server(environ_of(tokens)) as server:
        none = server.post("ping")
        wrong = server.post("ping", headers=bearing("wq_wrong"))
        basic = server.post("ping", headers={"Authorization": "Basic eDp5"})
        passed = server.post("ping", headers=bearing(good))
        slash = server.post("ping", headers=bearing("wq_wrong"), url=server.url + "/")
        live = httpx2.get(server.url.replace("/mcp", "/health/live"), trust_env=False)
        tokens.revoke("laptop")
        revoked = server.post("ping", headers=bearing(good))
        still = server.post("ping", headers=bearing(other))

    assert [one.status_code for one in (none, wrong, basic, slash, revoked)] == [401] * 5
    assert [one.status_code for one in (passed, still, live)] == [200] * 3
    assert none.headers["www-authenticate"] == "Bearer"
    assert 'error="invalid_token"' in wrong.headers["www-authenticate"]
    assert good not in revoked.text


def test_a_page_of_another_site_is_turned_away_even_with_a_token(tokens: TokenFile) -> None:
    token = tokens.add("laptop")
    with http_server(
        environ_of(tokens) | {"WEBQUARRY_HTTP_ORIGINS": "https://app.example.org"}
    ) as server:
        codes = [
            server.post("ping", headers=bearing(token) | {"Origin": origin}).status_code
            for origin in (
                "https://evil.example",
                "https://app.example.org",
                "http://localhost:5173",
                "null",
            )
        ]

    assert codes == [403, 200, 200, 403]


def test_a_host_that_is_not_ours_is_refused_where_hosts_are_named(tokens: TokenFile) -> None:
    token = tokens.add("laptop")
    with http_server(environ_of(tokens) | {"WEBQUARRY_HTTP_HOSTS": "quarry.example.org"}) as server:
        codes = [
            server.post("ping", headers=bearing(token) | {"Host": host}).status_code
            for host in ("evil.example", "quarry.example.org")
        ]

    assert codes == [421, 200]


@pytest.mark.slow
def test_tokens_of_an_issuer_are_checked_and_clients_learn_where_to_get_one() -> None:
    resource = "https://quarry.example.org/mcp"
    with issuing() as issuer:
        environ = REPLAY | {
            "WEBQUARRY_OAUTH_ISSUER": issuer.url,
            "WEBQUARRY_HTTP_RESOURCE": resource,
            "WEBQUARRY_OAUTH_SCOPES": "quarry:read,quarry:search",
        }
        with http_server(environ) as server:
            metadata = httpx2.get(
                server.url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp"),
                trust_env=False,
            ).json()
            answers = {
                name: server.post("ping", headers=bearing(token) if token else {})
                for name, token in {
                    "none": "",
                    "good": issuer.token(scope="quarry:read quarry:search more"),
                    "narrow": issuer.token(scope="quarry:read"),
                    "expired": issuer.token(exp=1, scope="quarry:read quarry:search"),
                    "foreign": issuer.token(
                        aud="https://other.example", scope="quarry:read quarry:search"
                    ),
                }.items()
            }

    assert metadata["resource"] == resource
    assert metadata["authorization_servers"] == [issuer.url]
    codes = {name: answer.status_code for name, answer in answers.items()}
    assert codes == {"none": 401, "good": 200, "narrow": 403, "expired": 401, "foreign": 401}
    challenge = answers["none"].headers["www-authenticate"]
    assert 'scope="quarry:read quarry:search"' in challenge
    assert (
        'resource_metadata="https://quarry.example.org/.well-known/oauth-protected-resource/mcp"'
        in challenge
    )
    assert 'error="insufficient_scope"' in answers["narrow"].headers["www-authenticate"]


@pytest.mark.slow
def test_what_one_caller_keeps_another_does_not_find(tokens: TokenFile, tmp_path: Path) -> None:
    ada, bob = tokens.add("ada"), tokens.add("bob")
    environ = environ_of(tokens) | {
        "WEBQUARRY_LINK_THRESHOLD_BYTES": "1000",
        "XDG_STATE_HOME": str(tmp_path),
    }
    with http_server(environ) as server:
        address = _linked(server, ada)
        mine = server.post("resources/read", {"uri": address}, headers=bearing(ada))
        theirs = server.post("resources/read", {"uri": address}, headers=bearing(bob))
        server.process.terminate()
        server.process.wait(60)  # it writes what is still to be logged

    assert "result" in message_in(mine.text)
    assert "not found" in message_in(theirs.text)["error"]["message"]
    log = CallLog(CallSegments(tmp_path / "webquarry" / "calls", 1_000_000, 3600))
    callers = {
        one["name"]: one["principal"] for one in json.loads(tokens.path.read_text())["tokens"]
    }
    logged = {}
    for name, principal in {**callers, "local": LOCAL}.items():
        with serving(principal):
            logged[name] = [call.tool for call in log.list_after()]
    assert logged == {"ada": ["scrape_page"], "bob": [], "local": []}


def _linked(server: Served, token: str) -> str:
    """The address of a large result that is kept for this caller."""
    arguments = {"url": "https://tidelines.example/2026/09/storing-the-tide", "mode": "raw"}
    body, headers = modern("tools/call", name="scrape_page", arguments=arguments)
    answer = httpx2.post(
        server.url, json=body, headers=headers | bearing(token), timeout=60, trust_env=False
    )
    return str(message_in(answer.text)["result"]["structuredContent"]["resource"])


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.0.2.1", "example.org"])
def test_others_are_never_served_without_a_way_to_tell_them_apart(
    host: str, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match="there is none"):
        configure_access(Settings(tokens_file=tmp_path / "tokens.json"), {}, host)
    TokenFile(tmp_path / "tokens.json").add("prometheus", use=METRICS)
    with pytest.raises(BadInput, match="there is none"):  # that anybody could ask the tools with
        configure_access(Settings(tokens_file=tmp_path / "tokens.json"), {}, host)
    with pytest.raises(BadInput, match="lets everybody in"):
        configure_access(Settings(http_auth="none"), {}, host)
    with pytest.raises(BadInput, match="no issuer"):
        configure_access(Settings(http_auth="oauth"), {}, host)
    with pytest.raises(BadInput, match="address is not set"):
        configure_access(Settings(oauth_issuer="https://issuer.example"), {}, host)


def test_a_worker_that_begins_after_the_last_token_was_revoked_lets_nobody_in_and_does_not_fail(
    tmp_path: Path,
) -> None:
    access = configure_access(
        Settings(tokens_file=tmp_path / "tokens.json"), {}, "0.0.0.0", running=True
    )

    assert access is not None
    with pytest.raises(AccessDenied):
        asyncio.run(access.verifier.verify("wq_anything"))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_this_machine_needs_no_token_unless_one_is_asked_for(host: str) -> None:
    assert configure_access(Settings(), {}, host) is None


def test_a_server_for_others_without_tokens_says_how_to_make_one_and_listens_nowhere(
    tmp_path: Path,
) -> None:
    done = subprocess.run(
        command_of(("webquarry", "mcp", "--http", "--host", "0.0.0.0", "--port", "0")),
        env=dict(os.environ) | REPLAY | {"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 1
    assert "webquarry token add" in done.stderr
    assert "serving" not in done.stderr


@pytest.fixture
def several(tokens: TokenFile) -> Iterator[tuple[Served, str]]:
    token = tokens.add("laptop")
    with http_server(environ_of(tokens), "--workers", "3", "--log-level", "warning") as server:
        yield server, token


def test_several_workers_serve_one_address_and_a_dead_one_is_replaced(
    several: tuple[Served, str],
) -> None:
    server, token = several
    assert server.post("ping", headers=bearing(token)).status_code == 200
    first = children_of(server.process.pid)
    assert len(first) == 3

    os.kill(first[0], signal.SIGKILL)
    assert server.process.stderr
    line = (
        server.process.stderr.readline()
    )  # said when it was noticed, just before the next one begins
    while "ended with -9" not in line:
        line = server.process.stderr.readline()
    for _ in range(5):
        with httpx2.Client(trust_env=False, timeout=30) as client:  # a connection of its own each
            body = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}}
            assert (
                client.post(server.url, json=body, headers=HEADERS | bearing(token)).status_code
                == 200
            )
    server.process.terminate()
    assert server.process.wait(30) == 0


def test_workers_end_with_the_process_that_began_them(several: tuple[Served, str]) -> None:
    server, token = several
    server.post("ping", headers=bearing(token))
    handles = [os.pidfd_open(one) for one in children_of(server.process.pid)]
    server.process.kill()

    waiting = set(handles)
    while waiting:
        ready, _, _ = select.select(list(waiting), [], [], 30)
        assert ready, "a worker went on without its parent"
        waiting -= set(ready)
    for handle in handles:
        os.close(handle)


def children_of(parent: int) -> list[int]:
    found = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True, check=False
    )
    return [int(one) for one in re.findall(r"\d+", found.stdout)]
