"""Exhaustive inlining: put every function in the place of its calls.

Before::

    def @scale(%a: int32, %b: int32) { %a * %b }
    def @main(%x: int32) {
      let %f = fn (%y: int32) { @scale(%y, %x) };
      %f(1) + %f(2)
    }

After::

    def @main(%x: int32) { 1 * %x + 2 * %x }
"""

from __future__ import annotations

from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Expr, Function, GlobalVar, Let
from relayish.ir.relay.function_attributes import is_opaque, is_primitive, is_transparent
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.pass_infra import is_skipped, register_pass
from relayish.passes.relay.cleanup.dead_code_elimination import eliminate_dead_code
from relayish.passes.relay.functions.flatten_closure import flatten_closure
from relayish.passes.relay.functions.interprocedural.captures import has_inner
from relayish.passes.relay.functions.interprocedural.inliner import inline_functions
from relayish.passes.relay.functions.lambda_lift import lambda_lift
from relayish.passes.relay.normal_form.functions import iterate_open_functions


@register_pass("FullInline", opt_level=1, infer_types=True)
def full_inline(mod: IRModule) -> IRModule:
    """Full inlining: put every function in the place of its calls; recursive ones stay.

    Return ``mod`` with all its functions inlined, but for those that no other refers to.

    Functions inside functions are lifted first, where one of them is called or has a name, so that
    they are inlined like others where they are only called; those that are passed on end up where
    they stood. What stays is what cannot be inlined: functions that refer to themselves, by way of
    others or not, those of other compilers, and those that stand for one operator (``Primitive``).
    Bindings that nothing needs any more are dropped.

    Args:
        mod: A typed module, see :func:`~relayish.analysis.infer_type`.

    Returns:
        ``mod`` itself when there was nothing to inline. Rewritten expressions carry no types.

    Complexity:
        Linear in distinct nodes of ``mod`` with all functions lifted, each of which takes what it
        captures, and of what results, which has a copy of each function for each of its calls.

    Source:
        RAF ``FullInline``, which leaves a module alone, with a warning, if a function in it is
        recursive.
    """
    plain = flatten_closure(lambda_lift(mod) if _has_named_functions(mod) else mod)
    inlined = inline_functions(
        plain, lambda e: isinstance(e.function, Function) and not is_opaque(e.function)
    )
    before = mod.functions_of(Expr)
    changed: dict[GlobalVar | str, Expr] = {}
    for name, definition in inlined.functions_of(Expr).items():
        image = definition
        if isinstance(definition, Function) and not is_skipped(definition):
            image = eliminate_dead_code(definition, inlined)
        held = before.get(name)
        if held is not None and structural_equal(held, image):
            image = held
        changed[name] = image
    out = mod.without_functions([name for name in mod if name not in inlined])
    return out.with_functions(changed)


def _has_named_functions(mod: IRModule) -> bool:
    """Return whether a function inside another one is called, bound, or another compiler's.

    Any other stands where it is passed on, and would end up there again.
    """
    return any(
        _is_named(node)
        for _, function in iterate_open_functions(mod)
        if has_inner(function)
        for node in EXPRESSIONS.pre_order(function.body, is_transparent)
    )


def _is_named(node: Node) -> bool:
    if type(node) is Let:
        return type(node.value) is Function
    if type(node) is Call:
        return type(node.op) is Function and not is_primitive(node.op)
    return type(node) is Function and is_opaque(node) and not is_primitive(node)
