"""Builders of the operators of devices, explicit memory and the virtual machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from relayish.errors import OperatorError
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Call, Constant, Expr
from relayish.ir.relay.virtual_device import VirtualDevice
from relayish.op.builders.builder import custom_builder
from relayish.op.builders.call import relay_call
from relayish.op.runtime.device import virtual_device_named
from relayish.op.types.fields import Dimension


@runtime_checkable
class Device(Protocol):
    """A device as TVM's ``cpu(0)`` makes it."""

    device_type: int
    device_id: int


DeviceLike = Device | VirtualDevice | str
"""A device, or its name: ``"cuda"``, ``"cuda:1"``."""


def as_virtual_device(device: DeviceLike) -> VirtualDevice:
    """Return the virtual device that ``device`` is on, its target and memory scope left open.

    Raises:
        OperatorError: If it is no device, nor the name of one.

    Example:
        >>> as_virtual_device("cuda:1")
        VirtualDevice(device_type_int=2, virtual_device_id=1, target=None, memory_scope='')
    """
    if isinstance(device, VirtualDevice):
        return device
    if isinstance(device, str):
        return virtual_device_named(device)
    if isinstance(device, Device):
        return VirtualDevice(int(device.device_type), int(device.device_id))
    raise OperatorError(
        f"{device!r} ({type(device).__name__}) is no device; expected a name such as "
        "'cpu', a VirtualDevice, or something with device_type and device_id"
    )


@custom_builder("on_device")
def on_device(
    body: Expr, device: DeviceLike, constrain_result: bool = False, constrain_body: bool = True
) -> Call:
    """Return ``body``, computed on ``device``."""
    return relay_call(
        "on_device",
        body,
        virtual_device=as_virtual_device(device),
        constrain_result=constrain_result,
        constrain_body=constrain_body,
    )


@custom_builder("device_copy")
def device_copy(data: Expr, src_device: DeviceLike, dst_device: DeviceLike) -> Call:
    """Return ``data``, copied from one device to another."""
    return relay_call(
        "device_copy",
        data,
        src_virtual_device=as_virtual_device(src_device),
        dst_virtual_device=as_virtual_device(dst_device),
    )


@custom_builder("memory.alloc_storage")
def alloc_storage(
    size: Expr,
    alignment: Expr,
    device: DeviceLike,
    dtype_hint: str = "float32",
    shape: Expr | None = None,
) -> Call:
    """Return newly allocated memory.

    ``shape`` is for memory that is not flat; left out, it is that of a scalar.
    """
    extent = const(np.zeros(0, "int64")) if shape is None else shape
    return relay_call(
        "memory.alloc_storage",
        size,
        extent,
        alignment,
        dtype=dtype_hint,
        virtual_device=as_virtual_device(device),
    )


@custom_builder("memory.alloc_tensor")
def alloc_tensor(
    storage: Expr,
    offset: Expr,
    shape: Expr,
    dtype: str = "float32",
    assert_shape: Sequence[Dimension] | None = None,
) -> Call:
    """Return a tensor in ``storage``, whose type has the sizes of ``assert_shape``.

    Left out, ``shape`` must be a constant, and has them.
    """
    if assert_shape is None and not isinstance(shape, Constant):
        raise OperatorError(
            "memory.alloc_tensor is called with a shape that is known only when the program runs; "
            "say by assert_shape which sizes the type has"
        )
    return relay_call(
        "memory.alloc_tensor",
        storage,
        offset,
        shape,
        dtype=dtype,
        const_shape=shape if assert_shape is None else None,
        assert_shape=assert_shape,
    )
