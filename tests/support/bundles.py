# ruff: noqa: ANN401 - cases and fixtures are of any type
"""Runs many small cases in one pytest test, because starting a test takes longer than most cases take."""

import inspect
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import pytest

BUNDLE_SIZE = 200

Check = Callable[..., None]


def for_each(names: str, cases: Sequence[Any], ids: Sequence[str]) -> Callable[[Check], Check]:
    """Like `pytest.mark.parametrize`, but with up to 200 cases in each test.

    The fixtures of the check must keep no state. All cases of a test are run, even after a failure; the message names
    the ids of all failed cases.
    """
    split = [name.strip() for name in names.split(",")]

    def decorate(check: Check) -> Check:
        def run(bundle: Sequence[tuple[str, Any]], **fixtures: Any) -> None:
            failed = []
            for case_id, case in bundle:
                values = dict(zip(split, case if len(split) > 1 else [case], strict=True))
                try:
                    check(**values, **fixtures)
                except Exception:
                    failed.append(f"{case_id}\n{traceback.format_exc()}")
            assert not failed, "\n".join(failed)

        parameters = inspect.signature(check).parameters
        fixtures = [parameter for name, parameter in parameters.items() if name not in split]
        bundle = inspect.Parameter("bundle", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        run.__signature__ = inspect.Signature([bundle, *fixtures])  # type: ignore[attr-defined]
        run.__doc__ = check.__doc__
        named = list(zip(ids, cases, strict=True))
        bundles = [named[at : at + BUNDLE_SIZE] for at in range(0, len(named), BUNDLE_SIZE)]
        tests: Check = pytest.mark.parametrize("bundle", bundles, ids=[bundle[0][0] for bundle in bundles])(run)
        return tests

    return decorate
