"""Device domains: unification of what is known of where values are kept.

The domain of a value that is no function is a device, perhaps not known yet; that of a function is
one domain for each parameter and one for the result. A function that stands where only one device
can be told, in a tuple or as a value of a type variable, has all of these on that device. The parts
of a function's domain are made only where something looks into it, so that nests of functions cost
no more than what is said of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from relayish.errors import PassError
from relayish.ir.kinds.one_line import describe, quote
from relayish.ir.nodes.node import Node
from relayish.ir.relay.type import FuncType, Type
from relayish.ir.relay.virtual_device import (
    ANY_DEVICE,
    VirtualDevice,
    default_device,
    join_devices,
    show_device,
)


class Domain:
    """Where one value is kept; made by :meth:`Domains.make`, and one with others once unified."""

    __slots__ = ("above", "device", "final", "is_settled", "parts", "place", "rank", "type")

    def __init__(self, ty: Type | None, device: VirtualDevice, place: Node | None) -> None:
        self.above: Domain | None = None
        self.rank = 0
        self.type = ty if type(ty) is FuncType else None
        """The type of a function; ``None`` for all that is on one device."""
        self.parts: list[Domain] | None = None
        """The domains of parameters and result of a function, once they were asked for."""
        self.final: Domain | None = None
        """That of what a function returns in the end, once it was asked for."""
        self.device = device
        self.place = place
        """What says that it is on this device."""
        self.is_settled = False

    def find(self) -> Domain:
        """Return the domain that stands for all it is unified with."""
        domain = self
        while domain.above is not None:
            if domain.above.above is not None:
                domain.above = domain.above.above
            domain = domain.above
        return domain


class Domains:
    """The domains of a program.

    Args:
        devices: Those that there are, with the targets that are compiled for their kinds.
    """

    def __init__(self, devices: Sequence[VirtualDevice]) -> None:
        self._targets = {
            device.device_type_int: device.target for device in reversed(devices) if device.target
        }

    def canonical(self, device: VirtualDevice) -> VirtualDevice:
        """Return ``device`` with the target for devices of its kind, where it has none."""
        target = self._targets.get(device.device_type_int)
        if target is None or device.target is not None:
            return device
        return VirtualDevice(
            device.device_type_int, device.virtual_device_id, target, device.memory_scope
        )

    def make(
        self,
        ty: Type | None,
        device: VirtualDevice = ANY_DEVICE,
        place: Node | None = None,
    ) -> Domain:
        """Return a domain for values of a type, on a device as ``place`` says, or anywhere."""
        return Domain(ty, self.canonical(device), place)

    def parts(self, domain: Domain, arity: int) -> list[Domain]:
        """Return the domains of parameters and result of a function: its own, if it is on one."""
        domain = domain.find()
        if domain.type is None:
            return [domain] * (arity + 1)
        if domain.parts is None:
            types = (*domain.type.arg_types, domain.type.ret_type)
            domain.parts = [Domain(ty, ANY_DEVICE, None) for ty in types]
        return domain.parts

    def final_result(self, domain: Domain) -> Domain:
        """Return the domain of what is no function: the result, or the result of the result."""
        domain = domain.find()
        passed: list[Domain] = []
        while domain.type is not None:
            passed.append(domain)
            known = domain.final or self.parts(domain, len(domain.type.arg_types))[-1]
            domain = known.find()
        for function in passed:
            function.final = domain
        return domain

    def unify(self, one: Domain, other: Domain, at: Node, *, optional: bool = False) -> bool:
        """Let two domains be one from here on.

        Args:
            one: A domain.
            other: Another.
            at: What demands it, for errors.
            optional: Return false where they contradict one another.

        Raises:
            PassError: If they contradict one another; it names what put each on its device.

        Complexity:
            Amortised, nearly constant for each domain; no recursion.
        """
        pending = [(one, other)]
        while pending:
            one, other = pending.pop()
            left, right = one.find(), other.find()
            if left is right:
                continue
            if left.rank < right.rank:
                left, right = right, left
            if not self._join(left, right, pending):
                if optional:
                    return False
                raise _contradiction(left, right, at)
            left.rank += left.rank == right.rank
            right.above = left
        return True

    def _join(self, left: Domain, right: Domain, pending: list[tuple[Domain, Domain]]) -> bool:
        """Let ``left`` say what both say; add what follows from that to ``pending``."""
        if left.type is not None and right.type is not None:
            left.final = left.final or right.final
            if left.parts is None:
                left.parts = right.parts
            elif right.parts is not None:
                pending += zip(left.parts, right.parts, strict=False)
            return True
        if left.type is not None:  # a function that is kept on one device
            pending += [(part, left) for part in left.parts or ()]
            left.device, left.place, left.type, left.parts = right.device, right.place, None, None
            return True
        if right.type is not None:
            pending += [(part, left) for part in right.parts or ()]
            return True
        joined = join_devices(left.device, right.device)
        if joined is None:
            return False
        if left.device is not joined:
            left.place = right.place if left.place is None or joined is right.device else left.place
            left.device = self.canonical(joined)
        return True

    def settle(self, domain: Domain, device: VirtualDevice) -> None:
        """Decide what is open of a domain: the result as ``device``, parameters as the result.

        What was decided before stays.
        """
        domain = domain.find()
        if domain.is_settled:
            return
        device = self._settle_one(self.final_result(domain), device)
        pending = [domain]
        while pending:
            domain = pending.pop().find()
            if domain.is_settled:
                continue
            domain.is_settled = True
            if domain.type is None:
                self._settle_one(domain, device)
            elif domain.parts is None:  # nobody looked into it: all on one device
                domain.type, domain.device = None, device
            else:
                pending += domain.parts

    def _settle_one(self, domain: Domain, device: VirtualDevice) -> VirtualDevice:
        domain.device = self.canonical(default_device(domain.device, device))
        return domain.device

    def device(self, domain: Domain) -> VirtualDevice:
        """Return the device that a value, or the final result of a function, is kept on."""
        return self.final_result(domain).device


def _contradiction(left: Domain, right: Domain, at: Node) -> PassError:
    first, second = (
        f"{show_device(domain.device)}"
        + ("" if domain.place is None else f", where {describe(domain.place)} puts it")
        for domain in (left, right)
    )
    return PassError(
        f"{quote(at)} is to be on two devices: {first}; and {second}; "
        f"mark where the value may be copied, by on_device or device_copy"
    )
