"""Forms of statements, functions, modules, intrinsics and operations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from relayish.ir.nodes.node import Node
from relayish.text.literals import quote
from relayish.tir.ir import function, intrinsic, operation, stmt, tensor
from relayish.tir.ir.flags import NO_BIND, NO_VECTORIZE, BindInfo, DeviceAPI, ForType, VectorizeInfo
from relayish.tir.ir.target import UNKNOWN_TARGET
from relayish.tir.ir.type import FLOAT32
from relayish.tir.text.attrs import is_shown_exactly, spell_attrs
from relayish.tir.text.forms import Pieces, attrs_note, join, operand
from relayish.tir.text.spelling import looks_like_buffer, spell_name, spell_target, spell_type
from relayish.tir.text.writer import BREAK, FORMS, IN, OUT, Form, Piece, Writer


def _let(writer: Writer, node: stmt.Let) -> Pieces:
    declared = spell_type(node.symbol.dtype)
    name, enter = writer.bind_later(node.symbol, is_typed=True)
    if node.body is None:
        return (f"{declared} {name}", *enter)
    return (f"{declared} {name} = ", operand(writer, node.body, node.symbol), *enter)


def _if_then_else(writer: Writer, node: stmt.IfThenElse) -> Pieces:
    mark = writer.mark()
    arm = (IN, BREAK, node.true_case, mark, OUT, BREAK, "}")
    if node.false_case is None:
        return ("if (", node.condition, ") {", *arm)
    other = (IN, BREAK, node.false_case, mark, OUT, BREAK, "}")
    return ("if (", node.condition, ") {", *arm, " else {", *other)


def _block(writer: Writer, node: stmt.Block) -> Pieces:
    if not node.stmts:
        return ("{\n", BREAK, "}")
    pieces: list[Piece] = ["{", IN]
    for each in node.stmts:
        pieces += (BREAK, each)
    pieces += (OUT, BREAK, "}", writer.mark())
    return pieces


def head_of(node: stmt.For) -> tuple[str, ForType, VectorizeInfo, BindInfo]:
    """Return what stands before a loop, and what the reader takes from that."""
    kind, axis = node.for_type, node.bind_info
    if kind & ForType.PARALLEL:
        return "parallel for (", ForType.PARALLEL, NO_VECTORIZE, NO_BIND
    if kind & ForType.UNROLLED:
        return "unroll for (", ForType.UNROLLED, NO_VECTORIZE, NO_BIND
    if kind & ForType.VECTORIZED:
        factor = node.vectorize_info.factor
        told = VectorizeInfo(0, factor)
        return f"vectorize[{factor}] for (", ForType.VECTORIZED, told, NO_BIND
    if kind & (ForType.GPU_BLOCK | ForType.GPU_THREAD):
        if not axis.is_valid:
            return "thread_bind[invalid info] for (", ForType.GPU_THREAD, NO_VECTORIZE, NO_BIND
        told_axis = BindInfo(axis.for_type, axis.offset)
        return f"thread_bind[{axis}] for (", axis.for_type, NO_VECTORIZE, told_axis
    if kind == ForType.SERIAL:
        return "serial for (", ForType.SERIAL, NO_VECTORIZE, NO_BIND
    if kind == ForType.DEFAULT:
        return "default for (", ForType.DEFAULT, NO_VECTORIZE, NO_BIND
    return "for (", ForType.GPU_LANE, NO_VECTORIZE, NO_BIND


def _loop_notes(
    node: Any,  # Any: a loop of either kind
    for_type: ForType,
    lanes: VectorizeInfo,
    axis: BindInfo,
) -> list[str]:
    notes = []
    if node.for_type != for_type:
        notes.append(f"for_type={int(node.for_type)}")
    if node.vectorize_info != lanes:
        level, factor = node.vectorize_info
        notes.append(f"vectorize_info=[{level}, {factor}]")
    if node.bind_info != axis:
        found, offset, device = node.bind_info
        api = "none" if device is None else device.value
        notes.append(f"bind_info=[{int(found)}, {offset}, {api}]")
    if node.device_api is not DeviceAPI.UNK:
        notes.append(f"device_api={node.device_api.value}")
    return notes


def _for(writer: Writer, node: stmt.For) -> Pieces:
    head, for_type, lanes, axis = head_of(node)
    notes = _loop_notes(node, for_type, lanes, axis)
    if node.metadata is not None:
        mode, vectorization = node.metadata
        shown = "none" if mode is None else mode.value
        notes.append(f"metadata=[{shown}, {'true' if vectorization else 'false'}]")
    if notes:
        writer.note(", ".join(notes))
    mark = writer.mark()
    name, enter = writer.bind_later(node.loop_var)
    parts = (*enter, ")", BREAK, node.body, mark)
    return (f"{head}{name}, ", node.min, ", ", node.extent, *parts)


def _poly_for(writer: Writer, node: stmt.PolyFor) -> Pieces:
    parallel = node.for_type & ForType.PARALLEL
    head = "parallel poly_for (" if parallel else "poly_for ("
    told = ForType.PARALLEL if parallel else ForType.SERIAL
    notes = _loop_notes(node, told, NO_VECTORIZE, NO_BIND)
    if notes:
        writer.note(", ".join(notes))
    mark = writer.mark()
    name, enter = writer.bind_later(node.iterator)
    parts = (", ", *enter, node.condition, ", ", node.inc, ")", BREAK, node.body, mark)
    return (f"{head}{name}, ", node.init, *parts)


def _schedule_block(writer: Writer, node: stmt.ScheduleBlock) -> Pieces:
    return _realize_pieces(writer, "bare ScheduleBlock(", (), node)


def _realize(writer: Writer, node: stmt.ScheduleBlockRealize) -> Pieces:
    return _realize_pieces(writer, "ScheduleBlock(", node.iter_values, node.schedule_block)


def _realize_pieces(
    writer: Writer, head: str, values: Sequence[Node], block: stmt.ScheduleBlock
) -> Pieces:
    if block.attrs is not None and not is_shown_exactly(block.attrs):
        writer.note(f"attrs={writer.value(block.attrs)}")
    mark = writer.mark()
    pieces: list[Piece] = [f"{head}{spell_name(block.name)})", BREAK, "{", IN]
    if block.iter_vars or values:
        bound = [writer.bind_later(var) for var in block.iter_vars]
        names = ", ".join([name for name, _ in bound])
        pieces += [BREAK, f"{names} = axis.bind(".lstrip(), *join(values), ")"]
        pieces += [piece for _, enter in bound for piece in enter]
    for word, ranges in (("read", block.read_buffers), ("write", block.write_buffers)):
        if ranges:
            pieces += [BREAK, f"{word}_buffers(", *join(ranges), ")"]
    if block.attrs is not None and len(block.attrs):
        pieces += [BREAK, f"attrs({spell_attrs(block.attrs)})"]
    return (*pieces, BREAK, block.body, mark, OUT, BREAK, "}")


# Functions, modules


def _function(writer: Writer, node: function.LoweredFunc) -> Pieces:
    end = writer.enter_function(node.name) if writer.in_module else None
    mark = writer.mark()
    names = ", ".join([_parameter(writer, arg) for arg in node.args])
    notes = []
    if node.temp_bufs:
        notes.append(f"temp_bufs=[{', '.join([writer.refer(b) for b in node.temp_bufs])}]")
    if node.args_io:
        notes.append(f"args_io=[{', '.join([io.value for io in node.args_io])}]")
    if node.device_api is not DeviceAPI.UNK:
        notes.append(f"device_api={node.device_api.value}")
    if node.cuda_axis_info is not None:
        grid, block = node.cuda_axis_info
        notes.append(f"cuda_axis_info=[{list(grid)}, {list(block)}]")
    notes += attrs_note(writer, node.attrs)
    if notes:
        writer.note(", ".join(notes))
    pieces: Pieces = (f"function {spell_name(node.name)} ({names})", BREAK, node.body, mark)
    return pieces if end is None else (*pieces, end)


def _parameter(writer: Writer, node: Node) -> str:
    """Return the text of an argument; one is taken for a buffer if its name begins with ``_``."""
    if isinstance(node, tensor.Var):
        text = writer.bind(node)
        if looks_like_buffer(text):
            writer.plan.singular.setdefault(node)
        return text
    return writer.refer(node)


def _module(writer: Writer, node: function.Module) -> Pieces:
    writer.in_module = True
    notes = []
    if node.target != UNKNOWN_TARGET:
        notes.append(f"target={spell_target(node.target)}")
    if node.buffers:
        notes.append(f"buffers=[{', '.join([writer.refer(b) for b in node.buffers])}]")
    if node.submodules:
        notes.append(f"submodules=[{', '.join([writer.refer(m) for m in node.submodules])}]")
    if notes:
        writer.note(", ".join(notes))
    pieces: list[Piece] = [f"Module {spell_name(node.name)} {{\n"]
    for func in node.functions:
        pieces += [BREAK, func, BREAK]
    return (*pieces, "\n", BREAK, "}")


# Intrinsics


def _of_one(head: str, name: str, writer: Writer, node: Any) -> Pieces:  # Any: has a field ``name``
    del writer
    return (head, getattr(node, name), ")")


def _pod_value_to_x(writer: Writer, node: intrinsic.PodValueToX) -> Pieces:
    del writer
    return (f"pod_value_to_{spell_type(node.dtype)}(", node.pod_value_ptr, ")")


def _buffer_create(writer: Writer, node: intrinsic.BufferCreate) -> Pieces:
    writer.note(f"buffer={writer.refer(node.buffer)}")
    return ("cinn_buffer_t::new_()",)


def _args_construct(writer: Writer, node: intrinsic.ArgsConstruct) -> Pieces:
    writer.note(f"var={writer.refer(node.var)}")
    return ("cinn_args_construct(", *join(node.args), ")")


def _builtin(writer: Writer, node: intrinsic.BuiltinIntrin) -> Pieces:
    default = node.args[0].type if node.args else FLOAT32
    name = f"cinn_builtin_intrin_{node.name}"
    spelt = spell_name(name)
    notes = ["kind=builtin_intrin"] if spelt != name else []
    if node.dtype != default:
        notes.append(f"dtype={spell_type(node.dtype)}")
    if node.id != -1:
        notes.append(f"id={node.id}")
    if node.arg_nums != 0:
        notes.append(f"arg_nums={node.arg_nums}")
    if notes:
        writer.note(", ".join(notes))
    return (f"{spelt}(", *join(node.args), ")")


# Operations, for which CINN has no form


def _operation(
    writer: Writer, node: operation.Operation, head: str, fields: Sequence[Piece]
) -> Pieces:
    """Return ``head(field=..., name="...")``: what all operations have stands behind the rest."""
    own = [f"{k}={quote(text)}" for k, text in (("name", node.name), ("tag", node.tag)) if text]
    own += attrs_note(writer, node.attrs)
    between = ", " if fields and own else ""
    return (f"{head}(", *fields, between + ", ".join(own), ")")


def _placeholder(writer: Writer, node: operation.PlaceholderOp) -> Pieces:
    dtype = f"], dtype={spell_type(node.dtype)}"
    return _operation(writer, node, "placeholder_op", ("shape=[", *join(node.shape), dtype))


def _compute(writer: Writer, node: operation.ComputeOp) -> Pieces:
    mark = writer.mark()
    axis = ", ".join([writer.bind(var) for var in node.axis])
    body = ("], body=[", *join(node.body), "]", mark)
    reduced = ", ".join([writer.refer(var) for var in node.reduce_axis])
    last = f", reduce_axis=[{reduced}]" if reduced else ""
    fields = (f"axis=[{axis}], shape=[", *join(node.shape), *body, last)
    return _operation(writer, node, "compute_op", fields)


def _call_op(writer: Writer, node: operation.CallOp) -> Pieces:
    fields: list[Piece] = ["call=", node.call]
    if node.targets:
        fields.append(f", targets=[{', '.join([writer.refer(t) for t in node.targets])}]")
    if node.value_slot != -1:
        fields.append(f", value_slot={node.value_slot}")
    if node.is_tuple_get:
        fields.append(", is_tuple_get=true")
    return _operation(writer, node, "call_op", fields)


def _preceding_view(writer: Writer, node: operation.PrecedingViewOp) -> Pieces:
    fields = (f"tensor={writer.refer(node.tensor)}, preceding_axis={node.preceding_axis}",)
    return _operation(writer, node, "preceding_view_op", fields)


def _buffer_share(writer: Writer, node: operation.BufferShareOp) -> Pieces:
    return _operation(writer, node, "buffer_share_op", ())


_CONST_HANDLE = "cinn_buffer_get_data_const_handle("
_ENTRIES: dict[type[Node], Form] = {
    stmt.Let: _let,
    stmt.IfThenElse: _if_then_else,
    stmt.Block: _block,
    stmt.For: _for,
    stmt.PolyFor: _poly_for,
    stmt.ScheduleBlock: _schedule_block,
    stmt.ScheduleBlockRealize: _realize,
    function.LoweredFunc: _function,
    function.Module: _module,
    intrinsic.BufferGetDataHandle: partial(_of_one, "cinn_buffer_get_data_handle(", "buffer"),
    intrinsic.BufferGetDataConstHandle: partial(_of_one, _CONST_HANDLE, "buffer"),
    intrinsic.PodValueToX: _pod_value_to_x,
    intrinsic.BufferCreate: _buffer_create,
    intrinsic.GetAddr: partial(_of_one, "get_addr(", "data"),
    intrinsic.ArgsConstruct: _args_construct,
    intrinsic.BuiltinIntrin: _builtin,
    operation.PlaceholderOp: _placeholder,
    operation.ComputeOp: _compute,
    operation.CallOp: _call_op,
    operation.PrecedingViewOp: _preceding_view,
    operation.BufferShareOp: _buffer_share,
}
for _kind, _form in _ENTRIES.items():
    FORMS.register(_kind, _form)
