"""Lowering of loops of models: ``Loop`` and ``Scan`` become functions that call themselves last.

Before::

    %0 = fn (%i: int64, %cond: bool, %x: Tensor[(8), float32]) { (%cond, nn.relu(%x)) };
    onnx::Loop_16(%n, True, %y, %0, _graphs=["body"])

After::

    let %loop = fn (%turn: int64, %going: bool, %x: Tensor[(8), float32]) {
      if (less(%turn, %n) and %going) {
        let %i = %turn;
        let %cond = %going;
        let %after = (%cond, nn.relu(%x));
        %loop(%turn + 1, %after.0, %after.1)
      } else { (%turn, %going, %x) }
    };
    %loop(0, True, %y).2
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from relayish.analysis.infer_type import infer_type
from relayish.errors import UnlowerableError
from relayish.functor import ExprMutator
from relayish.ir.kinds.one_line import quote
from relayish.ir.nodes.node import Node
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    If,
    Let,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TensorType, TupleType, Type, scalar_type
from relayish.onnx.calls import (
    attributes_of,
    captures_of,
    count_outputs,
    graphs_of,
    inputs_of,
    is_absent,
)
from relayish.onnx.op_names import identity_of
from relayish.pass_infra import register_pass
from relayish.passes.onnx.lowering.rule import Unlowered, build
from relayish.passes.relay.lowering.context import Unlowerable


@register_pass("LowerOnnxLoops", opt_level=0, idempotent=True)
def lower_onnx_loops(mod: IRModule, *, unlowerable: Unlowerable = "keep") -> IRModule:
    """Lowering of loops: write ``Loop`` and ``Scan`` of ONNX as functions that call themselves.

    A value that a loop collects is put into its row of a tensor by a choice of all rows, which
    needs as many rows to be known: a trip count that is constant, and no condition that may end
    the loop before.

    Args:
        mod: A model whose operators ``LowerOnnx`` has lowered.
        unlowerable: ``"keep"`` leaves what no function of known types says, ``"refuse"`` raises.

    Returns:
        ``mod`` itself where there are no loops. Rewritten expressions carry no types.

    Raises:
        UnlowerableError: If one is refused: which, and why.

    Complexity:
        Linear in the number of distinct nodes.

    Example:
        >>> mod = IRModule()
        >>> lower_onnx_loops(mod) is mod
        True
    """
    functions = mod.functions_of(Function)
    if not any(_rule_of(node) for f in functions.values() for node in EXPRESSIONS.pre_order(f)):
        return mod
    mod = infer_type(mod)
    images = {
        var: _Loops(func, refuses=unlowerable == "refuse").visit(func)
        for var, func in mod.functions_of(Function).items()
    }
    changed = {var: image for var, image in images.items() if image is not mod[var]}
    return mod.with_functions(changed) if changed else mod


class _State(NamedTuple):
    """A value that an iteration hands on to the next.

    Attributes:
        first: What it is at first.
        type: Its type.
    """

    first: Expr
    type: Type


_INT64: Final = scalar_type("int64")


class _Loops(ExprMutator):
    """Puts functions that call themselves in the place of loops."""

    def __init__(self, func: Function, *, refuses: bool) -> None:
        super().__init__()
        self._refuses = refuses
        self._bound: dict[Expr, Expr] = {}
        for each in EXPRESSIONS.post_order(func):
            if isinstance(each, Let):
                self._bound[each.var] = each.value
            elif isinstance(each, Call) and (captured := captures_of(each)):
                for graph in graphs_of(each).values():
                    if isinstance(graph, Function):
                        held = graph.params[-len(captured) :]
                        self._bound.update(zip(held, captured, strict=True))

    def visit_call(self, call: Call) -> Expr:
        rule = _rule_of(call)
        image = super().visit_call(call)
        if rule is None:
            return image
        assert isinstance(image, Call)
        try:
            return rule.write(_Loop(call, image, self._giver))
        except Unlowered as reason:
            if self._refuses:
                raise UnlowerableError(
                    f"{quote(call)} cannot be written as a function that calls itself: {reason}"
                ) from reason
            return image

    def _giver(self, expr: Expr) -> Expr:
        while expr in self._bound:
            expr = self._bound[expr]
        return expr


def is_loop(node: Node) -> bool:
    """Return whether a node is a call of a loop that :func:`lower_onnx_loops` may write."""
    return _rule_of(node) is not None


def _rule_of(node: Node) -> _Rule | None:
    """Return how a call is written, if it is one of a loop."""
    identity = identity_of(node.op) if isinstance(node, Call) else None
    rule = None if identity is None else _RULES.get((identity.domain, identity.name))
    known = rule is not None and identity is not None and identity.since_version >= rule.since
    return rule if known else None


class _Loop:
    """A loop that is to be written.

    Attributes:
        inputs: What it is given.
        body: What it does, in each iteration.
        attributes: Its attributes.
        last: What the body gives.
    """

    def __init__(self, call: Call, image: Call, giver: Callable[[Expr], Expr]) -> None:
        body, typed = graphs_of(image)["body"], graphs_of(call)["body"]
        if not isinstance(body, Function) or not isinstance(typed, Function):
            raise Unlowered("its body is no function that is written here")
        self.call: Final = call
        self.inputs: Final = inputs_of(image)
        self.body: Final = body
        self.attributes: Final[Mapping[str, Any]] = attributes_of(call)  # Any: of any class
        self._captured: Final = captures_of(image)
        self._given: Final = inputs_of(call)
        self.params: Final = [each.checked_type or each.type_annotation for each in typed.params]
        last = typed.body
        while isinstance(last, Let):
            last = last.body
        self.last: Final = last.fields if isinstance(last, Tuple) else (last,)
        ty = call.checked_type
        several = count_outputs(call.attrs) != 1
        self.results: Final = ty.fields if several and isinstance(ty, TupleType) else (ty,)
        self._giver: Final = giver
        self._condition: Final = typed.params[1] if len(typed.params) > 1 else None

    def known(self, at: int) -> np.ndarray[Any, Any] | None:  # Any: of any element type
        """Return an input that is constant."""
        return _value(self._giver(self._given[at]))

    def stays_true(self) -> bool:
        """Return whether a condition that is true at first is true for ever."""
        found = self._giver(self.last[0])
        return found is self._condition or _is_true(_value(found))

    def type_of(self, at: int) -> TensorType:
        """Return the type of an input."""
        return _tensor(self._given[at].checked_type, "an input")

    def states(self, first: int, count: int, at: int) -> list[_State]:
        """Return what an iteration hands on: inputs, parameters of the body, and results."""
        found = []
        for place in range(count):
            param, result = self.params[at + place], self.results[place]
            given = self._given[first + place].checked_type
            if str(param) != str(given) or str(result) != str(given):
                raise Unlowered(
                    f"value {place} of an iteration is of type {given}, and {result} after it"
                )
            found.append(_State(self.inputs[first + place], _tensor(given, "a value")))
        return found

    def collected(self, first: int, rows: int, axes: Sequence[int]) -> list[_State]:
        """Return the tensors into which results of the body go, from the first of these on."""
        found = []
        for result, axis in zip(self.last[first:], axes, strict=True):
            row = _tensor(result.checked_type, "what it collects")
            if not all(isinstance(size, int) for size in row.shape):
                raise Unlowered(f"the sizes of what it collects, {row}, are not known")
            tensor = TensorType((*row.shape[:axis], rows, *row.shape[axis:]), row.dtype)
            found.append(_State(build("full", const(0, row.dtype), tensor.shape), tensor))
        return found

    def iteration(self, given: Sequence[Expr], then: Callable[[list[Expr]], Expr]) -> Expr:
        """Return what the body makes of what it is given, and what follows of its results."""
        after = Var("after")
        is_tuple = len(self.last) > 1
        results: list[Expr] = [TupleGetItem(after, at) for at in range(len(self.last))]
        following = then(results if is_tuple else [after])
        found: Expr = Let(after, self.body.body, following)
        values = [*given, *self._captured]
        for param, value in zip(reversed(self.body.params), reversed(values), strict=True):
            found = Let(param, value, found)
        return found

    def result(self, loop: Expr, first: int) -> Expr:
        """Return the value of the call: what is left of the values behind some others."""
        last = Var("last")
        fields = [TupleGetItem(last, first + at) for at in range(len(self.results))]
        return Let(last, loop, fields[0] if len(fields) == 1 else Tuple(tuple(fields)))


def _repeated(
    states: Sequence[_State],
    test: Callable[[Sequence[Var]], Expr],
    following: Callable[[Sequence[Var], Callable[[Sequence[Expr]], Expr]], Expr],
) -> Expr:
    """Return a function that calls itself as long as a test holds, called with the first values."""
    loop = Var("loop")
    names = ("turn", *[f"state{at}" for at in range(1, len(states))])
    held = [Var(name, state.type) for name, state in zip(names, states, strict=True)]
    turn = following(held, lambda values: Call(loop, tuple(values)))
    body = If(test(held), turn, Tuple(tuple(held)))
    func = Function(tuple(held), body, TupleType([state.type for state in states]))
    return Let(loop, func, Call(loop, tuple([state.first for state in states])))


def _loop(node: _Loop) -> Expr:
    """Write ``Loop``: values, and rows that are collected where it is known how many."""
    limit, condition = (None if is_absent(each) else each for each in _padded(node.inputs))
    kept = len(node.inputs) - 2
    ends = condition is not None and not (_is_true(node.known(1)) and node.stays_true())
    first: list[_State] = [_State(const(0, "int64"), _INT64)]
    if ends and condition is not None:
        first.append(_State(_scalar(condition, node.type_of(1)), scalar_type("bool")))
    bound = None if limit is None else _scalar(limit, node.type_of(0))
    if limit is None and not ends:
        raise Unlowered("nothing ends it")
    states = [*first, *node.states(2, kept, 2)]
    scanned = len(node.results) - kept
    if scanned:
        count = None if limit is None else node.known(0)
        if count is None or ends:
            raise Unlowered("how many rows it collects is known only when it runs")
        states += node.collected(1 + kept, int(count.reshape(())), [0] * scanned)

    def test(held: Sequence[Var]) -> Expr:
        tests: list[Expr] = [] if bound is None else [build("less", held[0], bound)]
        tests += [held[1]] if ends else []
        return tests[0] if len(tests) == 1 else build("logical_and", *tests)

    def following(held: Sequence[Var], again: Callable[[Sequence[Expr]], Expr]) -> Expr:
        at = len(first)
        condition_of = [held[1] if ends else const(value=True)]
        given = [_as_typed(held[0], node.params[0]), *condition_of, *held[at : at + kept]]

        def then(results: list[Expr]) -> Expr:
            goes_on = [_scalar(results[0], node.params[1])] if ends else []
            rows = [
                _with_row(held[at + kept + place], value, held[0], 0, states[at + kept + place])
                for place, value in enumerate(results[1 + kept :])
            ]
            return again([_next(held[0]), *goes_on, *results[1 : 1 + kept], *rows])

        return node.iteration(given, then)

    return node.result(_repeated(states, test, following), len(first))


def _scan(node: _Loop) -> Expr:
    """Write ``Scan``: slices of inputs, values, and rows."""
    scanned = int(node.attributes["num_scan_inputs"])
    kept = len(node.inputs) - scanned
    outputs = len(node.results) - kept
    axes = [
        axis % len(node.type_of(kept + at).shape)
        for at, axis in enumerate(node.attributes.get("scan_input_axes") or [0] * scanned)
    ]
    backwards = node.attributes.get("scan_input_directions") or [0] * scanned
    lengths = {node.type_of(kept + at).shape[axis] for at, axis in enumerate(axes)}
    rows = lengths.pop()
    if lengths or not isinstance(rows, int):
        raise Unlowered("how many slices it goes over is known only when it runs")
    out_axes = [
        axis % len(_tensor(node.results[kept + at], "what it collects").shape)
        for at, axis in enumerate(node.attributes.get("scan_output_axes") or [0] * outputs)
    ]
    reverse = node.attributes.get("scan_output_directions") or [0] * outputs
    states = [
        _State(const(0, "int64"), _INT64),
        *node.states(0, kept, 0),
        *node.collected(kept, rows, out_axes),
    ]

    def place(turn: Expr, is_backwards: int) -> Expr:
        return build("subtract", const(rows - 1, "int64"), turn) if is_backwards else turn

    def following(held: Sequence[Var], again: Callable[[Sequence[Expr]], Expr]) -> Expr:
        slices = [
            build("take", node.inputs[kept + at], place(held[0], back), axis=axis)
            for at, (axis, back) in enumerate(zip(axes, backwards, strict=True))
        ]

        def then(results: list[Expr]) -> Expr:
            collected = [
                _with_row(
                    held[1 + kept + at],
                    value,
                    place(held[0], reverse[at]),
                    out_axes[at],
                    states[1 + kept + at],
                )
                for at, value in enumerate(results[kept:])
            ]
            return again([_next(held[0]), *results[:kept], *collected])

        return node.iteration([*held[1 : 1 + kept], *slices], then)

    def test(held: Sequence[Var]) -> Expr:
        return build("less", held[0], const(rows, "int64"))

    return node.result(_repeated(states, test, following), 1)


class _Rule(NamedTuple):
    """How an operator is written, from a version of it on."""

    since: int
    write: Callable[[_Loop], Expr]


_RULES: Final = {("", "Loop"): _Rule(1, _loop), ("", "Scan"): _Rule(9, _scan)}


def _padded(inputs: Sequence[Expr]) -> tuple[Expr, Expr]:
    """Return the trip count and the condition of ``Loop``."""
    limit, condition, *_ = (*inputs, Tuple(()), Tuple(()))
    return limit, condition


def _value(expr: Expr) -> np.ndarray[Any, Any] | None:  # Any: as above
    return np.asarray(expr.data) if isinstance(expr, Constant) else None


def _is_true(value: np.ndarray[Any, Any] | None) -> bool:  # Any: as above
    return value is not None and bool(value.all())


def _tensor(ty: Type | None, what: str) -> TensorType:
    if not isinstance(ty, TensorType):
        raise Unlowered(f"{what} is of type {ty}, and no tensor of known rank")
    return ty


def _scalar(expr: Expr, ty: Type | None) -> Expr:
    """Return a number that ONNX may hold in a tensor of one element."""
    return build("reshape", expr, ()) if _tensor(ty, "a number").shape else expr


def _as_typed(expr: Expr, ty: Type | None) -> Expr:
    """Return a number as the body takes it."""
    shape = _tensor(ty, "the number of the iteration").shape
    return build("reshape", expr, shape) if shape else expr


def _next(turn: Expr) -> Expr:
    return build("add", turn, const(1, "int64"))


def _with_row(rows: Expr, value: Expr, at: Expr, axis: int, state: _State) -> Expr:
    """Return a tensor with a value as one of its rows along an axis."""
    shape: Any = _tensor(state.type, "what it collects").shape  # Any: integers, all of them
    numbers = np.arange(shape[axis], dtype=np.int64)
    numbers = numbers.reshape([-1 if place == axis else 1 for place in range(len(shape))])
    is_it = build("equal", Constant(numbers), at)
    return build("where", is_it, build("expand_dims", value, axis=axis), rows)
