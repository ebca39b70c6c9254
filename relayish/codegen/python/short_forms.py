"""Operators that numpy has: the expression that stands for a call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from relayish.ir.relay.expr import Call
from relayish.ir.relay.type import TensorType
from relayish.ir.values.dtype import numpy_dtype
from relayish.op.declaration.op_table import OpTable
from relayish.op.declaration.registry import get_op


class ShortForm(NamedTuple):
    """An expression, and of which elements its value is that of the operator.

    Attributes:
        template: The expression, with ``{}`` for each argument.
        kinds: The kinds of element types, as numpy has them (``"b"``, ``"f"``), of the result; any
            if it is empty.
    """

    template: str
    kinds: str = ""


SHORT_FORMS: Final[OpTable[ShortForm]] = OpTable("short form in Python")

for _name, _symbol in {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "equal": "==",
    "not_equal": "!=",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
}.items():
    SHORT_FORMS.set(get_op(_name), ShortForm(f"{{}} {_symbol} {{}}"))
for _name, _function in {
    **{name: name for name in ("exp", "log", "log2", "log10", "sqrt", "sin", "cos", "tan")},
    **{name: name for name in ("sinh", "cosh", "tanh", "isnan", "isfinite", "isinf", "abs")},
    **{f"a{name}": f"arc{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
}.items():
    SHORT_FORMS.set(get_op(_name), ShortForm(f"np.{_function}({{}})"))
for _name in ("maximum", "minimum"):
    SHORT_FORMS.set(get_op(_name), ShortForm(f"np.{_name}({{}}, {{}})"))
for _name in ("logical_and", "logical_or", "logical_xor"):
    SHORT_FORMS.set(get_op(_name), ShortForm(f"np.{_name}({{}}, {{}})", "b"))
SHORT_FORMS.set(get_op("logical_not"), ShortForm("np.logical_not({})", "b"))
SHORT_FORMS.set(get_op("negative"), ShortForm("-{}"))
SHORT_FORMS.set(get_op("divide"), ShortForm("{} / {}", "f"))


def short_form(call: Call, args: Sequence[str]) -> str | None:
    """Return the expression that stands for a call of an operator; ``None`` if there is none."""
    form = SHORT_FORMS.get(call.op)
    if form is None or form.template.count("{}") != len(args):
        return None
    if form.kinds:
        ty = call.checked_type
        if not isinstance(ty, TensorType) or numpy_dtype(ty.dtype).kind not in form.kinds:
            return None
    return form.template.format(*args)
