"""Virtual devices by scoping: on which device each expression of a planned program is."""

from __future__ import annotations

from collections.abc import Iterable

from relayish.analysis.on_device import fixed_device
from relayish.ir.nodes.node import NAMES, Node
from relayish.ir.relay.expr import Call, Expr, Function, GlobalVar, Let, Var
from relayish.ir.relay.function_attributes import is_primitive
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.virtual_device import ANY_DEVICE, VirtualDevice
from relayish.ir.scopes.scoping import bound_by


def recover_virtual_device_map(mod: IRModule | None, expr: Expr) -> dict[Expr, VirtualDevice]:
    """Return the device of each expression below and including ``expr``, as scoping tells it.

    A parameter and the result of a function are where their ``virtual_device`` says; the value of a
    let, and what its variable stands for, where the ``on_device`` around it says; what a pattern
    takes apart, where it is matched; and all else
    where the innermost ``on_device`` around it says, or the function. Operators and constructors
    are on any device, so they have none. What nothing is said of is on a device of which everything
    is open.

    Args:
        mod: Where the functions are that ``expr`` calls by global name.
        expr: An expression, such as a function that ``PlanDevices`` has made.

    Complexity:
        Linear in distinct nodes; no recursion.

    Source:
        Relay ``RecoverVirtualDeviceMap``.

    Example:
        >>> from relayish import exp
        >>> x, gpu = Var("x", virtual_device=VirtualDevice(1, 0)), VirtualDevice(2, 0)
        >>> func = Function((x,), exp(x), virtual_device=gpu)
        >>> found = recover_virtual_device_map(None, func)
        >>> found[x].device_type_int, found[func.body] is gpu
        (1, True)
    """
    return recover_devices(mod, expr, ANY_DEVICE)


def recover_devices(
    mod: IRModule | None, expr: Expr, outside: VirtualDevice
) -> dict[Expr, VirtualDevice]:
    """Return the same where ``expr`` stands in something on the device ``outside``."""
    found: dict[Expr, VirtualDevice] = {}
    bound: dict[Var, VirtualDevice] = {}

    def device_of(node: Node, around: VirtualDevice) -> VirtualDevice:
        fixed = fixed_device(node)
        if fixed is not None:
            return fixed
        if type(node) is Var:
            return bound.get(node, ANY_DEVICE)
        if type(node) is GlobalVar:
            defined = mod[node] if mod is not None and node in mod else None
            known = defined.virtual_device if isinstance(defined, Function) else None
            return known or ANY_DEVICE
        if type(node) is Function and not is_primitive(node):
            return node.virtual_device or ANY_DEVICE
        return around

    entered: set[Node] = set()
    stack: list[tuple[Node, VirtualDevice]] = [(expr, outside)]
    while stack:
        node, around = stack.pop()
        if node in entered:
            continue
        entered.add(node)
        if type(node) is Function and not is_primitive(node):
            bound.update((param, param.virtual_device or ANY_DEVICE) for param in node.params)
        elif type(node) is Let:
            bound[node.var] = device_of(node.value, around)
        elif type(node) is not Function:
            bound.update((var, around) for var in bound_by(node) if type(var) is Var)
        device = device_of(node, around)
        if isinstance(node, Expr) and (type(node) not in NAMES or type(node) is GlobalVar):
            found[node] = device
        inside = device if fixed_device(node) is not None or type(node) is Function else around
        stack += [(child, inside) for child in EXPRESSIONS.children(node)[::-1]]
    return found


def has_devices(nodes: Iterable[Node]) -> bool:
    """Return whether devices are planned in a program of these ``nodes``: scoping tells some."""
    for node in nodes:
        kind = type(node)
        if (kind is Call and fixed_device(node) is not None) or (
            type(node) is Function and node.virtual_device is not None
        ):
            return True
    return False
