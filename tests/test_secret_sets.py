"""Redaction with the two judged sets: secrets that it must find, and texts that it must not change."""

from bundles import for_each
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


def test_the_sets_are_as_large_as_the_threshold_needs() -> None:
    assert len(SECRETS) >= 138
    assert len(HARMLESS) >= 102
    assert len({case.name for case in SECRETS + HARMLESS}) == len(SECRETS) + len(HARMLESS)
