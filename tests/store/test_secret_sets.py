"""Redaction with the judged sets: secrets that it must find, and texts that it must not change."""

import sys
import time

import pytest

from bundles import for_each
from cuecard.store.intake.redaction import redact_texts
from secret_sets import SecretCase, is_changed, read_set, what_is_left

SECRETS = read_set("secrets")
HARMLESS = read_set("harmless")


@for_each("case", SECRETS, [case.name for case in SECRETS])
def test_a_secret_of_the_judged_set_is_caught(case: SecretCase) -> None:
    assert what_is_left(case) == []


@for_each("case", HARMLESS, [case.name for case in HARMLESS])
def test_a_harmless_text_of_the_judged_set_stays(case: SecretCase) -> None:
    assert not is_changed(case)


def test_on_the_later_sets_hardly_a_secret_is_missed() -> None:
    """These texts were written after the rules, to find gaps. Not every gap is worth a rule."""
    missed = [case.name for case in read_set("later_secrets") if what_is_left(case)]
    assert len(missed) <= 4, missed
    assert [case.name for case in read_set("later_harmless") if is_changed(case)] == []


@pytest.mark.parametrize(("half", "most_missed", "most_false"), [("first", 0, 0), ("second", 8, 1)])
def test_of_typed_texts_a_few_secrets_are_missed_and_hardly_a_text_is_changed(
    half: str, most_missed: int, most_false: int
) -> None:
    """The rules were improved with the first half only. Run pytest with `-s` to see the figures."""
    secrets = [case for case in read_set("typed_secrets") if case.half == half]
    harmless = [case for case in read_set("typed_harmless") if case.half == half]
    missed = [case.name for case in secrets if what_is_left(case)]
    changed = [case.name for case in harmless if is_changed(case)]
    sys.stdout.write(
        f"\n{half} half: {len(secrets) - len(missed)} of {len(secrets)} secrets caught, "
        f"{len(changed)} of {len(harmless)} harmless texts changed\n"
    )
    assert len(missed) <= most_missed, missed
    assert len(changed) <= most_false, changed


def test_no_text_of_a_developer_about_secrets_is_changed() -> None:
    assert [case.name for case in read_set("developer_texts") if is_changed(case)] == []


# Texts that nearly match a rule again and again.
NEAR_MATCHES = {
    "address of a code": "otpauth://totp/a?b=c&",
    "network": "wifi:a:b;",
    "key file": "credentials/a.key:",
    "pipe": "echo aaaa | sudo ",
    "connection": "host=a password ",
    "sentence": "password for a is ",
    "phrase": 'passphrase "aa bb cc ',
    "pin": "pin is 12345 ",
    "address of a project": "https://0123456789abcdef0123456789abcdef@a/",
    "login": "curl -u a:",
    "table": "|a|password|\n|-|-|\n" + "|x|Sunflower|\n" * 30,
    "table with marks": "|a|password|\n|-|-|\n" + "|x|[redacted:password] [redacted:password]|\n" * 8,
    "list": "user,password,role\n",
}


@for_each("piece", list(NEAR_MATCHES.values()), list(NEAR_MATCHES))
def test_the_time_grows_with_the_length_of_a_hostile_text_and_not_faster(piece: str) -> None:
    times = []
    for size in (1 << 13, 1 << 16):
        text = (piece * (size // len(piece) + 1))[:size]
        begin = time.process_time()
        assert redact_texts([text]) is not None
        times.append(time.process_time() - begin)
    # Eight times the text; quadratic time would be 64 times as long.
    assert times[1] < 32 * times[0] + 0.25


def test_the_sets_are_as_large_as_the_threshold_needs() -> None:
    assert len(SECRETS) >= 138
    assert len(HARMLESS) >= 102
    assert len(read_set("typed_secrets")) >= 100
    assert len(read_set("typed_harmless")) >= 100
    assert len(read_set("developer_texts")) >= 60
    assert len({case.name for case in SECRETS + HARMLESS}) == len(SECRETS) + len(HARMLESS)
