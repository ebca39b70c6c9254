"""Loops in pictures: what is written in boxes of functions, statements and expressions."""

from __future__ import annotations

from typing import Final

from relayish.draw.readers.box_text import (
    BOX_TEXTS,
    BoxText,
    BoxTextOf,
    statement_text,
    whole_line,
    wrapped,
)
from relayish.ir.kinds.one_line import shorten
from relayish.ir.nodes.node import Node
from relayish.tir.ir import expr, function, operators, stmt, tensor
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.operators import IntImm
from relayish.tir.text.spelling import spell_type
from relayish.tir.text.statement_forms import head_of


def _function(func: function.LoweredFunc) -> BoxText:
    axes = func.cuda_axis_info
    lines = () if axes is None else (f"grid {axes.grid}", f"block {axes.block}")
    return BoxText(f"function {func.name}", lines, func.name)


def _for(loop: stmt.For) -> BoxText:
    first, extent = loop.min, loop.extent
    if isinstance(first, IntImm) and isinstance(extent, IntImm):
        end = str(first.value + extent.value)
    elif isinstance(first, IntImm) and not first.value:
        end = whole_line(extent)
    else:
        end = f"{whole_line(first)} + {whole_line(extent)}"
    return _loop(loop, loop.loop_var.name, f"in [{whole_line(first)}, {end})")


def _poly_for(loop: stmt.PolyFor) -> BoxText:
    told = (
        f"= {whole_line(loop.init)} while {whole_line(loop.condition)}, by {whole_line(loop.inc)}"
    )
    return _loop(loop, loop.iterator.name, told)


def _loop(loop: stmt.For | stmt.PolyFor, variable: str, ranges: str) -> BoxText:
    name = f"for {shorten(variable)}"
    first, *more = wrapped(f"{name} {ranges}")
    how = head_of(loop)[0].removesuffix("for (").strip()  # type: ignore[arg-type]  # both have it
    lines = [] if how in ("", "serial", "default") else [how]
    return BoxText(first, tuple(more + lines), name)


def _block(block: stmt.ScheduleBlockRealize) -> BoxText:
    inner = block.schedule_block
    bound = zip(inner.iter_vars, block.iter_values, strict=False)
    lines = [
        f"{shorten(var.name)} = {whole_line(value)}{' (reduces)' if var.is_reduce_axis else ''}"
        for var, value in bound
    ]
    told = tuple([line for each in lines for line in wrapped(each)])
    return BoxText(f"block {inner.name}", told)


def _schedule_block(block: stmt.ScheduleBlock) -> BoxText:
    return BoxText(f"block {block.name}", wrapped(", ".join([var.name for var in block.iter_vars])))


def _if(branch: stmt.IfThenElse) -> BoxText:
    first, *more = wrapped(f"if {whole_line(branch.condition)}")
    return BoxText(first, tuple(more), "if", ("then", "else"))


def _store(store: tensor.Store) -> BoxText:
    text = statement_text(store)
    return text._replace(name=f"store {getattr(store.tensor, 'name', '')}")


def _let(let: stmt.Let) -> BoxText:
    return statement_text(let)._replace(name=f"let {let.symbol.name}", family="data")


def _call(call: expr.Call | expr.PrimitiveNode) -> BoxText:
    return BoxText(call.name, wrapped(whole_line(call)))


def _memory(place: tensor.Buffer | tensor.Tensor) -> str:
    sizes = ", ".join([whole_line(size) for size in place.shape])
    return f"{spell_type(place.dtype)}[{sizes}]"


def _buffer(buffer: tensor.Buffer) -> BoxText:
    where = [buffer.scope] if buffer.scope else []
    return BoxText(buffer.name or "_", (*wrapped(_memory(buffer)), *where))


def _variable(var: tensor.Var) -> BoxText:
    return BoxText(var.name or "_", (spell_type(var.dtype),))


def _tensor(of: tensor.Tensor) -> BoxText:
    return BoxText(of.name, wrapped(_memory(of)))


def _reduce(reduce: expr.Reduce) -> BoxText:
    over = [_axis(var) for var in reduce.reduce_axis]
    title = f"reduce {reduce.reduce_type.value}"
    return BoxText(title, wrapped(", ".join(over)), family="reduction")


def _axis(var: tensor.Var) -> str:
    if var.lower_bound is None or var.upper_bound is None:
        return var.name
    return f"{var.name} in [{whole_line(var.lower_bound)}, {whole_line(var.upper_bound)})"


def _cast(cast: operators.Cast) -> BoxText:
    return BoxText("cast", (spell_type(cast.dtype),), family="quantization")


def _lanes(of: operators.Ramp | operators.Broadcast) -> BoxText:
    return BoxText(type(of).visit_name, (f"lanes = {of.lanes}",), family="shape")


def _memory_of(statement: stmt.Alloc | stmt.Free) -> BoxText:
    return statement_text(statement)._replace(family="memory")


_TEXTS: Final[dict[type[Node], BoxTextOf]] = {
    Stmt: statement_text,
    function.LoweredFunc: _function,
    function.Module: lambda module: BoxText(f"Module {module.name}"),
    stmt.For: _for,
    stmt.PolyFor: _poly_for,
    stmt.ScheduleBlockRealize: _block,
    stmt.ScheduleBlock: _schedule_block,
    stmt.IfThenElse: _if,
    stmt.Let: _let,
    tensor.Store: _store,
    tensor.Buffer: _buffer,
    tensor.Var: _variable,
    tensor.Tensor: _tensor,
    expr.Call: _call,
    expr.PrimitiveNode: _call,
    expr.Reduce: _reduce,
    operators.Select: lambda _: BoxText("select", family="comparison"),
    operators.Cast: _cast,
    operators.Ramp: _lanes,
    operators.Broadcast: _lanes,
    stmt.Alloc: _memory_of,
    stmt.Free: _memory_of,
}
for _kind, _text in _TEXTS.items():
    BOX_TEXTS.register(_kind, _text)
