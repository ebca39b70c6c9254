"""Expressions over arrays: one operation for all iterations at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, Final, TypeAlias

import numpy as np

from relayish.errors import RelayishError, TypeConfusionError
from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import operands
from relayish.tir.externs import Extern, find_extern
from relayish.tir.interpreter import arrays
from relayish.tir.interpreter.calls import find_builtin
from relayish.tir.interpreter.memory import Array, Memory
from relayish.tir.interpreter.numbers import literal
from relayish.tir.ir import operators as ops
from relayish.tir.ir.expr import REDUCE_OPERATORS, Call, Reduce
from relayish.tir.ir.intrinsic import BuiltinIntrin
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Buffer, Load, Tensor, Var
from relayish.tir.ir.type import Type


class GiveUpError(Exception):
    """The nest is left to the plain walk."""


class UnsuitableError(Exception):
    """An expression or statement is not one that runs in lockstep."""


Values: TypeAlias = "dict[Any, Any]"
"""What is known: numbers and arrays of variables, views of tensors, extents of loops."""
Mask: TypeAlias = "Array | None"
"""The lanes that run; ``None``: all of them."""
Step: TypeAlias = Callable[[list[Any], Values, Mask], Any]
"""Computes a value from those before it."""


class View:
    """A tensor while a nest runs: its sizes, and the memory behind it."""

    __slots__ = ("memory", "offset", "shape", "strides")

    def __init__(
        self, memory: Memory, shape: Sequence[int], strides: Sequence[int], offset: int
    ) -> None:
        self.memory = memory
        self.shape = shape
        self.strides = strides
        self.offset = offset

    def has_layout_of(self, other: View) -> bool:
        """Return whether equal indices, and no others that are in range, are of equal elements."""
        if (self.offset, self.strides) != (other.offset, other.strides):
            return False
        reach = 0
        sizes = map(max, zip(self.shape, other.shape, strict=True))
        for stride, size in sorted(zip(map(abs, self.strides), sizes, strict=True)):
            if size > 1 and stride <= reach:
                return False
            reach += stride * max(size - 1, 0)
        return True

    def positions(self, indices: Sequence[Any], mask: Mask) -> Any:
        """Return where elements are; of lanes that do not run, anywhere.

        Raises:
            GiveUpError: If one is out of range.
        """
        total: Any = np.intp(self.offset)
        for index, size, step in zip(indices, self.shape, self.strides, strict=True):
            at = np.asarray(index)
            if at.min() < 0 or at.max() >= size:
                wrong = (at < 0) | (at >= size)
                if mask is None or (wrong & mask).any():
                    raise GiveUpError
                at = np.where(wrong, 0, at)
            total = total + at.astype(np.intp) * step
        size = len(self.memory.given)
        if np.min(total) < 0 or np.max(total) >= size:
            wrong = (total < 0) | (total >= size)
            if mask is None or (wrong & mask).any():
                raise GiveUpError
            total = np.where(wrong, 0, total)
        return total


class Formula:
    """An expression, as steps of which each operates on arrays."""

    __slots__ = ("_steps",)

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = steps

    def __call__(self, values: Values, mask: Mask = None) -> Any:
        """Return the value: an array over the lanes, or a number."""
        found: list[Any] = []
        append = found.append
        for step in self._steps:
            append(step(found, values, mask))
        return found[-1]


class Former:
    """Makes formulas, and notes what they load.

    Attributes:
        loads: The loads in them.
        variables: The variables in them.
    """

    def __init__(self) -> None:
        self.loads: list[Load] = []
        self.variables: dict[Var, None] = {}

    def form(self, root: Expr) -> Formula:
        """Return the formula of an expression.

        Raises:
            UnsuitableError: If there is none.
        """
        places: dict[Node, int] = {}
        steps: list[Step] = []
        stack: list[tuple[Expr, bool]] = [(root, False)]
        while stack:
            node, is_ready = stack.pop()
            if node in places:
                continue
            if node.type.lanes > 1 or not node.type.is_numeric or node.type.is_narrow:
                raise UnsuitableError
            below = _operands(node)
            if is_ready or not below:
                step = FORMS[type(node)](self, node, [places[operand] for operand in below])
                places[node] = len(steps)
                steps.append(step)
                continue
            stack.append((node, True))
            stack += [(operand, False) for operand in reversed(below)]
        return Formula(steps)


def _operands(node: Expr) -> Sequence[Expr]:
    if isinstance(node, Load):
        return node.indices
    if isinstance(node, Reduce):
        return (node.init,)
    if isinstance(node, Call):
        return node.read_args
    return [child for child in operands(node) if isinstance(child, Expr)]


Form: TypeAlias = Callable[[Former, Any, list[int]], Step]


def _literal(_f: Former, node: Any, _at: list[int]) -> Step:
    try:
        value = node.type.numpy.type(literal(node.value, node.type))
    except TypeConfusionError as error:
        raise UnsuitableError from error
    return lambda _found, _values, _mask: value


def _variable(f: Former, var: Var, _at: list[int]) -> Step:
    f.variables[var] = None

    def step(_found: list[Any], values: Values, _mask: Mask) -> Any:
        value = values[var]
        if value is None:
            raise GiveUpError
        return value

    return step


def _binary(_f: Former, node: ops.BinaryOpNode, at: list[int]) -> Step:
    a, b = at
    given = node.a.type
    is_truth = isinstance(node, (ops.And, ops.Or))
    is_comparison = isinstance(node, ops.ComparisonNode)
    if given != node.b.type or (given.is_bool != is_truth and not is_comparison):
        raise UnsuitableError
    kind = type(node)
    compute = arrays.binary(kind, given)
    if given.is_integer and kind in (ops.Div, ops.Mod, ops.FracOp):
        one, zero = given.numpy.type(1), given.numpy.type(0)

        def guarded(found: list[Any], _values: Values, mask: Mask) -> Any:
            if mask is None:
                return compute(found[a], found[b])
            return compute(np.where(mask, found[a], zero), np.where(mask, found[b], one))

        return guarded
    return lambda found, _values, _mask: compute(found[a], found[b])


def _minus(_f: Former, node: ops.Minus, at: list[int]) -> Step:
    (v,) = at
    if node.type.is_bool:
        raise UnsuitableError
    return lambda found, _values, _mask: np.negative(found[v])


def _not(_f: Former, node: ops.Not, at: list[int]) -> Step:
    (v,) = at
    if not node.type.is_bool:
        raise UnsuitableError
    return lambda found, _values, _mask: np.logical_not(found[v])


def _nary(_f: Former, node: ops.NaryOpNode, at: list[int]) -> Step:
    if not at or node.type.is_bool or any(o.type != node.type for o in node.operands):
        raise UnsuitableError
    compute = np.add if isinstance(node, ops.Sum) else np.multiply
    first, *rest = at

    def step(found: list[Any], _values: Values, _mask: Mask) -> Any:
        made = found[first]
        for place in rest:
            made = compute(made, found[place])
        return made

    return step


def _select(_f: Former, node: ops.Select, at: list[int]) -> Step:
    condition, a, b = at
    if not node.condition.type.is_bool or node.true_value.type != node.false_value.type:
        raise UnsuitableError
    choose = np.where
    return lambda found, _values, _mask: choose(found[condition], found[a], found[b])


def _cast(_f: Former, node: ops.Cast, at: list[int]) -> Step:
    (v,) = at
    source, target = node.v.type, node.dtype
    if source == target:
        return lambda found, _values, _mask: found[v]
    convert = arrays.caster(source, target)
    if not (source.is_float and target.is_integer and not target.is_bool):
        return lambda found, _values, _mask: convert(found[v])
    zero = source.numpy.type(0)
    return lambda found, _values, mask: convert(
        found[v] if mask is None else np.where(mask, found[v], zero)
    )


def _load(f: Former, load: Load, at: list[int]) -> Step:
    tensor = load.tensor
    if isinstance(tensor, Var) and not at:
        return _variable(f, tensor, at)
    check_view(tensor, load.indices)
    f.loads.append(load)

    def step(found: list[Any], values: Values, mask: Mask) -> Any:
        view: View = values[tensor]
        positions = view.positions([found[place] for place in at], mask)
        memory = view.memory
        if memory.mask is not None:
            holds = np.frombuffer(memory.mask, np.uint8)[positions]
            if not (holds.all() if mask is None else (holds.astype(bool) | ~mask).all()):
                raise GiveUpError
        return memory.given[positions]

    return step


def check_view(tensor: Expr, indices: Sequence[Expr]) -> None:
    """Raise unless accesses of a tensor can run in lockstep."""
    suits = (
        isinstance(tensor, Tensor)
        and isinstance(tensor.buffer, Buffer)
        and tensor.buffer.dtype == tensor.dtype
        and tensor.dtype.lanes == 1
        and len(tensor.shape) == len(indices)
        and all(index.type.is_integer and not index.type.is_bool for index in indices)
        and (not tensor.buffer.strides or len(tensor.buffer.strides) == len(indices))
    )
    if not suits:
        raise UnsuitableError


def _reduce(f: Former, node: Reduce, at: list[int]) -> Step:
    (init,) = at
    kind = REDUCE_OPERATORS[node.reduce_type]
    given = node.body.type
    if node.init.type != given or given.is_bool != (kind in (ops.And, ops.Or)):
        raise UnsuitableError
    compute = arrays.binary(kind, given)
    if given.is_integer and kind is ops.Div:
        raise UnsuitableError
    axes = node.reduce_axis
    limits = []
    for axis in axes:
        if axis.upper_bound is None:
            raise UnsuitableError
        low = ops.const(0, axis.dtype) if axis.lower_bound is None else axis.lower_bound
        limits.append((f.form(low), f.form(axis.upper_bound), axis.dtype.numpy.type))
    body = f.form(node.body)

    def step(found: list[Any], values: Values, mask: Mask) -> Any:
        total = found[init]
        inner = dict(values)
        ranges = []
        for low, high, number in limits:
            first, end = low(values, mask), high(values, mask)
            if np.ndim(first) or np.ndim(end):
                raise GiveUpError
            ranges.append([number(at) for at in range(int(first), int(end))])
        for point in product(*ranges):
            inner.update(zip(axes, point, strict=True))
            total = compute(total, body(inner, mask))
        return total

    return step


def _call(_f: Former, call: Call, at: list[int]) -> Step:
    extern = find_extern(call.name, call.call_type)
    types = [arg.type for arg in call.read_args]
    return _extern(extern, types, call, at) if not call.write_args else _unsuitable()


def _builtin(_f: Former, node: BuiltinIntrin, at: list[int]) -> Step:
    types = [arg.type for arg in node.args]
    return _extern(find_builtin(node.name), types, node, at)


def _unsuitable() -> Step:
    raise UnsuitableError


def _extern(extern: Extern | None, types: list[Type], node: Expr, at: list[int]) -> Step:
    if extern is None or not extern.is_pure or not extern.is_elementwise or not types:
        raise UnsuitableError
    if extern.arity not in (None, len(types)) or extern.type_rule(types) != node.type:
        raise UnsuitableError
    dtype = node.type.numpy
    floats = all(given.is_float for given in types)

    def step(found: list[Any], _values: Values, mask: Mask) -> Any:
        if mask is not None and not floats:
            raise GiveUpError
        args = [np.asarray(found[place], order="C")[()] for place in at]
        try:
            made = extern.evaluate(*args)
        except RelayishError:
            raise
        except Exception as error:
            raise GiveUpError from error
        shape = np.broadcast_shapes(*map(np.shape, args))
        if getattr(made, "dtype", None) != dtype or np.shape(made) != shape:
            raise GiveUpError
        return made

    return step


FORMS: Final[KindTable[Form]] = KindTable(
    "running loops in lockstep",
    "relay.tir.PRIMITIVES",
    {
        Expr: lambda _f, _node, _at: _unsuitable(),
        ops.IntImm: _literal,
        ops.UIntImm: _literal,
        ops.FloatImm: _literal,
        Var: _variable,
        ops.BinaryOpNode: _binary,
        ops.Minus: _minus,
        ops.Not: _not,
        ops.NaryOpNode: _nary,
        ops.Select: _select,
        ops.Cast: _cast,
        Load: _load,
        Reduce: _reduce,
        Call: _call,
        BuiltinIntrin: _builtin,
    },
)
"""How expressions of each kind are computed for many iterations at once."""
