"""Tensorization: the primitive that puts what an intrinsic does in the place of a nest of loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from relayish.errors import ScheduleError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.linear.linear_form import expr_of_form, linear_form
from relayish.tir.builders.stmt import as_block
from relayish.tir.ir import operators as ops
from relayish.tir.ir.expr import Call, Reduce
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Broadcast, Expr, Ramp
from relayish.tir.ir.stmt import Block, For, IfThenElse, ScheduleBlockRealize
from relayish.tir.ir.tensor import Buffer, Load, Parameter, Store, Tensor, Var
from relayish.tir.plain_loops import without_blocks
from relayish.tir.schedule.handles import BlockRV, LoopRV
from relayish.tir.schedule.intrinsics import TensorIntrinsic, find_tensor_intrinsic
from relayish.tir.schedule.nests import only
from relayish.tir.schedule.registry import primitive
from relayish.tir.schedule.state import Ref, State
from relayish.tir.schedule.steps import Steps
from relayish.tir.substitution import copy_with_fresh_variables, replace, substitute
from relayish.tir.verifier.dependences import quote


class TensorizeSteps(Steps):
    """Methods that replace nests of loops by intrinsics."""

    def tensorize(self, target: LoopRV | BlockRV, intrinsic: str) -> None:
        """Replace a loop with all in it, or the body of a block, by what an intrinsic does.

        It has to be the description of the intrinsic, up to names, to where loops begin, and to
        which parts of larger memory are meant. Blocks in it are gone then. Memory that the
        intrinsic has of its own, as for sums, is the function's then.

        Args:
            target: The outermost loop of the nest, or a block.
            intrinsic: What :func:`~relayish.tir.register_tensor_intrinsic` called it.

        Raises:
            ScheduleError: If it is another nest: where both differ.
            UnknownNameError: If there is no such intrinsic.

        Source:
            TVM ``tensorize``.
        """
        self.apply("tensorize", target, intrinsic)


@primitive("tensorize")
def tensorize(state: State, target: Ref, intrinsic: str) -> None:
    """Put the implementation of an intrinsic where its description stands."""
    found = find_tensor_intrinsic(intrinsic)
    stmt = target.stmt
    realize = stmt if isinstance(stmt, ScheduleBlockRealize) else None
    match = _Match(found)
    match.compare(without_blocks(found.description.body), without_blocks(_body_of(stmt)))
    image = match.implementation(state)
    if realize is None:
        state.replace(target, image)
        return
    block = realize.schedule_block.with_fields(body=image)
    state.replace(target, realize.with_fields(schedule_block=block))


def _body_of(stmt: Stmt) -> Stmt:
    return stmt.schedule_block.body if isinstance(stmt, ScheduleBlockRealize) else stmt


@dataclass(frozen=True, slots=True)
class _View:
    """Which part of a tensor an argument of an intrinsic is.

    Attributes:
        tensor: The tensor.
        places: For each of its dimensions, which dimension of the argument goes along it.
        base: Where the part begins.
    """

    tensor: Tensor
    places: tuple[int | None, ...]
    base: tuple[Expr, ...]

    def indices(self, given: Sequence[Expr]) -> tuple[Expr, ...]:
        """Return where in the tensor an element of the argument is."""
        return tuple(
            [
                base if place is None else _sum(base, given[place])
                for place, base in zip(self.places, self.base, strict=True)
            ]
        )


def _sum(base: Expr, index: Expr) -> Expr:
    """Return the sum of a number and an index, which may be a vector."""
    if isinstance(index, Ramp):
        return index.with_fields(base=_sum(base, index.base))
    if index.type.lanes > 1:
        return Broadcast(base, index.type.lanes) + index
    form = linear_form(base + index)
    return expr_of_form(form, index.type)


class _Match:
    """Compares a nest with a description, and finds out what the arguments of that are."""

    def __init__(self, intrinsic: TensorIntrinsic) -> None:
        self._intrinsic = intrinsic
        self._scalars: dict[Var, Expr] = {}
        self._views: dict[Buffer, _View] = {}
        self._written: set[Node] = set()
        self._own: set[Node] = set()
        self._loops: dict[Node, Node] = {}

    def compare(self, described: Stmt, found: Stmt) -> None:
        """Compare a statement with what describes it.

        Raises:
            ScheduleError: Where they differ.
        """
        pending: list[tuple[Node, Node]] = [(described, found)]
        while pending:
            one, other = pending.pop()
            if isinstance(one, Stmt) and not isinstance(one, Expr):
                assert isinstance(other, Stmt)
                one, other = only(one), only(other)
            pending += reversed(self._step(one, other))
        for buffer, view in self._views.items():
            if buffer in self._written and any(
                view.tensor.buffer is each.tensor.buffer
                for other, each in self._views.items()
                if other is not buffer
            ):
                raise self._error(buffer, view.tensor, "it is another argument as well")

    def _step(self, one: Node, other: Node) -> list[tuple[Node, Node]]:
        """Return what is still to be compared of two nodes."""
        match one, other:
            case For(), For():
                return self._loop(one, other)
            case Block(), Block() if len(one.stmts) == len(other.stmts):
                return list(zip(one.stmts, other.stmts, strict=True))
            case IfThenElse(), IfThenElse():
                if (one.false_case is None) is (other.false_case is None):
                    return list(zip(PROGRAM.children(one), PROGRAM.children(other), strict=True))
            case Store(tensor=Tensor()), Store(tensor=Tensor()):
                self._access(one, other)
                return [(one.value, other.value)]
            case Load(tensor=Tensor()), Load(tensor=Tensor()):
                self._access(one, other)
                return []
            case Var(), Expr() if one not in self._own:
                self._scalar(one, other)
                return []
            case Expr(), Expr() if one.type == other.type and self._is_linear(one, other):
                return []
            case Expr(), Expr() if self._is_alike(one, other):
                return list(zip(PROGRAM.children(one), PROGRAM.children(other), strict=True))
        raise self._error(one, other, "they are different")

    def _loop(self, one: For, other: For) -> list[tuple[Node, Node]]:
        var, own = other.loop_var, one.loop_var
        if var.type != own.type or not self._is_linear(one.extent, other.extent):
            raise self._error(one, other, "they do not run as often")
        first = replace(other.min, self._loops)
        self._own.add(own)
        self._loops[var] = expr_of_form(linear_form(own - one.min + first), var.type)
        return [(one.body, other.body)]

    def _is_linear(self, one: Expr, other: Expr) -> bool:
        """Return whether two integers are the same, whatever the variables are."""
        if not one.type.is_integer or one.type.is_bool or one.type != other.type:
            return False
        if any(isinstance(each, Load) for each in PROGRAM.pre_order((one, other))):
            return False
        form = linear_form(replace(one, self._scalars) - replace(other, self._loops))
        return not form.terms and not form.constant

    def _is_alike(self, one: Expr, other: Expr) -> bool:
        """Return whether two expressions do the same with their operands."""
        if type(one) is not type(other) or one.type != other.type:
            return False
        if isinstance(one, Call) and isinstance(other, Call):
            same = (one.name, one.call_type, one.value_index, one.attrs)
            return same == (other.name, other.call_type, other.value_index, other.attrs) and (
                len(one.read_args) == len(other.read_args) and not one.write_args
            )
        if isinstance(one, Reduce) and isinstance(other, Reduce):
            same_kind = one.reduce_type is other.reduce_type
            return same_kind and not one.reduce_axis and not other.reduce_axis
        if isinstance(one, _LITERALS):
            return structural_equal(one, other)
        return isinstance(one, _OPERATORS) and len(PROGRAM.children(one)) == len(
            PROGRAM.children(other)
        )

    def _scalar(self, var: Var, value: Expr) -> None:
        """Take a value for an argument, or compare it with what was taken."""
        for each in PROGRAM.pre_order(value):
            if each in self._loops or isinstance(each, (Load, Call)):
                raise self._error(var, value, "it may change within the nest")
        known = self._scalars.setdefault(var, value)
        if known.type != var.type or not structural_equal(known, value):
            raise self._error(var, value, f"it is {quote(known)} elsewhere")

    def _access(self, one: Load | Store, other: Load | Store) -> None:
        tensor, found = one.tensor, other.tensor
        assert isinstance(tensor, Tensor)
        assert isinstance(found, Tensor)
        buffer = tensor.buffer
        if not isinstance(buffer, Buffer) or found.dtype != tensor.dtype:
            raise self._error(one, other, "their elements are of other types")
        if isinstance(one, Store):
            self._written.add(buffer)
        indices = [replace(each, self._loops) for each in other.indices]
        view = self._views.get(buffer)
        if view is None:
            view = self._views[buffer] = self._view(one, other, found, indices)
        if found is not view.tensor:
            raise self._error(one, other, f"it is {view.tensor.name} elsewhere")
        for at, index in zip(view.indices(one.indices), indices, strict=True):
            form = linear_form(at - index)
            if form.terms or form.constant:
                raise self._error(one, other, "they go along it in other ways")

    def _view(
        self, one: Load | Store, other: Load | Store, tensor: Tensor, indices: Sequence[Expr]
    ) -> _View:
        """Return which part of a tensor an argument is, as its first access tells."""
        places: list[int | None] = []
        bases: list[Expr] = []
        left = list(range(len(one.indices)))
        for index in reversed(indices):
            place = next((at for at in reversed(left) if self._goes(one.indices[at], index)), None)
            places.append(place)
            base = index
            if place is not None:
                left.remove(place)
                base = expr_of_form(linear_form(index - one.indices[place]), index.type)
            if self._own.intersection(PROGRAM.pre_order(base)):
                raise self._error(one, other, "they go along it in other ways")
            bases.append(base)
        if left:
            raise self._error(one, other, "it has less dimensions")
        return _View(tensor, tuple(reversed(places)), tuple(reversed(bases)))

    def _goes(self, described: Expr, index: Expr) -> bool:
        """Return whether an index is that of an argument, from some element on."""
        if described.type != index.type or described.type.lanes > 1:
            return False
        form = linear_form(index - described)
        return not any(self._own.intersection(PROGRAM.pre_order(each)) for each in form.terms)

    def implementation(self, state: State) -> Stmt:
        """Return what the intrinsic does, to the arguments that were found, and make its memory."""
        func = self._intrinsic.implementation
        args = dict(zip(func.args, self._intrinsic.description.args, strict=True))
        body = copy_with_fresh_variables(without_blocks(func.body))
        images: dict[Node, Node] = {}
        for var, arg in args.items():
            if isinstance(var, Var) and isinstance(arg, Var):
                images[var] = self._scalars.get(arg, var)
        own: dict[object, Buffer] = {}
        for temp in func.temp_bufs:
            own[temp] = temp.with_fields(name=state.fresh_name(temp.name))
            state.make_buffer(own[temp])
        for node in PROGRAM.pre_order(body):
            if isinstance(node, Tensor) and node.buffer in own:
                made = own[node.buffer]
                images[node] = node.with_fields(name=state.fresh_name(node.name), buffer=made)
            elif isinstance(node, Buffer) and node in own:
                images[node] = own[node]
            elif isinstance(node, (Load, Store)) and isinstance(node.tensor, Tensor):
                if node.tensor.buffer in own:
                    continue
                view = self._view_of(func, node.tensor, args)
                images[node] = node.with_fields(
                    tensor=view.tensor, indices=view.indices(node.indices)
                )
            elif isinstance(node, Call) and any(
                isinstance(each, (Tensor, Buffer)) for each in (*node.read_args, *node.write_args)
            ):
                raise ScheduleError(
                    f"{self._intrinsic.name} calls {node.name} of a whole buffer, and is to work "
                    f"on a part of one; expected loads and stores, of vectors where that is meant"
                )
        return as_block(substitute(body, images))

    def _view_of(
        self, func: LoweredFunc, tensor: Tensor, args: Mapping[Parameter, Parameter]
    ) -> _View:
        arg = args.get(tensor.buffer) if isinstance(tensor.buffer, Buffer) else None
        view = self._views.get(arg) if isinstance(arg, Buffer) else None
        if view is None or not isinstance(arg, Buffer) or len(tensor.shape) != len(arg.shape):
            raise ScheduleError(
                f"{func.name} accesses {tensor.name}, which the description of "
                f"{self._intrinsic.name} does not, or as of other dimensions"
            )
        return view

    def _error(self, one: Node, other: Node, why: str) -> ScheduleError:
        return ScheduleError(
            f"{quote(other)} is not what {self._intrinsic.name} does there, {quote(one)}: {why}; "
            f"expected the nest that describes it, up to names and where it begins"
        )


_LITERALS: Final = (ops.IntImm, ops.UIntImm, ops.FloatImm)
_OPERATORS: Final = (ops.BinaryOpNode, ops.UnaryOpNode, ops.Cast, ops.Select)
