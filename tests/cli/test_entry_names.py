"""Each system refuses names that it could understand as another folder, another drive or a stream."""

import pytest

from cuecard.files.folder import RefusedError, check_name


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/a", "a\0b"])
@pytest.mark.parametrize("is_windows", [True, False])
def test_what_is_not_the_name_of_one_entry_is_refused(name: str, is_windows: bool) -> None:
    with pytest.raises(RefusedError, match="not the name of one entry"):
        check_name(name, is_windows=is_windows)


@pytest.mark.parametrize("name", ["..\\a", "a\\b.json", "C:a.json", "a.json:stream", "\\\\server\\share"])
def test_windows_refuses_backslashes_and_colons(name: str) -> None:
    check_name(name, is_windows=False)
    with pytest.raises(RefusedError, match="not the name of one entry"):
        check_name(name, is_windows=True)


def test_a_plain_name_is_accepted_everywhere() -> None:
    for name in ("a.json", "use-a-queue.json", "...", "index.md"):
        check_name(name, is_windows=True)
        check_name(name, is_windows=False)
