"""A provider of sign-ins by OpenID Connect: discovery, authorization code with PKCE, signed ID tokens, key set.

Whoever comes is signed in at once as the person that the test names; what the provider says of them is the test's too.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from urllib.parse import parse_qs, unquote_plus, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

__all__ = ["Provider"]


@dataclass
class Provider:
    """The provider, running while the context lasts.

    Attributes:
        claims: what it says of whoever signs in, beside the protocol's own claims.
        lifetime: for how many seconds it vouches (``exp``).
        host: by which name of this machine it is known; "localhost" is another site than "127.0.0.1".
        signed: how many ID tokens it has signed.
    """

    claims: Mapping[str, object] = field(default_factory=dict)
    lifetime: float = 3600.0
    host: str = "127.0.0.1"
    client_id: str = "reseat"
    client_secret: str = "between the two of us"
    signed: int = 0

    def __post_init__(self) -> None:
        self._key = RSAKey.generate_key(2048, parameters={"kid": "one"})
        self._codes: dict[str, dict[str, str]] = {}
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                """Say nothing."""

            def do_GET(self) -> None:
                provider._get(self)

            def do_POST(self) -> None:
                provider._token(self)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://{self.host}:{self._server.server_port}"

    def __enter__(self) -> Provider:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def secrets(self, address: str, *tables: str) -> str:
        """``secrets.toml`` of a dashboard at this address that signs people in here."""
        return "\n".join(
            [
                "[auth]",
                f'redirect_uri = "{address}/oauth2callback"',
                'cookie_secret = "a secret of the tests, long enough"',
                f'client_id = "{self.client_id}"',
                f'client_secret = "{self.client_secret}"',
                f'server_metadata_url = "{self.issuer}/.well-known/openid-configuration"',
                *tables,
            ]
        )

    def _get(self, request: BaseHTTPRequestHandler) -> None:
        where = urlsplit(request.path)
        query = {name: values[0] for name, values in parse_qs(where.query).items()}
        if where.path == "/.well-known/openid-configuration":
            _answer(
                request,
                {
                    "issuer": self.issuer,
                    "authorization_endpoint": f"{self.issuer}/authorize",
                    "token_endpoint": f"{self.issuer}/token",
                    "jwks_uri": f"{self.issuer}/keys",
                    "response_types_supported": ["code"],
                    "id_token_signing_alg_values_supported": ["RS256"],
                    "code_challenge_methods_supported": ["S256"],
                },
            )
        elif where.path == "/keys":
            _answer(request, {"keys": [self._key.as_dict(private=False, alg="RS256", use="sig")]})
        elif where.path == "/authorize" and query.get("client_id") == self.client_id:
            code = secrets.token_urlsafe()
            self._codes[code] = query
            place = f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"
            request.send_response(302)
            request.send_header("Location", place)
            request.end_headers()
        else:
            _answer(request, {"error": "invalid_request"}, 400)

    def _token(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers["Content-Length"])).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        asked = self._codes.pop(form.get("code", ""), None)
        scheme, _, credentials = request.headers.get("Authorization", "").partition(" ")
        known = base64.b64decode(credentials).decode() if scheme == "Basic" else ""
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        proof = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if (
            asked is None
            or unquote_plus(known) != f"{self.client_id}:{self.client_secret}"
            or asked.get("code_challenge") != proof
            or form.get("redirect_uri") != asked["redirect_uri"]
        ):
            _answer(request, {"error": "invalid_grant"}, 400)
            return
        now = time.time()
        own = {
            "iss": self.issuer,
            "aud": self.client_id,
            "iat": int(now),
            "exp": int(now + self.lifetime),
            "nonce": asked.get("nonce", ""),
        }
        self.signed += 1
        signed = jwt.encode({"alg": "RS256", "kid": "one"}, {**own, **self.claims}, self._key)
        _answer(request, {"access_token": "x", "token_type": "Bearer", "expires_in": 60, "id_token": signed})


def _answer(request: BaseHTTPRequestHandler, body: object, status: int = 200) -> None:
    data = json.dumps(body).encode()
    request.send_response(status)
    request.send_header("Content-Type", "application/json")
    request.send_header("Content-Length", str(len(data)))
    request.end_headers()
    request.wfile.write(data)
