"""Operators with sizes as arguments, and those with sizes as attributes that stand for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from relayish.ir.relay.expr import Call, Expr
from relayish.ir.relay.op import intern_op
from relayish.op.builders.call import make_attrs
from relayish.op.declaration.properties import attrs_type
from relayish.op.declaration.registry import relay_op

Reader: TypeAlias = Callable[[Any], object]
"""What an attribute is, from the numpy value of an argument; Any: an array or a number."""


class StaticForm(NamedTuple):
    """How a call is written once some of its arguments are constants."""

    name: str
    operands: tuple[int, ...]
    """The arguments that stay arguments."""
    sizes: dict[str, tuple[int, Reader]]
    """For each attribute that an argument becomes: which argument, and how it is read."""

    def build(self, call: Call, values: dict[str, Any]) -> Call:  # Any: numpy values
        """Return the static call that stands for ``call``, given the value of each attribute.

        Further attributes are those of ``call``, by name.
        """
        op = relay_op(self.name)
        known = {name: read(values[name]) for name, (_, read) in self.sizes.items()}
        fields = attrs_type.get(op)
        if fields is not None and call.attrs is not None:
            kept = [name for name in fields.field_names if name in call.attrs]
            known = {**{name: call.attrs[name] for name in kept}, **known}
        args = tuple([call.args[index] for index in self.operands])
        return Call(op, args, make_attrs(op, known), span=call.span)


def _vector(value: Any) -> tuple[int, ...]:  # Any: as in Reader, and so below
    return tuple([int(number) for number in np.ravel(value)])


def _number(value: Any) -> int:
    return int(np.ravel(value)[0])


def _scale(value: Any) -> float:
    return float(np.ravel(value)[0])


def _floats(value: Any) -> tuple[float, ...]:
    return tuple([float(number) for number in np.ravel(value)])


def _matrix(value: Any) -> tuple[tuple[int, ...], ...]:
    return tuple([_vector(row) for row in value])


_FORMS: Final = {
    "dyn.broadcast_to": StaticForm("broadcast_to", (0,), {"shape": (1, _vector)}),
    "dyn.expand_dims": StaticForm("expand_dims", (0,), {"axis": (1, _number)}),
    "dyn.full": StaticForm("full", (0,), {"shape": (1, _vector)}),
    "dyn.image.resize2d": StaticForm(
        "image.resize2d", (0,), {"size": (1, _vector), "roi": (2, _floats)}
    ),
    "dyn.nn.pad": StaticForm("nn.pad", (0, 2), {"pad_width": (1, _matrix)}),
    "dyn.nn.upsampling": StaticForm(
        "nn.upsampling", (0,), {"scale_h": (1, _scale), "scale_w": (2, _scale)}
    ),
    "dyn.nn.upsampling3d": StaticForm(
        "nn.upsampling3d",
        (0,),
        {"scale_d": (1, _scale), "scale_h": (2, _scale), "scale_w": (3, _scale)},
    ),
    "dyn.one_hot": StaticForm("one_hot", (0, 1, 2), {"depth": (3, _number)}),
    "dyn.ones": StaticForm("ones", (), {"shape": (0, _vector)}),
    "dyn.reshape": StaticForm("reshape", (0,), {"newshape": (1, _vector)}),
    "dyn.sparse_to_dense": StaticForm("sparse_to_dense", (0, 1, 2), {"output_shape": (3, _vector)}),
    "dyn.squeeze": StaticForm("squeeze", (0,), {"axis": (1, _vector)}),
    "dyn.strided_slice": StaticForm(
        "strided_slice",
        (0,),
        {"begin": (1, _vector), "end": (2, _vector), "strides": (3, _vector)},
    ),
    "dyn.tile": StaticForm("tile", (0,), {"reps": (1, _vector)}),
    "dyn.topk": StaticForm("topk", (0,), {"k": (1, _number)}),
    "dyn.zeros": StaticForm("zeros", (), {"shape": (0, _vector)}),
}

STATIC_FORMS: Final[dict[Expr, StaticForm]] = {intern_op(n): f for n, f in _FORMS.items()}
"""By operator: how ``DynamicToStatic`` writes its calls."""
