"""Narrowing of integers: loops and indices of 64 bits that need no more than 32 have 32.

Before::

    serial for (i, 0ll, 16ll)
    {
      A[((i * 4ll) + 3ll)] = (B[i] + float32(i))
    }

After::

    serial for (i, 0, 16)
    {
      A[((i * 4) + 3)] = (B[i] + float32(int64(i)))
    }
"""

from __future__ import annotations

from typing import Any, Final

from relayish.dataflow.lattice.interval import Interval, add
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import operands
from relayish.pass_infra import register_pass
from relayish.passes.loops.simplify.fold_rules import fold_literals
from relayish.rewriting.rules import RuleSet
from relayish.tir.analysis.facts.scopes import statements_with_contexts
from relayish.tir.analysis.linear.bounds import interval_of
from relayish.tir.analysis.values.context import Context
from relayish.tir.analysis.values.interval import type_range
from relayish.tir.ir import operators as ops
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Cast, Expr
from relayish.tir.ir.stmt import For, ScheduleBlockRealize
from relayish.tir.ir.tensor import Load, Store, Tensor, Var
from relayish.tir.ir.traversal import STATEMENTS
from relayish.tir.ir.type import INT32, INT64
from relayish.tir.rewriting.attribute import VALUES
from relayish.tir.rewriting.facts import Facts
from relayish.tir.rewriting.walk import Simplification, apply_simplification
from relayish.tir.substitution import substitute


@register_pass("LongLong2Int", opt_level=1, idempotent=True)
def narrow_integers(func: LoweredFunc) -> LoweredFunc:
    """Narrowing of integers: count and index in 32 bits where intervals prove that these suffice.

    Variables of loops and of schedule blocks, indices, and operands of comparisons become ``int32``
    where each value on the way is one. What is stored stays what it is: a variable that is used as
    a value is converted there. Arguments, and what memory holds, keep their types.

    Returns:
        ``func`` itself when nothing is narrowed.

    Complexity:
        Linear in the number of distinct nodes, and the depth of indices; no recursion.

    Source:
        CINN ``TryCastLonglong2Int``, which asks for the product of the extents of loops alone.
    """
    return apply_simplification(_narrow_variables(func), _SIMPLIFICATION)


_NARROW: Final = type_range(INT32)


def _narrow_variables(func: LoweredFunc) -> LoweredFunc:
    """Return a function whose loops and blocks count in 32 bits, converted where they are used."""
    fits: dict[Var, bool] = {}
    for stmt, context in statements_with_contexts(func):
        for var, found in _ranges(stmt, context):
            fits[var] = fits.get(var, True) and _NARROW.covers(found)
    made = {
        var: Var(var.name, INT32, *_narrow_bounds(var), var.is_reduce_axis, var.tag)
        for var, holds in fits.items()
        if holds
    }
    if not made:
        return func
    images: dict[Node, Any] = {}  # Any: statements
    for each in STATEMENTS.post_order(func.body):
        image: Any = STATEMENTS.rebuild[type(each)](each, images.get)
        if isinstance(image, For) and image.loop_var in made:
            low, extent = _cast(image.min), _cast(image.extent)
            image = image.with_fields(loop_var=made[image.loop_var], min=low, extent=extent)
        elif isinstance(image, ScheduleBlockRealize):
            image = _narrow_block(image, made)
        images[each] = image
    wide: dict[Node, Node] = {var: Cast(INT64, narrow) for var, narrow in made.items()}
    return func.with_fields(body=substitute(images[func.body], wide))


def _narrow_block(realize: ScheduleBlockRealize, made: dict[Var, Var]) -> ScheduleBlockRealize:
    block = realize.schedule_block
    pairs = zip(block.iter_vars, realize.iter_values, strict=True)
    values = tuple([_cast(value) if var in made else value for var, value in pairs])
    variables = tuple([made.get(var, var) for var in block.iter_vars])
    if variables == block.iter_vars:
        return realize
    block = block.with_fields(iter_vars=variables)
    return realize.with_fields(iter_values=values, schedule_block=block)


