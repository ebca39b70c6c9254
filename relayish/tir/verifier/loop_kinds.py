"""Loop kinds: which flags go together, and what they need to be told."""

from __future__ import annotations

from typing import Final

from relayish.ir.kinds.one_line import one_line
from relayish.ir.verification.rules import Report
from relayish.tir.ir.flags import NO_BIND, NO_VECTORIZE, ForType
from relayish.tir.ir.stmt import For, PolyFor
from relayish.tir.ir.tensor import Var
from relayish.tir.verifier.violation import Rule

_DEVICE: Final = ForType.GPU_THREAD | ForType.GPU_BLOCK | ForType.GPU_LANE
_EXCLUSIVE: Final = (
    (ForType.UNROLLED, ForType.VECTORIZED | _DEVICE),
    (ForType.PARALLEL, _DEVICE),
    (ForType.VECTORIZED, _DEVICE),
    (ForType.GPU_THREAD, ForType.GPU_BLOCK | ForType.GPU_LANE),
    (ForType.GPU_BLOCK, ForType.GPU_LANE),
    (ForType.DEFAULT, ForType.PARALLEL | ForType.VECTORIZED | ForType.UNROLLED | _DEVICE),
)


def counter_of(loop: For | PolyFor) -> Var:
    """Return the variable that a loop counts with."""
    return loop.loop_var if isinstance(loop, For) else loop.iterator


def check_loop_kind(loop: For | PolyFor, report: Report) -> None:
    """Flags of a loop do not contradict one another, nor what is said of lanes and devices."""
    kind, lanes, device = loop.for_type, loop.vectorize_info, loop.bind_info
    if not kind and lanes == NO_VECTORIZE and device == NO_BIND:
        return  # a serial loop, of which nothing is said

    def refuse(found: str) -> None:
        report(Rule.LOOP_KIND, loop, f"the loop over {one_line(counter_of(loop))} {found}")

    for one, others in _EXCLUSIVE:
        if kind & one and kind & others:
            refuse(f"is {spell(one)} and {spell(kind & others)}; these exclude one another")
    if kind & ForType.VECTORIZED and not lanes.is_valid:
        refuse(
            f"is vectorised with {lanes}; expected a level of 0 or more and a factor of 1 or more: "
            f"give vectorize_info"
        )
    elif lanes != NO_VECTORIZE and not kind & ForType.VECTORIZED:
        refuse(f"is given {lanes}, but is not vectorised; add the flag VECTORIZED, or drop it")
    flag = kind & (ForType.GPU_THREAD | ForType.GPU_BLOCK)
    if not flag and device != NO_BIND:
        refuse(
            f"is given {device!r}, but is not bound; add the flag GPU_THREAD or GPU_BLOCK, or "
            f"drop it"
        )
    elif flag and not device.is_valid:
        refuse(
            f"is bound with {device!r}, which names no axis; give bind_info GPU_THREAD or "
            f"GPU_BLOCK and an offset of 0 to 2"
        )
    elif flag and device.for_type not in flag:
        refuse(f"is {spell(flag)}, but bound to {device}; let both name one device")


def spell(flags: ForType) -> str:
    """Return the names of flags, as messages show them."""
    return " and ".join([flag.name or "" for flag in ForType if flag and flag in flags])
