"""API keys of endpoints: they are read only from the environment and never shown (SPEC 41.2).

Settings can come with a repository. Therefore they may name only variables whose names end in `_API_KEY`, and the key
of a well-known provider is sent only to the host of that provider.
"""

import os
from urllib.parse import urlsplit

from ...errors import ModelError
from .place import is_loopback

SUFFIX = "_API_KEY"
# Keys that many users have in their environment, and the only host to which each key is sent.
HOSTS = {"ANTHROPIC_API_KEY": "api.anthropic.com", "OPENAI_API_KEY": "api.openai.com"}
MAX_NAME_CHARS = 100
_CHARS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


def is_variable(name: object) -> bool:
    """Whether `name` is a valid name of an environment variable for a key."""
    return isinstance(name, str) and len(name) <= MAX_NAME_CHARS and name.endswith(SUFFIX) and _CHARS.issuperset(name)


def has_key(variable: str) -> bool:
    """Whether `variable` names an environment variable that is set and not blank."""
    return bool(variable and os.environ.get(variable, "").strip())


def read_key(variable: str, url: str) -> str:
    """The key for a URL, from an environment variable.

    It is "" if `variable` is "", or if the variable is not set and the URL leads to this machine. Raises ModelError if
    the URL leads to another machine and the variable is not set, or if the key belongs to another host.
    """
    if not variable:
        return ""
    key = os.environ.get(variable, "").strip()
    is_near = is_loopback(url)
    if not key and not is_near:
        raise ModelError(f"`{variable}` is not set", "put the key into the environment of the host")
    own = HOSTS.get(variable)
    if key and own and not is_near and urlsplit(url).hostname != own:
        raise ModelError(f"the key in `{variable}` is sent only to {own}", "name another variable in `api_key_env`")
    return key
