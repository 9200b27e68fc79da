"""Who may use a server: settings and the address it listens on in, the way its callers are told
apart out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from webquarry.errors import BadInput
from webquarry.settings import Settings
from webquarry.surfaces.server.authentication import AuthChallenge
from webquarry.surfaces.server.principal import Verifier
from webquarry.surfaces.server.tokens import MCP, METRICS, TokenFile, TokenVerifier, tokens_path

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_METADATA_ROOT = "/.well-known/oauth-protected-resource"
_MCP_PATH, _METRICS_PATH = "/mcp", "/metrics"


@dataclass(frozen=True)
class Access:
    """How callers are told apart, and what is guarded: by path, what a token needs for it."""

    verifier: Verifier
    guarded: Mapping[str, AuthChallenge]
    metadata_path: str | None = None  # where clients learn which issuer gives out tokens
    metadata: Mapping[str, object] | None = None


def configure_access(
    settings: Settings, environ: Mapping[str, str], host: str, *, running: bool = False
) -> Access | None:
    """The access of a server on this address; None where everybody on this machine may use it.

    Nobody else's machine is served without it: that is refused here, before anything listens. A
    server that is `running` goes on when its last token is revoked: then nobody gets in until there
    is another.
    """
    method = settings.http_auth
    if method == "auto":
        if settings.oauth_issuer:
            method = "oauth"
        elif host in LOOPBACK:
            method = "none"
        else:
            method = "token"
    if method == "oauth":
        return _configure_oauth(settings)
    if method == "token":
        return _configure_tokens(settings, environ, running)
    if host not in LOOPBACK:
        raise BadInput(
            f"The host {host} is not this machine alone, and WEBQUARRY_HTTP_AUTH=none lets "
            "everybody in.",
            suggested_action="Use token or oauth, or serve 127.0.0.1.",
        )
    return None


def _configure_tokens(settings: Settings, environ: Mapping[str, str], running: bool) -> Access:
    file = TokenFile(tokens_path(settings, environ))
    if not running and not any(token.use == MCP for token in file.tokens()):
        raise BadInput(
            f"Callers must show a token, and there is none for them in {file.path}.",
            suggested_action="Make one with `webquarry token add NAME`, or set an issuer "
            "(WEBQUARRY_OAUTH_ISSUER).",
        )
    guarded = {
        _MCP_PATH: AuthChallenge((MCP,), lacking="This token is for /metrics alone."),
        _METRICS_PATH: AuthChallenge(
            (METRICS,),
            lacking="This token is not for /metrics: make one with webquarry token add NAME "
            "--metrics.",
        ),
    }
    return Access(TokenVerifier(file), guarded)


def _configure_oauth(settings: Settings) -> Access:
    from webquarry.surfaces.server.oauth import OAuthVerifier

    issuer = settings.oauth_issuer
    resource = settings.http_resource
    if not issuer:
        raise BadInput(
            "OAuth is asked for, and no issuer is set.",
            suggested_action="Set WEBQUARRY_OAUTH_ISSUER to its address.",
        )
    if not resource:
        raise BadInput(
            "Tokens of an issuer must be made for this server, and its address is not set.",
            suggested_action="Set WEBQUARRY_HTTP_RESOURCE, such as https://quarry.example.org/mcp.",
        )
    scheme, _, rest = resource.partition("://")
    authority, slash, path = rest.partition("/")
    metadata_path = _METADATA_ROOT + f"{slash}{path}".rstrip("/")
    metadata_url = f"{scheme}://{authority}{metadata_path}"
    metadata: dict[str, object] = {
        "resource": resource,
        "authorization_servers": [issuer],
        "bearer_methods_supported": ["header"],
        "resource_name": "webquarry",
    }
    scopes = tuple(settings.oauth_scopes)
    if scopes:  # without the scope for the metrics: clients ask for all that stand here
        metadata["scopes_supported"] = list(scopes)
    metrics_scope = settings.metrics_scope
    guarded = {
        _MCP_PATH: AuthChallenge(scopes, metadata_url),
        _METRICS_PATH: AuthChallenge(
            (metrics_scope,),
            metadata_url,
            f"The token does not have the scope {metrics_scope}, which /metrics needs.",
        ),
    }
    verifier = OAuthVerifier(issuer, settings.oauth_audience or resource, settings)
    return Access(verifier, guarded, metadata_path, metadata)
