"""Evaluations of operators, held against their rules where the library has not written them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any

from relayish._support.own import is_own
from relayish.errors import TypeInferenceError
from relayish.interpreter.dynamic_types import check_result
from relayish.interpreter.value import Evaluated, normalise
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.relay.expr import Op
from relayish.op.declaration import properties
from relayish.op.types.result_size import result_type


def evaluation_of(op: Op) -> Callable[..., Any] | None:  # Any: values, see properties.evaluate
    """Return the evaluation of an operator, ``None`` if it has none.

    One that another package brings is held against the rule, or the relation, of the operator at
    each call: whoever computes with what it gives would be blamed for it.

    Raises:
        ContradictionError: From the evaluation, if it gives what the rule says it does not.
    """
    function = properties.evaluate.get(op)
    module = getattr(function, "__module__", None) or ""
    if function is None or is_own(module):
        return function
    return _checked(op, function)


@lru_cache(maxsize=1024)
def _checked(op: Op, function: Callable[..., Any]) -> Callable[..., Any]:  # Any: as above
    @wraps(function)
    def evaluate(attrs: Attrs | None, *inputs: Evaluated) -> Evaluated:
        result = function(attrs, *inputs)
        try:
            expected = result_type(op, attrs, inputs)
        except (TypeInferenceError, AttributeError):  # ill typed, or on what is no tensor
            expected = None
        return normalise(result) if expected is None else check_result(op, result, expected)

    return evaluate
