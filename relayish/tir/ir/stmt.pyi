# What type checkers see of relayish.tir.ir.stmt: generated from the kinds it declares.
# fmt: off
# mypy: disable-error-code="assignment, misc, override"
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
import collections.abc as _collections_abc
import relayish.ir.nodes.span as _relayish_ir_nodes_span
import relayish.ir.values.value as _relayish_ir_values_value
import relayish.tir.ir.flags as _relayish_tir_ir_flags
import typing as _typing
from relayish.errors import FieldError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Access, Runs
from relayish.ir.nodes.node import field, node
from relayish.tir.ir import flags
from relayish.tir.ir.family import ExprNode, Stmt
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import BufferRange, Var
@node('let', effect=Effect.NONE, graph_node=False)
class Let(Stmt, ExprNode):
    """Declare ``symbol`` for the rest of the block, with ``body`` as its first value if given."""
    symbol: Var
    body: Expr | None
    __getattr__: None  # it is known what a kind has
    def __init__(self, symbol: Var, body: Expr | _relayish_ir_values_value.Number | None = None, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, symbol: Var = ..., body: Expr | _relayish_ir_values_value.Number | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('alloc', effect=Effect.STATE, graph_node=False)
class Alloc(Stmt, ExprNode):
    """Give ``destination``, a buffer of the function, its memory.

    It lives while ``body`` runs, if there is one, else until it is freed, or the block ends.

    Attributes:
        extents: The size of each dimension; none: that of the buffer.
        condition: Where it does not hold, nothing is allocated; ``None``: it always holds.
    """
    destination: Expr
    extents: tuple[Expr, ...]
    condition: Expr | None
    body: Stmt | None
    __getattr__: None  # it is known what a kind has
    def __init__(self, destination: Expr | _relayish_ir_values_value.Number, extents: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] | None = (), condition: Expr | _relayish_ir_values_value.Number | None = None, body: Stmt | None = None, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, destination: Expr | _relayish_ir_values_value.Number = ..., extents: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] | None = ..., condition: Expr | _relayish_ir_values_value.Number | None = ..., body: Stmt | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('free', effect=Effect.STATE, graph_node=False)
