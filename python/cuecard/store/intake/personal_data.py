"""Finds personal data in a record: card numbers, IBANs, national ids, telephone numbers and mail addresses.

Memories of a project travel with it, so a person is asked before one with personal data is written. Where a kind of
number has a check digit, it must be right. This is own code and not a library: libraries for this bring language
models, or the numbering plans of all countries. Rules: docs/reference/secrets.md, "Personal data".
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ...files.user_folder import is_users_own
from ..records.record_file import Fields
from .text_fields import copy_with_fields

MAIL, CARD, IBAN, NATIONAL, PHONE = "a mail address", "a card number", "an IBAN", "a national id", "a telephone number"
# Names of files and of the provenance are no text that somebody wrote.
_PASSED_OVER = ("related_files", "cuecard.source", "cuecard.flags", "changes")
MAX_TEXT_CHARS = 100_000

_MAIL = re.compile(
    r"(?<![\w.+@-])([\w+-][\w.+-]{0,63})@((?:[a-z0-9-]{1,63}\.){1,6}([a-z]{2,24}))(?![\w-])", re.IGNORECASE
)
# Local parts of addresses that belong to a program, a function or an example, and to no person.
_ROLES = frozenset(
    "abuse admin administrator alert alerts bot bounce build ci conduct contact demo dev devnull developer developers"
    " donotreply example foo bar git hello help hg host hostmaster info infra it jobs legal list mail mailer me name"
    " news no noreply notification notifications office ops operations owner postmaster press privacy registry release"
    " releases reply root sales security service someone somebody support svn system team test tester testing user"
    " username users webmaster www you".split()
)
# `icon@2x.png` is a file.
_FILE_ENDINGS = frozenset(
    "css csv gif html jpeg jpg js json jsx log md mjs pdf png py svg ts tsx txt webp xml yaml yml".split()
)
# Names that no mail can be sent to: reserved ones, and those of networks of one house.
_NOWHERE = frozenset("example internal invalid lan local localhost test".split())
_DIGITS = re.compile(r"(?<![\w.+-])\d(?:[ -]?\d){13,18}(?![\w-]|\.\d)")
_IBAN = re.compile(r"(?<![A-Z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}(?![A-Z0-9])")
_PHONES = (
    # With a country code.
    re.compile(r"(?<![\w+.])\+[1-9](?:[ .\-/()]{0,2}\d){7,14}(?!\w)"),
    # North America.
    re.compile(r"(?<![\w.-])(?:\(\d{3}\) ?|\d{3}[.-])\d{3}[.-]\d{4}(?!\w|[.-]\d)"),
    # Korea and Japan.
    re.compile(r"(?<![\w.-])0\d{1,3}-\d{3,4}-\d{4}(?!\w|-\d)"),
    # Any number behind its name.
    re.compile(
        r"(?:\b(?:tel|phone|telephone|mobile|cell|fax|telefon|handy|telefono|teléfono|téléphone|portable|whatsapp)"
        r"(?: (?:number|no|nr))?|전화(?:번호)?|휴대폰|핸드폰|연락처|電話(?:番号)?|携帯|电话|手机)"
        r"\W{0,4}\(?\d(?:[ .\-/()]{0,2}\d){6,13}(?!\w)",
        re.IGNORECASE,
    ),
)
_LABELLED_ID = re.compile(
    r"(?:\b(?:ssn|social security|steuer-?id|steueridentifikationsnummer|aadhaar|bsn|pesel|cpf|passport|national id"
    r"|tax id)(?: (?:number|no|nr))?|주민등록번호|여권번호|マイナンバー|個人番号|身份证)"
    r"\W{0,4}[A-Z]{0,2}\d(?:[ .-]?\d){6,13}(?!\w)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class PersonalData:
    """Which kind of personal data is in which field. Contains no part of the data."""

    field: str
    kind: str

    @property
    def words(self) -> str:
        """Kind and field, for a message."""
        return f"{self.kind} in `{self.field}`"


def find_personal_data(record: Fields) -> list[PersonalData]:
    """The personal data in the texts of a record or of a draft, each kind once for each field."""
    found = []
    for field in copy_with_fields(record)[1]:
        if not field.path.startswith(_PASSED_OVER):
            found += [PersonalData(field.path, kind) for kind in kinds_of(field.text)]
    return found


def kinds_of(text: str) -> list[str]:
    """The kinds of personal data in a text, each once."""
    return list(dict.fromkeys(_kinds_in(unicodedata.normalize("NFKC", text[:MAX_TEXT_CHARS]))))


def find_in_shared(memory_dir: str, record: Fields) -> list[PersonalData]:
    """The personal data in a record for the store at `memory_dir`; none for the user's own store, which nobody gets."""
    return [] if is_users_own(memory_dir) else find_personal_data(record)


def describe_personal_data(found: list[PersonalData]) -> str:
    """What was found, in one line: "a mail address in `content.rule`"."""
    return ", ".join([each.words for each in found])


