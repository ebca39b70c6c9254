"""What Python's operators make of expressions: calls of operators, which stand high above them.

``relayish.op`` puts its functions here when it is imported. The face of the package, through which
users come, puts something here that imports it when first needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relayish.errors import OperatorError

functions: dict[str, Callable[..., Any]] = {}  # Any: expressions, which stand above this file
"""By the name of an operator, what builds a call of it; further ``call``, ``get``, ``fields`` and
``refuse_truth``."""


def load() -> None:
    """Fill :data:`functions`."""
    raise OperatorError("no operator is loaded; import relayish.op first")


def build(what: str, *operands: object, **attributes: object) -> Any:  # Any: as above
    """Return what the function called ``what`` makes of ``operands``.

    Raises:
        OperatorError: If nobody loaded the operators, or the function refuses its operands.
    """
    function = functions.get(what)
    if function is None:
        load()
        function = functions[what]
    return function(*operands, **attributes)
