"""Layout rules: which layouts an operator takes and gives, before and after layouts change.

Layouts are texts such as ``NHWC`` or ``NCHW4c``, which name the axes of a tensor from the outermost
in; a number of no axes has the layout ``""``. A layout that nobody knows is ``None``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from relayish.ir.relay.type import Type

Layout: TypeAlias = str
"""The axes of a tensor, as in ``NCHW4c``; see :mod:`relayish.op.types.layout`."""


class InferredLayouts(NamedTuple):
    """What a layout rule answers.

    Attributes:
        inputs: The layout of each argument that is a tensor; of a tuple, those of its fields.
            ``None`` for one that has to come as it was.
        outputs: The layout of each result; an operator that returns no tuple has one. ``None``
            for one whose axes have no names.
        attrs: The attributes of the call that takes and gives these, the given ones if they fit.
    """

    inputs: Sequence[Layout | None]
    outputs: Sequence[Layout | None]
    attrs: Any  # Any: those of the operator, or None


LayoutRule: TypeAlias = Callable[
    [Any, Sequence[Layout | None] | None, Sequence[Layout | None], tuple[Type, ...]],
    InferredLayouts | None,
]
"""``infer_layout(attrs, new_in_layouts, old_in_layouts, old_in_types)``: layouts of a call.

It is asked about a call first with ``None`` for ``new_in_layouts``, and in ``old_in_layouts`` what
is known of each argument, ``None`` for nothing: the answer names the axes that arguments and
results have in the program as it is. Where some argument comes otherwise, it is asked again: what
had ``old_in_layouts``, as the first answer says, is in ``new_in_layouts`` now. The answer says in
which layouts the call takes arguments, for others are rearranged, in which it gives its results,
and with which attributes. ``old_in_types`` are the types of the arguments in the program as it is,
that of a tuple among them.

The answer ``None`` is that the rule cannot tell: the call stays as it is, with arguments in the
layouts they had. Any: the attributes of the operator, or ``None`` where it has none.
"""
