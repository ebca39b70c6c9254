"""Preparation of device planning: where marks count, and where copies are needed.

Of a tuple on a device the field is copied that is taken out of it, not the tuple. A value that two
calls need on devices that they are said to run on is copied for the second.
"""

from __future__ import annotations

from relayish.analysis.on_device import is_on_device
from relayish.functor import ExprRewriter, post_order_rewrite
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Expr, Function, TupleGetItem
from relayish.ir.relay.function_attributes import is_transparent
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.virtual_device import (
    ANY_DEVICE,
    VirtualDevice,
    is_unconstrained,
    join_devices,
)
from relayish.op.runtime.device import DeviceCopyAttrs, OnDeviceAttrs
from relayish.passes.relay.memory.device_plan.constraints import DEVICE_COPY, is_mark


def prepare(func: Function) -> Function:
    """Return ``func`` with projections inside marks, and copies of what two devices need."""
    func = _rewrite(func, _ProjectInside())
    known, conflicting = _find_conflicts(func)
    if not conflicting:
        return func
    return _rewrite(func, _Copier(known, conflicting))


def _rewrite(func: Function, rewriter: ExprRewriter) -> Function:
    image = post_order_rewrite(func, rewriter)
    assert isinstance(image, Function)
    return image


class _ProjectInside(ExprRewriter):
    def rewrite_tuple_getitem(self, pre: TupleGetItem, post: TupleGetItem) -> Expr:  # noqa: ARG002
        marks: list[Call] = []
        inner: Expr = post.tuple_value
        while is_mark(inner):
            assert isinstance(inner, Call)
            marks.append(inner)
            (inner,) = inner.args
        image: Expr = post.with_fields(tuple_value=inner)
        for mark in reversed(marks):
            image = mark.with_fields(args=(image,))
        return image


def _find_conflicts(func: Function) -> tuple[dict[Node, VirtualDevice], set[Node]]:
    """Return the devices that are told of values, and the values that are told of two.

    What a call is told goes for what it is called with, as far as there are only calls.
    """
    known: dict[Node, VirtualDevice] = {}
    conflicting: set[Node] = set()
    entered: set[Node] = set()
    stack: list[Node] = [func]
    while stack:
        node = stack.pop()
        if node in entered or not is_transparent(node):
            continue
        entered.add(node)
        if type(node) is not Call:
            stack += EXPRESSIONS.children(node)[::-1]
            continue
        inside = _device_inside(node, known)
        for arg in node.args:
            joined = join_devices(known.get(arg, ANY_DEVICE), inside)
            if joined is not None:
                known[arg] = joined
            elif not is_on_device(arg):
                conflicting.add(arg)
        stack += node.args[::-1]
    return known, conflicting


def _device_inside(call: Call, known: dict[Node, VirtualDevice]) -> VirtualDevice:
    """Return the device that the arguments of a call are told to be on."""
    attrs = call.attrs
    if is_on_device(call):
        assert isinstance(attrs, OnDeviceAttrs)
        return attrs.virtual_device if attrs.constrain_body else ANY_DEVICE
    if call.op is DEVICE_COPY:
        assert isinstance(attrs, DeviceCopyAttrs)
        return attrs.src_virtual_device
    return known.get(call, ANY_DEVICE)


class _Copier(ExprRewriter):
    def __init__(self, known: dict[Node, VirtualDevice], conflicting: set[Node]) -> None:
        self._known = known
        self._conflicting = conflicting

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        if self._conflicting.isdisjoint(pre.args):
            return post
        target = _device_inside(pre, self._known)
        args = [
            self._copied(arg, image, target) if arg in self._conflicting else image
            for arg, image in zip(pre.args, post.args, strict=True)
        ]
        return post.with_fields(args=args)

    def _copied(self, arg: Expr, image: Expr, target: VirtualDevice) -> Expr:
        source = self._known[arg]
        if is_unconstrained(target) or join_devices(source, target) is not None:
            return image
        return Call(DEVICE_COPY, (image,), DeviceCopyAttrs(source, target), span=image.span)
