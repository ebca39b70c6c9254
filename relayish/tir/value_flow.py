"""Value flow of the loop IR: which memory tensors, addresses and variables may refer to.

Memory is what a function allocates: its temporary buffers, and those of a module. Arguments may be
any memory that whoever calls knows.
"""

from __future__ import annotations

from typing import Final

from relayish.dataflow.points_to.rules import VALUE_FLOW, ValueFlow, flow_nowhere
from relayish.ir.fields.effect import Effect
from relayish.tir.externs import find_extern
from relayish.tir.ir import operators as ops
from relayish.tir.ir import stmt as stmts
from relayish.tir.ir.expr import Call, Reduce
from relayish.tir.ir.flags import CallType
from relayish.tir.ir.function import LoweredFunc, Module
from relayish.tir.ir.intrinsic import (
    BufferCreate,
    BufferGetDataConstHandle,
    BufferGetDataHandle,
    GetAddr,
)
from relayish.tir.ir.tensor import BufferRange, Load, Store, Tensor

_NUMBERS: Final = (
    ops.BinaryOpNode,
    ops.FloatImm,
    ops.IntImm,
    ops.NaryOpNode,
    Reduce,
    ops.UIntImm,
    ops.UnaryOpNode,
)
"""Some kinds of which no value is an address; others are looked at."""

for _kind in (
    stmts.Alloc,
    ops.BinaryOpNode,
    stmts.Block,
    ops.Broadcast,
    BufferCreate,
    BufferRange,
    stmts.For,
    stmts.Free,
    stmts.IfThenElse,
    ops.NaryOpNode,
    stmts.PolyFor,
    ops.Ramp,
    Reduce,
    stmts.ScheduleBlock,
    stmts.ScheduleBlockRealize,
    ops.UnaryOpNode,
):
    VALUE_FLOW.register(_kind, flow_nowhere)


@VALUE_FLOW.register(LoweredFunc)
def _lowered_func(func: LoweredFunc, flow: ValueFlow) -> None:
    flow.creates_function(func, func.args, None)
    for buffer in func.temp_bufs:
        flow.creates(buffer, {}, mutable=True)


@VALUE_FLOW.register(Module)
def _module(module: Module, flow: ValueFlow) -> None:
    for buffer in module.buffers:
        flow.creates(buffer, {}, mutable=True)
        flow.escapes(buffer)
    for inside in (*module.functions, *module.submodules):
        flow.escapes(inside)


@VALUE_FLOW.register(Tensor)
def _tensor(tensor: Tensor, flow: ValueFlow) -> None:
    if tensor.buffer is not None:
        flow.passes(tensor.buffer, tensor)
    elif tensor.operation is None:
        flow.is_unknown(tensor)


@VALUE_FLOW.register(Load)
def _load(load: Load, flow: ValueFlow) -> None:
    if load.is_addr_scalar:
        flow.passes(load.tensor, load)
    elif load.type.pointers:
        flow.is_unknown(load)


@VALUE_FLOW.register(Store)
def _store(store: Store, flow: ValueFlow) -> None:
    if isinstance(store.value, _NUMBERS):
        return
    if store.is_addr_scalar:
        flow.passes(store.value, store.tensor)
    else:
        flow.escapes(store.value)  # an address in memory


@VALUE_FLOW.register(stmts.Let)
def _let(let: stmts.Let, flow: ValueFlow) -> None:
    if let.body is not None:
        flow.passes(let.body, let.symbol)


@VALUE_FLOW.register(ops.Cast)
def _cast(cast: ops.Cast, flow: ValueFlow) -> None:
    flow.passes(cast.v, cast)


@VALUE_FLOW.register(ops.Select)
def _select(select: ops.Select, flow: ValueFlow) -> None:
    flow.passes(select.true_value, select)
    flow.passes(select.false_value, select)


@VALUE_FLOW.register(BufferGetDataHandle)
@VALUE_FLOW.register(BufferGetDataConstHandle)
def _handle(handle: BufferGetDataHandle | BufferGetDataConstHandle, flow: ValueFlow) -> None:
    flow.passes(handle.buffer, handle)


@VALUE_FLOW.register(GetAddr)
def _address(address: GetAddr, flow: ValueFlow) -> None:
    data = address.data
    flow.passes(data.tensor if isinstance(data, Load) else data, address)


@VALUE_FLOW.register(Call)
def _call(call: Call, flow: ValueFlow) -> None:
    arguments = (*call.read_args, *call.write_args)
    known = find_extern(call.name, call.call_type)
    if call.call_type is CallType.CINN or known is None:
        flow.calls_by_name(call, call.name, arguments)
        return
    for argument in arguments:
        flow.passes(argument, call)
        if known.effect & Effect.UNKNOWN == Effect.UNKNOWN:
            flow.escapes(argument)
