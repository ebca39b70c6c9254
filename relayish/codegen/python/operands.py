"""Kinds that have nothing but operands: calls, tuples, references; and those that have none."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.codegen.python.forms import PYTHON_FORMS, PythonForm
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


PYTHON_FORMS.register(Constant, PythonForm(_constant))
PYTHON_FORMS.register(GlobalVar, PythonForm(lambda var, _, names: names.global_value(var)))
PYTHON_FORMS.register(Constructor, PythonForm(lambda made, _, names: names.constructor(made)))
PYTHON_FORMS.register(Op, PythonForm(lambda op, _, names: f"Operator({names.operator(op)})"))
PYTHON_FORMS.register(Call, PythonForm(_call, hint=_hint_of_call))
PYTHON_FORMS.register(Tuple, PythonForm(lambda _, of, __: tuple_of(of), hint="fields"))
PYTHON_FORMS.register(
    TupleGetItem, PythonForm(lambda get, of, _: f"{of[0]}[{get.index}]", hint="field")
)
PYTHON_FORMS.register(RefCreate, PythonForm(lambda _, of, __: f"RefValue({of[0]})", hint="ref"))
PYTHON_FORMS.register(RefRead, PythonForm(lambda _, of, __: f"{of[0]}.value", hint="content"))
PYTHON_FORMS.register(
    RefWrite, PythonForm(lambda _, of, __: f"write({of[0]}, {of[1]})", hint="written")
)
