"""Variables and memory: scalars, buffers, and the tensors that look at buffers."""

from __future__ import annotations

from operator import attrgetter
from typing import NoReturn

from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Access, Atom
from relayish.ir.nodes.node import field, node
from relayish.tir.ir.family import ExprNode, FunctionBase, Stmt
from relayish.tir.ir.flags import MemoryType
from relayish.tir.ir.operators import Expr, Operand, as_expr
from relayish.tir.ir.target import UNKNOWN_TARGET, Target
from relayish.tir.ir.type import BUFFER_POINTER, FLOAT32, INT32, Type, as_type


class Parameter(Expr, ExprNode):
    """What is known by a name in a scope: a scalar or a buffer. It is the object that counts."""

    __slots__ = ()
    visit_name = "parameter"


@node("var", atom=Atom.VARIABLE)
class Var(Parameter):
    """A scalar variable: an index of a loop, an axis, or a value that ``Let`` names.

    The bounds say where it lies, in ``[lower_bound, upper_bound)``: of an axis of a reduction they
    are what it runs over, of others what is known of them.
    """

    name: str = field(hint=True)
    dtype: Type = field(default=INT32, convert=as_type)
    lower_bound: Expr | None = field(default=None, annotation=True)
    upper_bound: Expr | None = field(default=None, annotation=True)
    is_reduce_axis: bool = False
    tag: str = ""

    derive_type = attrgetter("dtype")


@node("buffer", atom=Atom.VARIABLE)
class Buffer(Parameter):
    """A piece of memory that holds elements of ``dtype``.

    Attributes:
        shape: The size of each dimension, in elements.
        strides: The distance of neighbours in each dimension, in elements; none: row by row.
        scope: Where it is stored; ``""``: in global memory.
        elem_offset: Where the first element is, in elements; ``None``: 0.
        offset_factor: What the offset is a multiple of; 0: nothing is known.
        data_alignment: Of the address, in bytes; 0: nothing is known.
    """

    name: str = field(hint=True)
    shape: tuple[Expr, ...] = field(default=(), annotation=True)
    dtype: Type = field(default=FLOAT32, convert=as_type)
    strides: tuple[Expr, ...] = field(default=(), annotation=True)
    elem_offset: Expr | None = field(default=None, annotation=True)
    offset_factor: int = 0
    scope: str = ""
    target: Target = UNKNOWN_TARGET
    data_alignment: int = 0
    memory_type: MemoryType = MemoryType.HEAP

    derive_type = staticmethod(lambda _: BUFFER_POINTER)


@node("buffer_range", effect=Effect.NONE, graph_node=False)
class BufferRange(Expr, ExprNode):
    """A part of a buffer: in each dimension, the bounds of one of ``ranges``."""

    buffer: Expr
    ranges: tuple[Var, ...] = field(default=(), binder=True, declares=True)

    derive_type = attrgetter("buffer.type")


@node("tensor", effect=Effect.NONE, graph_node=False)
class Tensor(Expr, ExprNode):
    """A view of a buffer as an array of ``shape``; several may look at one buffer.

    ``A[i, j]`` and ``A(i, j)`` load an element. A tensor without a buffer is inline: its elements
    are computed by its ``operation`` where they are used.

    Attributes:
        name: Unique among the tensors of a function.
        shape: The size of each dimension.
        domain: The domain of each axis, where it is not the shape.
        operation: What computes it.
        axis: The variables of ``operation`` for the dimensions.
        reduce_axis: Those it reduces over.
    """

    name: str
    shape: tuple[Expr, ...]
    dtype: Type = field(default=FLOAT32, convert=as_type)
    buffer: Expr | None = None
    operation: FunctionBase | None = field(default=None, annotation=True)
    axis: tuple[Var, ...] = field(default=(), annotation=True)
    reduce_axis: tuple[Var, ...] = field(default=(), annotation=True)
    domain: tuple[Expr, ...] = field(  # type: ignore[assignment]  # CINN's name
        default=(), annotation=True
    )
    new_indices: tuple[Expr, ...] = field(default=(), annotation=True)

    __iter__ = None  # else an iteration would load elements without end

    derive_type = attrgetter("dtype")

    def __getitem__(self, indices: Operand | tuple[Operand, ...]) -> Load:
        """Return the load of the element at ``indices``, expressions or integers."""
        given = indices if isinstance(indices, tuple) else (indices,)
        return Load(self, tuple([as_expr(index) for index in given]))

    def __call__(self, *indices: Operand) -> Load:
        """Return the load of the element at ``indices``, as CINN writes it."""
        return self[indices]

    def __bool__(self) -> bool:
        return True

    def __contains__(self, item: object) -> NoReturn:
        """Refuse: whether an element has some value is not known before it runs."""
        raise TypeError(f"what {self.name} contains is not known before it runs")


@node("load", effect=Effect.READS, graph_node=False)
class Load(Expr, ExprNode):
    """The element at ``indices`` of a tensor, or, without indices, what a scalar variable holds.

    With vectors among the indices it is a vector of elements.
    """

    tensor: Expr = field(access=Access.READ | Access.INDIRECT)
    indices: tuple[Expr, ...] = ()

    @staticmethod
    def derive_type(node: Load) -> Type:
        """Return the type of an element, with as many lanes as the indices have."""
        found = node.tensor.type
        for index in node.indices:
            lanes = index.type.lanes
            if lanes > 1:
                return found.with_lanes(lanes)
        return found

    @property
    def is_addr_tensor(self) -> bool:
        """Whether it loads from a tensor."""
        return isinstance(self.tensor, Tensor)

    @property
    def is_addr_scalar(self) -> bool:
        """Whether it loads a scalar variable."""
        return isinstance(self.tensor, Var)


@node("store", effect=Effect.WRITES, graph_node=False)
class Store(Stmt, ExprNode):
    """Put ``value`` at ``indices`` of a tensor, or, without indices, into a scalar variable."""

    tensor: Expr = field(access=Access.WRITE | Access.PARTLY | Access.INDIRECT)
    value: Expr
    indices: tuple[Expr, ...] = ()

    @property
    def is_addr_tensor(self) -> bool:
        """Whether it stores to a tensor."""
        return isinstance(self.tensor, Tensor)

    @property
    def is_addr_scalar(self) -> bool:
        """Whether it stores to a scalar variable."""
        return isinstance(self.tensor, Var)
