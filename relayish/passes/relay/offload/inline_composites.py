"""Take operators out of the composite functions that patterns put them in.

Before, with the target ``"dnnl"``::

    def @region(%x, %w, Compiler="dnnl") {
      %1 = fn (%p, %q, Composite="dnnl.conv_relu") { nn.relu(nn.conv2d(%p, %q)) };
      %1(%x, %w)
    }

After::

    def @region(%x, %w, Compiler="dnnl") {
      nn.relu(nn.conv2d(%x, %w))
    }
"""

from __future__ import annotations

from relayish.functor import ExprMutator
from relayish.ir.relay.expr import Call, Expr, Function
from relayish.ir.relay.function_attributes import compiler_of_function, is_composite
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.relay.functions.interprocedural.call_site import Arguments, Template, let_bound
from relayish.passes.relay.functions.interprocedural.copy import copy_function


class _CompositeInliner(ExprMutator):
    """Replaces calls of composite functions that stand there by their bodies."""

    def __init__(self, func: Function, mod: IRModule) -> None:
        self._arguments = Arguments(func, mod)
        self._inlined: set[Function] = set()

    def visit_call(self, call: Call) -> Expr:
        func = call.op
        if type(func) is not Function or not is_composite(func) or func.type_params:
            return super().visit_call(call)
        if not self._arguments.is_expandable(call):
            return super().visit_call(call)
        args = [self.visit(arg) for arg in call.args]
        if func in self._inlined:  # variables are bound once
            func = copy_function(func)
        self._inlined.add(func)
        values, bound = Template(func).match(call, args, self._arguments)
        self.memo_map.update(values.items())
        return let_bound(bound, self.visit(func.body), call)


def inline_composites_in(func: Function, mod: IRModule) -> Function:
    """Return ``func`` with the bodies of composite functions in the place of their calls."""
    image = _CompositeInliner(func, mod).visit(func)
    assert isinstance(image, Function)
    return image


@register_pass("InlineComposites", opt_level=0, idempotent=True)
def inline_composites(mod: IRModule, *, target: str) -> IRModule:
    """Composite inlining, the inverse of ``MergeComposite``: call what patterns cut out in place.

    Return ``mod`` with the bodies of composite functions in the place of their calls, in functions
    that the compiler ``target`` owns.

    An argument takes the place of its parameter where it may be evaluated any number of times, and
    is bound by a let elsewhere. Composite functions that go by a name, and polymorphic ones, stay.

    Args:
        mod: Any module.
        target: The value of the attribute ``Compiler`` of the functions that are changed.

    Returns:
        ``mod`` itself when there is nothing to inline.

    Complexity:
        Linear in distinct nodes, a function that is called several times counted for each of the
        calls; no recursion.

    Source:
        Relay ``InlineComposites``.

    Example:
        >>> from relayish.text import parse
        >>> from relayish.transform import InlineComposites
        >>> mod = parse('''#[version = "0.0.5"]
        ... def @main(%x: int32, Compiler="other") {
        ...   %0 = fn (%p: int32, Composite="other.negative") { negative(%p) };
        ...   %0(%x)
        ... }''')
        >>> InlineComposites("other")(mod)["main"].body.op.name
        'negative'
    """
    changed: dict[object, Function] = {}
    for name, func in mod.functions_of(Function).items():
        if compiler_of_function(func) == target:
            image = inline_composites_in(func, mod)
            if image is not func:
                changed[name] = image
    return mod.with_functions(changed)
