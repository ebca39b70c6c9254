"""Operators that say where something is computed, and those that look into a running program."""

from __future__ import annotations

from relayish.ir.attrs import Attrs, DictAttrs, attrs
from relayish.op.registry import register_op


@attrs("VirtualDevice")
class VirtualDevice(Attrs):
    """A device and a kind of its memory; -1, ``None`` and ``""`` leave them open."""

    device_type_int: int = -1
    virtual_device_id: int = -1
    target: object = None
    memory_scope: str = ""


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


register_op("on_device", arguments_=("body",), attrs=OnDeviceAttrs, marks_only=True)
register_op("device_copy", arguments_=("data",), attrs=DeviceCopyAttrs)
register_op("debug", arguments_=("program",), attrs=DebugAttrs)
register_op(
    "call_lowered", arguments_=("func", "call_args"), attrs=CallLoweredAttrs, marks_only=True
)
