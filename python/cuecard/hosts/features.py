"""What cuecard does in each host: what is installed, and what was seen in the real client (`host_features.txt`)."""

from ..basics.light_dataclass import dataclass
from ..basics.tables import read_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    State = Literal["yes", "not verified", "no"]

FILE = "host_features"


@dataclass(frozen=True)
class Wire:
    """A hook that `install` puts into a host: what it is for, the event of the host, and the event of the hook."""

    feature: str
    event: str
    verb: str


@dataclass(frozen=True)
class Proof:
    """The client in which features were seen to work; without a version none was."""

    version: str
    day: str
    features: frozenset[str]


def feature_names() -> dict[str, str]:
    """The features by name, and what a user calls each, in the order in which they are shown."""
    rows = [row.partition(" ") for row in read_lines(FILE, "features")]
    return {name: words for name, _blank, words in rows}


def wires_of(host: str) -> list[Wire]:
    """The hooks of a host."""
    rows = [row.split(" ") for row in read_lines(FILE, "wiring")]
    return [Wire(*row[1:]) for row in rows if row[0] == host]


def hooks_of(host: str) -> list[tuple[str, str]]:
    """The events of a host for which a hook is installed, each once with the event of the hook."""
    return list(dict.fromkeys([(wire.event, wire.verb) for wire in wires_of(host)]))


def wired_features(host: str) -> list[str]:
    """The features for which a host has a hook, in the order in which they are shown."""
    wired = {wire.feature for wire in wires_of(host)}
    return [name for name in feature_names() if name in wired]


def proof_of(host: str) -> Proof:
    """The last proof of a host in its real client."""
    for row in read_lines(FILE, "proofs"):
        name, version, day, *features = row.split(" ")
        if name == host:
            return Proof("" if version == "-" else version, "" if day == "-" else day, frozenset(features))
    return Proof("", "", frozenset())


def lack_of(host: str, feature: str) -> str:
    """Why a host has no hook for a feature; "" if it has one."""
    rows = [_split(row, 2) for row in read_lines(FILE, "lacks")]
    return next((row[2] for row in rows if row[:2] == [host, feature]), "")


def state_of(host: str, feature: str) -> "State":
    """Whether a feature works in a host: `not verified` if it is installed and was not seen in the real client."""
    if feature not in wired_features(host):
        return "no"
    return "yes" if feature in proof_of(host).features else "not verified"


def _split(row: str, times: int) -> list[str]:
    return row.split(" ", times)
