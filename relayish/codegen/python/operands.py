"""Kinds that have nothing but operands: calls, tuples, references; and those that have none."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.codegen.python.forms import register_python_form
from relayish.codegen.python.literals import keywords, literal, tuple_of
from relayish.codegen.python.names import ProgramNames
from relayish.codegen.python.short_forms import short_form
from relayish.ir.relay.adt import Constructor
from relayish.ir.relay.expr import (
    Call,
    Constant,
    GlobalVar,
    Op,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
)


def _constant(constant: Constant, _: Sequence[str], names: ProgramNames) -> str:
    text = literal(constant.data)
    is_inline = text is not None and not text.startswith("np.array")
    return text if text and is_inline else names.constant(constant, text)


def _call(call: Call, operands: Sequence[str], names: ProgramNames) -> str:
    op, callee, args = call.op, operands[0], list(operands[1:])
    if isinstance(op, Op):
        return short_form(call, args) or _op_call(op, call, args, names)
    if call.attrs is not None and not isinstance(op, (Constructor, GlobalVar)):
        args = [names.give("attrs", call.attrs), callee, *args]
        callee = "call_with"
    return f"{callee}({', '.join(args)})"


def _op_call(op: Op, call: Call, args: list[str], names: ProgramNames) -> str:
    named = keywords(op, call.attrs)
    if named is None:
        assert call.attrs is not None
        named = [f"attrs={names.give('attrs', call.attrs)}"]
    return f"evaluate({', '.join([names.operator(op), *args, *named])})"


def _hint_of_call(call: Call) -> str:
    if isinstance(call.op, Op):
        return call.op.name.rpartition(".")[2]
    return call.op.name_hint.lower() if isinstance(call.op, Constructor) else "result"


register_python_form(Constant, _constant)
register_python_form(GlobalVar, lambda var, _, names: names.global_value(var))
register_python_form(Constructor, lambda made, _, names: names.constructor(made))
register_python_form(Op, lambda op, _, names: f"Operator({names.operator(op)})")
register_python_form(Call, _call, hint=_hint_of_call)
register_python_form(Tuple, lambda _, of, __: tuple_of(of), hint="fields")
register_python_form(TupleGetItem, lambda get, of, _: f"{of[0]}[{get.index}]", hint="field")
register_python_form(RefCreate, lambda _, of, __: f"RefValue({of[0]})", hint="ref")
register_python_form(RefRead, lambda _, of, __: f"{of[0]}.value", hint="content")
register_python_form(RefWrite, lambda _, of, __: f"write({of[0]}, {of[1]})", hint="written")
