"""Settings are asked for by the names of the table, with both backends."""

from types import ModuleType

import pytest

from cuecard._backend import given_group, given_setting

FILE = b'{"network": {"proxy": "http://p:1"}, "capture": {"every": 9, "background": {"model": "m"}}, "triage": "off"}'


def test_a_setting_is_found_by_its_name(engine: ModuleType) -> None:
    settings = engine.read_settings(FILE, None)
    assert given_setting(settings, "network.proxy") == "http://p:1"
    assert given_setting(settings, "capture.every") == 9
    assert given_group(settings, "capture.background") == {"model": "m"}


def test_what_no_file_gives_is_none(engine: ModuleType) -> None:
    settings = engine.read_settings(FILE, None)
    assert given_setting(settings, "capture.background.url") is None
    assert given_setting(settings, "retrieval.judge.url") is None
    assert given_group(settings, "embedding") is None
    # A group that is no object gives nothing.
    assert given_group(settings, "triage") is None
    assert given_setting(settings, "triage.enabled") is None


@pytest.mark.parametrize("name", ["network.prox", "nothing", "capture"])
def test_a_name_that_the_table_does_not_have_is_an_error(engine: ModuleType, name: str) -> None:
    with pytest.raises(KeyError):
        given_setting(engine.read_settings(None, None), name)


def test_a_group_that_the_table_does_not_have_is_an_error(engine: ModuleType) -> None:
    with pytest.raises(KeyError):
        given_group(engine.read_settings(None, None), "network.proxy")
