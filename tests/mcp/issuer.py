"""An OAuth issuer on loopback."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa

RESOURCE = "https://quarry.example.org/mcp"


class Issuer:
    """What it publishes can be changed while it serves."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.url = ""
        self.is_up = True
        self.metadata_paths = ["/.well-known/oauth-authorization-server"]
        self.keys: dict[str, Any] = {}
        self.published: list[str] = []
        self.fields: dict[str, dict[str, Any]] = {}  # additional fields of published keys
        self.invalid_keys: list[Any] = []
        self.may_respond = threading.Event()
        self.may_respond.set()
        self.rotate("first")

    def rotate(self, name: str, *, publish: bool = True) -> None:
        """Create an RSA key and publish no other."""
        self.keys[name] = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        if publish:
            self.published = [name]

    def add_elliptic_key(self, name: str) -> None:
        self.keys[name] = ec.generate_private_key(ec.SECP256R1())
        self.published.append(name)

    def token(
        self, key: str = "first", algorithm: str = "RS256", kid: str | None = None, **claims: Any
    ) -> str:
        """Sign a token; a claim of None is omitted."""
        now = int(time.time())
        base = {"iss": self.url, "aud": RESOURCE, "sub": "ada", "exp": now + 300, "iat": now}
        said = {name: value for name, value in (base | claims).items() if value is not None}
        return jwt.encode(said, self.keys[key], algorithm=algorithm, headers={"kid": kid or key})

    def respond(self, path: str) -> Any:
        self.requests.append(path)
        self.may_respond.wait(30)
        if not self.is_up:
            return None
        if path in self.metadata_paths:
            return {"issuer": self.url, "jwks_uri": f"{self.url}/keys"}
        if path == "/keys":
            return {"keys": [*self.invalid_keys, *map(self._publish, self.published)]}
        return None

    def _publish(self, name: str) -> dict[str, Any]:
        key = self.keys[name].public_key()
        is_elliptic = isinstance(key, ec.EllipticCurvePublicKey)
        kind = jwt.algorithms.ECAlgorithm if is_elliptic else jwt.algorithms.RSAAlgorithm
        jwk: dict[str, Any] = json.loads(kind.to_jwk(key))
        return jwk | {"kid": name, "use": "sig"} | self.fields.get(name, {})


@contextmanager
def running_issuer() -> Iterator[Issuer]:
    issuer = Issuer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = issuer.respond(self.path)
            body = b"" if found is None else json.dumps(found).encode()
            self.send_response(404 if found is None else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        issuer.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield issuer
        finally:
            issuer.may_respond.set()
            server.shutdown()
            thread.join()
