"""Reads references to other memories in `cuecard.derived_from`, `cuecard.causes` and `cuecard.contradicts`.

Rules: docs/reference/consolidation.md, "References".
"""

from ...errors import InputError
from .find_memory import find_places
from .record_file import Fields, extension_of, texts_in

FIELDS = ("derived_from", "causes", "contradicts")
# Further names are not checked, because each check reads files under the lock.
MAX_NAMES = 100


def names_in(record: Fields, field: str) -> list[str]:
    """Return the names of memories in a list of a record's extension, without duplicates."""
    return list(dict.fromkeys(texts_in(extension_of(record).get(field))))


def find_dangling(
    project: tuple[str, str], own_paths: tuple[str, ...], record: Fields, old: Fields | None = None
) -> list[str]:
    """Return a warning for each name that stands for no memory or for several. Names that `old` has are not checked.

    `own_paths` are the paths of the record before and after the write. Raises `InputError` if the record names itself.
    """
    warnings = []
    for field in FIELDS:
        known = names_in(old, field) if old else []
        for name in [name for name in names_in(record, field) if name not in known][:MAX_NAMES]:
            paths = [path for _category, path in find_places(*project, name)]
            if len(paths) != 1:
                count = f"there are {len(paths)} memories" if paths else "there is no memory"
                warnings.append(f"{count} `{name}`, which `cuecard.{field}` names")
            elif paths[0] in own_paths:
                what, hint = f"a memory cannot name itself in `{field}`", f"remove `{name}` from `cuecard.{field}`"
                raise InputError(what, hint, field=f"cuecard.{field}", expected="other memories", found=f"`{name}`")
    return warnings
