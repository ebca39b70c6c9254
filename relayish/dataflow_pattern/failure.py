"""Failures of a match: the tests that patterns make, and what is told of one that did not hold.

The matcher names the test that failed, and that is all; only who explains a match asks what was
expected, and what was found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

from relayish.dataflow_pattern.attributes import ABSENT, find_difference
from relayish.dataflow_pattern.explanation import counted, short
from relayish.dataflow_pattern.node_pattern import fields_to_match
from relayish.dataflow_pattern.pattern import (
    AttrPattern,
    CallPattern,
    DataTypePattern,
    DFPattern,
    DominatorPattern,
    ExprPattern,
    ShapePattern,
    TupleGetItemPattern,
    TypePattern,
    VarPattern,
    WildcardPattern,
)
from relayish.errors import indefinite
from relayish.ir.equality.structural_equal import first_mismatch
from relayish.ir.fields.naming import brief
from relayish.ir.kinds.one_line import one_line, one_line_at
from relayish.ir.relay.expr import Call, Let, TupleGetItem, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TensorType

# Any, here and below: nodes of whatever language, patterns of one kind


class Met(NamedTuple):
    """A pattern and a node that does not match it, with what is asked to tell why.

    Attributes:
        held: What the pattern stands for, where it was bound before; of a dominator pattern, what
            its parent does.
        matcher: What tried to match them.
    """

    pattern: Any
    node: Any
    held: Any
    matcher: Any


Tell: TypeAlias = Callable[[Met], tuple[str, str]]
"""What was expected, and what was found."""


class Failed:
    """What a step returns that does not lead on: the test that did not hold.

    Args:
        tell: What is told of it.
        rank: How much of the part itself had held by then.
    """

    __slots__ = ("rank", "tell")

    def __init__(self, tell: Tell, rank: int = 0) -> None:
        self.tell = tell
        self.rank = rank


def _found(met: Met) -> str:
    """Return what was met, and of a variable that a let binds what it stands for."""
    shown = one_line_at(met.node)
    if type(met.node) is not Var:
        return shown
    program = EXPRESSIONS.pre_order(met.matcher.root)
    lets = (each for each in program if type(each) is Let and each.var is met.node)
    let = next(lets, None)
    if let is None:
        return shown
    return f"{shown}, bound to {one_line(let.value)} by a let: run ToGraphNormalForm first"


def _tell_callee(met: Met) -> tuple[str, str]:
    pattern: CallPattern = met.pattern
    of_any = type(pattern.op) is WildcardPattern and pattern.op.pattern is None
    return "a call" if of_any else f"a call of {short(pattern.op)}", _found(met)


def _tell_count(met: Met) -> tuple[str, str]:
    pattern: CallPattern = met.pattern
    call: Call = met.node
    return counted(len(pattern.args), "operand"), f"{len(call.args)} in {_found(met)}"


def _tell_variable(met: Met) -> tuple[str, str]:
    pattern: VarPattern = met.pattern
    return f"the variable {pattern}" if pattern.name else "a variable", _found(met)


def _tell_constant(met: Met) -> tuple[str, str]:
    return "a constant", _found(met)


def _tell_value(met: Met) -> tuple[str, str]:
    pattern: ExprPattern = met.pattern
    expected, found = one_line(pattern.expr), _found(met)
    differs = first_mismatch(pattern.expr, met.node) if one_line(met.node) == expected else None
    return expected, found if differs is None else f"{found}: {differs.reason} at {differs.path}"


def _tell_kind(met: Met) -> tuple[str, str]:
    return indefinite(fields_to_match(met.pattern)[0]), _found(met)


def _tell_length(met: Met) -> tuple[str, str]:
    for name, inner in fields_to_match(met.pattern)[1]:
        held = getattr(met.node, name)
        if not isinstance(inner, DFPattern) and len(inner) != len(held):
            return f"{len(inner)} of its {name}", f"{len(held)} in {_found(met)}"
    raise AssertionError("a field of another length was met")


def _tell_projection(met: Met) -> tuple[str, str]:
    pattern: TupleGetItemPattern = met.pattern
    if type(met.node) is not TupleGetItem:
        return "a projection of a tuple", _found(met)
    return f"field {pattern.index} of a tuple", f"field {met.node.index}: {_found(met)}"


def _tell_attribute(met: Met) -> tuple[str, str]:
    pattern: AttrPattern = met.pattern
    difference = find_difference(met.node, pattern.attrs)
    assert difference is not None, "an attribute differs, or this would have matched"
    name, wanted, found = difference
    has = f"no {name}" if found is ABSENT else f"{name} = {brief(found)}"
    return f"{name} = {brief(wanted)}", f"{has} in {_found(met)}"


def _tell_type(met: Met) -> tuple[str, str]:
    ty = getattr(met.node, "checked_type", None)  # other languages tell them otherwise
    if ty is None:
        ty = met.matcher.types.of(met.node)
    shown, is_tensor = str(ty), type(ty) is TensorType
    match met.pattern:
        case TypePattern() as pattern:
            expected = f"type {pattern.type}"
        case DataTypePattern() as pattern:
            expected, shown = f"dtype {pattern.dtype}", ty.dtype if is_tensor else shown
        case ShapePattern() as pattern:
            shape = list(map(str, ty.shape)) if is_tensor else []
            expected = f"shape ({', '.join(map(str, pattern.shape))})"
            shown = f"({', '.join(shape)})" if is_tensor else shown
    if ty is None:
        can_be = ": run InferType first" if hasattr(met.node, "checked_type") else ""
        return expected, f"no inferred type of {_found(met)}{can_be}"
    return expected, f"{shown} of {_found(met)}"


def _tell_way(met: Met) -> tuple[str, str]:
    pattern: DominatorPattern = met.pattern
    found = met.matcher.dominance().tell_escape(pattern, met.node, met.held)
    path, parent, child = short(pattern.path), short(pattern.parent), one_line(met.node)
    way = f"every way back from {child}, over {path}, to lead to one {parent} used nowhere else"
    return way, found


def _tell_demand(met: Met) -> tuple[str, str]:
    return f"what {short(met.pattern)} demands", _found(met)


def _tell_bound(met: Met) -> tuple[str, str]:
    return f"the same node as before, {one_line_at(met.held)}", f"{_found(met)}, another one"


def _tell_nothing(_: Met) -> tuple[str, str]:
    raise AssertionError("what failed before is told where it did")


NO_CALL: Final = Failed(_tell_callee)
OTHER_CALLEE: Final = Failed(_tell_callee, 1)
OTHER_COUNT: Final = Failed(_tell_count, 2)
NO_VARIABLE: Final = Failed(_tell_variable)
NO_CONSTANT: Final = Failed(_tell_constant)
OTHER_VALUE: Final = Failed(_tell_value)
OTHER_KIND: Final = Failed(_tell_kind)
OTHER_LENGTH: Final = Failed(_tell_length, 1)
NO_PROJECTION: Final = Failed(_tell_projection)
OTHER_ATTRIBUTE: Final = Failed(_tell_attribute, 3)
OTHER_TYPE: Final = Failed(_tell_type, 3)
ASTRAY: Final = Failed(_tell_way, 3)
NOT_DEMANDED: Final = Failed(_tell_demand)
BOUND_OTHERWISE: Final = Failed(_tell_bound)
FAILED_BEFORE: Final = Failed(_tell_nothing)
"""A pattern that is known not to match the same node."""
LEFT_BEFORE: Final = Failed(_tell_nothing)
"""A pattern that matches in another way, with the same bindings: what follows failed before."""
