"""Checks the URLs of remotes, and hides passwords in messages."""

import re

from ..errors import UsageError

POSTGRES = ("postgresql://", "postgres://", "service=")
_PASSWORD = re.compile(r"(?<=://)([^/@\s:]*):[^/@\s]*@")
_PARAMETER = re.compile(r"((?:password|passfile|sslpassword)=)[^&\s]*", re.IGNORECASE)
_KNOWN = re.compile(r"(?:file|git|https?|ssh)://[^\s\x00-\x1f]+|/[^\x00-\x1f]+|[A-Za-z]:[\\/][^\x00-\x1f]+")
# `host:path`, as ssh and git write it.
_SCP_FORM = re.compile(r"(?:[\w.+-]+@)?[\w.-]+:(?!/?/)[^\s\x00-\x1f]+|(?:[\w.+-]+@)?[\w.-]+:/(?!/)[^\s\x00-\x1f]+")
MAX_URL_CHARS = 1000


def is_postgres(url: str) -> bool:
    """Whether a URL names a PostgreSQL server."""
    return url.startswith(POSTGRES)


def check_url(url: str) -> None:
    """Raise UsageError for a text that is no URL of a git repository or of a PostgreSQL server.

    A transport such as `ext::`, which starts a program, is no URL, and neither is an option of git.
    """
    is_known = is_postgres(url) or _KNOWN.fullmatch(url) or _SCP_FORM.fullmatch(url)
    if not is_known or "::" in url or url.startswith("-") or len(url) > MAX_URL_CHARS:
        raise UsageError(
            f"`{hide_password(url[:100])}` is not the URL of a git repository or of a PostgreSQL server",
            "use `https://...`, `ssh://...`, `git@HOST:PATH`, `file:///...`, an absolute path, `postgresql://...` or"
            " `service=NAME`",
        )


def hide_password(text: str) -> str:
    """A URL, or a message with one, without passwords."""
    return _PARAMETER.sub(r"\1***", _PASSWORD.sub(r"\1:***@", text))


def name_of(url: str) -> str:
    """A short name made from the last part of a URL; "" if it has no letters."""
    last = re.split(r"[/\\:=]", re.split(r"[?#]", url.rstrip("/"))[0].removesuffix(".git").rstrip("/"))[-1]
    return re.sub(r"[^a-z0-9]+", "-", last.lower()).strip("-")[:40]
