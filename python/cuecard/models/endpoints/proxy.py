"""Finds the proxy that the user's configuration names; the value `environment` stands for the environment's proxy.

Rules: docs/reference/models.md, "Requests to endpoints".
"""

from base64 import b64encode
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from ..._backend import Values, engine, read_user_settings
from ...errors import ModelError

OF_ENVIRONMENT = "environment"
DEFAULT_PORT = 8080


class Proxy:
    """An HTTP proxy: its host and port, and the header that authenticates the user."""

    def __init__(self, url: str) -> None:
        """Read the proxy's URL. Raises ModelError if it is invalid."""
        try:
            parts = urlsplit(url if "://" in url else f"http://{url}")
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port, parts = None, None, urlsplit("")
        if not host or parts.scheme != "http":
            raise ModelError(
                "the proxy in the settings is not a valid URL", "name one such as `http://proxy.example:3128`"
            )
        self.host = host
        self.port = port or DEFAULT_PORT
        self.headers: dict[str, str] = {}
        if parts.username is not None:
            login = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            self.headers["Proxy-Authorization"] = f"Basic {b64encode(login.encode()).decode()}"


def proxy_for(host: str, port: int, is_secure: bool) -> Proxy | None:
    """The proxy for a host on another machine; None for a direct connection."""
    named = _named_proxy()
    if named == OF_ENVIRONMENT:
        url = getproxies().get("https" if is_secure else "http", "")
        return Proxy(url) if url and not proxy_bypass(f"{host}:{port}") else None
    return Proxy(named) if named else None


def _named_proxy() -> str:
    """`network.proxy` of the user's configuration; "" if it is not set."""
    named = Values(engine.read_settings(read_user_settings(), None).members, []).given("network.proxy")
    return named.strip() if isinstance(named, str) else ""
