"""One-line forms of the loop IR's nodes, in which errors quote a program: ``A[i, %0] = %1``.

They read as CINN prints, but for operands that are no atoms: these are numbers, as in all such
lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from relayish.ir.kinds.one_line import LINES, Operands, shorten
from relayish.ir.nodes.node import Node
from relayish.tir.ir import expr, function, intrinsic, operation, operators, stmt, tensor

SIGNS: Final[Mapping[type[operators.BinaryOpNode], str]] = {
    operators.Add: "+",
    operators.Sub: "-",
    operators.Mul: "*",
    operators.Div: "/",
    operators.FracOp: "/",
    operators.Mod: "%",
    operators.EQ: "==",
    operators.NE: "!=",
    operators.LT: "<",
    operators.LE: "<=",
    operators.GT: ">",
    operators.GE: ">=",
    operators.And: "and",
    operators.Or: "or",
}
"""What stands between the operands, of operators that are written so."""


def _infix(node: operators.BinaryOpNode, show: Operands) -> str:
    sign = SIGNS.get(type(node), type(node).visit_name)
    return f"({show(node.a)} {sign} {show(node.b)})"


def _prefix(node: operators.BinaryOpNode, show: Operands) -> str:
    return f"cinn_{type(node).visit_name}({show(node.a, node.b)})"


def _many(node: operators.NaryOpNode, show: Operands) -> str:
    return f"{type(node).__name__}({show(*node.operands)})"


def _element(node: tensor.Load | tensor.Store, show: Operands) -> str:
    place = node.tensor
    name = shorten(place.name) if isinstance(place, tensor.Tensor) else show(place)
    return f"{name}[{show(*node.indices)}]"


def _store(node: tensor.Store, show: Operands) -> str:
    return f"{_element(node, show)} = {show(node.value)}"


def _let(let: stmt.Let, show: Operands) -> str:
    value = "" if let.body is None else f" = {show(let.body)}"
    return f"{let.symbol.dtype} {show(let.symbol)}{value}"


def _poly_for(loop: stmt.PolyFor, show: Operands) -> str:
    return f"poly_for ({show(loop.iterator, loop.init, loop.condition, loop.inc)})"


def _reduce(reduce: expr.Reduce, show: Operands) -> str:
    return f"Reduce({reduce.reduce_type.value}, {show(reduce.body, reduce.init)})"


def _range(given: tensor.BufferRange, show: Operands) -> str:
    return f"{show(given.buffer)}[{show(*given.ranges)}]"


def _call(call: expr.Call, show: Operands) -> str:
    return f"{shorten(call.name)}({show(*call.read_args, *call.write_args)})"


def _primitive(node: expr.PrimitiveNode, show: Operands) -> str:
    values = [value for group in node.arguments for value in group.values]
    return f"{shorten(node.name)}({show(*values)})"


def _builtin(node: intrinsic.BuiltinIntrin, show: Operands) -> str:
    return f"cinn_builtin_intrin_{shorten(node.name)}({show(*node.args)})"


def _intrinsic(node: intrinsic.IntrinsicOp, show: Operands) -> str:
    held = [getattr(node, f.name) for f in type(node).fields_ if f.kind is not None]
    flat: list[Node] = []
    for value in held:
        flat += value if isinstance(value, tuple) else [value]
    return f"{type(node).visit_name}({show(*flat)})"


def _operation(node: operation.Operation, _: Operands) -> str:
    return f"{type(node).__name__} {shorten(node.name)}".rstrip()


LINES.register(tensor.Parameter, lambda node, _: shorten(node.name) or "_")
LINES.register(tensor.Tensor, lambda node, _: shorten(node.name))
LINES.register(tensor.BufferRange, _range)
LINES.register(tensor.Load, _element)
LINES.register(tensor.Store, _store)
LINES.register(operators.BinaryOpNode, _infix)
LINES.register(operators.Min, _prefix)
LINES.register(operators.Max, _prefix)
LINES.register(operators.NaryOpNode, _many)
LINES.register(operators.Minus, lambda node, show: f"-({show(node.v)})")
LINES.register(operators.Not, lambda node, show: f"!{show(node.v)}")
LINES.register(operators.Cast, lambda node, show: f"{node.dtype}({show(node.v)})")
LINES.register(
    operators.Select,
    lambda node, show: f"select({show(node.condition, node.true_value, node.false_value)})",
)
LINES.register(
    operators.Ramp, lambda node, show: f"Ramp({show(node.base, node.stride)}, {node.lanes})"
)
LINES.register(
    operators.Broadcast, lambda node, show: f"Broadcast({show(node.value)}, {node.lanes})"
)
LINES.register(expr.Reduce, _reduce)
LINES.register(expr.Call, _call)
LINES.register(expr.PrimitiveNode, _primitive)
LINES.register(intrinsic.IntrinsicOp, _intrinsic)
LINES.register(intrinsic.BuiltinIntrin, _builtin)
LINES.register(operation.Operation, _operation)
LINES.register(stmt.Let, _let)
LINES.register(stmt.Alloc, lambda node, show: f"alloc({show(node.destination, *node.extents)})")
LINES.register(stmt.Free, lambda node, show: f"free({show(node.destination)})")
LINES.register(stmt.IfThenElse, lambda node, show: f"if ({show(node.condition)})")
LINES.register(stmt.For, lambda node, show: f"for ({show(node.loop_var, node.min, node.extent)})")
LINES.register(stmt.PolyFor, _poly_for)
LINES.register(stmt.Block, lambda node, _: f"{{{len(node.stmts)} statements}}")
LINES.register(stmt.ScheduleBlock, lambda node, _: f"ScheduleBlock({shorten(node.name)})")
LINES.register(
    stmt.ScheduleBlockRealize,
    lambda node, _: f"ScheduleBlock({shorten(node.schedule_block.name)})",
)
LINES.register(
    function.LoweredFunc,
    lambda node, show: f"function {shorten(node.name)} ({show(*node.args)})",
)
LINES.register(function.Module, lambda node, _: f"Module {shorten(node.name)}")
