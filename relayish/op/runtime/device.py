"""Operators that say where something is computed, and those that look into a running program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import numpy as np

from relayish._support.graph import fold_tree
from relayish.errors import OperatorError, TypeInferenceError, suggest
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.type import FuncType, IncompleteType, TupleType, Type
from relayish.ir.relay.virtual_device import VirtualDevice
from relayish.op.declaration.registry import register_op
from relayish.op.declaration.relation import TypeReporter
from relayish.op.types.dimension import show_type
from relayish.op.types.type_rules import keep_type

Value: TypeAlias = Any  # of a program: a tensor, a tuple of values, a function


DEVICE_TYPES: Final[Mapping[str, int]] = {
    **dict.fromkeys(("cpu", "llvm", "stackvm", "c", "test", "hybrid", "composite"), 1),
    **dict.fromkeys(("cuda", "nvptx", "gpu"), 2),
    **dict.fromkeys(("cl", "opencl", "sdaccel"), 4),
    **dict.fromkeys(("aocl", "aocl_sw_emu"), 5),
    "vulkan": 7,
    "metal": 8,
    "vpi": 9,
    "rocm": 10,
    "ext_dev": 12,
    "hexagon": 14,
    "webgpu": 15,
}
"""The kinds of device by TVM's names for them and for what is compiled to them."""


def virtual_device_named(name: str) -> VirtualDevice:
    """Return the device called ``name``, the first of its kind or one with a number: ``cuda:1``.

    Raises:
        OperatorError: If there is no such kind of device, or the number is none.
    """
    kind, _, index = name.partition(":")
    words = kind.split()  # the text of a target: options follow
    if not words or words[0] not in DEVICE_TYPES:
        raise OperatorError(
            f"{name!r} is no device{suggest(kind, DEVICE_TYPES)}; "
            f"expected one of {', '.join(DEVICE_TYPES)}, and its number as in 'cuda:1'"
        )
    if index and not index.isdecimal():
        raise OperatorError(f"{name!r} is no device: {index!r} is no number of one")
    return VirtualDevice(DEVICE_TYPES[words[0]], int(index or 0))


@attrs("relay.attrs.OnDeviceAttrs")
class OnDeviceAttrs(Attrs):
    """Attributes of ``on_device``."""

    virtual_device: VirtualDevice = VirtualDevice()
    constrain_result: bool = False
    constrain_body: bool = True


@attrs("relay.attrs.DeviceCopyAttrs")
class DeviceCopyAttrs(Attrs):
    """Attributes of ``device_copy``."""

    src_virtual_device: VirtualDevice
    dst_virtual_device: VirtualDevice


@attrs("relay.attrs.DebugAttrs")
class DebugAttrs(Attrs):
    """Attributes of ``debug``."""

    debug_func: object


@attrs("relay.attrs.CallLoweredAttrs")
class CallLoweredAttrs(Attrs):
    """Attributes of ``call_lowered``."""

    metadata: DictAttrs = DictAttrs()


def _call_lowered_relation(
    _: CallLoweredAttrs, types: tuple[Type, ...], reporter: TypeReporter
) -> Type | None:
    func, call_args = types
    if isinstance(func, IncompleteType):
        return None
    if not isinstance(func, FuncType):
        raise TypeInferenceError(f"func must be a function; found {show_type(func)}")
    reporter.assign(call_args, TupleType(func.arg_types))
    return func.ret_type


def _on_device(_: OnDeviceAttrs, body: Value) -> Value:
    """Return the value itself: all is computed in one place here."""
    return body


def _debug(attrs: DebugAttrs, program: Value) -> Value:
    """Return the value, having called ``debug_func`` with it where that is a function."""
    if callable(attrs.debug_func):
        attrs.debug_func(program)
    return program


def _device_copy(_: DeviceCopyAttrs, data: Value) -> Value:
    """Return the value in memory of its own: all is computed in one place here."""

    def copied(value: Value, parts: list[Value]) -> Value:
        if type(value) is tuple:
            return tuple(parts)
        return value.copy() if isinstance(value, np.ndarray) else value

    return fold_tree(data, lambda value: value if type(value) is tuple else (), copied)


register_op(
    "on_device",
    description="""
    Say on which device a value is computed.
    body anything -> the same
    """,
    aliases=("annotation.on_device",),
    rule=keep_type,
    evaluate=_on_device,
    non_computational=True,
    mark=True,
)
register_op(
    "device_copy",
    arguments=("data",),
    description="""
    Copy a value from one device to another.
    data (...) -> (...)
    """,
    rule=keep_type,
    evaluate=_device_copy,
)
register_op(
    "debug",
    arguments=("program",),
    signature="expr, debug_func=None",
    description="""
    Stop and show the state of the program.
    expr anything -> the same
    """,
    rule=keep_type,
    evaluate=_debug,
)
register_op(
    "call_lowered",
    arguments=("func", "call_args"),
    description="""
    Call a function that is lowered already.
    func a global function; call_args a tuple of its arguments -> what it returns
    """,
    relation=_call_lowered_relation,
    non_computational=True,
)