class Free(Stmt, ExprNode):
    """Give back the memory of ``destination``, which nothing may use from then on."""
    destination: Expr
    __getattr__: None  # it is known what a kind has
    def __init__(self, destination: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, destination: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('if_then_else', effect=Effect.NONE, graph_node=False)
class IfThenElse(Stmt, ExprNode):
    """Run ``true_case`` where ``condition`` holds, else ``false_case``, if there is one."""
    condition: Expr
    true_case: Stmt
    false_case: Stmt | None
    __getattr__: None  # it is known what a kind has
    def __init__(self, condition: Expr | _relayish_ir_values_value.Number, true_case: Stmt, false_case: Stmt | None = None, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, condition: Expr | _relayish_ir_values_value.Number = ..., true_case: Stmt = ..., false_case: Stmt | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('for', effect=Effect.NONE, graph_node=False)
class For(Stmt, ExprNode):
    """Run ``body`` for ``loop_var`` from ``min`` on, ``extent`` times.

    The loop covers ``[min, min + extent)``: ``extent`` is a length, as its name says, and none or
    less is no iteration.

    Attributes:
        for_type: How iterations may be run; serially one after the other by default.
        vectorize_info: How it is vectorised, with the flag ``VECTORIZED``.
        bind_info: The index of the device that runs it, with ``GPU_BLOCK`` or ``GPU_THREAD``.
    """
    loop_var: Var
    min: Expr
    extent: Expr
    body: Stmt
    for_type: flags.ForType
    device_api: flags.DeviceAPI
    vectorize_info: flags.VectorizeInfo
    bind_info: flags.BindInfo
    metadata: flags.LLVMForLoopMeta | None
    __getattr__: None  # it is known what a kind has
    def __init__(self, loop_var: Var, min: Expr | _relayish_ir_values_value.Number, extent: Expr | _relayish_ir_values_value.Number, body: Stmt, for_type: _relayish_tir_ir_flags.ForType = ..., device_api: _relayish_tir_ir_flags.DeviceAPI = ..., vectorize_info: _relayish_tir_ir_flags.VectorizeInfo | tuple[int, int] = ..., bind_info: _relayish_tir_ir_flags.BindInfo | tuple[_relayish_tir_ir_flags.ForType, int, _relayish_tir_ir_flags.DeviceAPI | None] = ..., metadata: _relayish_tir_ir_flags.LLVMForLoopMeta | tuple[_relayish_tir_ir_flags.UnrollMode | None, bool] | None = None, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, loop_var: Var = ..., min: Expr | _relayish_ir_values_value.Number = ..., extent: Expr | _relayish_ir_values_value.Number = ..., body: Stmt = ..., for_type: _relayish_tir_ir_flags.ForType = ..., device_api: _relayish_tir_ir_flags.DeviceAPI = ..., vectorize_info: _relayish_tir_ir_flags.VectorizeInfo | tuple[int, int] = ..., bind_info: _relayish_tir_ir_flags.BindInfo | tuple[_relayish_tir_ir_flags.ForType, int, _relayish_tir_ir_flags.DeviceAPI | None] = ..., metadata: _relayish_tir_ir_flags.LLVMForLoopMeta | tuple[_relayish_tir_ir_flags.UnrollMode | None, bool] | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('poly_for', effect=Effect.NONE, graph_node=False)
class PolyFor(Stmt, ExprNode):
    """Run ``body`` for ``iterator`` from ``init`` on while ``condition`` holds, by ``inc``.

    ``condition`` and ``inc`` are computed anew each time, before and after ``body``.
    """
    iterator: Var
    init: Expr
    condition: Expr
    inc: Expr
    body: Stmt
    for_type: flags.ForType
    device_api: flags.DeviceAPI
    vectorize_info: flags.VectorizeInfo
    bind_info: flags.BindInfo
    __getattr__: None  # it is known what a kind has
    def __init__(self, iterator: Var, init: Expr | _relayish_ir_values_value.Number, condition: Expr | _relayish_ir_values_value.Number, inc: Expr | _relayish_ir_values_value.Number, body: Stmt, for_type: _relayish_tir_ir_flags.ForType = ..., device_api: _relayish_tir_ir_flags.DeviceAPI = ..., vectorize_info: _relayish_tir_ir_flags.VectorizeInfo | tuple[int, int] = ..., bind_info: _relayish_tir_ir_flags.BindInfo | tuple[_relayish_tir_ir_flags.ForType, int, _relayish_tir_ir_flags.DeviceAPI | None] = ..., *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, iterator: Var = ..., init: Expr | _relayish_ir_values_value.Number = ..., condition: Expr | _relayish_ir_values_value.Number = ..., inc: Expr | _relayish_ir_values_value.Number = ..., body: Stmt = ..., for_type: _relayish_tir_ir_flags.ForType = ..., device_api: _relayish_tir_ir_flags.DeviceAPI = ..., vectorize_info: _relayish_tir_ir_flags.VectorizeInfo | tuple[int, int] = ..., bind_info: _relayish_tir_ir_flags.BindInfo | tuple[_relayish_tir_ir_flags.ForType, int, _relayish_tir_ir_flags.DeviceAPI | None] = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('block', effect=Effect.NONE, graph_node=False)
class Block(Stmt, ExprNode):
    """Statements, which run one after the other."""
    stmts: tuple[Stmt, ...]
    __getattr__: None  # it is known what a kind has
    def __init__(self, stmts: _collections_abc.Sequence[Stmt] | None = (), *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, stmts: _collections_abc.Sequence[Stmt] | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('schedule_block', effect=Effect.NONE, graph_node=False)
class ScheduleBlock(Stmt, ExprNode):
    """The unit of scheduling: ``body`` over ``iter_vars``, to which a realize gives values.

    Attributes:
        read_buffers: The parts of buffers that it reads, in order of the tree; none: not said.
        write_buffers: Those it writes.
        name: By which schedules find it; mostly that of the tensor it computes.
        attrs: Hints for later transformations.
    """
    iter_vars: tuple[Var, ...]
    read_buffers: tuple[BufferRange, ...]
    write_buffers: tuple[BufferRange, ...]
    name: str
    body: Stmt
    attrs: DictAttrs | None
    __getattr__: None  # it is known what a kind has
    def __init__(self, iter_vars: _collections_abc.Sequence[Var], read_buffers: _collections_abc.Sequence[BufferRange], write_buffers: _collections_abc.Sequence[BufferRange], name: str, body: Stmt, attrs: DictAttrs | _collections_abc.Mapping[str, object] | None = None, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, iter_vars: _collections_abc.Sequence[Var] = ..., read_buffers: _collections_abc.Sequence[BufferRange] = ..., write_buffers: _collections_abc.Sequence[BufferRange] = ..., name: str = ..., body: Stmt = ..., attrs: DictAttrs | _collections_abc.Mapping[str, object] | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('schedule_block_realize', effect=Effect.NONE, graph_node=False)
class ScheduleBlockRealize(Stmt, ExprNode):
    """Run a schedule block with ``iter_values``, affine in the loop variables, as its variables."""
    iter_values: tuple[Expr, ...]
    schedule_block: ScheduleBlock
    __getattr__: None  # it is known what a kind has
    def __init__(self, iter_values: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number], schedule_block: ScheduleBlock, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, iter_values: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] = ..., schedule_block: ScheduleBlock = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
