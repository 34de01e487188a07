"""A request whose response is handed over as bytes, for answers so large that an object an entry is too much.

kafka-python asks a request's header which class decodes the response. This one answers with a class that keeps the
bytes: the client's thread is free at once, and who asked decodes, in columns.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

__all__ = ["Bytes", "Undecoded"]


@dataclass(frozen=True, slots=True)
class Bytes:
    """A response's body as it came.

    Attributes:
        version: version of the response.
        data: its body, behind the header.
        decoder: kafka-python's class for it.
    """

    version: int
    data: bytes
    decoder: Any

    @property
    def throttle_time_ms(self) -> int:
        """How long the broker throttles us (KIP-219): the first field of every response sent this way."""
        return int(struct.unpack_from(">i", self.data)[0]) if len(self.data) >= 4 else 0

    def decoded(self) -> Any:
        """As kafka-python decodes it."""
        return self.decoder.decode(self.data, version=self.version)


class Undecoded:
    """Wraps one of kafka-python's requests; sent like it, answered with ``Bytes``.

    Args:
        request: the request.
        decoder: kafka-python's class of its response, whose first field must be ``throttle_time_ms``.
    """

    def __init__(self, request: Any, decoder: Any) -> None:
        self._request = request
        self._decoder = decoder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._request, name)

    def __repr__(self) -> str:
        return repr(self._request)

    @property
    def API_VERSION(self) -> int | None:  # noqa: N802  # kafka-python's name
        """The version it is sent with; None until the connection chose it."""
        version: int | None = self._request.API_VERSION
        return version

    @API_VERSION.setter
    def API_VERSION(self, version: int) -> None:  # noqa: N802
        self._request.API_VERSION = version

    @property
    def header(self) -> _Header:
        """What kafka-python keeps until the response comes."""
        return _Header(self._request.header, self._decoder)


class _Header:
    def __init__(self, header: Any, decoder: Any) -> None:
        self._header = header
        self._decoder = decoder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._header, name)

    def get_response_class(self) -> _Keep:
        return _Keep(self._header.request_api_version, self._decoder)


class _Keep:
    """Stands in for a response class: reads the header, keeps the body."""

    def __init__(self, version: int, decoder: Any) -> None:
        self._version = version
        self._decoder = decoder

    def parse_header(self, data: Any) -> Any:
        return self._decoder.parse_header(data, version=self._version)

    def decode(self, data: Any) -> Bytes:
        return Bytes(self._version, data.read(), self._decoder)