def _ranges(stmt: Node, context: Context) -> list[tuple[Var, Interval]]:
    """Return the variables of 64 bits that a statement counts by, and where they lie."""
    match stmt:
        case For() if stmt.loop_var.type == stmt.min.type == stmt.extent.type == INT64:
            low, count = interval_of(stmt.min, context), interval_of(stmt.extent, context)
            return [(stmt.loop_var, Interval(min(low.low, count.low), _last(low, count)))]
        case ScheduleBlockRealize():
            pairs = zip(stmt.schedule_block.iter_vars, stmt.iter_values, strict=False)
            return [
                (var, interval_of(value, context))
                for var, value in pairs
                if var.type == value.type == INT64
            ]
    return []


def _last(low: Interval, count: Interval) -> int:
    """Return what the beginning and the number of iterations are at most, and the end of these."""
    return max(low.high, count.high, add(low, count).high)


def _narrow_bounds(var: Var) -> tuple[Expr | None, Expr | None]:
    ends = (var.lower_bound, var.upper_bound)
    lower, upper = [end if end is None else _cast(end) for end in ends]
    return lower, upper


def _cast(expr: Expr) -> Expr:
    return fold_literals(Cast(INT32, expr)) if expr.type == INT64 else expr


def narrow(expr: Expr, facts: Facts) -> Expr | None:
    """Return an integer of 64 bits in 32, if all that it is computed of is such, and converted."""
    images: dict[Node, Expr] = {}
    for node in VALUES.order_after(expr, _operands_of_64):
        assert isinstance(node, Expr)
        if not _NARROW.covers(facts.interval(node)):
            return None
        if isinstance(node, _COMPUTED):
            images[node] = VALUES.rebuild[type(node)](node, lambda each, _: images[each])
        elif isinstance(node, Cast) and node.v.type.is_integer and _is_narrow(node.v):
            images[node] = node.v if node.v.type == INT32 else Cast(INT32, node.v)
        elif ops.integer_of(node) is not None:
            images[node] = _cast(node)
        else:
            return None  # it would have to be converted
    return images[expr]


_COMPUTED: Final = (ops.Add, ops.Sub, ops.Mul, ops.Div, ops.Mod, ops.Min, ops.Max, ops.Minus)


def _operands_of_64(node: Node) -> tuple[Node, ...]:
    return operands(node) if isinstance(node, _COMPUTED) else ()


def _is_narrow(expr: Expr) -> bool:
    return expr.type.is_scalar and not expr.type.is_bool and _NARROW.covers(type_range(expr.type))


def _narrow_indices(access: Load | Store, facts: Facts) -> Load | Store:
    """Index by 32 bits."""
    if not isinstance(access.tensor, Tensor):
        return access
    found = [narrow(index, facts) if index.type == INT64 else None for index in access.indices]
    if not any(found):
        return access
    pairs = zip(found, access.indices, strict=True)
    return access.with_fields(indices=tuple([new or index for new, index in pairs]))


def _narrow_comparison(comparison: ops.ComparisonNode, facts: Facts) -> Expr:
    """Compare in 32 bits."""
    if comparison.a.type != INT64 or comparison.b.type != INT64:
        return comparison
    a, b = narrow(comparison.a, facts), narrow(comparison.b, facts)
    return comparison if a is None or b is None else type(comparison)(a, b)


def _narrow_cast(cast: Cast, facts: Facts) -> Expr:
    """Compute in 32 bits what is converted to these."""
    if cast.type != INT32 or cast.v.type != INT64 or not isinstance(cast.v, (*_COMPUTED, Cast)):
        return cast
    found = narrow(cast.v, facts)
    return cast if found is None else found


_SIMPLIFICATION: Final = Simplification(
    RuleSet.by_key(
        {
            Load: (_narrow_indices,),
            Store: (_narrow_indices,),
            ops.ComparisonNode: (_narrow_comparison,),
            Cast: (_narrow_cast,),
        }
    )
)
