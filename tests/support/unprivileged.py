"""Runs the hook so that the permissions of files hold, also where the tests run as root."""

import os
import shutil
from dataclasses import replace

import pytest

from hook_process import Hook

# Root ignores permissions by these capabilities. A program that is started without them cannot get them back.
WITHOUT_OVERRIDE = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")


def heeding_permissions(hook: Hook) -> Hook:
    """The hook as a process for which the permissions of files hold; skips the test where that is not possible."""
    if not hasattr(os, "geteuid"):
        pytest.skip("the system has no accounts of this kind")
    if os.geteuid() != 0:
        return hook
    if shutil.which(WITHOUT_OVERRIDE[0]) is None:
        pytest.skip("root may write into every folder, and `setpriv` is not there")
    return replace(hook, command=(*WITHOUT_OVERRIDE, *hook.command), forked="")
