"""Loops in pictures: what is written in boxes of functions, statements and expressions."""

from __future__ import annotations

from relayish.draw.readers.box_text import (
    BOX_TEXTS,
    BoxText,
    statement_text,
    whole_line,
    wrapped,
)
from relayish.ir.kinds.one_line import shorten
from relayish.tir.ir import expr, function, operators, stmt, tensor
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.operators import IntImm
from relayish.tir.text.spelling import spell_type
from relayish.tir.text.statement_forms import head_of


@BOX_TEXTS.register(function.LoweredFunc)
def _function(func: function.LoweredFunc) -> BoxText:
    axes = func.cuda_axis_info
    lines = () if axes is None else (f"grid {axes.grid}", f"block {axes.block}")
    return BoxText(f"function {func.name}", lines, func.name)


@BOX_TEXTS.register(stmt.For)
def _for(loop: stmt.For) -> BoxText:
    first, extent = loop.min, loop.extent
    if isinstance(first, IntImm) and isinstance(extent, IntImm):
        end = str(first.value + extent.value)
    elif isinstance(first, IntImm) and not first.value:
        end = whole_line(extent)
    else:
        end = f"{whole_line(first)} + {whole_line(extent)}"
    return _loop(loop, loop.loop_var.name, f"in [{whole_line(first)}, {end})")


@BOX_TEXTS.register(stmt.PolyFor)
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


@BOX_TEXTS.register(stmt.ScheduleBlockRealize)
def _block(block: stmt.ScheduleBlockRealize) -> BoxText:
    inner = block.schedule_block
    bound = zip(inner.iter_vars, block.iter_values, strict=False)
    lines = [
        f"{shorten(var.name)} = {whole_line(value)}{' (reduces)' if var.is_reduce_axis else ''}"
        for var, value in bound
    ]
    told = tuple([line for each in lines for line in wrapped(each)])
    return BoxText(f"block {inner.name}", told)


@BOX_TEXTS.register(stmt.ScheduleBlock)
def _schedule_block(block: stmt.ScheduleBlock) -> BoxText:
    return BoxText(f"block {block.name}", wrapped(", ".join([var.name for var in block.iter_vars])))


@BOX_TEXTS.register(stmt.IfThenElse)
def _if(branch: stmt.IfThenElse) -> BoxText:
    first, *more = wrapped(f"if {whole_line(branch.condition)}")
    return BoxText(first, tuple(more), "if", ("then", "else"))


@BOX_TEXTS.register(tensor.Store)
def _store(store: tensor.Store) -> BoxText:
    text = statement_text(store)
    return text._replace(name=f"store {getattr(store.tensor, 'name', '')}")


@BOX_TEXTS.register(stmt.Let)
def _let(let: stmt.Let) -> BoxText:
    return statement_text(let)._replace(name=f"let {let.symbol.name}", family="data")


@BOX_TEXTS.register(expr.Call)
@BOX_TEXTS.register(expr.PrimitiveNode)
def _call(call: expr.Call | expr.PrimitiveNode) -> BoxText:
    return BoxText(call.name, wrapped(whole_line(call)))


def _memory(place: tensor.Buffer | tensor.Tensor) -> str:
    sizes = ", ".join([whole_line(size) for size in place.shape])
    return f"{spell_type(place.dtype)}[{sizes}]"


@BOX_TEXTS.register(tensor.Buffer)
def _buffer(buffer: tensor.Buffer) -> BoxText:
    where = [buffer.scope] if buffer.scope else []
    return BoxText(buffer.name or "_", (*wrapped(_memory(buffer)), *where))


@BOX_TEXTS.register(tensor.Var)
def _variable(var: tensor.Var) -> BoxText:
    return BoxText(var.name or "_", (spell_type(var.dtype),))


@BOX_TEXTS.register(tensor.Tensor)
def _tensor(of: tensor.Tensor) -> BoxText:
    return BoxText(of.name, wrapped(_memory(of)))


@BOX_TEXTS.register(expr.Reduce)
def _reduce(reduce: expr.Reduce) -> BoxText:
    over = [_axis(var) for var in reduce.reduce_axis]
    title = f"reduce {reduce.reduce_type.value}"
    return BoxText(title, wrapped(", ".join(over)), family="reduction")


def _axis(var: tensor.Var) -> str:
    if var.lower_bound is None or var.upper_bound is None:
        return var.name
    return f"{var.name} in [{whole_line(var.lower_bound)}, {whole_line(var.upper_bound)})"


@BOX_TEXTS.register(operators.Cast)
def _cast(cast: operators.Cast) -> BoxText:
    return BoxText("cast", (spell_type(cast.dtype),), family="quantization")


@BOX_TEXTS.register(operators.Ramp)
@BOX_TEXTS.register(operators.Broadcast)
def _lanes(of: operators.Ramp | operators.Broadcast) -> BoxText:
    return BoxText(type(of).visit_name, (f"lanes = {of.lanes}",), family="shape")


@BOX_TEXTS.register(stmt.Alloc)
@BOX_TEXTS.register(stmt.Free)
def _memory_of(statement: stmt.Alloc | stmt.Free) -> BoxText:
    return statement_text(statement)._replace(family="memory")


BOX_TEXTS.register(Stmt, statement_text)
BOX_TEXTS.register(function.Module, lambda module: BoxText(f"Module {module.name}"))
BOX_TEXTS.register(operators.Select, lambda _: BoxText("select", family="comparison"))
