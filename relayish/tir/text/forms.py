"""Forms of nodes by kind: CINN's, and notes beside them.

Where CINN's printer leaves out a parenthesis, or writes nothing at all, the form is mended:

* ``cinn_buffer_get_data_handle(...)`` has its opening parenthesis;
* a ``ScheduleBlock`` outside of a realize, of which CINN writes nothing, is ``bare ScheduleBlock``;
* strings have escapes, and names that are none of C stand in quotes, ``#"odd name"``;
* infinities of 16 bits keep their sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.nodes.node import Node
from relayish.text.literals import quote
from relayish.tir.ir import expr, operators, stmt, tensor
from relayish.tir.ir.flags import CallType
from relayish.tir.ir.lines import SIGNS
from relayish.tir.ir.type import INT32, VOID, Type
from relayish.tir.text.literals import (
    literal_text,
    note_of_literal,
    takes_type_of,
    would_take_type_of,
)
from relayish.tir.text.spelling import REDUCE_NAMES, is_type_name, spell_name, spell_type
from relayish.tir.text.writer import FORMS, Form, Piece, Writer

Pieces = Sequence[Piece]


def join(nodes: Sequence[Node], between: str = ", ") -> list[Piece]:
    """Return nodes with ``between`` between them."""
    found: list[Piece] = []
    for node in nodes:
        if found:
            found.append(between)
        found.append(node)
    return found


# Numbers, operators


def _literal(writer: Writer, node: Any) -> Pieces:  # Any: a literal, of three kinds
    note = note_of_literal(node, is_explicit=node in writer.explicit)
    if note:
        writer.note(note)
    return (literal_text(node),)


def _string(writer: Writer, node: operators.StringImm) -> Pieces:
    del writer
    return (quote(node.value),)


def operand(writer: Writer, node: Node, beside: Node) -> Piece:
    """Return an operand; a literal that takes the type of the other one tells no more."""
    if takes_type_of(node, beside) and node not in writer.plan.named:
        return literal_text(node)
    if would_take_type_of(node, beside):
        writer.explicit.add(node)
    return node


def _infix(sign: str, note: str, writer: Writer, node: operators.BinaryOpNode) -> Pieces:
    if note:
        writer.note(note)
    a, b = node.a, node.b
    return ("(", operand(writer, a, b), sign, operand(writer, b, a), ")")


def _prefix_call(name: str, writer: Writer, node: operators.BinaryOpNode) -> Pieces:
    a, b = node.a, node.b
    return (name, operand(writer, a, b), ", ", operand(writer, b, a), ")")


def _nary(sign: str, note: str, writer: Writer, node: operators.NaryOpNode) -> Pieces:
    count = len(node.operands)
    if (count == 2 or note != "kind=sum") and count <= 2 and (count == 2 or note):
        writer.note(note)
    return ("(", *join(node.operands, sign), ")")


def _cast(writer: Writer, node: operators.Cast) -> Pieces:
    spelt = spell_type(node.dtype)
    if not is_type_name(spelt):
        spelt = call_name(node.dtype.element)
        writer.note("kind=cast")
    return (spelt, "(", node.v, ")")


def _select(writer: Writer, node: operators.Select) -> Pieces:
    yes, no = node.true_value, node.false_value
    arms = (operand(writer, yes, no), ", ", operand(writer, no, yes))
    return ("select(", node.condition, ", ", *arms, ")")


def _ramp(writer: Writer, node: operators.Ramp) -> Pieces:
    del writer
    return ("Ramp(", node.base, ",", node.stride, f",{node.lanes})")


def _broadcast(writer: Writer, node: operators.Broadcast) -> Pieces:
    del writer
    return ("Broadcast(", node.value, f",{node.lanes})")


def _reduce(writer: Writer, node: expr.Reduce) -> Pieces:
    mark = writer.mark()
    if node.reduce_axis:
        axes = ", ".join([writer.bind(axis) for axis in node.reduce_axis])
        writer.note(f"axes=[{axes}]")
    return (f"Reduce({REDUCE_NAMES[node.reduce_type]}, ", node.body, mark, ",", node.init, ")")


def _call(writer: Writer, node: expr.Call) -> Pieces:
    default = node.read_args[0].type if node.read_args else VOID
    notes = [f"dtype={spell_type(node.dtype)}"] if node.dtype != default else []
    if node.write_args:
        notes.append(f"writes={len(node.write_args)}")
    if node.call_type is not CallType.EXTERN:
        notes.append(f"call_type={node.call_type.value}")
    if node.func is not None:
        notes.append(f"func={writer.refer(node.func)}")
    if node.value_index != -1:
        notes.append(f"value_index={node.value_index}")
    notes += attrs_note(writer, node.attrs)
    if notes:
        writer.note(", ".join(notes))
    args = (*node.read_args, *node.write_args)
    return (f"{call_name(node.name)}(", *join(args), ")")


def attrs_note(writer: Writer, attrs: DictAttrs | None) -> list[str]:
    """Return what is noted of attributes, if there are any."""
    return [] if attrs is None else [f"attrs={writer.value(attrs)}"]


def call_name(name: str) -> str:
    """Return the name of what is called; in quotes where it would mean something else."""
    meant = name in SPECIAL_CALLS or is_type_name(name) or name.startswith(SPECIAL_PREFIXES)
    return f"#{quote(name)}" if meant else spell_name(name)


SPECIAL_CALLS: Final = frozenset(
    [
        "cinn_min",
        "cinn_max",
        "get_addr",
        "cinn_args_construct",
        "cinn_buffer_get_data_handle",
        "cinn_buffer_get_data_const_handle",
        "cinn_buffer_t::new_",
        "argument_group",
        "placeholder_op",
        "compute_op",
        "call_op",
        "preceding_view_op",
        "buffer_share_op",
    ]
)
SPECIAL_PREFIXES: Final = ("pod_value_to_", "cinn_builtin_intrin_", "cinn::common::raw_uint16_to_")


def _primitive(writer: Writer, node: expr.PrimitiveNode) -> Pieces:
    groups = ", ".join([str(len(group.values)) for group in node.arguments])
    notes = [f"kind=primitive_node, groups=[{groups}]", *attrs_note(writer, node.attrs)]
    if node.dtype != VOID:
        notes.append(f"dtype={spell_type(node.dtype)}")
    writer.note(", ".join(notes))
    values = [value for group in node.arguments for value in group.values]
    return (f"{call_name(node.name)}(", *join(values, ","), ")")


def _group(writer: Writer, node: expr.ArgumentGroup) -> Pieces:
    del writer
    return ("argument_group(", *join(node.values), ")")


# Memory


def _name(writer: Writer, node: Node) -> Pieces:
    return (writer.refer(node),)


def _address(writer: Writer, node: Node) -> Piece:
    """Return what is loaded from or stored to."""
    kind = type(node)
    if kind is tensor.Tensor:
        return writer.refer(node)
    if isinstance(node, tensor.Var):
        return writer.refer_to_address(node)
    if kind in _NO_ADDRESS or kind is operators.Minus:
        return writer.refer(node)
    return node


_NO_ADDRESS: Final = frozenset(
    {
        operators.Not,
        operators.IntImm,
        operators.UIntImm,
        operators.FloatImm,
        operators.StringImm,
        tensor.BufferRange,
    }
)


def _load(writer: Writer, node: tensor.Load) -> Pieces:
    return (_address(writer, node.tensor), "[", *join(node.indices), "]")


def _store(writer: Writer, node: tensor.Store) -> Pieces:
    value = operand(writer, node.value, node.tensor)
    return (_address(writer, node.tensor), "[", *join(node.indices), "] = ", value)


def _tensor(writer: Writer, node: tensor.Tensor) -> Pieces:
    return (f"Tensor({writer.refer(node)}, [", *join(node.shape, ","), "])")


def _buffer(writer: Writer, node: tensor.Buffer) -> Pieces:
    text = writer.refer(node)
    return ("_Buffer_<cinn_buffer_t*: ", *join(node.shape, ","), f">({text})")


def _buffer_range(writer: Writer, node: tensor.BufferRange) -> Pieces:
    notes = [] if type(node.buffer) is tensor.Buffer else ["kind=buffer_range"]
    types = [spell_type(var.dtype) for var in node.ranges]
    if any(var.dtype != range_type(var.lower_bound, var.upper_bound) for var in node.ranges):
        notes.append(f"dtypes=[{', '.join(types)}]")
    if notes:
        writer.note(", ".join(notes))
    pieces: list[Piece] = [writer.refer(node.buffer), "["]
    for place, var in enumerate(node.ranges):
        if var.is_reduce_axis or var.tag:
            writer.plan.singular.setdefault(var)
        between = ", " if place else ""
        low: Piece = "undefined" if var.lower_bound is None else var.lower_bound
        high: Piece = "undefined" if var.upper_bound is None else var.upper_bound
        pieces += [f"{between}{writer.name_once(var)}(", low, ":", high, ")"]
    return (*pieces, "]")


def range_type(lower: operators.Expr | None, upper: operators.Expr | None) -> Type:
    """Return the type that the variable of a range has by its bounds."""
    bound = lower if lower is not None else upper
    return INT32 if bound is None else bound.type


def _free(writer: Writer, node: stmt.Free) -> Pieces:
    return ("free(", _destination(writer, node.destination), ")")


def _alloc(writer: Writer, node: stmt.Alloc) -> Pieces:
    notes = []
    if node.condition is not None:
        notes.append(f"condition={writer.refer(node.condition)}")
    if node.body is not None:
        notes.append(f"body={writer.refer(node.body)}")
    if notes:
        writer.note(", ".join(notes))
    return ("alloc(", _destination(writer, node.destination), ", ", *join(node.extents), ")")


def _destination(writer: Writer, node: Node) -> Piece:
    return writer.refer(node) if type(node) is tensor.Buffer else node


_ENTRIES: dict[type[Node], Form] = {
    operators.IntImm: _literal,
    operators.UIntImm: _literal,
    operators.FloatImm: _literal,
    operators.StringImm: _string,
    operators.Min: partial(_prefix_call, "cinn_min("),
    operators.Max: partial(_prefix_call, "cinn_max("),
    operators.Minus: lambda _, node: ("-(", node.v, ")"),
    operators.Not: lambda _, node: ("!", node.v),
    operators.Sum: partial(_nary, " + ", "kind=sum"),
    operators.Product: partial(_nary, " * ", "kind=product"),
    operators.Cast: _cast,
    operators.Select: _select,
    operators.Ramp: _ramp,
    operators.Broadcast: _broadcast,
    expr.Reduce: _reduce,
    expr.Call: _call,
    expr.PrimitiveNode: _primitive,
    expr.ArgumentGroup: _group,
    tensor.Var: _name,
    tensor.Load: _load,
    tensor.Store: _store,
    tensor.Tensor: _tensor,
    tensor.Buffer: _buffer,
    tensor.BufferRange: _buffer_range,
    stmt.Alloc: _alloc,
    stmt.Free: _free,
    **{kind: partial(_infix, f" {sign} ", "") for kind, sign in SIGNS.items()},
    operators.FracOp: partial(_infix, " / ", "kind=frac_op"),
}
for _kind, _form in _ENTRIES.items():
    FORMS.register(_kind, _form)
