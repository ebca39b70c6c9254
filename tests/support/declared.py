"""How long kinds that a test file declares are known: other files look at all kinds there are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from typing import Any

import pytest


def known_in_tests(*declared: AbstractContextManager[None]) -> Any:  # Any: a fixture
    """Return a fixture for a test file: what was declared is known while each of its tests runs.

    Example::

        DECLARED = declared_temporarily()
        with DECLARED:
            @node("while_loop")
            class While(Expr): ...

        _kinds = known_in_tests(DECLARED)
    """

    @pytest.fixture(autouse=True)
    def known() -> Iterator[None]:
        with ExitStack() as stack:
            for each in declared:
                stack.enter_context(each)
            yield

    return known
