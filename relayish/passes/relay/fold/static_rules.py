"""Operators with sizes as arguments, and those with sizes as attributes that stand for them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from relayish.ir.relay.expr import Call, Expr, Op
from relayish.op.builders.attribute_shorthand import get_annotation
from relayish.op.builders.call import make_attrs
from relayish.op.declaration.properties import arguments, attrs_type, static_form
from relayish.op.declaration.registry import relay_op

Reader: TypeAlias = Callable[[Any], object]
"""What an attribute is, from the numpy value of an argument; Any: an array or a number."""


class StaticCall(NamedTuple):
    """How a call is written once some of its arguments are constants."""

    op: Op
    operands: tuple[int, ...]
    """The arguments that stay arguments."""
    sizes: dict[str, tuple[int, Reader]]
    """For each attribute that an argument becomes: which argument, and how it is read."""

    def build(self, call: Call, values: dict[str, Any]) -> Call:  # Any: numpy values
        """Return the static call that stands for ``call``, given the value of each attribute.

        Further attributes are those of ``call``, by name.
        """
        op = self.op
        known = {name: read(values[name]) for name, (_, read) in self.sizes.items()}
        fields = attrs_type.get(op)
        if fields is not None and call.attrs is not None:
            kept = [name for name in fields.field_names if name in call.attrs]
            known = {**{name: call.attrs[name] for name in kept}, **known}
        args = tuple([call.args[index] for index in self.operands])
        return Call(op, args, make_attrs(op, known), span=call.span)


def find_static_call(op: Expr) -> StaticCall | None:
    """Return how calls of ``op`` are written with sizes as attributes, as its declaration tells."""
    form = static_form.get(op)
    if form is None:
        return None
    static = relay_op(form.name)
    taken, cls = arguments.get(static, ()), attrs_type.get(static)
    assert cls is not None, "sizes are attributes"
    names = [form.renamed.get(name, name) for name in arguments.get(op, ())]
    sizes = {
        name: (place, _make_reader(get_annotation(cls, name)))
        for place, name in enumerate(names)
        if name not in taken
    }
    operands = tuple([place for place, name in enumerate(names) if name in taken])
    return StaticCall(static, operands, sizes)


def _make_reader(annotation: str) -> Reader:
    """Return what reads an attribute: numbers as it has them, in tuples nested as in it.

    Sizes may come as floats, as those of images do.
    """
    number = float if "float" in annotation else int
    match len(re.findall(r"tuple\[", annotation)):
        case 0:
            return lambda value: number(np.ravel(value)[0])
        case 1:
            return lambda value: tuple(map(number, np.ravel(value)))
        case _:
            return lambda value: tuple([tuple(map(number, row)) for row in value])
