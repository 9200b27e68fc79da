"""An OAuth issuer on loopback: its metadata, its keys, and the tokens it makes."""

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


class Issuer:
    """What it publishes can be changed while it serves."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.url = ""
        self.working = True
        self.places = ["/.well-known/oauth-authorization-server"]
        self.keys: dict[str, Any] = {}
        self.published: list[str] = []
        self.more: dict[str, dict[str, Any]] = {}  # what is said of a published key besides
        self.odd: list[Any] = []  # published before the others
        self.let = threading.Event()  # answers wait for it
        self.let.set()
        self.rotate("first")

    def rotate(self, name: str, *, publish: bool = True) -> None:
        """A new key under this name, and no other is published any more."""
        self.keys[name] = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        if publish:
            self.published = [name]

    def elliptic(self, name: str) -> None:
        self.keys[name] = ec.generate_private_key(ec.SECP256R1())
        self.published.append(name)

    def token(
        self, key: str = "first", algorithm: str = "RS256", kid: str | None = None, **claims: Any
    ) -> str:
        now = int(time.time())
        base = {
            "iss": self.url,
            "aud": "https://quarry.example.org/mcp",
            "sub": "ada",
            "exp": now + 300,
            "iat": now,
        }
        said = {name: value for name, value in (base | claims).items() if value is not None}
        return jwt.encode(said, self.keys[key], algorithm=algorithm, headers={"kid": kid or key})

    def reply(self, path: str) -> Any:
        self.asked.append(path)
        self.let.wait(30)
        if not self.working:
            return None
        if path in self.places:
            return {"issuer": self.url, "jwks_uri": f"{self.url}/keys"}
        if path == "/keys":
            return {"keys": [*self.odd, *(self._public(name) for name in self.published)]}
        return None

    def _public(self, name: str) -> dict[str, Any]:
        key = self.keys[name].public_key()
        kind = (
            jwt.algorithms.ECAlgorithm
            if isinstance(key, ec.EllipticCurvePublicKey)
            else jwt.algorithms.RSAAlgorithm
        )
        return (
            dict(json.loads(kind.to_jwk(key)))
            | {"kid": name, "use": "sig"}
            | self.more.get(name, {})
        )


@contextmanager
def issuing() -> Iterator[Issuer]:
    issuer = Issuer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = issuer.reply(self.path)
            body = json.dumps(found).encode() if found is not None else b""
            self.send_response(200 if found is not None else 404)
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
            server.shutdown()
            thread.join()
