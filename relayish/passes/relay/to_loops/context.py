"""The context of writing an expression of tensors as loops: the elements of its nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Final, TypeAlias

import numpy as np

from relayish.domain import AnalyzeCtx
from relayish.domain.dispatch import Dispatch
from relayish.errors import UnlowerableError
from relayish.ir.kinds.one_line import quote
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Constant, Expr, Var
from relayish.ir.relay.type import Any as AnySize
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.ir.scopes.name_supply import NameSupply
from relayish.op.builders.call import attrs_of
from relayish.passes.relay.rewrite.rules.tensors import tensor_of
from relayish.passes.relay.to_loops.elements import Elements, Index, kept
from relayish.passes.relay.to_loops.extents import Shape, Sizes
from relayish.tir.builders.ir_builder import IRBuilder
from relayish.tir.builders.tensor import ReturnType, call_lowered, compute, placeholder
from relayish.tir.ir.expr import Call as LoopCall
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Expr as Scalar
from relayish.tir.ir.tensor import Tensor
from relayish.tir.ir.type import Type as ElementType
from relayish.tir.substitution import LOOPS, replace

Memory: TypeAlias = tuple[tuple[int, ...], str]
"""The shape and the element type of a tensor."""


class ToLoopsCtx(AnalyzeCtx):
    """What handlers share that write one expression as loops.

    Attributes:
        inputs: The tensors that the function is given, by variable: of a tuple, one for each field.
        sizes: The dimensions that it is given.
        constants: The same, by constant array.
        bodies: What stands for calls of functions that are none, by the name of the call.
    """

    def __init__(self, uses: Mapping[Node, int]) -> None:
        self.inputs: dict[Var, tuple[Tensor, ...]] = {}
        self.constants: dict[Constant, Tensor] = {}
        self.bodies: dict[str, Stmt] = {}
        self._names: Final = NameSupply()
        self.sizes: Final = Sizes(self._names)
        self._uses: Final = uses
        self._settled: dict[Node, Any] = {}  # Any: elements, or a tuple of these

    def input(self, var: Var) -> Elements | tuple[Elements, ...]:
        """Return the elements of what the function is given; of a tuple, those of each field."""
        ty = var.checked_type or var.type_annotation
        types = ty.fields if isinstance(ty, TupleType) else (ty,)
        shapes = [self.shape_of(each, var) for each in types]
        found = self.inputs.get(var)
        if found is None:
            fresh = self._names.fresh_name
            found = self.inputs[var] = tuple(
                [
                    placeholder(fresh(var.name_hint), shape, getattr(each, "dtype", ""))
                    for shape, each in zip(shapes, types, strict=True)
                ]
            )
        fields = tuple([kept(each, shape) for each, shape in zip(found, shapes, strict=True)])
        return fields if isinstance(ty, TupleType) else fields[0]

    def shape_of(self, ty: Type | None, node: Expr) -> Shape:
        """Return the sizes of a tensor.

        Raises:
            UnlowerableError: If one is not known, and no argument tells it, or it is no tensor of
                numbers that loops have.
        """
        if not isinstance(ty, TensorType) or any(isinstance(size, AnySize) for size in ty.shape):
            raise UnlowerableError(
                f"{quote(node)} cannot be written as loops: it is of type {ty}; expected a tensor "
                f"of known sizes"
            )
        if not ElementType(ty.dtype).is_numeric:
            raise UnlowerableError(
                f"{quote(node)} cannot be written as loops: it is of type {ty}; expected integers, "
                f"truth values, or numbers with a point"
            )
        return self.sizes.shape(ty.shape)

    def constant(self, node: Constant) -> Tensor:
        """Return the tensor of a constant array, which the function is given."""
        found = self.constants.get(node)
        if found is None:
            data = np.asarray(node.data)
            made = placeholder(self._names.fresh_name("constant"), data.shape, str(data.dtype))
            found = self.constants[node] = made
        return found

    def elements(self, visitor: Dispatch, expr: Expr) -> Any:  # Any: as of fields of tuples
        """Return the elements of an expression, kept in memory where several others use them."""
        found = self._settled.get(expr)
        if found is None:
            found = visitor.visit(expr)
            if isinstance(found, Elements) and self._uses.get(expr, 0) > 1 and not found.is_plain:
                found = self.keep_elements(found, _hint(expr))
            self._settled[expr] = found
        return found

    def keep_elements(self, data: Elements, hint: str) -> Elements:
        """Return elements that are kept in memory, and not computed where they are used."""
        if data.tensor is not None:
            return data
        return self.store(data.shape, data.at, hint)

    def keep_plain(self, data: Elements, hint: str) -> Elements:
        """Return elements that can be read repeatedly: kept unless one costs little."""
        return data if data.is_plain else self.keep_elements(data, f"{hint}_of")

    def store(self, shape: Shape, at: Callable[[Index], Scalar], hint: str) -> Elements:
        """Return elements that are computed, once each, into memory."""
        made = compute(shape, _of_axes(at, len(shape)), self._names.fresh_name(hint))
        return kept(made, shape)

    def perform(
        self,
        hint: str,
        reads: Sequence[Elements],
        results: Sequence[Memory],
        body: Callable[[IRBuilder, Sequence[Tensor], Sequence[Tensor]], None],
    ) -> list[Elements]:
        """Return what statements put into memory, one after the other.

        Args:
            hint: What the results are called after.
            reads: What the statements read; it is kept in memory.
            results: Shape and element type of what they fill, and of what they need besides.
            body: Builds them, given the tensors of ``reads`` and ``results``.
        """
        name = self._names.fresh_name(hint)
        held = [self.keep_elements(each, f"{hint}_of").tensor for each in reads]
        sources = [each for each in held if each is not None]
        made = [ReturnType(dtype, shape, self._names.fresh_name(hint)) for shape, dtype in results]
        found = call_lowered(name, sources, made)
        build = IRBuilder()
        body(build, [_plain(each) for each in sources], [_plain(each) for each in found])
        self.bodies[name] = build.block()
        return [kept(each, shape) for each, (shape, _) in zip(found, results, strict=True)]

    def place_bodies(self, func: LoweredFunc) -> LoweredFunc:
        """Return a function with statements in the place of the calls that stand for them."""
        calls = [each for each in LOOPS.pre_order(func) if isinstance(each, LoopCall)]
        named = {call: self.bodies[call.name] for call in calls if call.name in self.bodies}
        return replace(func, named) if named else func


def _plain(tensor: Tensor) -> Tensor:
    """Return a tensor as statements know it, which does not say what computes it."""
    return Tensor(tensor.name, tensor.shape, tensor.dtype, tensor.buffer)


@contextmanager
def nest(build: IRBuilder, shape: Sequence[int], name: str = "i") -> Iterator[Index]:
    """Build a loop for each axis of a shape, and give the index that they go through."""
    with ExitStack() as stack:
        loops = [build.for_(f"{name}{at}", size) for at, size in enumerate(shape)]
        yield tuple([stack.enter_context(each) for each in loops])


def _of_axes(at: Callable[[Index], Scalar], rank: int) -> Callable[..., Scalar]:
    """Return a formula that takes an argument for each axis, as ``compute`` asks."""

    def formula(*index: Scalar) -> Scalar:
        assert len(index) == rank
        return at(index)

    return formula


class Site:
    """A call whose elements are asked for.

    Attributes:
        call: The call, with types.
        attrs: Its attributes.  Any: those of the one operator
        args: The elements of its arguments.
    """

    __slots__ = ("args", "attrs", "call", "context")

    def __init__(self, visitor: Dispatch, call: Call) -> None:
        self.context: Final[ToLoopsCtx] = visitor.context
        self.call: Final = call
        self.attrs: Final[Any] = attrs_of(call)
        self.args: Final = [self.context.elements(visitor, arg) for arg in call.args]

    @property
    def hint(self) -> str:
        """What a tensor is called after that the call makes."""
        return _hint(self.call)

    @property
    def result(self) -> TensorType:
        """The type of the result, a tensor."""
        return tensor_of(self.call)

    @property
    def shape(self) -> Shape:
        """The sizes of the result."""
        return self.context.shape_of(self.result, self.call)

    def shapes(self) -> list[Shape]:
        """Return the sizes of each field of the result, a tuple."""
        ty = self.call.checked_type
        assert isinstance(ty, TupleType)
        return [self.context.shape_of(each, self.call) for each in ty.fields]

    def kept(self, at: int) -> Elements:
        """Return an argument whose elements are read repeatedly: kept unless that costs little."""
        return self.context.keep_plain(self.args[at], self.hint)

    def refuse(self, reason: str) -> UnlowerableError:
        """Return the error for what loops cannot express."""
        return UnlowerableError(f"{quote(self.call)} cannot be written as loops: {reason}")


def _hint(expr: Expr) -> str:
    op = getattr(expr, "op", None)
    return str(getattr(op, "name", "value"))


def count_uses(nodes: Sequence[Node], children: Callable[[Node], Sequence[Node]]) -> Counter[Node]:
    """Return how often each node is an operand of others."""
    return Counter(child for node in nodes for child in children(node))
