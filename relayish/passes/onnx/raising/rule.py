"""Rules: what operators of Relay are in ONNX."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from relayish.ir.registration.claimed_table import ClaimedTable
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Tuple
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.onnx.calls import make_call
from relayish.onnx.element_types import element_type_number
from relayish.onnx.operator_sets import find_schema, identify
from relayish.onnx.operators import find_operator
from relayish.op.builders.call import attrs_of

_AXES_AS_INPUT: Final = 18
_SUM_AXES_AS_INPUT: Final = 13


class Unraised(Exception):  # noqa: N818 - it says why, and never leaves this package
    """A call cannot be written with operators of ONNX; says why."""


class RelayCall:
    """A call to be written with operators of ONNX.

    Attributes:
        name: What it calls.
        call: The call itself, typed.
        args: Its arguments.
        attrs: Its attributes, those left out included. Any: of its operator.
        write: Writes an expression of Relay's operators, on those arguments, with operators of
            ONNX; raises :class:`Unraised` where it cannot be.
    """

    def __init__(self, call: Call, opset: int, write: Callable[[Expr], Expr]) -> None:
        self.name: str = getattr(call.op, "name", "")
        self.call = call
        self.args = call.args
        self.attrs: Any = attrs_of(call)  # Any: attributes of whatever operator it is
        self.opset = opset
        self.write = write

    def type(self, place: int | None = None) -> TensorType:
        """Return the type of an argument, or of the result.

        Raises:
            Unraised: If it is no tensor, or nothing inferred it.
        """
        node: Expr = self.call if place is None else self.call.args[place]
        found: Type | None = node.checked_type
        if not isinstance(found, TensorType):
            raise Unraised("it is no call on tensors, or its type was not inferred")
        return found

    def field_type(self, field: int) -> TensorType:
        """Return the type of a field of the tuple that is its one argument."""
        found = self.call.args[0].checked_type
        assert isinstance(found, TupleType)
        ty = found.fields[field]
        assert isinstance(ty, TensorType)
        return ty

    def result_sizes(self) -> tuple[int, ...]:
        """Return the shape that each of its results has."""
        found = self.call.checked_type
        first = found.fields[0] if isinstance(found, TupleType) and found.fields else found
        return _known_sizes(first)

    def known(self, place: int) -> np.ndarray[Any, Any]:  # Any: of whatever element type
        """Return the value of an argument that is a constant.

        Raises:
            Unraised: If it is none.
        """
        found = self.args[place]
        if not isinstance(found, Constant):
            raise Unraised("it depends on values that are known only when it runs")
        return np.asarray(found.data)

    def sizes(self, place: int | None = None) -> tuple[int, ...]:
        """Return a shape all of whose sizes are known."""
        return _known_sizes(self.type(place))

    def size(self, axis: int, place: int = 0) -> int:
        """Return the size of an axis of an argument, which is known."""
        found = self.type(place).shape[axis]
        if not isinstance(found, int):
            raise Unraised("a size is known only when it runs")
        return found

    def rank(self, place: int = 0) -> int:
        """Return how many dimensions an argument has."""
        return len(self.type(place).shape)

    def axis(self) -> int:
        """Return the axis that its attributes say, counted from the first of its first argument."""
        return int(self.attrs.axis) % max(self.rank(), 1)

    def parts(self) -> tuple[Expr, ...]:
        """Return the fields of the tuple that is its one argument.

        Raises:
            Unraised: If it is made elsewhere.
        """
        (parts,) = self.args
        if not isinstance(parts, Tuple):
            raise Unraised("it takes a tuple that is made elsewhere")
        return parts.fields

    def require(self, opset: int, otherwise: str) -> None:
        """Refuse a version of the operator set before ``opset``, of which ``otherwise`` holds.

        Raises:
            Unraised: If it is written for such a one.
        """
        if self.opset < opset:
            raise Unraised(f"before version {opset} of the operator set {otherwise}")

    def cast(self, expr: Expr, dtype: str) -> Expr:
        """Return a tensor in another element type; a constant is cast here."""
        if isinstance(expr, Constant):
            return number(expr.data, dtype)
        return self.node("Cast", expr, to=element_type_number(dtype))

    def cast_from(self, expr: Expr, given: str, dtype: str) -> Expr:
        """Return a tensor of element type ``given`` in another one, itself where it is of that."""
        return expr if given == dtype else self.cast(expr, dtype)

    def places(self, place: int) -> Expr:
        """Return an argument that holds indices, of a type that ONNX takes for these."""
        return self.cast_from(self.args[place], self.type(place).dtype, "int64")

    def reshape(self, expr: Expr, sizes: Sequence[int]) -> Expr:
        """Return a tensor in another shape; sizes of zero are meant as such."""
        if 0 not in sizes:
            return self.node("Reshape", expr, ints(sizes))
        return self.node("Reshape", expr, ints(sizes), allowzero=1)

    def sum(self, expr: Expr, axes: Sequence[int], *, keep: bool) -> Expr:
        """Return the sum along some axes, one at least."""
        return self.reduce("ReduceSum", expr, axes, keep=keep)

    def reduce(self, name: str, expr: Expr, axes: Sequence[int], *, keep: bool) -> Expr:
        """Return a reduction along some axes, one at least."""
        as_input = _SUM_AXES_AS_INPUT if name == "ReduceSum" else _AXES_AS_INPUT
        if self.opset >= as_input:
            return self.node(name, expr, ints(axes), keepdims=int(keep))
        return self.node(name, expr, axes=tuple(axes), keepdims=int(keep))

    def unit_axes(self, name: str, expr: Expr, axes: Sequence[int]) -> Expr:
        """Return a tensor with some axes of size one more, by Unsqueeze, or less, by Squeeze."""
        if self.opset >= _SUM_AXES_AS_INPUT:
            return self.node(name, expr, ints(axes))
        return self.node(name, expr, axes=tuple(axes))

    def node(
        self,
        name: str,
        *inputs: Expr | None,
        outputs: int = 1,
        graphs: Mapping[str, Function] | None = None,
        **attributes: object,
    ) -> Call:
        """Return a call of an operator of ONNX, in the version of the operator set.

        Args:
            name: The operator.
            inputs: Its inputs; ``None`` for one that is missing.
            outputs: How many results it gives.
            graphs: Its graphs, by the name of the attribute; they capture nothing.
            attributes: Its other attributes; ``None`` for one that is left out.
        """
        identity = identify(name, self.opset)
        if find_schema(identity) is None:
            raise Unraised(f"version {self.opset} of the operator set has no {name}")
        op = find_operator(identity.name, identity.since_version)
        given = {key: value for key, value in attributes.items() if value is not None}
        return make_call(op, inputs, given, outputs=outputs, graphs=graphs)


def _known_sizes(ty: Type | None) -> tuple[int, ...]:
    shape = ty.shape if isinstance(ty, TensorType) else ()
    found = tuple([each for each in shape if isinstance(each, int)])
    if len(found) < len(shape):
        raise Unraised("a shape is known only when it runs")
    return found


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
    with np.errstate(all="ignore"):  # it may be no number of that type, as of a cast
        return Constant(np.asarray(value).astype(dtype))