def _kinds_in(text: str) -> Iterator[str]:
    if any(_is_of_a_person(address, text) for address in _MAIL.finditer(text)):
        yield MAIL
    if not any(char.isdigit() for char in text):
        return
    numbers = [re.sub(r"[ -]", "", found[0]) for found in _DIGITS.finditer(text)]
    if any(_is_card(number) for number in numbers):
        yield CARD
    if any(_is_iban(found[0].replace(" ", "")) for found in _IBAN.finditer(text)):
        yield IBAN
    if _LABELLED_ID.search(text) or any(is_id(found) for pattern, is_id in _IDS for found in pattern.finditer(text)):
        yield NATIONAL
    if any(pattern.search(text) for pattern in _PHONES):
        yield PHONE


def _is_of_a_person(found: "re.Match[str]", text: str) -> bool:
    local, domain, ending = found[1].lower(), found[2].lower(), found[3].lower()
    before = text[: found.start()].rpartition(" ")[2]
    if ending in _FILE_ENDINGS | _NOWHERE or "://" in before or {"noreply", "lists"} & set(domain.split(".")[:-1]):
        return False
    return not all(part in _ROLES or part.isdigit() for part in re.split(r"[._+-]", local) if part)


def _is_card(number: str) -> bool:
    begin, size = int(number[:4]), len(number)
    is_issued = (
        (number[0] == "4" and size in (16, 19))
        or ((5100 <= begin < 5600 or 2221 <= begin < 2721 or 2200 <= begin < 2205) and size == 16)
        or (number[:2] in ("34", "37") and size == 15)
        or ((begin == 6011 or 6440 <= begin < 6600 or number[:2] == "62" or 3528 <= begin < 3590) and 16 <= size <= 19)
        or ((3000 <= begin < 3060 or number[:2] in ("36", "38", "39")) and size == 14)
    )
    return is_issued and _luhn(number)


def _luhn(number: str) -> bool:
    total = 0
    for place, digit in enumerate(map(int, reversed(number))):
        value = digit * 2 if place % 2 else digit
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _is_iban(code: str) -> bool:
    # The pattern may have run on into the next word.
    return any(
        int("".join([str(int(char, 36)) for char in code[4:end] + code[:4]])) % 97 == 1
        for end in range(min(34, len(code)), 14, -1)
    )


def _is_date(year: str, month: str, day: str) -> bool:
    return len(year) >= 2 and 1 <= int(month) <= 12 and 1 <= int(day) <= 31


def _is_chinese(found: "re.Match[str]") -> bool:
    code = found[0].upper()
    weights = [2 ** (17 - place) % 11 for place in range(17)]
    check = "10X98765432"[sum(weight * int(char) for weight, char in zip(weights, code, strict=False)) % 11]
    return code[17] == check and _is_date(code[6:10], code[10:12], code[12:14])


def _is_spanish(found: "re.Match[str]") -> bool:
    number = int(found[1].translate(str.maketrans("XYZ", "012")))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[number % 23] == found[2]


def _is_french(found: "re.Match[str]") -> bool:
    digits = re.sub(r"\s", "", found[0]).replace("2A", "19").replace("2B", "18")
    return 97 - int(digits[:13]) % 97 == int(digits[13:])


def _is_brazilian(found: "re.Match[str]") -> bool:
    digits = [int(char) for char in found[0] if char.isdigit()]
    return len(set(digits)) > 1 and all(
        sum((size + 1 - place) * digit for place, digit in enumerate(digits[:size])) * 10 % 11 % 10 == digits[size]
        for size in (9, 10)
    )


def _is_swedish(found: "re.Match[str]") -> bool:
    digits = re.sub(r"\D", "", found[0])[-10:]
    return _is_date(digits[:2], digits[2:4], digits[4:6]) and _luhn(digits)


def _is_korean(found: "re.Match[str]") -> bool:
    return _is_date(found[1], found[2], found[3])


def _is_always(_found: "re.Match[str]") -> bool:
    return True


_IDS: tuple[tuple["re.Pattern[str]", Callable[["re.Match[str]"], bool]], ...] = (
    # United States, without the areas and groups that are never given.
    (re.compile(r"(?<![\w-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])"), _is_always),
    # Korea.
    (re.compile(r"(?<![\w-])(\d{2})(\d{2})(\d{2})-[1-8]\d{6}(?![\w-])"), _is_korean),
    # China.
    (re.compile(r"(?<!\w)[1-9]\d{16}[\dXx](?!\w)"), _is_chinese),
    # Spain.
    (re.compile(r"(?<![\w-])([XYZ]?\d{7,8})-?([A-Z])(?![\w-])"), _is_spanish),
    # France.
    (
        re.compile(r"(?<!\w)[12] ?\d{2} ?(?:0[1-9]|1[0-2]) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}(?!\w)"),
        _is_french,
    ),
    # Italy.
    (re.compile(r"(?<!\w)[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z](?!\w)"), _is_always),
    # Brazil.
    (re.compile(r"(?<![\w.])\d{3}\.\d{3}\.\d{3}-\d{2}(?!\w)"), _is_brazilian),
    # United Kingdom.
    (re.compile(r"(?<!\w)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D](?!\w)"), _is_always),
    # Sweden.
    (re.compile(r"(?<![\w-])(?:19|20)?\d{6}[-+]\d{4}(?![\w-])"), _is_swedish),
)
