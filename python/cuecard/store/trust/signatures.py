"""Checks whether a commit has a good signature by a key that the user named (SPEC 45.8)."""

import os
import re
import tempfile
from base64 import b64decode, b64encode
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from ...errors import StoreError, UsageError
from .history import Commit
from .safe_git import SafeGit

_FINGERPRINT = re.compile(r"(?:[0-9A-F]{40}|[0-9A-F]{64})")
_SSH_FINGERPRINT = re.compile(r"SHA256:[A-Za-z0-9+/]{43}")
_SSH_KEY = re.compile(r"(?:ssh|ecdsa|sk)-[a-zA-Z0-9@.-]+ [A-Za-z0-9+/=]+(?: .*)?")
# The line that git and ssh-keygen print for a good signature by any key.
_GOOD_SSH = re.compile(r'Good "git" signature (?:for \S+ )?with [A-Za-z0-9-]+ key (SHA256:[A-Za-z0-9+/]{43})')
# The status words of gpg for a signature that is bad, expired or revoked.
_BAD = ("BADSIG", "ERRSIG", "EXPSIG", "EXPKEYSIG", "REVKEYSIG")
_MAX_KEY_BYTES = 1 << 16
_SHA1_CHARS = 40


@dataclass(frozen=True)
class SigningKey:
    """The fingerprint of a key: capital hexadecimal digits for OpenPGP, `SHA256:...` for SSH."""

    fingerprint: str


def read_key(text: str) -> SigningKey:
    """Read the key that a user named: a fingerprint, an SSH public key, or the path of a file with one.

    Raises UsageError for any other text.
    """
    found = text.strip()
    digits = "".join(found.split()).removeprefix("0x").upper()
    if _FINGERPRINT.fullmatch(digits):
        return SigningKey(digits)
    if _SSH_FINGERPRINT.fullmatch(found):
        return SigningKey(found)
    if not _SSH_KEY.fullmatch(found):
        found = _read_key_file(found)
    if _SSH_KEY.fullmatch(found):
        return SigningKey(_fingerprint_of(found))
    raise UsageError(
        f"`{text[:80]}` is not a key",
        "give the whole fingerprint of an OpenPGP key, `SHA256:...` of an SSH key, or the path of its .pub file",
    )


def is_signed_by(git: SafeGit, commit: Commit, keys: list[SigningKey]) -> bool:
    """Whether a commit has a good signature by one of the keys. Raises StoreError if git takes too long.

    The signature is checked in a new repository that has only this commit, so no file of the user's repository can
    stand in its way.
    """
    with tempfile.TemporaryDirectory(prefix="cuecard-") as folder:
        signers = os.path.join(folder, "signers")
        # The file is empty: this module compares the signing key itself.
        Path(signers).touch()
        apart = git.at(folder)
        form = "sha1" if len(commit.name) == _SHA1_CHARS else "sha256"
        apart.run(["init", "--quiet", "--bare", f"--object-format={form}", "--template=", "repository"])
        apart = git.at(os.path.join(folder, "repository"))
        bare = {"safe.bareRepository": "all"}
        made = apart.run(["hash-object", "-t", "commit", "-w", "--stdin"], settings=bare, stdin=commit.data)
        if made.stdout.decode("ascii", "replace").strip() != commit.name:
            return False
        programs = {
            "gpg.ssh.program": git.find_program("ssh-keygen"),
            # Git takes the last of both names, whichever it is.
            "gpg.program": git.find_program("gpg"),
            "gpg.openpgp.program": git.find_program("gpg"),
            "gpg.ssh.allowedSignersFile": signers,
        }
        settings = {name: program for name, program in programs.items() if program}
        done = apart.run(["verify-commit", "--raw", commit.name], settings=settings | bare)
    lines = (done.stderr + done.stdout).decode("utf-8", "replace").splitlines()
    return _ssh_signer(lines) in keys or any(signer in keys for signer in _gpg_signers(lines))


def _ssh_signer(lines: list[str]) -> SigningKey | None:
    """Return the key of the SSH signature; None unless there is exactly one good signature."""
    found = [match for line in lines if (match := _GOOD_SSH.fullmatch(line.strip()))]
    return SigningKey(found[0].group(1)) if len(found) == 1 else None


def _gpg_signers(lines: list[str]) -> list[SigningKey]:
    """Return the key of the OpenPGP signature and its primary key; empty unless there is exactly one good signature."""
    words = [line.split()[1:] for line in lines if line.startswith("[GNUPG:] ")]
    states = [found[0] for found in words if found]
    if states.count("GOODSIG") != 1 or states.count("VALIDSIG") != 1 or any(bad in states for bad in _BAD):
        return []
    valid = next(found for found in words if found and found[0] == "VALIDSIG")
    return [SigningKey(word) for word in (valid[1], valid[-1]) if _FINGERPRINT.fullmatch(word)]


def _read_key_file(path: str) -> str:
    try:
        with Path(path).expanduser().open("rb") as file:
            text = file.read(_MAX_KEY_BYTES).decode("utf-8", "replace")
    except (OSError, RuntimeError, ValueError):
        return ""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def _fingerprint_of(key: str) -> str:
    """Return the fingerprint of an SSH public key, which is the SHA-256 of its body."""
    try:
        body = b64decode(key.split(" ")[1], validate=True)
    except ValueError:
        raise StoreError("the key cannot be read", "give the line of its .pub file") from None
    return "SHA256:" + b64encode(sha256(body).digest()).decode().rstrip("=")
