"""Decide on which device each value is kept, and write copies where devices change.

Before, where everything is on a GPU unless it says otherwise::

    fn (%a, %b, %c) {
      %0 = add(%a, %b);
      %1 = on_device(%0, virtual_device=CPU);
      subtract(%1, %c)
    }

After::

    fn (%a {virtual_device=CPU}, %b {virtual_device=CPU}, %c {virtual_device=GPU},
        virtual_device=GPU) {
      %0 = add(%a, %b);
      %1 = on_device(%0, virtual_device=CPU, constrain_result=True);
      %2 = device_copy(%1, src_virtual_device=CPU, dst_virtual_device=GPU);
      subtract(%2, %c)
    }
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Protocol, TypeAlias, runtime_checkable

from relayish._support.collector import pause_collection
from relayish.analysis.infer_type import infer_type
from relayish.errors import PassError
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.virtual_device import VirtualDevice, default_device
from relayish.op.runtime.device import virtual_device_named
from relayish.pass_infra import PassContext, register_config_option, register_pass
from relayish.passes.relay.memory.device_plan.capture import capture
from relayish.passes.relay.memory.device_plan.conflicts import prepare
from relayish.passes.relay.memory.device_plan.constraints import Constraints
from relayish.passes.relay.memory.device_plan.domains import Domains
from relayish.passes.relay.normal_form.functions import (
    iterate_optimized_functions,
    transform_functions,
)

FALLBACK: Final = "relay.fallback_device_type"
register_config_option(
    FALLBACK,
    int | None,
    default=None,
    description="the kind of device, as DLPack numbers it, of what says nothing of its device",
)


class CompilationConfig(NamedTuple):
    """The devices that a program is compiled for.

    Attributes:
        devices: What there is, with the targets that are compiled for each kind.
        default_primitive_virtual_device: Where values are kept of which nothing else is said.
        host_virtual_device: Where shapes are kept.
    """

    devices: tuple[VirtualDevice, ...]
    default_primitive_virtual_device: VirtualDevice
    host_virtual_device: VirtualDevice


@runtime_checkable
class TargetLike(Protocol):
    """A target as TVM's ``Target("cuda")`` makes it."""

    @property
    def kind(self) -> Any:  # Any: something with a name
        """What kind of target it is."""


DeviceName: TypeAlias = str | VirtualDevice | TargetLike
DeviceNames: TypeAlias = DeviceName | Sequence[DeviceName]


def make_compilation_config(
    ctx: PassContext | None, target: DeviceNames, target_host: DeviceName | None = None
) -> CompilationConfig:
    """Return what is compiled for, of a device or several, by name or with their targets.

    Args:
        ctx: Where ``relay.fallback_device_type`` says which kind of device is the default.
        target: The devices, or targets, which are written into devices. Without a fallback the
            default is their kind if they are of one, else the CPU.
        target_host: The host; by default the first CPU among them, or one without a target.

    Raises:
        PassError: If none is given, or the fallback is none of them.
        OperatorError: If a name is that of no device.

    Source:
        ``tvm.target.make_compilation_config``.

    Example:
        >>> config = make_compilation_config(None, ["cpu", "cuda"])
        >>> config.default_primitive_virtual_device
        VirtualDevice(device_type_int=1, virtual_device_id=0, target=None, memory_scope='')
    """
    given = [target] if isinstance(target, (str, VirtualDevice, TargetLike)) else list(target)
    devices = tuple(map(_as_device, given))
    if not devices:
        raise PassError("devices are planned for one at least; name it, as in PlanDevices('cuda')")
    kinds = list(dict.fromkeys(device.device_type_int for device in devices))
    cpus = [device for device in devices if device.device_type_int == _CPU.device_type_int]
    host = cpus[0] if cpus else _CPU
    if target_host is not None:
        host = _as_device(target_host)
    fallback = None if ctx is None else ctx.get_config(FALLBACK)
    if fallback is None:
        fallback = kinds[0] if len(kinds) == 1 else _CPU.device_type_int
    found = [device for device in devices if device.device_type_int == fallback]
    if not found:
        raise PassError(
            f"{FALLBACK} is {fallback}, but devices of the kinds "
            f"{', '.join(map(str, kinds))} were given; give one of that kind too"
        )
    first = VirtualDevice(-1, 0)
    return CompilationConfig(devices, default_device(found[0], first), default_device(host, first))


_CPU: Final = VirtualDevice(1, 0)


def _as_device(given: DeviceName) -> VirtualDevice:
    """Return the device that is meant; of a target, any of its kind, with that target."""
    if isinstance(given, VirtualDevice):
        return given
    if isinstance(given, str):
        return virtual_device_named(given)
    kind = virtual_device_named(given.kind.name)
    return VirtualDevice(kind.device_type_int, kind.virtual_device_id, given)


@register_pass(
    "PlanDevices", opt_level=0, required=("InferType",), infer_types=True, idempotent=True
)
def plan_devices(
    mod: IRModule,
    *,
    config: CompilationConfig | str | tuple[str | VirtualDevice, ...] = "cpu",
    ctx: PassContext | None = None,
) -> IRModule:
    """Device planning: decide where each value is kept, and write copies where devices change.

    Return ``mod`` with a device for every parameter, result and value of a let, and a
    ``device_copy`` wherever a value that is kept on one device is needed on another.

    What ``on_device``, ``device_copy`` and the ``virtual_device`` of variables and functions say
    holds; so does that operators run where their arguments are, and that shapes are on the host.
    Whatever is open then is on the device of what it goes into, or of the let around it, and the
    results of functions on the default device. Afterwards the device of an expression is told by
    the innermost ``on_device`` around it, or by its function:
    :func:`~relayish.analysis.virtual_devices.recover_virtual_device_map` reads it off.

    Args:
        mod: A typed module.
        config: The devices, by name, as objects, or as :func:`make_compilation_config` makes it;
            the default among them is what the context has in ``relay.fallback_device_type``.
        ctx: The context of the pass.

    Returns:
        ``mod`` itself when everything is planned.

    Raises:
        PassError: If a value has to be on two devices, and nothing says where it may be copied;
            names what puts it on each.
        OperatorError: If a name is that of no device.

    Complexity:
        Linear in distinct nodes, but for an almost constant factor; no recursion.

    Source:
        Relay ``PlanDevices``. There, devices behind two nested marks lose a copy.

    Example:
        >>> from relayish import on_device, var
        >>> from relayish.transform import InferType, PlanDevices
        >>> x = var("x", shape=(2,))
        >>> mod = InferType()(IRModule.from_expr(-on_device(-x, "cuda")))
        >>> main = PlanDevices("cpu")(mod)["main"]
        >>> main.params[0].virtual_device.device_type_int, main.body.args[0].op.name
        (2, 'device_copy')
    """
    if not isinstance(config, CompilationConfig):
        config = make_compilation_config(ctx, config)
    prepared = transform_functions(mod, prepare, iterate_optimized_functions)
    if prepared is not mod:
        prepared = infer_type(prepared)
    devices = (*config.devices, config.host_virtual_device)
    with pause_collection():  # the domain of each node lives until the end
        plan = Constraints(prepared, Domains(devices), config.host_virtual_device)
        plan.collect()
        plan.settle(config.default_primitive_virtual_device)
        return transform_functions(
            prepared, lambda func: capture(func, plan), iterate_optimized_functions
        )
