"""The gradient of a function made of operators, tuples and lets alone.

The program is written forward first, while a tape notes each call; then the tape is read backwards,
adding up what each tensor gets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, NoReturn, TypeAlias

from relayish._support.graph import walk_tree
from relayish.errors import GradientError
from relayish.functor import MixedModeVisitor
from relayish.ir.kinds.one_line import quote
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.relay.adt import Match
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Let, Op, Tuple, TupleGetItem, Var
from relayish.ir.relay.type import TupleType, Type
from relayish.ir.scopes.scoping import operands
from relayish.passes.relay.gradient.ad.bindings import Bindings, Names, over_operands
from relayish.passes.relay.gradient.ad.checkpoint import CHECKPOINT
from relayish.passes.relay.gradient.ad.kind_rules import (
    GRADIENT_RULES,
    ControlFlow,
    gradients_of_operands,
)
from relayish.passes.relay.gradient.ad.rules import call_of, gradients_of, has_gradient, is_zero
from relayish.passes.relay.gradient.ad.structure import pack_tensors, unpack_tensors

Gradients: TypeAlias = Callable[[Expr], Sequence[Expr]]
"""From the gradient of a value to those of its operands."""


class Tracked:
    """A value: a tensor with the gradient it has so far, or a tuple.

    Attributes:
        ty: Its type.
        value: A variable or constant; ``None`` for a tuple that was not asked for as a whole.
        fields: The fields of a tuple.
        gradient: Of a tensor, the sum of what it got, a variable; ``None`` while it got nothing.
    """

    __slots__ = ("fields", "gradient", "ty", "value")

    def __init__(
        self, ty: Type, value: Expr | None, fields: tuple[Tracked, ...] | None = None
    ) -> None:
        self.ty = ty
        self.value = value
        self.fields = fields
        self.gradient: Expr | None = None


class _Record(NamedTuple):
    """What was computed from tensors, on the tape."""

    forward: Expr
    tell: Gradients
    value: Var
    result: Tracked
    operands: list[Tracked]


def first_order_gradient(func: Function) -> Function:
    """Return the function that returns the result of ``func`` and the gradients of its parameters.

    Args:
        func: A typed, closed function whose parameters are tensors or tuples of them, and whose
            body is made of operators, tuples, lets and calls of functions that stand there.

    Raises:
        GradientError: If there is something else in it.

    Complexity:
        Linear in distinct nodes; no recursion but over functions that are called where they stand.
    """
    bindings = Bindings(Names())
    forward = _Forward(bindings)
    params = []
    for param in func.params:
        ty = param.checked_type or param.type_annotation
        assert ty is not None
        params.append(_track(bindings, ty, param))
        forward.memo_map[param] = params[-1]
    forward.visit(func.body)
    result = forward.value_of(func.body)
    for tensor in _tensors(result):
        assert tensor.value is not None
        tensor.gradient = bindings.push(call_of("ones_like", tensor.value), tensor.ty)
    for record in reversed(forward.tape):
        _back(bindings, record)
    gradients = tuple(
        [pack_tensors(p.ty, [_gradient(bindings, t) for t in _tensors(p)]) for p in params]
    )
    body = bindings.close(Tuple((_value(bindings, result), Tuple(gradients))))
    return Function(func.params, body, attrs=func.attrs, span=func.span)


def _back(bindings: Bindings, record: _Record) -> None:
    """Take the gradient of the result of a call to its operands."""
    forward, tell, value, result, operands = record
    results = _tensors(result)
    if all(tensor.gradient is None for tensor in results):
        return
    grad = pack_tensors(result.ty, [_gradient(bindings, tensor) for tensor in results])
    wanted: list[tuple[Tracked, Expr]] = []
    for operand, found in zip(operands, tell(grad), strict=True):
        if not is_zero(found):
            parts = zip(_tensors(operand), unpack_tensors(operand.ty, found), strict=True)
            wanted += [(t, part) for t, part in parts if not isinstance(t.value, Constant)]
    flat = bindings.flatten([(part, tensor.ty) for tensor, part in wanted], {forward: value})
    for (tensor, _), part in zip(wanted, flat, strict=True):
        known = tensor.gradient
        total = part if known is None else bindings.push(call_of("add", known, part), tensor.ty)
        tensor.gradient = total


def _gradient(bindings: Bindings, tensor: Tracked) -> Expr:
    """Return the gradient of a tensor, zeros where it got nothing."""
    if tensor.gradient is None:
        assert tensor.value is not None
        tensor.gradient = bindings.push(call_of("zeros_like", tensor.value), tensor.ty)
    return tensor.gradient


def _track(bindings: Bindings, ty: Type, value: Expr) -> Tracked:
    """Return ``value``, taken apart into its tensors."""
    root = Tracked(ty, value)
    if type(ty) is not TupleType:
        return root
    for part in walk_tree(root, lambda part: part.fields or ()):
        if isinstance(part.ty, TupleType):
            assert part.value is not None
            part.fields = tuple(
                [
                    Tracked(field, _field(bindings, part.value, index, field))
                    for index, field in enumerate(part.ty.fields)
                ]
            )
    return root


def _field(bindings: Bindings, value: Expr, index: int, ty: Type) -> Expr:
    if isinstance(value, Constant) and isinstance(value.data, tuple):
        return Constant(value.data[index], checked_type=ty)
    return bindings.push(TupleGetItem(value, index), ty)


def _tensors(tracked: Tracked) -> list[Tracked]:
    """Return the tensors in a nested tuple, in order."""
    if tracked.fields is None:
        return [tracked]
    parts = walk_tree(tracked, lambda part: part.fields or ())
    return [part for part in parts if part.fields is None]


def _value(bindings: Bindings, tracked: Tracked) -> Expr:
    """Return a tensor, or a tuple as a whole."""
    if tracked.value is None:
        tensors = [tensor.value for tensor in _tensors(tracked) if tensor.value is not None]
        tracked.value = bindings.push(pack_tensors(tracked.ty, tensors), tracked.ty)
    return tracked.value


class _Forward(MixedModeVisitor):
    """Writes the program forward; the result of visiting a node is what is tracked of it."""

    def __init__(self, bindings: Bindings) -> None:
        super().__init__()
        self.tape: list[_Record] = []
        self._bindings = bindings
        self._inlined: set[Function] = set()

    def value_of(self, node: Expr) -> Tracked:
        """Return what is tracked of ``node``, which was visited before."""
        found: Tracked | None = self.memo_map.get(node)
        if found is None:
            _refuse(node)
        return found

    def visit_constant(self, constant: Constant) -> Tracked:
        ty = constant.checked_type
        assert ty is not None
        return _track(self._bindings, ty, constant)

    def visit_tuple(self, tup: Tuple) -> Tracked:
        fields = tuple([self.value_of(field) for field in tup.fields])
        return Tracked(TupleType(tuple([field.ty for field in fields])), None, fields)

    def visit_tuple_getitem(self, item: TupleGetItem) -> Tracked:
        fields = self.value_of(item.tuple_value).fields
        assert fields is not None  # the program is well-typed
        return fields[item.index]

    def visit_call(self, call: Call) -> Tracked:
        op, ty = call.op, call.checked_type
        operands = [self.value_of(arg) for arg in call.args]
        if isinstance(op, Function):
            return self._inline(op, operands)
        if op is CHECKPOINT:
            (operand,) = operands
            return operand  # everything is kept; there are no functions to run again
        if not isinstance(op, Op):
            _refuse(op)
        assert ty is not None
        args = tuple([_value(self._bindings, operand) for operand in operands])
        made = Call(op, args, call.attrs, call.type_args, span=call.span, checked_type=ty)
        tell = partial(gradients_of, made) if has_gradient(op, ty) else None
        return self._record(made, tell, operands)

    def _inline(self, func: Function, args: list[Tracked]) -> Tracked:
        if func in self._inlined:
            raise GradientError(
                "a function is called in two places; use the mode 'higher_order', "
                "or write the function out at each of them"
            )
        self._inlined.add(func)
        self.memo_map.update(zip(func.params, args, strict=True))
        self.visit(func.body)
        return self.value_of(func.body)

    def visit_let(self, let: Let) -> Tracked:
        bound: Expr = let
        while isinstance(bound, Let) and bound not in self.memo_map:
            self.visit(bound.value)
            self.memo_map[bound.var] = self.value_of(bound.value)
            bound = bound.body
        self.visit(bound)
        return self.value_of(bound)

    def visit_function(self, func: Function) -> None:
        """Leave ``func`` for the call of it, if there is one."""

    def visit_expr(self, node: Expr) -> Tracked | None:
        """Differentiate a node of any other kind by the rule that was registered for it."""
        if type(node) in ATOMS:
            return None
        if isinstance(node, Match):
            _refuse(node)
        rule = GRADIENT_RULES[type(node)]
        if isinstance(rule, ControlFlow):
            _refuse(node)
        given = [arg for arg in operands(node) if isinstance(arg, Expr)]
        for operand in given:
            self.visit(operand)
        held = [self.value_of(operand) for operand in given]
        values: dict[Node, Expr] = {
            arg: _value(self._bindings, one) for arg, one in zip(given, held, strict=True)
        }
        ty = node.checked_type
        if ty is None:
            raise GradientError(f"the type of a {type(node).__name__} is not known: infer types")
        forward = over_operands(node, values).with_fields(checked_type=ty)
        return self._record(forward, partial(gradients_of_operands, forward, rule), held)

    def _record(self, forward: Expr, tell: Gradients | None, operands: list[Tracked]) -> Tracked:
        """Write ``forward`` down and note it on the tape, unless it passes nothing back."""
        ty = forward.checked_type
        assert ty is not None
        value = self._bindings.push(forward, ty)
        result = _track(self._bindings, ty, value)
        if tell is not None:
            self.tape.append(_Record(forward, tell, value, result, operands))
        return result


def _refuse(node: Expr) -> NoReturn:
    raise GradientError(
        f"{quote(node)} is nothing for a first-order gradient, which knows operators, tuples and "
        f"lets; use gradient(expr, mod, mode='higher_order')"
    )
