"""Value flow of core: what variables hold and addresses are of, and what calls call.

A local variable stands for what it holds, and the address of one is that of its first ``lda`` in
the function; what is behind an address is one thing, whatever field or element is meant. A name of
the module stands for the place: a function, or a variable.
"""

from __future__ import annotations

from collections.abc import Hashable

from relayish.core.ir import expr as ops
from relayish.core.ir import memory
from relayish.core.ir import stmt as stmts
from relayish.core.ir.definition import Entry, FuncEntry, GlobalVariable, StructDef
from relayish.core.ir.family import Symbol
from relayish.core.ir.symbol import Global
from relayish.dataflow.points_to.rules import VALUE_FLOW, ValueFlow, flow_nowhere
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM

for _kind in (
    stmts.Block,
    ops.Comparison,
    stmts.DoWhile,
    stmts.DumpVar,
    stmts.EndStmtList,
    memory.Idname,
    stmts.If,
    ops.Ldc,
    ops.Ldca,
    ops.Literal,
    ops.LogicOp,
    stmts.Pragma,
    stmts.Ret,
    stmts.Retv,
    StructDef,
    stmts.TmStart,
    stmts.TmTaken,
    stmts.Validate,
    ops.Void,
    stmts.WhileDo,
):
    VALUE_FLOW.register(_kind, flow_nowhere)

_BEHIND = "behind"
"""The one part that memory has."""


@VALUE_FLOW.register(FuncEntry)
def _func_entry(func: FuncEntry, flow: ValueFlow) -> None:
    result, addresses = ops.Void(), dict[Symbol, memory.Lda]()
    flow.creates_function(func, func.formals, result)
    for node in PROGRAM.pre_order(func.body):
        if isinstance(node, stmts.Retv):
            flow.passes(node.value, result)
        elif isinstance(node, memory.Lda) and not isinstance(node.symbol, Global):
            flow.same(node, addresses.setdefault(node.symbol, node))
    for symbol, address in addresses.items():
        flow.creates(address, {_BEHIND: symbol}, mutable=True)
        flow.reads(address, _BEHIND, symbol)


@VALUE_FLOW.register(GlobalVariable)
def _global_variable(variable: GlobalVariable, flow: ValueFlow) -> None:
    parts: dict[Hashable, Node] = {} if variable.init is None else {_BEHIND: variable.init}
    flow.creates(variable, parts, mutable=True)
    if not variable.is_const:
        flow.escapes(variable)  # whoever calls, or is called, may reach it by name


@VALUE_FLOW.register(Entry)
def _entry(entry: Entry, flow: ValueFlow) -> None:
    flow.same(entry, entry.function)


@VALUE_FLOW.register(memory.Lda)
def _lda(lda: memory.Lda, flow: ValueFlow) -> None:
    if isinstance(lda.symbol, Global):
        flow.passes(lda.symbol, lda)


@VALUE_FLOW.register(memory.Ld)
@VALUE_FLOW.register(memory.Ldf)
@VALUE_FLOW.register(memory.Ldo)
def _load(load: memory.Ld | memory.Ldf | memory.Ldo, flow: ValueFlow) -> None:
    if isinstance(load.symbol, Global):
        flow.reads(load.symbol, _BEHIND, load)
    else:
        flow.passes(load.symbol, load)


@VALUE_FLOW.register(memory.Ldp)
@VALUE_FLOW.register(memory.Ldpf)
def _load_preg(load: memory.Ldp | memory.Ldpf, flow: ValueFlow) -> None:
    flow.passes(load.preg, load)


@VALUE_FLOW.register(memory.Ild)
def _ild(load: memory.Ild, flow: ValueFlow) -> None:
    flow.reads(load.address, _BEHIND, load)


@VALUE_FLOW.register(memory.St)
@VALUE_FLOW.register(memory.Stf)
@VALUE_FLOW.register(memory.Sto)
def _store(store: memory.St | memory.Stf | memory.Sto, flow: ValueFlow) -> None:
    _put(store.symbol, store.value, flow)


@VALUE_FLOW.register(stmts.DoLoop)
def _do_loop(loop: stmts.DoLoop, flow: ValueFlow) -> None:
    _put(loop.iv, loop.init, flow)
    _put(loop.iv, loop.increment, flow)


def _put(symbol: Symbol, value: Node, flow: ValueFlow) -> None:
    if isinstance(symbol, Global):
        flow.writes(symbol, _BEHIND, value)
    else:
        flow.passes(value, symbol)


@VALUE_FLOW.register(memory.Stp)
@VALUE_FLOW.register(memory.Stpf)
def _store_preg(store: memory.Stp | memory.Stpf, flow: ValueFlow) -> None:
    flow.passes(store.value, store.preg)


@VALUE_FLOW.register(memory.Ist)
def _ist(store: memory.Ist, flow: ValueFlow) -> None:
    flow.writes(store.address, _BEHIND, store.value)


@VALUE_FLOW.register(memory.Array)
def _array(array: memory.Array, flow: ValueFlow) -> None:
    flow.passes(array.address, array)


@VALUE_FLOW.register(ops.UnaryOp)
def _unary(operation: ops.UnaryOp, flow: ValueFlow) -> None:
    flow.passes(operation.a, operation)


@VALUE_FLOW.register(ops.BinaryOp)
def _binary(operation: ops.BinaryOp, flow: ValueFlow) -> None:
    """What is computed of an address may be one."""
    flow.passes(operation.a, operation)
    flow.passes(operation.b, operation)


@VALUE_FLOW.register(stmts.Call)
def _call(call: stmts.Call, flow: ValueFlow) -> None:
    flow.calls(call, call.entry, call.args)
    _give(call, flow)


@VALUE_FLOW.register(stmts.Icall)
def _icall(call: stmts.Icall, flow: ValueFlow) -> None:
    flow.calls(call, call.address, call.args)
    _give(call, flow)


def _give(call: stmts.Call | stmts.Icall, flow: ValueFlow) -> None:
    if call.result is not None:
        flow.passes(call, call.result)
