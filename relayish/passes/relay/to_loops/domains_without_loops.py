"""Domains of which no operator is written as loops."""

from __future__ import annotations

from relayish.domain import register_handler
from relayish.passes.relay.to_loops.refusing import Refusing


@register_handler("loops")
class RandomToLoops(Refusing, domain="random"):
    """Refuses random numbers: the words that they are made of are counted through a key."""

    otherwise = "it draws random numbers, which evaluators do"


@register_handler("loops")
class DynamicToLoops(Refusing, domain="dyn"):
    """Refuses what has sizes that nobody knows."""

    otherwise = "its sizes are known when it runs only; DynamicToStatic writes those it can find"


@register_handler("loops")
class MemoryToLoops(Refusing, domain="memory"):
    """Refuses explicit memory, which loops have of their own."""

    otherwise = "it manages memory, of which loops have their own; lower before ManifestAlloc"


@register_handler("loops")
class MachineToLoops(Refusing, domain="vm"):
    """Refuses instructions of Relay's virtual machine."""

    otherwise = "it is an instruction of a virtual machine"
