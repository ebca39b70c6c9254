"""One test of many cheap cases, which lists every case that fails."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest


def each(name: str, cases: Iterable[object]) -> Callable[[Callable[..., None]], Any]:
    """Run a test for each of ``cases`` as the argument ``name``; raise the errors of all that fail.

    Says as much as ``pytest.mark.parametrize``, and is for facts about hundreds of declarations,
    each of which is checked in less time than pytest takes to set a test up. Several stack. The
    cases share the fixtures of the test, and so must leave them as they are.

    Example::

        @each("name", list_ops("relay"))
        def test_operator_has_a_rule(name):
            assert get_op(name) in rule
    """
    cases = tuple(cases)
    assert cases, f"there is no {name} to test"

    def decorate(test: Callable[..., None]) -> Any:
        @functools.wraps(test)
        def run(**given: Any) -> None:
            errors: list[BaseException] = []
            for case in cases:
                try:
                    test(**given, **{name: case})
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - raised below
                    error.add_note(f"{name} = {case!r}")
                    errors.append(error)
            if errors:
                raise BaseExceptionGroup(f"{len(errors)} of {len(cases)} fail", errors)

        taken = inspect.signature(test)
        left = [one for one in taken.parameters.values() if one.name != name]
        assert len(left) < len(taken.parameters), f"the test takes no argument {name}"
        vars(run)["__signature__"] = taken.replace(parameters=left)
        return run

    return decorate
