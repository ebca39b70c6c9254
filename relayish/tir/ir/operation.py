"""Operations: what tensors come from."""

from __future__ import annotations

from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Runs
from relayish.ir.nodes.node import field, node
from relayish.tir.ir.expr import Call
from relayish.tir.ir.family import FunctionBase
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Tensor, Var
from relayish.tir.ir.type import FLOAT32, Type, as_type


class Operation(FunctionBase):
    """CINN's ``_Operation_``: what computes a tensor, or several."""

    __slots__ = ()
    visit_name = "operation"

    name: str = field(default="", kw_only=True)
    tag: str = field(default="", kw_only=True)
    attrs: DictAttrs | None = field(default=None, kw_only=True)


@node("placeholder_op", effect=Effect.NONE, graph_node=False)
class PlaceholderOp(Operation):
    """An input of ``shape``, whose elements are of ``dtype``."""

    shape: tuple[Expr, ...]
    dtype: Type = field(default=FLOAT32, convert=as_type)


@node("compute_op", effect=Effect.NONE, graph_node=False)
class ComputeOp(Operation):
    """The element of each result at ``axis`` is one of ``body``.

    Inlining, CINN's producer function, is ``body`` with other expressions for ``axis``.
    """

    axis: tuple[Var, ...] = field(binder=True)
    shape: tuple[Expr, ...]
    body: tuple[Expr, ...] = field(scope=Runs.DEFERRED)
    reduce_axis: tuple[Var, ...] = field(default=(), annotation=True)


@node("call_op", effect=Effect.NONE, graph_node=False)
class CallOp(Operation):
    """A result of a call.

    Attributes:
        call: The call.
        targets: The tensors it writes.
        value_slot: Which result is meant.
        is_tuple_get: Whether it takes one result out of several.
    """

    call: Call = field(annotation=True)
    targets: tuple[Tensor, ...] = field(default=(), annotation=True)
    value_slot: int = -1
    is_tuple_get: bool = False


@node("preceding_view_op", effect=Effect.NONE, graph_node=False)
class PrecedingViewOp(Operation):
    """A view of ``tensor`` by its axes up to ``preceding_axis``."""

    tensor: Tensor = field(annotation=True)
    preceding_axis: int = 0


@node("buffer_share_op", effect=Effect.NONE, graph_node=False)
class BufferShareOp(Operation):
    """Its tensor looks at the buffer of another one."""
