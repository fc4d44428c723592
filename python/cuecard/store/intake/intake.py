"""The intake of the store: every text that is to be stored is cleaned, redacted and screened here (SPEC 18)."""

from dataclasses import dataclass, replace

from ...errors import InputError
from ..records.autofix import Fix
from ..records.record_file import Fields, check_json
from . import screening
from .redaction import Redaction, redact

# No secret is shorter than this.
MIN_SECRET_CHARS = 16

_CLEANED = {
    "control": "control characters removed",
    "bidi": "characters that change the direction of text removed",
    "invisible": "invisible characters removed",
    "line-break": "line ends replaced by blanks",
    "markup": "tags that could close a frame made harmless",
}


@dataclass(frozen=True)
class Admitted:
    """Fields that may be stored, and a report of what was changed in them."""

    fields: Fields
    fixes: list[Fix]
    redactions: list[Redaction]
    warnings: list[str]


def admit(fields: Fields) -> Admitted:
    """Remove hidden characters and secrets from `fields`, defuse the tags of frames, and warn of text that addresses
    the model.

    Raises `InputError` for a value that is not a JSON object, and for a secret in the name of a field.
    """
    check_json(fields)
    _refuse_secret_names(fields)
    clean, cleaned = screening.clean(fields)
    safe, redactions = redact(clean)
    fixes = [Fix(found.field, f"{_CLEANED[found.kind]} ({found.count})") for found in cleaned]
    warnings = [f"`{found.field}` {found.reason}: the text is kept as data" for found in screening.flag(safe)]
    return Admitted(safe, fixes, redactions, warnings)


def admit_record(record: Fields) -> Admitted:
    """Admit a whole record, and store in its `cuecard.flags` the reasons why its text addresses the model.

    Flags that the record already had are replaced by the flags that are found now.
    """
    admitted = admit(record)
    extension = admitted.fields.get("cuecard")
    if extension is None or isinstance(extension, dict):
        kept = {name: value for name, value in (extension or {}).items() if name != "flags"}
        flags = list(dict.fromkeys([found.reason for found in screening.flag(admitted.fields)]))
        if flags:
            kept["flags"] = flags
        if kept:
            admitted.fields["cuecard"] = kept
        elif extension:
            del admitted.fields["cuecard"]
    return admitted


def admit_stored(record: Fields) -> Admitted:
    """Admit a record whose file exists already. Its `id` is kept even if it looks like a secret."""
    admitted = admit_record(record)
    redactions = [found for found in admitted.redactions if found.field != "id"]
    return replace(admitted, fields={**admitted.fields, "id": record["id"]}, redactions=redactions)


def _refuse_secret_names(value: object) -> None:
    """Raise `InputError` if the name of a field is a secret, which cannot be replaced and must not be repeated."""
    if isinstance(value, dict):
        for name, item in value.items():
            if isinstance(name, str) and len(name) >= MIN_SECRET_CHARS and redact({"content": {"name": name}})[1]:
                raise InputError(
                    "the name of a field is a secret", "use the names of the format for fields, and revoke the secret"
                )
            _refuse_secret_names(item)
    elif isinstance(value, list):
        for item in value:
            _refuse_secret_names(item)
