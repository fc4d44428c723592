"""Connections to the address that was checked, and to no other (docs/reference/models.md, "Requests to endpoints")."""

import socket
import ssl
from collections.abc import Callable
from http.client import HTTPConnection, HTTPSConnection

from ...configuration.place import LOCAL_NAME, address_of
from ...errors import ModelError

Address = tuple[str, int]
# Called when there is a connection, before anything is sent over it.
Connected = Callable[[HTTPConnection], None]


def resolve(host: str, port: int) -> list[Address]:
    """The addresses of a host that may be asked, the name looked up once.

    `localhost` may only lead to this machine, and another name neither to this machine nor to the network that it
    is plugged into without an address of its own. Raises ModelError where none is left, OSError.
    """
    found = [info[4] for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    addresses = [(str(where[0]), port) for where in found if _may_have(host, str(where[0]))]
    if not addresses:
        raise ModelError(
            f"`{host}` leads to an address that its name may not have", "name the address itself, or `localhost`"
        )
    return list(dict.fromkeys(addresses))


def _may_have(host: str, found: str) -> bool:
    """Whether a host may lead to an address."""
    address = address_of(found.partition("%")[0])
    if address is None:
        return False
    if address_of(host) is not None:
        return True
    if host == LOCAL_NAME:
        return address.is_loopback
    return not (address.is_loopback or address.is_unspecified or address.is_link_local or address.is_multicast)


class Plain(HTTPConnection):
    """A connection of HTTP to one of the checked addresses of its host."""

    def __init__(self, host: str, port: int, timeout: float, connected: Connected) -> None:
        """Not connected yet."""
        super().__init__(host, port, timeout=timeout)
        self._connected = connected

    def connect(self) -> None:
        """Connect to the first address that answers."""
        self.sock = _connect(self)
        self._connected(self)


class Secure(HTTPSConnection):
    """The same with TLS, whose certificate must be for the host's name."""

    def __init__(self, host: str, port: int, timeout: float, connected: Connected) -> None:
        """Not connected yet."""
        self._tls = ssl.create_default_context()
        super().__init__(host, port, timeout=timeout, context=self._tls)
        self._connected = connected

    def connect(self) -> None:
        """Connect to the first address that answers, and check its certificate."""
        self.sock = self._tls.wrap_socket(_connect(self), server_hostname=self.host)
        self._connected(self)


class PlainByProxy(HTTPConnection):
    """A connection to a proxy that the user has named."""

    def __init__(self, host: str, port: int, timeout: float, connected: Connected) -> None:
        """Not connected yet."""
        super().__init__(host, port, timeout=timeout)
        self._connected = connected

    def connect(self) -> None:
        """Connect to the proxy."""
        super().connect()
        self._connected(self)


class SecureByProxy(HTTPSConnection):
    """A connection with TLS through a tunnel of such a proxy."""

    def __init__(self, host: str, port: int, timeout: float, connected: Connected) -> None:
        """Not connected yet."""
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
