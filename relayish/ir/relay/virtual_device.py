"""Virtual devices: on which device a value is kept, and in which of its memories."""

from __future__ import annotations

from typing import Final, TypeAlias

from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.attributes.conversion import String


@attrs("VirtualDevice")
class VirtualDevice(Attrs):
    """A device and a kind of its memory; -1, ``None`` and ``""`` leave them open.

    ``device_type_int`` is the kind of device as DLPack numbers it, ``virtual_device_id`` which one
    of that kind, ``target`` what is compiled for it, ``memory_scope`` which memory of it. Device
    planning makes open parts definite.

    Source:
        Relay ``VirtualDevice``, called ``SEScope`` before.

    Example:
        >>> join_devices(VirtualDevice(2), VirtualDevice(memory_scope="texture"))
        VirtualDevice(device_type_int=2, virtual_device_id=-1, target=None, memory_scope='texture')
        >>> join_devices(VirtualDevice(1), VirtualDevice(2)) is None
        True
    """

    device_type_int: int = -1
    virtual_device_id: int = -1
    target: object = None
    memory_scope: String = ""


ANY_DEVICE: Final = VirtualDevice()
"""The device that leaves everything open."""


def is_unconstrained(device: VirtualDevice | None) -> bool:
    """Return whether ``device`` leaves everything open."""
    return device is None or device is ANY_DEVICE or device == ANY_DEVICE


def join_devices(lhs: VirtualDevice, rhs: VirtualDevice) -> VirtualDevice | None:
    """Return the device that both describe, or ``None`` where they contradict one another.

    Returns:
        ``lhs`` or ``rhs`` itself where it says all that both say.

    Source:
        Relay ``VirtualDevice::Join``.
    """
    if lhs is rhs or rhs is ANY_DEVICE:
        return lhs
    if lhs is ANY_DEVICE:
        return rhs
    left, right = _parts(lhs), _parts(rhs)
    for one, other, open_part in zip(left, right, _OPEN, strict=True):
        if one != other and open_part not in (one, other):
            return None
    return _filled(left, right, lhs, rhs)


def default_device(device: VirtualDevice, default: VirtualDevice) -> VirtualDevice:
    """Return ``device`` with what it leaves open as ``default`` has it.

    Target and memory of ``default`` are left out where the device is of another kind.

    Source:
        Relay ``VirtualDevice::Default``, which takes over the memory of any kind of device.
    """
    if device is default or default is ANY_DEVICE:
        return device
    known, others = _parts(device), _parts(default)
    if known[0] not in (_OPEN[0], others[0]):
        others = (*others[:2], None, "")
    return _filled(known, others, device, default)


def show_device(device: VirtualDevice) -> str:
    """Return a device as TVM shows it where no metadata is written: what it leaves open is not.

    Example:
        >>> show_device(VirtualDevice(1, 0)), show_device(VirtualDevice())
        ('VirtualDevice(device_type=1, virtual_device_id=0)', 'VirtualDevice(?)')
    """
    names = ("device_type", "virtual_device_id", "target", "memory_scope")
    said = [
        f"{name}={value!r}" if name == "memory_scope" else f"{name}={value}"
        for name, value, open_part in zip(names, _parts(device), _OPEN, strict=True)
        if value != open_part
    ]
    return f"VirtualDevice({', '.join(said) or '?'})"


_Parts: TypeAlias = tuple[int, int, object, str]


def _parts(device: VirtualDevice) -> _Parts:
    return (
        device.device_type_int,
        device.virtual_device_id,
        device.target,
        device.memory_scope,
    )


_OPEN: Final[_Parts] = _parts(ANY_DEVICE)


def _filled(left: _Parts, right: _Parts, *known: VirtualDevice) -> VirtualDevice:
    """Return the device of what ``left`` says, else ``right``: one of the known ones if it is."""
    made = VirtualDevice(
        left[0] if left[0] != _OPEN[0] else right[0],
        left[1] if left[1] != _OPEN[1] else right[1],
        right[2] if left[2] is None else left[2],
        left[3] or right[3],
    )
    return next((device for device in known if device == made), made)
