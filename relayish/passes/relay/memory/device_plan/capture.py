"""Writing a plan of devices into a program, so that scoping alone tells every device.

An expression is on the device of what is around it: of the function, or of the ``on_device`` that
stands around it and says so for both its sides. Values of lets always have one, and arguments that
are elsewhere; variables and functions carry theirs themselves.
"""

from __future__ import annotations

from relayish.analysis.on_device import is_on_device, skip_on_device, with_fixed_device
from relayish.functor import ExprRewriter, post_order_rewrite
from relayish.ir.nodes.node import ATOMS, NAMES, Node
from relayish.ir.relay.expr import Call, Expr, Function, GlobalVar, Let, Var
from relayish.ir.relay.function_attributes import is_primitive, is_transparent
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.virtual_device import ANY_DEVICE, VirtualDevice
from relayish.ir.scopes.replacing import with_evaluated
from relayish.ir.scopes.scoping import bound_by, operands, scope_roots
from relayish.op.runtime.device import DeviceCopyAttrs
from relayish.passes.relay.memory.device_plan.constraints import DEVICE_COPY, Constraints


def capture(func: Function, plan: Constraints) -> Function:
    """Return ``func`` with the devices of ``plan`` written into it; itself where they are there."""
    image = post_order_rewrite(func, _Capturer(func, plan))
    assert isinstance(image, Function)
    return image


class _Capturer(ExprRewriter):
    """Takes marks off, and puts those around children that scoping needs."""

    def __init__(self, func: Function, plan: Constraints) -> None:
        self._plan = plan
        planned = EXPRESSIONS.post_order(func, is_transparent)
        self._planned = set(planned)
        functions = [node for node in planned if type(node) is Function and not is_primitive(node)]
        self._params = {param for node in functions for param in node.params}
        self._copies: dict[tuple[Expr, Expr, VirtualDevice], Call] = {}

    def rewrite_var(self, pre: Var, post: Var) -> Expr:
        if pre not in self._params:
            return post
        device = self._plan.device(pre)
        return post if pre.virtual_device == device else post.with_fields(virtual_device=device)

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        if pre not in self._planned:
            return post
        if is_on_device(pre):
            return post.args[0]
        if pre.op is DEVICE_COPY:
            return self._copy(pre, post)
        around = self._plan.device(pre)
        devices = self._plan.param_devices(pre)
        args = [
            self._place(arg, image, device, around)
            for arg, image, device in zip(pre.args, post.args, devices, strict=True)
        ]
        return pre.with_fields(op=post.op, args=args)

    def _copy(self, pre: Call, post: Call) -> Expr:
        """Return a copy from the first device to the last of several; what is copied, if none."""
        attrs = pre.attrs
        assert isinstance(attrs, DeviceCopyAttrs)
        source, target = self._plan.param_devices(pre)[0], self._plan.device(pre)
        before: Expr = pre.args[0]
        image: Expr = post.args[0]
        if type(image) is Call and image.op is DEVICE_COPY:
            assert isinstance(image.attrs, DeviceCopyAttrs)
            source, image = image.attrs.src_virtual_device, skip_on_device(image.args[0])
        if source == target:
            return image
        placed = with_fixed_device(image, source, before)
        made = DeviceCopyAttrs(source, target)
        return pre.with_fields(args=(placed,), attrs=attrs if attrs == made else made)

    def rewrite_let(self, pre: Let, post: Let) -> Expr:
        device = self._plan.device(pre)
        return pre.with_fields(
            var=post.var,
            value=self._place(pre.value, post.value, self._plan.device(pre.var), ANY_DEVICE),
            body=self._place(pre.body, post.body, device, device),
        )

    def rewrite_function(self, pre: Function, post: Function) -> Expr:
        if is_primitive(pre) or pre not in self._planned:
            return pre
        device = self._plan.device(pre)
        body = self._place(pre.body, post.body, device, device)
        known = pre.virtual_device
        return pre.with_fields(
            params=post.params, body=body, virtual_device=known if known == device else device
        )

    def rewrite_expr(self, pre: Expr, post: Expr) -> Expr:
        """Put what goes into any other expression where this is."""
        if type(pre) in ATOMS or pre not in self._planned:
            return post
        device = self._plan.device(pre)

        def place_all(before: tuple[Node, ...], after: tuple[Node, ...]) -> list[Node]:
            return [
                self._place(child, image, device, device)
                if isinstance(child, Expr) and isinstance(image, Expr)
                else image
                for child, image in zip(before, after, strict=True)
            ]

        same = all(old is new for old, new in zip(bound_by(pre), bound_by(post), strict=True))
        return with_evaluated(
            pre if same else post,
            place_all(operands(pre), operands(post)),
            place_all(scope_roots(pre), scope_roots(post)),
        )

    def _place(
        self, child: Expr, image: Expr, expected: VirtualDevice, around: VirtualDevice
    ) -> Expr:
        """Return ``image`` of ``child``, on the device that is expected of it.

        It is copied if it is on another, and says where it is if scoping, by which it were on the
        device ``around``, does not.
        """
        inner = skip_on_device(child)
        if type(inner) in NAMES and type(inner) is not GlobalVar:  # on any device
            return image
        found = self._plan.device(inner)
        if found is not expected and found != expected:
            image = self._copied(child, image, found, expected)
        placed = expected is around or expected == around
        return image if placed else with_fixed_device(image, expected, child)

    def _copied(
        self, child: Expr, image: Expr, source: VirtualDevice, target: VirtualDevice
    ) -> Call:
        key = child, image, target
        made = self._copies.get(key)
        if made is None:
            placed = with_fixed_device(image, source, child)
            attrs = DeviceCopyAttrs(source, target)
            made = self._copies[key] = Call(DEVICE_COPY, (placed,), attrs, span=image.span)
        return made
