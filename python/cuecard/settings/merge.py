"""The settings that count: what a repository may choose, over the user's own configuration (SPEC 54.3)."""

from ..basics.json_reader import JsonError, read_json
from .table import AT_LEAST, AT_MOST, CONSENT, OFF, PLUGIN, PROJECT, USER, Row, SettingsTable, settings_table
from .unknown import unknown_names

REPOSITORY, OWN = "memory-config.json", "config.json"

URL, KEY_VARIABLE = "url", "api_key_env"

Members = dict[str, object]


def merge(
    user: "bytes | None", repository: "bytes | None"
) -> "tuple[Members, list[str], list[str], Members | None, object]":
    """What counts of two files of settings, a sentence for each part that does not, and what is wrong with the whole.

    Beside these what the user's own file says, None unless both files say something, and the strategy that the
    repository asks for. `user` is the user's configuration, `repository` the `memory-config.json` of a store; None
    stands for a file that is not there.
    """
    ignored: list[str] = []
    problems: list[str] = []
    own = _members_of(user, OWN, ignored)
    ignored += _tell_unknown(own or {}, OWN)
    if repository is None:
        return own or {}, ignored, problems, None, None
    asked = _members_of(repository, REPOSITORY if own else "", ignored if own else problems) or {}
    retrieval = asked.get("retrieval")
    strategy = retrieval.get("match_strategy") if isinstance(retrieval, dict) else None
    merging = _Merge(settings_table(), ignored)
    members = merging.members(asked, own or {}, "")
    ignored += _tell_unknown(asked, REPOSITORY)
    return (members if merging.is_adding or not own else own), ignored, problems, own or None, strategy


def _members_of(data: "bytes | None", file: str, problems: list[str]) -> "Members | None":
    """The members of a file; what is wrong with it is told with its name, if that is given."""
    if data is None:
        return None
    try:
        value = read_json(data)
    except JsonError:
        what = "the file is not JSON"
    else:
        if isinstance(value, dict):
            return value
        what = "the file is not a JSON object"
    problems.append(f"{file}: {what}; using the defaults".removeprefix(": "))
    return None


def _tell_unknown(members: Members, file: str) -> list[str]:
    """A sentence for each of the first names that the table does not have."""
    return [
        f"{file}: `{name}` is unknown, did you mean `{near}`?" if near else f"{file}: `{name}` is unknown"
        for name, near in unknown_names(members)
    ]


class _Merge:
    """A repository's settings over a user's; `is_adding` says whether anything of them counts."""

    def __init__(self, table: SettingsTable, problems: list[str]) -> None:
        self.is_adding = False
        self._table = table
        self._problems = problems

    def members(self, asked: Members, own: Members, group: str) -> Members:
        """The members of a group, whose name in the table is `group`."""
        result = dict(own)
        names_endpoint = any(self._table.is_endpoint_of(group, name) for name in own)
        for name, value in asked.items():
            known = self._table.find(group, name)
            row = self._table.rows.get(known) if known else None
            if row is not None:
                taken, problem = _judge(row, value, name in own, own.get(name), names_endpoint)
                if problem:
                    self._refuse(known, problem)
                if taken is not _NOT_TAKEN:
                    self.is_adding = True
                    result[name] = taken
            elif known is None:
                continue
            elif isinstance(value, dict):
                below = own.get(name)
                result[name] = self.members(value, below if isinstance(below, dict) else {}, known)
            elif name in own:
                self._refuse(known, "it is not an object")
            else:
                # The reader reports that it is no object.
                result[name] = value
                self.is_adding = True
        if URL in asked and not names_endpoint and self._table.is_endpoint_of(group, URL):
            # No key goes to a place that a repository names.
            result[KEY_VARIABLE] = ""
        return result

    def _refuse(self, known: "str | None", problem: str) -> None:
        self._problems.append(f"{REPOSITORY}: `{known}` is ignored: {problem}")


_NOT_TAKEN = object()
_ONLY_USER = "only your own configuration can set it"
_OWN_ENDPOINT = "your own configuration names the endpoint"
_STRICTER = "your own configuration is stricter"


def _judge(row: Row, value: object, has_own: bool, own: object, names_endpoint: bool) -> tuple[object, str]:
    """The value that a repository gets, which may be none, and why it does not get what it asked for."""
    who, limit = row.who, row.limit
    if who == PROJECT:
        return value, ""
    if who == PLUGIN:
        return _NOT_TAKEN, ""
    if who == USER:
        return _NOT_TAKEN, _ONLY_USER
    if limit == OFF:
        return _judge_switch(value, has_own, own if has_own else row.is_on)
    if limit.startswith((AT_LEAST, AT_MOST)):
        return _judge_number(limit, value, own)
    text = _text_of(value)
    allowed = limit.split(", ") if limit else []
    if allowed and text not in allowed:
        listed = f"{', '.join([f'`{name}`' for name in allowed[:-1]])} or " if allowed[1:] else ""
        return _NOT_TAKEN, f"a repository can only choose {listed}`{allowed[-1]}`"
    if who == CONSENT:
        is_harmless = bool(allowed) and text == allowed[0]
        return (value, "") if is_harmless or not names_endpoint else (_NOT_TAKEN, _OWN_ENDPOINT)
    own_text = _text_of(own)
    if own_text in allowed and allowed.index(own_text) < allowed.index(text or ""):
        return _NOT_TAKEN, _STRICTER
    return value, ""


def _judge_switch(value: object, has_own: bool, own: object) -> tuple[object, str]:
    """A switch that a repository can only switch off; `own` is what counts without it."""
    if value is True:
        return _NOT_TAKEN, "" if own else "a repository can only switch it off"
    if value is False or not has_own:
        # Each reader has its own rule for what is neither true nor false, and none of them weakens the default.
        return value, ""
    return (_NOT_TAKEN if value else False), ""


def _judge_number(limit: str, value: object, own: object) -> tuple[object, str]:
    """A number up to, or from, one that the user or the table names."""
    number, of_user = _number_of(value), _number_of(own)
    is_least = limit.startswith(AT_LEAST)
    bound = float(limit.rpartition(" ")[2]) if of_user is None else of_user
    if number is not None and (number >= bound if is_least else number <= bound):
        return value, ""
    if number is None or of_user is None:
        return _NOT_TAKEN, f"a repository can only choose a number of {limit}"
    return _NOT_TAKEN, _STRICTER


def _text_of(value: object) -> "str | None":
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else None


def _number_of(value: object) -> "float | None":
    """The value as a float; None unless it is a number. Truth values and NaN are none."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        number = float(value)
        # NaN is the number that differs from itself.
        return number if number == number else None
    return None
