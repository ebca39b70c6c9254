"""One test of many cheap cases, which lists every case that fails."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest


def each(
    name: str | tuple[str, ...], cases: Iterable[Any]
) -> Callable[[Callable[..., None]], Any]:  # Any: whatever a test is given
    """Run a test for each of ``cases`` as the argument ``name``; raise the errors of all that fail.

    Says as much as ``pytest.mark.parametrize``, and is for facts about hundreds of declarations,
    each of which is checked in less time than pytest takes to set a test up. Several stack, and
    several names take the parts of a case. The cases share the fixtures of the test, and so must
    leave them as they are.

    Example::

        @each("name", list_ops("relay"))
        def test_operator_has_a_rule(name):
            assert get_op(name) in rule
    """
    cases = tuple(cases)
    names = (name,) if isinstance(name, str) else name
    assert cases, f"there is no {' and '.join(names)} to test"

    def decorate(test: Callable[..., None]) -> Any:
        @functools.wraps(test)
        def run(*owner: Any, **given: Any) -> None:
            errors: list[BaseException] = []
            for case in cases:
                parts = (case,) if isinstance(name, str) else case
                one = dict(zip(names, parts, strict=True))
                try:
                    test(*owner, **given, **one)
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - raised below
                    error.add_note(", ".join([f"{key} = {part!r}" for key, part in one.items()]))
                    errors.append(error)
            if errors:
                raise BaseExceptionGroup(f"{len(errors)} of {len(cases)} fail", errors)

        taken = inspect.signature(test)
        left = [one for one in taken.parameters.values() if one.name not in names]
        for missing in set(names) - set(taken.parameters):
            raise AssertionError(f"the test takes no argument {missing}")
        vars(run)["__signature__"] = taken.replace(parameters=left)
        return run

    return decorate
