# What type checkers see of relayish.tir.ir.family: generated from the kinds it declares.
# fmt: off
# mypy: disable-error-code="assignment, misc, override"
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
import typing as _typing
from relayish.ir.domains.property import Property
from relayish.ir.nodes.node import Node, field
from relayish.ir.nodes.span import Span
from relayish.tir.ir.language import TIR
class IrNode(Node, language=TIR):
    """The root of the loop IR. ``span`` says where a node comes from; comparison leaves it out."""
    __slots__ = ()
    visit_name = 'ir_node'
    span: Span | None = field(kw_only=True, default=...)
    def __getattr__(self, name: _typing.Literal["a", "arg_nums", "args", "args_io", "arguments", "attrs", "axis", "b", "base", "bind_info", "body", "buffer", "buffers", "call", "call_type", "condition", "cuda_axis_info", "data", "data_alignment", "destination", "device_api", "dtype", "elem_offset", "extent", "extents", "false_case", "false_value", "for_type", "func", "functions", "id", "inc", "indices", "init", "is_addr_scalar", "is_addr_tensor", "is_reduce_axis", "is_tuple_get", "iter_values", "iter_vars", "iterator", "lanes", "loop_var", "lower_bound", "memory_type", "metadata", "min", "name", "new_indices", "offset_factor", "operands", "operation", "pod_value_ptr", "preceding_axis", "ranges", "read_args", "read_buffers", "reduce_axis", "reduce_type", "schedule_block", "scope", "shape", "stmts", "stride", "strides", "submodules", "symbol", "tag", "target", "targets", "temp_bufs", "tensor", "true_case", "true_value", "type", "upper_bound", "v", "value", "value_index", "value_slot", "values", "var", "vectorize_info", "write_args", "write_buffers"], /) -> _typing.Any: ...
class ExprNode(IrNode):
    """CINN's ``ExprNode``: every kind but intrinsics and operations."""
    __slots__ = ()
    visit_name = 'expr_node'
class Stmt(IrNode, properties=Property.STMT):
    """What may stand in a block, and is run."""
    __slots__ = ()
    visit_name = 'stmt'
class FunctionBase(IrNode, properties=Property.NOT_EXEC):
    """CINN's ``FunctionBase``: what a call or a tensor comes from."""
    __slots__ = ()
    visit_name = 'function_base'
