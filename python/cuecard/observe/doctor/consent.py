"""Checks every endpoint in the settings, and shows what is sent to it (docs/reference/models.md, "Doctor")."""

import os

from ...basics.counted import counted
from ...basics.programs import find_program
from ...errors import StoreError
from ...files.environment import Environment
from ...files.locate import locate
from ...models.consent import Destination, destinations
from ...models.endpoints.allowed_places import FILE, allowed_places
from ...models.endpoints.resting import is_resting
from ...retrieval.config import HYBRID, Config
from .finding import Finding
from .installation import HOOK

# The file names of Python for which the executable looks in its own folder (SPEC 14.5).
INTERPRETERS = ("python3", "python", "python.exe")
# How much of a host's five seconds remains for models after the executable has started Python (SPEC 14.5).
MOST_MS = 4000


def examine_consent(root: str | os.PathLike[str] | None) -> list[Finding]:
    """A finding for each endpoint in the settings, or one finding that there is none. Sends nothing."""
    environment = Environment()
    try:
        project = locate(root, environment)
    except StoreError:
        # `examine_project` reports this.
        return []
    config = Config(project[1], environment, [])
    # Only hybrid recall asks models about prompts; writes compute vectors with every strategy.
    asks = config.strategy == HYBRID and not config.is_classic
    idle = [_idle_judge(config)] if config.judge and not asks else []
    found = [_examine(one) for one in destinations(config.embedding, config.judge if asks else None, asks)]
    if found:
        at_prompts = _examine_time(config) + _examine_delegation() if asks else []
        return found + idle + at_prompts + _examine_old()
    return [
        *idle,
        Finding("endpoints", "ok", "the settings name none: nothing leaves this machine", facts={"hosts": []}),
        *_examine_old(),
    ]


def _examine_old() -> list[Finding]:
    """The finding about consents of an earlier version, which had neither scheme nor purpose; empty without any."""
    old = [one for one in allowed_places() if one.is_old]
    if not old:
        return []
    places = list(dict.fromkeys([one.place for one in old]))
    count = counted(len(places), "line")
    words = f"{count} of `{FILE}` without a purpose: they count for every purpose at exactly these places"
    hint = "`cuecard allow PLACE --for PURPOSE` replaces such a line; name `http://HOST:PORT` if that was meant"
    return [Finding("old consents", "ok", words, hint, places, {"places": places})]


def _idle_judge(config: Config) -> Finding:
    """The finding that the judge is switched on, but is never asked with these settings."""
    why = "the classic form has no gate" if config.is_classic else f"the strategy `{config.strategy}` has no gate"
    words = f"the judge is switched on and never asked: {why}"
    hint = f"use the strategy `{HYBRID}`, or switch `retrieval.judge.enabled` off"
    return Finding("judge endpoint", "warn", words, hint, facts={"what": "judge", "is_asked": False})


def _examine(one: Destination) -> Finding:
    facts: dict[str, object] = {
        "what": one.what,
        "provider": one.provider,
        "model": one.model,
        "host": one.host,
        "leaves": one.leaves,
        "told": list(one.told),
        "key_variable": one.key_variable or None,
        "has_key": one.has_key,
    }
    details = [f"sent: {told}" for told in one.told]
    if one.key_variable:
        details.append(f"key: `{one.key_variable}` is {'set' if one.has_key else 'not set'}")
    if is_resting(one.host):
        details.append("it failed recently: for five minutes no prompt asks it")
    name = f"{one.what} endpoint"
    where = "leaves this machine" if one.leaves else "stays on this machine"
    words = f"the {one.what} asks `{one.model}` of `{one.provider}` at {one.host}: what is sent {where}"
    if one.problem:
        hint = f"{one.fix}; until then nothing is sent" if one.fix else "until then nothing is sent"
        return Finding(name, "warn", f"{words}; {one.problem}", hint, details, facts)
    return Finding(name, "ok", words, details=details, facts=facts)


def _examine_time(config: Config) -> list[Finding]:
    """Check whether the timeouts of the models fit into the time that hosts give a hook."""
    asking = config.recall.embedding_ms + config.recall.judge_ms
    if asking <= MOST_MS:
        return []
    words = f"models may take {asking} ms for a prompt, and hosts end a hook after 5 seconds"
    hint = f"lower the settings `timeout_ms` to {MOST_MS} in all"
    return [Finding("endpoint time", "warn", words, hint, facts={"milliseconds": asking})]


def _examine_delegation() -> list[Finding]:
    """Check whether the executable finds a Python that can ask models; empty if there is no such executable."""
    path = find_program(HOOK)
    if path is None:
        return []
    real = os.path.realpath(path)
    try:
        with open(real, "rb") as file:
            is_script = file.read(2) == b"#!"
    except OSError:
        return []
    if is_script:
        return []
    for name in INTERPRETERS:
        python = os.path.join(os.path.dirname(real), name)
        if os.path.isfile(python):
            return [Finding("hand-over", "ok", f"the hook delegates prompts to {python}", facts={"python": python})]
    words = f"there is no Python beside {real}: the hook answers without asking a model"
    hint = "put a `cuecard-hook` first on PATH that is installed in a virtual environment"
    return [Finding("hand-over", "warn", words, hint, facts={"python": None})]
