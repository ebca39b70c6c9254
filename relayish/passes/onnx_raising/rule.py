"""Rules: what operators of Relay are in ONNX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from relayish.ir.claimed_table import ClaimedTable
from relayish.ir.relay.expr import Call, Constant, Expr
from relayish.ir.relay.type import TensorType, Type
from relayish.onnx.calls import make_call
from relayish.onnx.operator_sets import find_schema, identify
from relayish.onnx.operators import find_operator
from relayish.op.builders.call import attrs_of


class Unraised(Exception):  # noqa: N818 - it says why, and never leaves this package
    """A call cannot be written with operators of ONNX; says why."""


class RelayCall:
    """A call to be written with operators of ONNX.

    Attributes:
        name: What it calls.
        args: What its arguments became.
        attrs: Its attributes, those left out included. Any: of its operator.
    """

    def __init__(self, pre: Call, post: Call, opset: int) -> None:
        self.name: str = getattr(pre.op, "name", "")
        self.args = post.args
        self.attrs: Any = attrs_of(pre)  # Any: attributes of whatever operator it is
        self.opset = opset
        self._pre = pre

    def type(self, place: int | None = None) -> TensorType:
        """Return the type of an argument, or of the result.

        Raises:
            Unraised: If it is no tensor, or nothing inferred it.
        """
        node: Expr = self._pre if place is None else self._pre.args[place]
        found: Type | None = node.checked_type
        if not isinstance(found, TensorType):
            raise Unraised("it is no call on tensors, or its type was not inferred")
        return found

    def sizes(self, place: int | None = None) -> tuple[int, ...]:
        """Return a shape all of whose sizes are known."""
        shape = self.type(place).shape
        found = tuple([each for each in shape if isinstance(each, int)])
        if len(found) < len(shape):
            raise Unraised("a shape is known only when it runs")
        return found

    def rank(self, place: int = 0) -> int:
        """Return how many dimensions an argument has."""
        return len(self.type(place).shape)

    def node(self, name: str, *inputs: Expr | None, outputs: int = 1, **attributes: object) -> Call:
        """Return a call of an operator of ONNX, in the version of the operator set."""
        identity = identify(name, self.opset)
        if find_schema(identity) is None:
            raise Unraised(f"version {self.opset} of the operator set has no {name}")
        op = find_operator(identity.name, identity.since_version)
        given = {key: value for key, value in attributes.items() if value is not None}
        return make_call(op, inputs, given, outputs=outputs)


Rule: TypeAlias = Callable[[RelayCall], Expr]

RULES: Final[ClaimedTable[str, Rule]] = ClaimedTable(
    lambda name: f"the form of {name} in ONNX", "leave one out"
)
"""By operator of Relay's."""


def raises(*names: str) -> Callable[[Rule], Rule]:
    """Let the decorated function say what calls of operators are in ONNX.

    Raises:
        DuplicateNameError: If somebody else gave one of them a rule.
    """

    def declare(rule: Rule) -> Rule:
        for name in names:
            RULES.register(name, rule)
        return rule

    return declare


def ints(values: Sequence[int]) -> Constant:
    """Return a constant of integers, as shapes and axes are."""
    return Constant(np.asarray(values, "int64").reshape(-1))


def number(value: object, dtype: str) -> Constant:
    """Return a constant of one number."""
    return Constant(np.asarray(value).astype(dtype))
