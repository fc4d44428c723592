"""Finds out which hosts are on this machine, in which of them our hook is installed, and whether it would work."""

from ..basics.light_dataclass import dataclass, replace
from ..errors import CuecardError
from ..observe.doctor.finding import Finding
from .features import feature_names, proof_of, state_of
from .hook_command import is_of_this_installation, problem_of
from .host_check import find_version, is_too_old, try_command
from .host_environment import HostEnvironment, Scope, read_host_environment
from .host_file import HookInstallation, Host
from .installation import look_up
from .programs.claude_mod import examine_mod
from .registry import HOSTS


@dataclass(frozen=True)
class Surveyed:
    """A host, whether it is on this machine, our installations in it, and what else calls our hook."""

    host: Host
    is_there: bool
    installations: list[HookInstallation]
    other: str
    waiting: dict[Scope, str]
    """For each scope, why the host ignores the installation until the user acts."""
    version: str = ""
    """The version of the host, if it was asked."""
    tried: list[str] | None = None
    """What is wrong with the installed commands, if they were tried."""

    def problems(self) -> list[str]:
        """The reasons why an installation does not work, one sentence for each."""
        problems = []
        for found in self.installations:
            if found.problem:
                problems.append(f"{found.file}: {found.problem}")
            gone = dict.fromkeys(problem_of(command) for command in found.commands if command)
            problems += [f"{found.file}: {problem}" for problem in gone if problem]
        if self.other and any(found.commands for found in self.installations):
            problems.append(self.other)
        if is_too_old(self.host, self.version):
            least = ".".join([str(part) for part in self.host.least_version])
            problems.append(f"version {self.version} is too old: this needs {least} or newer")
        problems += [problem for problem in self.tried or [] if not any(problem in known for known in problems)]
        return problems

    @property
    def is_broken(self) -> bool:
        """Whether a command of ours cannot run."""
        return any(problem_of(command) for found in self.installations for command in found.commands if command)

    def as_dict(self) -> dict[str, object]:
        """The fields by name, ready for JSON."""
        return {
            "host": self.host.name,
            "title": self.host.title,
            "detected": self.is_there,
            "injects": self.host.injection,
            "features": {name: state_of(self.host.name, name) for name in feature_names()},
            "verified_version": proof_of(self.host.name).version,
            "verified_on": proof_of(self.host.name).day,
            "version": self.version,
            "runs": None if self.tried is None else not self.tried,
            "installed": [
                {
                    "scope": found.scope,
                    "file": str(found.file),
                    "commands": found.commands,
                    "waits_for": self.waiting.get(found.scope),
                    "problems": [problem_of(command) for command in found.commands if command and problem_of(command)],
                }
                for found in self.installations
                if found.commands
            ],
            "other": self.other,
            "problems": self.problems(),
            "notes": list(self.host.promises),
        }


def survey(environment: HostEnvironment, *, is_tried: bool = False) -> list[Surveyed]:
    """Look at every supported host. Writes nothing.

    With `is_tried` the programs of the hosts are asked for their versions, and installed commands of this installation
    are run.
    """
    surveyed = []
    for host in HOSTS:
        found = [look_up(host, scope, environment) for scope in host.scopes]
        found = [one for one in found if one.commands or one.problem]
        waiting = {one.scope: host.waits_for(one.scope, environment) for one in found if one.commands}
        waiting = {scope: why for scope, why in waiting.items() if why}
        one = Surveyed(host, host.is_there(environment), found, host.find_other(environment), waiting)
        surveyed.append(_try(one, environment) if is_tried else one)
    return surveyed


def _try(one: Surveyed, environment: HostEnvironment) -> Surveyed:
    commands = [command for found in one.installations for command in found.commands if command]
    prompts = [command for command in commands if "prompt" in command]
    # A repository may have such a file too, so a command that it names is never started.
    foreign = [command for command in prompts if not is_of_this_installation(command)]
    own = [command for command in prompts if command not in foreign]
    tried = [problem for problem in dict.fromkeys(try_command(command) for command in own) if problem]
    tried += list(dict.fromkeys(f"`{command[0]}` is not of this installation and was not tried" for command in foreign))
    return replace(one, version=find_version(one.host, environment), tried=tried if prompts else None)


def examine_hosts_of(root: str | None) -> list[Finding]:
    """The findings of `examine_hosts` and `examine_mod` for the project at `root`; empty if no project is found."""
    try:
        environment = read_host_environment(root)
        return [*examine_hosts(environment), *examine_mod(environment)]
    except CuecardError:
        return []


def examine_hosts(environment: HostEnvironment) -> list[Finding]:
    """The doctor's findings about installed hooks; empty if no host has our hook."""
    surveyed = survey(environment)
    installed = [one.host.title for one in surveyed if one.other or any(found.commands for found in one.installations)]
    problems = [problem for one in surveyed for problem in one.problems()]
    facts: dict[str, object] = {"installed": [one.as_dict() for one in surveyed if one.installations or one.other]}
    if problems:
        is_broken = any(one.is_broken for one in surveyed)
        words = "a host calls a hook that cannot run" if is_broken else "an installed hook has a problem"
        hint = "`cuecard install HOST` repairs it; `cuecard hosts` shows the file"
        return [Finding("hosts", "fail" if is_broken else "warn", words, hint, problems, facts)]
    waiting = [f"{one.host.title}: {why}" for one in surveyed for why in one.waiting.values()]
    if waiting:
        words = f"installed for {', '.join(installed)}; {len(waiting)} of them will not run yet"
        hint = "trust the hook or the folder in the host, or switch its hooks on"
        return [Finding("hosts", "warn", words, hint, waiting, facts)]
    return [Finding("hosts", "ok", f"installed for {', '.join(installed)}", facts=facts)] if installed else []
