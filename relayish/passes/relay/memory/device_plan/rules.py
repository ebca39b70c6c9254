"""Rules of devices: arguments and results that an operator keeps on the host, or its own.

An operator of which nothing is said runs on one device, on which its arguments and its result are,
another one at each call perhaps.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from relayish.op.declaration.op_table import OpTable
from relayish.op.declaration.registry import get_op


class DeviceRule(NamedTuple):
    """Where the values of a call are kept that are not where the others are.

    Attributes:
        host: Names of the arguments that the host keeps, as shapes are.
        apart: Names of the arguments that may be kept anywhere.
        host_result: Whether the host keeps the result.
        result: The attribute that says which device the result is on; ``""`` for none.
    """

    host: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    host_result: bool = False
    result: str = ""


DEVICE_RULES: Final[OpTable[DeviceRule]] = OpTable("device_rule")
"""By operator; one that is not here keeps everything on one device."""

for _name, _rule in {
    "memory.alloc_storage": DeviceRule(
        host=("size", "shape", "alignment"), result="virtual_device"
    ),
    "memory.alloc_tensor": DeviceRule(host=("offset", "shape")),
    "vm.shape_of": DeviceRule(apart=("tensor",), host_result=True),
    "vm.reshape_tensor": DeviceRule(host=("shape",)),
    "vm.invoke_tvm_op": DeviceRule(apart=("op",)),
    "call_lowered": DeviceRule(apart=("func",)),
}.items():
    DEVICE_RULES.set(get_op(_name), _rule)
