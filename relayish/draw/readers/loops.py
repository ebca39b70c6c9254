"""Loops in pictures: what is written in boxes of functions, statements and expressions.

With ``work=True`` a loop tells what it does, and which parts of which buffers it touches each time
it is run; a schedule is drawn so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from relayish.draw.diagram import Diagram
from relayish.draw.readers.box_text import (
    BOX_TEXTS,
    BoxText,
    statement_text,
    whole_line,
    wrapped,
)
from relayish.draw.readers.generic import read_node
from relayish.draw.readers.statements import NotesOf, read_statements
from relayish.draw.readers.table import READERS
from relayish.ir.kinds.one_line import shorten
from relayish.ir.nodes.node import Node
from relayish.tir.analysis.work.count_work import count_work
from relayish.tir.analysis.work.work import LoopWork, Work, digits
from relayish.tir.ir import expr, function, operators, stmt, tensor
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.operators import IntImm
from relayish.tir.schedule.schedule import Schedule
from relayish.tir.text.spelling import spell_type
from relayish.tir.text.statement_forms import head_of


@READERS.register(function.LoweredFunc)
@READERS.register(Stmt)
def read_loops(
    node: function.LoweredFunc | Stmt,
    *,
    title: str = "",
    work: bool = False,
    sizes: Mapping[tensor.Var | str, int] | None = None,
) -> Diagram:
    """Return the diagram of a function of loops, or of statements.

    Args:
        node: The function, or a statement.
        title: What stands above the diagram; what the node says, if not given.
        work: Whether loops tell what they do, as :func:`~relayish.tir.analysis.count_work` counts.
        sizes: Values of scalars that the function is given.

    Complexity:
        Linear in the program, and in the buffers that each loop touches; no recursion.
    """
    if not work:
        return read_node(node, title=title)
    told = count_work(node, sizes)
    diagram = read_statements(node, title, _notes_of(told))
    return replace(diagram, notes=_notes_of_all(told))


@READERS.register(Schedule)
def read_schedule(schedule: Schedule, *, title: str = "", work: bool = True) -> Diagram:
    """Return the diagram of the function that a schedule holds now.

    Args:
        schedule: The schedule.
        title: What stands above the diagram; what the function says, if not given.
        work: Whether loops tell what they do.
    """
    return read_loops(schedule.func, title=title, work=work)


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


def _notes_of(work: Work) -> NotesOf:
    """Return what tells of loops what they do, met in order."""
    loops = iter([each for each in work.loops if not isinstance(each.loop, expr.Reduce)])

    def notes(node: Node) -> Sequence[str]:
        return [*_work_of(next(loops))] if isinstance(node, (stmt.For, stmt.PolyFor)) else []

    return notes


def _work_of(loop: LoopWork) -> Iterator[str]:
    """Yield what a loop does in all, then what it touches each time."""
    done = loop.operations
    what = [(loop.iterations, "iterations"), (done.flops, "flops")]
    if not done.flops.terms:
        what[1] = done.integer_operations, "integer operations"
    yield from [f"{digits(count)} {name}" for count, name in what if count.terms]
    for each in loop.footprints:
        verbs = [
            verb for verb, count in (("reads", each.reads), ("writes", each.writes)) if count.terms
        ]
        yield f"{' and '.join(verbs)} {shorten(each.buffer.name)}: {digits(each.bytes)} B"


def _notes_of_all(work: Work) -> dict[str, str]:
    """Return what there is to tell of a function: what it does in all."""
    done = work.operations
    what = {
        "flops": work.flops,
        "loads": done.loads,
        "stores": done.stores,
        "bytes touched": work.bytes,
    }
    found = {name: digits(count) for name, count in what.items() if count.terms}
    if work.flops.number and work.bytes.number:
        found["flops per byte"] = f"{work.intensity:.3g}"
    return found


BOX_TEXTS.register(Stmt, statement_text)
BOX_TEXTS.register(function.Module, lambda module: BoxText(f"Module {module.name}"))
BOX_TEXTS.register(operators.Select, lambda _: BoxText("select", family="comparison"))
