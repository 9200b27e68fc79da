"""Access control of the HTTP server: tokens, OAuth, isolation of callers, Host and Origin."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.mcp.http_process import Served, http_server, message_in, modern
from tests.mcp.issuer import RESOURCE, running_issuer
from tests.mcp.stdio_process import command_of
from webquarry.caller import LOCAL, serving
from webquarry.errors import BadInput
from webquarry.mcp.auth import METRICS, AccessDenied, TokenFile, configure_access
from webquarry.settings import Settings
from webquarry.store.calls import CallLog

REPLAY = {"WEBQUARRY_REPLAY": "demo"}


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture(scope="module")
def tokens(tmp_path_factory: pytest.TempPathFactory) -> TokenFile:
    file = TokenFile(tmp_path_factory.mktemp("tokens") / "tokens.json")
    file.add("revocable")
    return file


@pytest.fixture(scope="module")
def token(tokens: TokenFile) -> str:
    return tokens.add("laptop")


@pytest.fixture(scope="module")
def server(tokens: TokenFile) -> Iterator[Served]:
    """A server that requires tokens and knows one host and one origin of others."""
    environ = REPLAY | {
        "WEBQUARRY_HTTP_AUTH": "token",
        "WEBQUARRY_TOKENS_FILE": str(tokens.path),
        "WEBQUARRY_HTTP_HOSTS": "quarry.example.org",
        "WEBQUARRY_HTTP_ORIGINS": "https://app.example.org",
    }
    with http_server(environ) as served:
        yield served


def test_requests_without_a_valid_token_are_challenged(server: Served, token: str) -> None:
    missing = server.post("ping")
    wrong = server.post("ping", headers=bearer("wq_wrong"))
    with_slash = server.post("ping", headers=bearer("wq_wrong"), url=server.url + "/")
    basic = server.post("ping", headers={"Authorization": "Basic eDp5"})

    assert [one.status_code for one in (missing, wrong, with_slash, basic)] == [401] * 4
    assert missing.headers["www-authenticate"] == "Bearer"
    assert 'error="invalid_token"' in wrong.headers["www-authenticate"]
    assert server.post("ping", headers=bearer(token)).status_code == 200
    assert server.post("ping", headers={"Authorization": f"bearer  {token}"}).status_code == 200


def test_two_authorization_headers_are_refused(server: Served, token: str) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    headers = [("Authorization", f"Bearer {token}")] * 2
    response = httpx2.post(server.url, content=body, headers=headers, trust_env=False)

    assert response.status_code == 401


def test_a_revoked_token_is_refused_at_once(server: Served, tokens: TokenFile) -> None:
    revocable = tokens.add("short-lived")
    before = server.post("ping", headers=bearer(revocable))
    tokens.revoke("short-lived")
    after = server.post("ping", headers=bearer(revocable))

    assert (before.status_code, after.status_code) == (200, 401)
    assert revocable not in after.text


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("https://evil.example", 403),
        ("null", 403),
        ("https://app.example.org.evil.example", 403),
        ("https://app.example.org", 200),
        ("http://localhost:5173", 200),
    ],
)
def test_pages_of_unknown_origins_are_refused_even_with_a_token(
    server: Served, token: str, origin: str, status: int
) -> None:
    headers = bearer(token) | {"Origin": origin}

    assert server.post("ping", headers=headers).status_code == status


@pytest.mark.parametrize(("host", "status"), [("evil.example", 421), ("quarry.example.org", 200)])
def test_unknown_hosts_are_refused_where_hosts_are_configured(
    server: Served, token: str, host: str, status: int
) -> None:
    assert server.post("ping", headers=bearer(token) | {"Host": host}).status_code == status


def test_probes_need_no_token_and_metrics_need_one_of_their_own(
    server: Served, tokens: TokenFile, token: str
) -> None:
    prometheus = tokens.add("prometheus", use=METRICS)
    codes = [server.get("/metrics").status_code]
    for sent, path in ((token, "/metrics"), (token, "/metrics/"), (prometheus, "/metrics")):
        codes.append(server.get(path, **bearer(sent)).status_code)
    refused = server.get("/metrics", **bearer(token))

    assert codes == [401, 403, 403, 200]
    assert refused.json() == {
        "error": "insufficient_scope",
        "error_description": "The token does not have the required scope: metrics.",
    }
    assert server.post("tools/list", headers=bearer(prometheus)).status_code == 403
    assert server.get("/health/live").json() == {"status": "ok"}
    assert server.get("/health/ready").json() == {"status": "ok"}


@pytest.mark.slow
def test_oauth_tokens_are_verified_and_clients_find_the_issuer() -> None:
    with running_issuer() as issuer:
        environ = REPLAY | {
            "WEBQUARRY_OAUTH_ISSUER": issuer.url,
            "WEBQUARRY_HTTP_RESOURCE": RESOURCE,
            "WEBQUARRY_OAUTH_SCOPES": "quarry:read,quarry:search",
        }
        scopes = "quarry:read quarry:search"
        sent = {
            "valid": issuer.token(scope=f"{scopes} more"),
            "narrow": issuer.token(scope="quarry:read"),
            "expired": issuer.token(exp=1, scope=scopes),
            "foreign": issuer.token(aud="https://other.example", scope=scopes),
            "metrics": issuer.token(scope="webquarry:metrics"),
        }
        path = "/.well-known/oauth-protected-resource/mcp"
        with http_server(environ) as server:
            metadata = server.get(path, Origin="https://any.example")
            missing = server.post("ping")
            calls = {name: server.post("ping", headers=bearer(one)) for name, one in sent.items()}
            probes = {name: server.get("/metrics", **bearer(one)) for name, one in sent.items()}

    codes = {name: (calls[name].status_code, probes[name].status_code) for name in sent}
    assert codes == {
        "valid": (200, 403),
        "narrow": (403, 403),
        "expired": (401, 401),
        "foreign": (401, 401),
        "metrics": (403, 200),
    }
    assert metadata.headers["access-control-allow-origin"] == "*"
    assert metadata.json() == {
        "resource": RESOURCE,
        "authorization_servers": [issuer.url],
        "bearer_methods_supported": ["header"],
        "resource_name": "webquarry",
        "scopes_supported": ["quarry:read", "quarry:search"],
    }
    challenge = missing.headers["www-authenticate"]
    assert f'scope="{scopes}"' in challenge
    assert f'resource_metadata="https://quarry.example.org{path}"' in challenge
    assert 'error="insufficient_scope"' in calls["narrow"].headers["www-authenticate"]
    assert 'scope="webquarry:metrics"' in probes["valid"].headers["www-authenticate"]


@pytest.mark.slow
def test_artifacts_and_call_logs_are_isolated_per_caller(tmp_path: Path) -> None:
    tokens = TokenFile(tmp_path / "tokens.json")
    ada, bob = tokens.add("ada"), tokens.add("bob")
    environ = REPLAY | {
        "WEBQUARRY_HTTP_AUTH": "token",
        "WEBQUARRY_TOKENS_FILE": str(tokens.path),
        "WEBQUARRY_LINK_THRESHOLD_BYTES": "1000",
        "XDG_STATE_HOME": str(tmp_path),
    }
    arguments = {"url": "https://tidelines.example/2026/09/storing-the-tide", "mode": "raw"}
    body, headers = modern("tools/call", name="scrape_page", arguments=arguments)
    with http_server(environ) as server:
        headers |= bearer(ada)
        linked = httpx2.post(server.url, json=body, headers=headers, timeout=60, trust_env=False)
        uri = message_in(linked.text)["result"]["structuredContent"]["resource"]
        mine = server.post("resources/read", {"uri": uri}, headers=bearer(ada))
        theirs = server.post("resources/read", {"uri": uri}, headers=bearer(bob))
        server.stop()

    assert "result" in message_in(mine.text)
    assert "not found" in message_in(theirs.text)["error"]["message"]
    log = CallLog(tmp_path / "webquarry" / "calls", 1_000_000, 3600)
    principals = {token.name: token.principal for token in tokens.tokens()} | {"local": LOCAL}
    logged = {}
    for name, principal in principals.items():
        with serving(principal):
            logged[name] = [call.tool for call in log.list_after()]
    assert logged == {"ada": ["scrape_page"], "bob": [], "local": []}


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.0.2.1", "example.org"])
def test_other_machines_are_never_served_without_access_control(host: str, tmp_path: Path) -> None:
    path = tmp_path / "tokens.json"
    with pytest.raises(BadInput, match="there is none"):
        configure_access(Settings(tokens_file=path), {}, host)
    TokenFile(path).add("prometheus", use=METRICS)
    with pytest.raises(BadInput, match="there is none"):  # for the tools
        configure_access(Settings(tokens_file=path), {}, host)
    with pytest.raises(BadInput, match="not allowed"):
        configure_access(Settings(http_auth="none"), {}, host)
    with pytest.raises(BadInput, match="needs an issuer"):
        configure_access(Settings(http_auth="oauth"), {}, host)
    with pytest.raises(BadInput, match="our own address"):
        configure_access(Settings(oauth_issuer="https://issuer.example"), {}, host)


def test_a_running_server_without_tokens_denies_access(tmp_path: Path) -> None:
    settings = Settings(tokens_file=tmp_path / "tokens.json")
    access = configure_access(settings, {}, "0.0.0.0", running=True)

    assert access is not None
    with pytest.raises(AccessDenied):
        asyncio.run(access.verify("wq_anything"))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_loopback_needs_no_token_by_default(host: str) -> None:
    assert configure_access(Settings(), {}, host) is None


def test_a_server_for_others_without_tokens_does_not_start(tmp_path: Path) -> None:
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
