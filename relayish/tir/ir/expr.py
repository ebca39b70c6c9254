"""Calls, reductions and coarse operators."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from types import MappingProxyType
from typing import Final

from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.domains.property import Property
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Access, Runs
from relayish.ir.nodes.node import field, node
from relayish.tir.ir.family import ExprNode, FunctionBase, IrNode, Stmt
from relayish.tir.ir.flags import CallType, ReduceType
from relayish.tir.ir.operators import Add, And, BinaryOpNode, Div, Expr, Max, Min, Mul, Or, Sub
from relayish.tir.ir.tensor import Var
from relayish.tir.ir.type import VOID, Type, as_type


@node("call", properties=Property.CALL)
class Call(Expr, Stmt, ExprNode):
    """A call of a function by name. It may do anything but what a rule says of the function.

    Attributes:
        dtype: The type of its value.
        name: The function.
        read_args: The arguments it reads.
        write_args: The tensors, buffers or variables it writes.
        attrs: Further attributes, which are constants.
        call_type: What the name names.
        func: What the function is, where that is known.
        value_index: Which of several results is meant; -1: the only one.
    """

    dtype: Type = field(convert=as_type)
    name: str
    read_args: tuple[Expr, ...] = ()
    write_args: tuple[Expr, ...] = field(
        default=(), access=Access.WRITE | Access.PARTLY | Access.INDIRECT
    )
    call_type: CallType = CallType.EXTERN
    func: FunctionBase | None = field(default=None, annotation=True)
    value_index: int = -1
    attrs: DictAttrs | None = None

    derive_type = attrgetter("dtype")


@node("reduce", effect=Effect.NONE, graph_node=False)
class Reduce(Expr, ExprNode):
    """``init`` combined with ``body`` for all values of ``reduce_axis``, in order.

    Each axis runs over its bounds, the last one fastest. Without axes, ``body`` is combined once:
    so a schedule block, which binds the axes itself, does one step.
    """

    reduce_type: ReduceType
    init: Expr
    body: Expr = field(scope=Runs.REPEATEDLY)
    reduce_axis: tuple[Var, ...] = field(default=(), binder=True)

    derive_type = attrgetter("body.type")


REDUCE_OPERATORS: Final[Mapping[ReduceType, type[BinaryOpNode]]] = MappingProxyType(
    {
        ReduceType.SUM: Add,
        ReduceType.SUB: Sub,
        ReduceType.MUL: Mul,
        ReduceType.DIV: Div,
        ReduceType.MAX: Max,
        ReduceType.MIN: Min,
        ReduceType.ALL: And,
        ReduceType.ANY: Or,
    }
)
"""What combines the value so far, on the left, with the next one."""


@node("argument_group", effect=Effect.NONE, graph_node=False, properties=Property.NOT_EXEC)
class ArgumentGroup(IrNode):
    """Arguments of a coarse operator that belong together."""

    values: tuple[Expr, ...] = ()


@node("primitive_node", properties=Property.CALL)
class PrimitiveNode(Expr, Stmt, ExprNode):
    """A coarse operator by name, which a registered rule expands.

    Attributes:
        name: The operator.
        arguments: Its arguments, in groups.
        attrs: Its attributes.
        dtype: The type of its value.
    """

    name: str
    arguments: tuple[ArgumentGroup, ...] = field(default=(), part=True)
    attrs: DictAttrs | None = None
    dtype: Type = field(default=VOID, convert=as_type)

    derive_type = attrgetter("dtype")
