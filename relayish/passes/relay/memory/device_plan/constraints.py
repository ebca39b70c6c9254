"""Device constraints: what a program demands of the devices of its expressions.

Everything that goes into an expression is on the device of its value, but for the value of a let,
the arguments of calls of functions, and what operators keep on the host. ``on_device`` and
``device_copy`` are where devices change.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from relayish.analysis.on_device import is_on_device
from relayish.ir.nodes.node import NAMES, Node
from relayish.ir.relay.adt import Constructor
from relayish.ir.relay.expr import Call, Expr, Function, GlobalVar, Let, Op, Var
from relayish.ir.relay.function_attributes import is_primitive, is_transparent
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.virtual_device import ANY_DEVICE, VirtualDevice, is_unconstrained
from relayish.ir.scopes.scoping import bound_by, operands, scope_roots
from relayish.op.declaration.properties import arguments
from relayish.op.declaration.registry import relay_op
from relayish.op.runtime.device import DeviceCopyAttrs, OnDeviceAttrs
from relayish.passes.relay.memory.device_plan.domains import Domain, Domains
from relayish.passes.relay.memory.device_plan.rules import DEVICE_RULES, DeviceRule
from relayish.passes.relay.normal_form.functions import iterate_optimized_functions

DEVICE_COPY: Final = relay_op("device_copy")


class Constraints:
    """The domains of the expressions of a module; those of functions that are left alone are open.

    Args:
        mod: A typed module.
        domains: Where domains are made.
        host: The device of shapes.
    """

    def __init__(self, mod: IRModule, domains: Domains, host: VirtualDevice) -> None:
        self._mod = mod
        self._domains = domains
        self._host = domains.make(None, host)
        self._known: dict[Node, Domain] = {}
        self._globals: dict[str, Domain] = {}
        self._callees: dict[Call, tuple[list[Domain], Domain]] = {}
        self._devices: dict[VirtualDevice, VirtualDevice] = {}
        self._known_devices: dict[int, tuple[VirtualDevice, VirtualDevice]] = {}
        """Devices that were asked about, by identity, and the one for all that are equal."""
        self._default = ANY_DEVICE
        self.functions = list(iterate_optimized_functions(mod))
        self._planned = {name.name_hint: func for name, func in self.functions}

    def collect(self) -> None:
        """Take note of what all functions demand."""
        for _, func in self.functions:
            for node in EXPRESSIONS.post_order(func, is_transparent):
                if isinstance(node, Expr):
                    self._constrain(node)

    def domain(self, expr: Node) -> Domain:
        """Return the domain of an expression; that of a global function by its name."""
        if type(expr) is GlobalVar:
            return self._global(expr)
        found = self._known.get(expr)
        if found is None:
            found = self._known[expr] = self._domains.make(getattr(expr, "checked_type", None))
        return found

    def _global(self, name: GlobalVar) -> Domain:
        func = self._planned.get(name.name_hint)
        if func is not None:
            return self.domain(func)
        found = self._globals.get(name.name_hint)
        if found is None:
            ty = getattr(self._mod[name], "checked_type", None) if name in self._mod else None
            found = self._globals[name.name_hint] = self._domains.make(ty)
        return found

    def callee(self, call: Call) -> tuple[list[Domain], Domain]:
        """Return the domains of the parameters and of the result of what ``call`` calls."""
        if type(call.op) is not Op and type(call.op) is not Constructor:
            *params, result = self._domains.parts(self.domain(call.op), len(call.args))
            return params, result
        found = self._callees.get(call)
        if found is None:
            found = self._callees[call] = self._callee_of(call)
        return found

    def _callee_of(self, call: Call) -> tuple[list[Domain], Domain]:
        attrs, result = call.attrs, self.domain(call)
        if is_on_device(call):
            assert isinstance(attrs, OnDeviceAttrs)
            body = self.domain(call.args[0])
            if attrs.constrain_body:
                self._keep(body, attrs.virtual_device, call)
            if attrs.constrain_result:
                self._keep(result, attrs.virtual_device, call)
            return [body], body if attrs.constrain_body and attrs.constrain_result else result
        if call.op is DEVICE_COPY:
            assert isinstance(attrs, DeviceCopyAttrs)
            body = self.domain(call.args[0])
            self._keep(body, attrs.src_virtual_device, call)
            self._keep(result, attrs.dst_virtual_device, call)
            return [body], result
        rule = DEVICE_RULES.get(call.op) if type(call.op) is Op else None
        if rule is None:
            return [result] * len(call.args), result
        return self._by_rule(call, rule)

    def _by_rule(self, call: Call, rule: DeviceRule) -> tuple[list[Domain], Domain]:
        host, result = self._host, self.domain(call)
        if rule.host_result:
            result = host
        device = None if call.attrs is None else call.attrs.get(rule.result)
        if isinstance(device, VirtualDevice):
            self._keep(result, device, call)
        assert isinstance(call.op, Op)
        params = [
            host if name in rule.host else self.domain(arg) if name in rule.apart else result
            for name, arg in zip(arguments.get(call.op, ()), call.args, strict=False)
        ]
        return [*params, *[result] * (len(call.args) - len(params))], result

    # What each kind of expression demands

    def _constrain(self, node: Expr) -> None:
        kind = type(node)
        if kind is Var:
            self._keep(self.domain(node), node.virtual_device, node)
        elif type(node) is Call:
            self._call(node)
        elif type(node) is Let:
            self._unify(node.var, fixed_body(node.value), node)
            self._unify(node, node.body, node)
        elif type(node) is Function:
            self._function(node)
        elif kind not in NAMES:
            for held in (*operands(node), *scope_roots(node), *bound_by(node)):
                if type(held) is not Op:
                    self._unify(node, held, node)

    def _unify(self, one: Node, other: Node, at: Node) -> None:
        self._domains.unify(self.domain(one), self.domain(other), at)

    def _keep(self, domain: Domain, device: VirtualDevice | None, place: Expr) -> None:
        """Let what is kept in the end be on ``device``, as ``place`` says."""
        if device is not None and not is_unconstrained(device):
            made = self._domains.make(None, device, place)
            self._domains.unify(self._domains.final_result(domain), made, place)

    def _call(self, call: Call) -> None:
        params, result = self.callee(call)
        for arg, domain in zip(call.args, params, strict=True):
            self._domains.unify(self.domain(arg), domain, call)
        self._domains.unify(self.domain(call), result, call)

    def _function(self, func: Function) -> None:
        domain = self.domain(func)
        *params, result = self._domains.parts(domain, len(func.params))
        for param, expected in zip(func.params, params, strict=True):
            self._domains.unify(self.domain(param), expected, func)
            self._keep(expected, param.virtual_device, param)
        if not is_primitive(func):
            self._domains.unify(result, self.domain(fixed_body(func.body)), func)
        self._keep(result, func.virtual_device, func)

    # Decisions

    def settle(self, default: VirtualDevice) -> None:
        """Decide what is open: results first, as ``default``, then what goes into them."""
        self._default = default
        self._known_devices.clear()
        order = list(self._in_order())
        for node in order:
            if type(node) is Call and is_open_mark(node):
                self._domains.unify(
                    self.domain(node), self.domain(node.args[0]), node, optional=True
                )
        for node in order:
            if type(node) is Function:
                self._domains.settle(self.domain(node), default)
            elif type(node) is Call:
                params, result = self.callee(node)
                self._domains.settle(result, default)
                around = self._domains.device(result)
                for param in params:
                    self._domains.settle(param, around)
            elif type(node) is Let:
                self._domains.settle(self.domain(node), default)
                self._domains.settle(self.domain(node.var), self.device(node))

    def _in_order(self) -> Iterator[Node]:
        """Yield nodes before what goes into them, bodies of lets after their values."""

        def enter(node: Node) -> bool:
            return not (type(node) is Function and is_primitive(node))

        for _, func in self.functions:
            yield from filter(enter, EXPRESSIONS.pre_order(func, enter))

    def device(self, expr: Node) -> VirtualDevice:
        """Return the device that the value of ``expr`` is kept on, without marks around it."""
        return self._shared(self._domains.device(self.domain(expr)))

    def param_devices(self, call: Call) -> list[VirtualDevice]:
        """Return the devices that what is called takes its arguments on."""
        return [self._shared(self._domains.device(param)) for param in self.callee(call)[0]]

    def _shared(self, device: VirtualDevice) -> VirtualDevice:
        """Return the one object for all devices that are equal; the default where all is open."""
        known = self._known_devices.get(id(device))
        if known is None:
            told = self._default if is_unconstrained(device) else device
            known = device, self._devices.setdefault(told, told)
            self._known_devices[id(device)] = known
        return known[1]


def is_mark(expr: Node) -> bool:
    """Return whether ``expr`` is an ``on_device`` that constrains what is in it alone."""
    if not is_on_device(expr):
        return False
    attrs = expr.attrs
    assert isinstance(attrs, OnDeviceAttrs)
    return attrs.constrain_body and not attrs.constrain_result


def is_open_mark(expr: Node) -> bool:
    """Return whether ``expr`` is an ``on_device`` that only allows a copy."""
    if not is_on_device(expr):
        return False
    attrs = expr.attrs
    assert isinstance(attrs, OnDeviceAttrs)
    return not attrs.constrain_body and not attrs.constrain_result


def fixed_body(expr: Expr) -> Expr:
    """Return ``expr`` without marks where they count for what is around as well."""
    while is_mark(expr):
        assert isinstance(expr, Call)
        (expr,) = expr.args
    return expr
