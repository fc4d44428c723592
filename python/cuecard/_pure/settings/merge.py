"""Merges the user's own configuration and what a repository may choose into the effective settings (SPEC 47.3)."""

from ...basics.json_reader import JsonError, read_json
from .table import AT_LEAST, AT_MOST, CONSENT, OFF, PLUGIN, PROJECT, USER, Row, SettingsTable, settings_table
from .unknown import unknown_names

REPOSITORY, OWN = "memory-config.json", "config.json"

URL, KEY_VARIABLE = "url", "api_key_env"

Members = dict[str, object]


def merge(
    user: "bytes | None", repository: "bytes | None"
) -> "tuple[Members, list[str], list[str], Members | None, object]":
    """Merge the user's configuration with the `memory-config.json` of a store; None stands for a file that is missing.

    Returns five values: the effective members; a sentence for each ignored part; the problems with the repository's
    file as a whole, if the user has no settings; the members of the user's file, None if it has none or
    the repository has no file; and the value of `retrieval.match_strategy` in the repository's file.
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
    """Return the members of a file; None, with a sentence in `problems`, if it is not a JSON object.

    The sentence begins with the name `file` if it is not "".
    """
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
    """Return a sentence for each unknown name, for at most `MAX_UNKNOWN` names."""
    return [
        f"{file}: `{name}` is unknown, did you mean `{near}`?" if near else f"{file}: `{name}` is unknown"
        for name, near in unknown_names(members)
    ]


class _Merge:
    """Merges a repository's settings into a user's; `is_adding` says whether any setting of the repository counts."""

    def __init__(self, table: SettingsTable, problems: list[str]) -> None:
        self.is_adding = False
        self._table = table
        self._problems = problems

    def members(self, asked: Members, own: Members, group: str) -> Members:
        """Return the merged members of a group; `group` is the group's name in the table, "" for the whole file."""
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
                # The reader reports that the value is not an object.
                result[name] = value
                self.is_adding = True
        if URL in asked and not names_endpoint and self._table.is_endpoint_of(group, URL):
            # The user's API key is never sent to an endpoint that a repository names.
            result[KEY_VARIABLE] = ""
        return result

    def _refuse(self, known: "str | None", problem: str) -> None:
        self._problems.append(f"{REPOSITORY}: `{known}` is ignored: {problem}")


_NOT_TAKEN = object()
_ONLY_USER = "only your own configuration can set it"
_OWN_ENDPOINT = "your own configuration names the endpoint"
_STRICTER = "your own configuration is stricter"


def _judge(row: Row, value: object, has_own: bool, own: object, names_endpoint: bool) -> tuple[object, str]:
    """Return the effective value of a setting that a repository sets, and why the repository's value does not count.

    The value is `_NOT_TAKEN` if the user's value or the default stays. The reason is "" if there is nothing to report.
    """
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
        if names_endpoint and not is_harmless:
            return _NOT_TAKEN, _OWN_ENDPOINT
        return (_place_of_url(value) if row.name.endswith(f".{URL}") else value), ""
    own_text = _text_of(own)
    if own_text in allowed and allowed.index(own_text) < allowed.index(text or ""):
        return _NOT_TAKEN, _STRICTER
    return value, ""


def _place_of_url(value: object) -> object:
    """Return the place of a repository's URL, since the rest could make a server do something else.

    A malformed value stays, for its reader to report.
    """
    from .endpoint_place import endpoint_place

    place = endpoint_place(value) if isinstance(value, str) else None
    return value if place is None else place


def _judge_switch(value: object, has_own: bool, own: object) -> tuple[object, str]:
    """Judge a switch that a repository can only switch off; `own` is the value that counts without the repository."""
    if value is True:
        return _NOT_TAKEN, "" if own else "a repository can only switch it off"
    if value is False or not has_own:
        # Each reader has its own rule for a value that is neither true nor false. No such rule weakens the default.
        return value, ""
    return (_NOT_TAKEN if value else False), ""


def _judge_number(limit: str, value: object, own: object) -> tuple[object, str]:
    """Judge a number that must stay within the user's own number, or else within the bound that the table gives."""
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
    """Return the value as a float; None for NaN, for a truth value, and for anything else that is not a number."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        number = float(value)
        # NaN is the only number that differs from itself.
        return number if number == number else None
    return None
