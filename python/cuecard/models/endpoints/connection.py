"""Connects only to the address that was checked (docs/reference/models.md, "Requests to endpoints")."""

import socket
import ssl
from collections.abc import Callable
from http.client import HTTPConnection, HTTPSConnection

from ...errors import ModelError
from .place import LOCAL_NAME, address_of

Address = tuple[str, int]
# Called once the connection is open, before anything is sent.
Connected = Callable[[HTTPConnection], None]


def resolve(host: str, port: int) -> list[Address]:
    """The allowed addresses of a host, from a single lookup of its name.

    `localhost` may only resolve to this machine. Other names may not resolve to this machine, to a link-local or to a
    multicast address. Raises ModelError if no address remains, OSError.
    """
    found = [info[4] for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    addresses = [(str(where[0]), port) for where in found if _may_have(host, str(where[0]))]
    if not addresses:
        raise ModelError(
            f"`{host}` resolves to an address that is not allowed for it", "use the address itself, or `localhost`"
        )
    return list(dict.fromkeys(addresses))


def _may_have(host: str, found: str) -> bool:
    """Whether a host name may resolve to an address."""
    address = address_of(found.partition("%")[0])
    if address is None:
        return False
    if address_of(host) is not None:
        return True
    if host == LOCAL_NAME:
        return address.is_loopback
    return not (address.is_loopback or address.is_unspecified or address.is_link_local or address.is_multicast)


class Plain(HTTPConnection):
    """An HTTP connection to one of the checked addresses of its host."""

    def __init__(self, host: str, port: int, timeout: float, connected: Connected) -> None:
        """Prepare the connection without opening it."""
        super().__init__(host, port, timeout=timeout)
        self._connected = connected

    def connect(self) -> None:
        """Connect to the first address that answers."""
        self.sock = _connect(self)
        self._connected(self)


class Secure(HTTPSConnection):
    """An HTTPS connection to one of the checked addresses; its certificate must be for the host's name."""

    def __init__(self, host: str, port: int, timeout: float, connected: Connected) -> None:
        """Prepare the connection without opening it."""
        self._tls = ssl.create_default_context()
        super().__init__(host, port, timeout=timeout, context=self._tls)
        self._connected = connected

    def connect(self) -> None:
        """Connect to the first address that answers, and check its certificate."""
        self.sock = self._tls.wrap_socket(_connect(self), server_hostname=self.host)
        self._connected(self)


class PlainByProxy(HTTPConnection):
    """A connection to a proxy that the user has configured."""

    def __init__(self, host: str, port: int, timeout: float, connected: Connected) -> None:
        """Prepare the connection without opening it."""
        super().__init__(host, port, timeout=timeout)
        self._connected = connected

    def connect(self) -> None:
        """Connect to the proxy."""
        super().connect()
        self._connected(self)


class SecureByProxy(HTTPSConnection):
    """An HTTPS connection through a tunnel of a proxy that the user has configured."""

    def __init__(self, host: str, port: int, timeout: float, connected: Connected) -> None:
        """Prepare the connection without opening it."""
        super().__init__(host, port, timeout=timeout)
        self._connected = connected

    def connect(self) -> None:
        """Connect to the proxy, and through it to the host."""
        super().connect()
        self._connected(self)


def _connect(connection: HTTPConnection) -> socket.socket:
    problem: OSError | None = None
    for address in resolve(connection.host, connection.port):
        try:
            found = socket.create_connection(address, connection.timeout)
        except OSError as error:  # noqa: PERF203 - most hosts have one address
            problem = error
        else:
            found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return found
    raise problem or OSError("no address answers")
