"""Keys of endpoints: from the environment alone, and never shown (SPEC 48.2).

Settings can come with a repository: they may name only variables that are meant for endpoints, and the key of a
well-known provider goes to no host but its own.
"""

import os
from urllib.parse import urlsplit

from ..errors import ModelError
from .place import is_loopback

SUFFIX = "_API_KEY"
# Keys that many have in their environment, and the one host that each is for.
HOSTS = {"ANTHROPIC_API_KEY": "api.anthropic.com", "OPENAI_API_KEY": "api.openai.com"}
MAX_NAME_CHARS = 100
_CHARS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


def is_variable(name: object) -> bool:
    """Whether that is the name of a variable for a key."""
    return isinstance(name, str) and len(name) <= MAX_NAME_CHARS and name.endswith(SUFFIX) and _CHARS.issuperset(name)


def has_key(variable: str) -> bool:
    """Whether a variable holds something."""
    return bool(variable and os.environ.get(variable, "").strip())


def read_key(variable: str, url: str) -> str:
    """The key in a variable for a URL; "" where none is named, or none is set and the URL stays on this machine.

    Raises ModelError if the URL leads to another machine and there is no key, or the key belongs to another host.
    """
    if not variable:
        return ""
    key = os.environ.get(variable, "").strip()
    is_near = is_loopback(url)
    if not key and not is_near:
        raise ModelError(f"`{variable}` is not set", "put the key into the environment of the host")
    own = HOSTS.get(variable)
    if key and own and not is_near and urlsplit(url).hostname != own:
        raise ModelError(f"the key in `{variable}` goes to {own} alone", "name another variable in `api_key_env`")
    return key
