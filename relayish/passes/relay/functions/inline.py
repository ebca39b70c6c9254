"""Inlining: put functions that ask for it in the place of their calls.

Before::

    def @scale(%a: int32, %b: int32, Inline=1) { %a * %b + %b }
    def @main(%x: int32) { @scale(%x, 2) }

After::

    def @main(%x: int32) { %x * 2 + 2 }
"""

from __future__ import annotations

from relayish.ir.relay.function_attributes import INLINE, is_marked
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.relay.functions.interprocedural.inliner import inline_functions


@register_pass("Inline", opt_level=1, idempotent=True)
def inline(mod: IRModule) -> IRModule:
    """Inlining: put functions with the attribute ``Inline=1`` in the place of their calls.

    Return ``mod`` with the functions that have the attribute ``Inline=1`` inlined, and dropped.

    A call becomes the body of the function, each parameter the argument; arguments with an effect,
    and those that make a reference, are bound by a let instead. A function that belongs to another
    compiler, stands for one operator (``Primitive``) or has type parameters is called where it
    stands: ``(fn (..) { .. })(..)``. So is one that is referred to without being called.
    Recursive functions are not inlined, whatever they ask for, and stay. Functions that no other
    refers to stay as well.

    Returns:
        ``mod`` itself when there was nothing to inline.

    Raises:
        PassError: If a call has not as many arguments as the function has parameters.

    Complexity:
        Linear in distinct nodes of ``mod`` and of what results, which has a copy of the function
        for each of its calls; no recursion.

    Source:
        Relay ``Inline``, which fails on a function that asks for it and calls others that do not.
    """
    return inline_functions(mod, lambda entry: is_marked(entry.function, INLINE))
