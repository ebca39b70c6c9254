"""Conversions: the calls that compute in the layouts somebody asks for.

Operators say in their attributes in which layouts they compute: those of data and weight in
``data_layout`` and ``kernel_layout``, or one in ``layout``. Their calls are converted by setting
these; another operator is converted by a function registered for it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from contextvars import ContextVar, Token
from typing import Any, Final, Self, cast

from relayish.errors import OperatorError, PassError, TypeInferenceError
from relayish.ir.relay.expr import Call, Expr, Op
from relayish.ir.relay.type import TensorType, Type
from relayish.op.builders.call import attrs_of
from relayish.op.declaration.op_table import OpTable
from relayish.op.declaration.properties import arguments, attrs_type, rule
from relayish.op.declaration.registry import relay_op
from relayish.op.declaration.rewriting import convert_op_layout
from relayish.op.layouts.rules import layout_rule
from relayish.op.types.layout import converted_shape, is_layout
from relayish.op.types.layout_algebra import rearranges, split_axes, whole_axes

DEFAULT: Final = "default"
"""In place of the layout of weights: the one that goes with that of the data."""

packed: OpTable[Op] = OpTable("packed")
"""The operator that computes the same on data of which the channels are split, as in ``NCHW4c``."""
packed.set(relay_op("nn.conv2d"), relay_op("nn.contrib_conv2d_NCHWc"))

output_first: OpTable[bool] = OpTable("output_first")
"""False for operators whose weights have the channels of the data outermost by default."""
for _rank in (1, 2, 3):
    output_first.set(relay_op(f"nn.conv{_rank}d_transpose"), value=False)
output_first.set(relay_op("qnn.conv2d_transpose"), value=False)


class LayoutConfig:
    """Which convolutions are not converted, by their numbers, within ``with LayoutConfig(...)``.

    They are counted from 0 in the order in which they are met, operands first.

    Args:
        skip_layers: The numbers.

    Source:
        Relay ``LayoutConfig``, which counts two-dimensional convolutions.

    Example:
        >>> with LayoutConfig(skip_layers=[1]) as config:
        ...     [config.check_skip() for _ in range(3)]
        [False, True, False]
    """

    def __init__(self, skip_layers: Collection[int] = ()) -> None:
        given: object = skip_layers  # still to be checked
        if not isinstance(given, Collection) or not all(isinstance(each, int) for each in given):
            raise PassError(
                f"skip_layers is {given!r}; expected the numbers of convolutions, counted from 0"
            )
        self.skip_layers = skip_layers
        self.skip_counter = 0
        self._tokens: list[Token[LayoutConfig | None]] = []

    def check_skip(self) -> bool:
        """Return whether the next convolution stays as it is."""
        self.skip_counter += 1
        return self.skip_counter - 1 in self.skip_layers

    def reset(self) -> None:
        """Count from the beginning, and leave out none."""
        self.skip_layers, self.skip_counter = (), 0

    def __enter__(self) -> Self:
        self._tokens.append(_CONFIG.set(self))
        return self

    def __exit__(self, *_: object) -> None:
        _CONFIG.reset(self._tokens.pop())


_CONFIG: Final[ContextVar[LayoutConfig | None]] = ContextVar("layout config", default=None)


def convert_call(call: Call, inputs: Sequence[Expr], layouts: Sequence[str]) -> Expr | None:
    """Return the call that computes ``call`` in ``layouts``, which were checked, on ``inputs``.

    Returns:
        ``None`` where it is to stay: sizes that parts of an axis do not divide.

    Raises:
        OperatorError: If what the operator computes with has other axes, or they are split
            otherwise than it takes them.
    """
    op = call.op
    assert isinstance(op, Op)
    registered = convert_op_layout.get(op)
    if registered is not None:
        return registered(attrs_of(call), inputs, tensor_types(call), list(layouts))
    if _is_convolution(op):
        return _convert_convolution(call, op, inputs, layouts)
    return _convert_layout(call, op, inputs, layouts)


def check_layouts(op: Op, layouts: Sequence[str]) -> None:
    """Refuse layouts that no call of ``op`` could be converted to.

    Raises:
        OperatorError: If the operator has no layouts that could be asked for, or another number.
    """
    if op in convert_op_layout:
        return
    kind = attrs_type.get(op)
    fields, defaults = (() if kind is None else kind.field_names), getattr(kind, "defaults", {})
    if _is_convolution(op):
        if len(layouts) != 2 or not all(map(_is_said, layouts)):
            shown = defaults.get("data_layout", "NCHW")
            raise OperatorError(
                f"{op.full_name} has two layouts, as in [{shown!r}, 'default']; "
                f"found {list(layouts)}"
            )
        if layouts[0] == DEFAULT:
            raise OperatorError(
                f"the layout of the data of {op.full_name} must be said, not 'default'"
            )
    elif "layout" not in fields:
        raise OperatorError(
            f"{op.full_name} is asked for the layouts {list(layouts)}, but has no attribute "
            f"layout, nor data_layout; say what it is converted to with register_convert_op_layout"
        )
    elif not (1 <= len(layouts) <= 2 and is_layout(layouts[0]) and _is_said(layouts[-1])):
        shown = defaults.get("layout", "NCHW")
        raise OperatorError(
            f"{op.full_name} has one layout, as in [{shown!r}]; found {list(layouts)}"
        )


def _is_said(layout: str) -> bool:
    return layout == DEFAULT or is_layout(layout)


def _is_convolution(op: Op) -> bool:
    fields = getattr(attrs_type.get(op), "field_names", ())
    return "data_layout" in fields and "kernel_layout" in fields


def tensor_types(call: Call) -> list[TensorType]:
    """Return the types of the tensors among the arguments of ``call``, and in tuples of these."""
    found: list[Any] = []  # Any: types, of which tensors are kept
    for arg in call.args:
        ty: Any = arg.checked_type  # Any: a type
        found += getattr(ty, "fields", (ty,))
    return [ty for ty in found if isinstance(ty, TensorType)]


def _convert_layout(call: Call, op: Op, inputs: Sequence[Expr], layouts: Sequence[str]) -> Call:
    had, wanted = attrs_of(call).layout, layouts[0]
    _check_axes(op, had, wanted)
    values = {"layout": wanted}
    if "out_layout" in attrs_of(call):
        values["out_layout"] = wanted
    attrs = attrs_of(call).with_values(**values)
    _check_taken(call, op, attrs, had)
    return Call(op, tuple(inputs), attrs, span=call.span)


def _check_taken(call: Call, op: Op, attrs: Any, had: str) -> None:  # Any: as in the declaration
    """Refuse a layout that the operator is not computed in, whatever its layout rule does then.

    A rule that does not know the layout may let the call stay as it was.

    Raises:
        OperatorError: With what the type rule says.
    """
    types = tuple([cast("Type", arg.checked_type) for arg in call.args])
    data, follow, infer = types[0], layout_rule(op), rule.get(op)
    if infer is None or follow is None or not isinstance(data, TensorType):
        return
    if not is_layout(had) or not rearranges(had, attrs.layout, data.shape):
        return
    unknown = [None] * len(types)
    before = [had, *unknown[1:]]
    if follow(attrs, None, unknown, types) or follow(attrs, before, before, types):
        return
    converted = TensorType(converted_shape(data.shape, had, attrs.layout), data.dtype)
    try:
        infer(attrs, converted, *types[1:])
    except TypeInferenceError as error:
        raise OperatorError(
            f"{op.full_name} is asked for the layout {attrs.layout!r}, but {error}; ask for one "
            f"that it takes, as {had!r}, in which it is"
        ) from error


def _convert_convolution(
    call: Call, op: Op, inputs: Sequence[Expr], layouts: Sequence[str]
) -> Call | None:
    attrs = attrs_of(call)
    data, kernel = layouts
    if kernel == DEFAULT:
        kernel = _default_kernel(call, op, data)
    _check_axes(op, attrs.data_layout, data)
    _check_axes(op, attrs.kernel_layout, kernel)
    values = {"data_layout": data, "kernel_layout": kernel}
    if attrs.get("out_layout"):
        values["out_layout"] = data
    config = _CONFIG.get()
    if (config is not None and config.check_skip()) or not _fits(call, values):
        return None
    if not split_axes(data) or op not in packed:
        return Call(op, tuple(inputs), attrs.with_values(**values), span=call.span)
    sizes = _find_sizes(call)
    if sizes is None:
        return None
    attrs = attrs.with_values(**values, **sizes)
    return Call(packed.get(op, op), tuple(inputs), attrs, span=call.span)


def _check_axes(op: Op, had: str, wanted: str) -> None:
    """Refuse a layout that names other axes than the one there is."""
    if is_layout(had) and set(whole_axes(had)) != set(whole_axes(wanted)):
        raise OperatorError(
            f"{op.full_name} is asked for the layout {wanted!r}, but what it computes with has the "
            f"axes of {had!r}; name these, each once"
        )


def _find_sizes(call: Call) -> dict[str, Any] | None:  # Any: sizes, numbers mostly
    """Return the attributes that a weight of which the channels are split does not tell.

    There are none where the weight of a depthwise convolution has the channels of the data first.
    """
    attrs, types = attrs_of(call), tensor_types(call)
    weight = types[arguments.get(call.op, ()).index("weight")].shape
    result: Any = call.checked_type  # Any: a type, that of a tensor
    spatial = "".join([axis for axis in "DHW" if axis in attrs.data_layout])
    outputs, _, *kernel = converted_shape(weight, attrs.kernel_layout, f"OI{spatial}")
    layout = attrs.get("out_layout") or attrs.data_layout
    _, channels, *_ = converted_shape(result.shape, layout, f"NC{spatial}")
    if outputs != channels:
        return None
    return {"channels": channels, "kernel_size": tuple(kernel)}


def _fits(call: Call, values: dict[str, str]) -> bool:
    """Return whether data, weight and result can be arranged so."""
    attrs, types = attrs_of(call), tensor_types(call)
    weight = types[arguments.get(call.op, ()).index("weight")]
    result: Any = call.checked_type  # Any: a type, that of a tensor
    layouts = (
        (attrs.data_layout, values["data_layout"], types[0]),
        (attrs.kernel_layout, values["kernel_layout"], weight),
        (attrs.get("out_layout") or attrs.data_layout, values["data_layout"], result),
    )
    return all(is_layout(had) and rearranges(had, has, ty.shape) for had, has, ty in layouts)


def _default_kernel(call: Call, op: Op, data: str) -> str:
    """Return the layout of the weight that goes with ``data``: spatial axes where they are there.

    Behind the spatial axes stand the channels of the data, and before them those of the result:
    ``OIHW`` goes with ``NCHW``, ``HWIO`` with ``NHWC``.
    """
    attrs = attrs_of(call)
    spatial = "".join([axis for axis in whole_axes(data) if axis not in "NC"])
    plain = "OI" if output_first.get(op, default=True) else "IO"
    blocks = re.sub(r"^[A-Z]+", "", data)
    if data.startswith("NC"):
        if "c" not in blocks:
            return f"{plain}{spatial}"
        size = split_axes(data).get("C", 1)
        inner = 1 if attrs.groups > 1 and _is_depthwise(call) else size
        return f"{plain}{spatial}{inner}i{size}o"
    swapped = data.startswith("N") and not _is_depthwise(call)
    return f"{spatial}{'IO' if swapped else 'OI'}"


def _is_depthwise(call: Call) -> bool:
    """Return whether each channel is convolved for itself."""
    attrs, (data, *_) = attrs_of(call), tensor_types(call)
    axes = dict(zip(attrs.data_layout, data.shape, strict=False))
    return bool(attrs.groups > 1 and axes.get("C") == attrs.groups)
