"""The table of the gate, `assets/tables/gate.txt` (SPEC 28): features with words for people, and numbers, by name.

The Rust core embeds the same file. Knots, slopes and logits are in units of 1/1024.
"""

from .light_dataclass import dataclass
from .tables import read_lines

FILE = "gate"
# A feature of this group is a group of its own.
ALONE = "alone"


@dataclass(frozen=True)
class GateFeature:
    """A feature of the gate's model.

    `slopes` are the slope for the value, and what each of the two knots adds to it beyond the knot. `kind` says how
    people see the value ("none" if they do not), `group` is a key of `GROUPS` or `ALONE`, and `words` is the phrase for
    people.
    """

    name: str
    knots: tuple[int, int]
    slopes: tuple[int, int, int]
    kind: str
    group: str
    words: str


def _feature(line: str) -> GateFeature:
    name, *numbers, kind, group, words = line.split(" ", 8)
    first, second, slope, from_first, from_second = [int(number) for number in numbers]
    return GateFeature(name, (first, second), (slope, from_first, from_second), kind, group, words)


def _by_name(table: str) -> dict[str, str]:
    """The lines of a table without their first word, by this word."""
    rows = [line.partition(" ") for line in read_lines(FILE, table)]
    return {name: rest for name, _blank, rest in rows}


def _numbers(table: str) -> dict[str, int]:
    return {name: int(rest.partition(" ")[0]) for name, rest in _by_name(table).items()}


FEATURES = tuple([_feature(line) for line in read_lines(FILE, "features")])
FEATURE_NAMES = tuple([feature.name for feature in FEATURES])
# The kind of value and the phrase of what is added to the logit beside the features.
ADDITIONS = {name: (rest.partition(" ")[0], rest.partition(" ")[2]) for name, rest in _by_name("additions").items()}
# The phrase of each group of features that say nearly the same.
GROUPS = _by_name("groups")
LOGITS = _numbers("logits")
CONSTANTS = _numbers("constants")
