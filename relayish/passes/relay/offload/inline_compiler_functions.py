"""Take back what was given to another compiler: put its functions in the place of their calls.

Before, bound to ``@region``::

    def @region(%p, Compiler="dnnl") {
      %0 = fn (%q, Composite="dnnl.exp") { exp(%q) };
      %0(%p)
    }
    def @main(%x) { @region(%x) }

After::

    def @main(%x) { exp(%x) }
"""

from __future__ import annotations

from relayish.analysis.call_graph import CallGraph
from relayish.errors import PassError
from relayish.ir.relay.expr import Function, GlobalVar
from relayish.ir.relay.function_attributes import compiler_of_function
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.relay.functions.interprocedural.inliner import inline_functions
from relayish.passes.relay.offload.inline_composites import inline_composites_in


@register_pass("InlineCompilerFunctionsBoundTo", opt_level=0)
def inline_compiler_functions(
    mod: IRModule, *, global_vars: tuple[GlobalVar | str, ...]
) -> IRModule:
    """Compiler function inlining: take functions back that were given to another compiler.

    Return ``mod`` with some functions of other compilers, and the composite functions in them, in
    the place of their calls.

    The functions go from the module, unless they are recursive, or something of another language
    refers to them.

    Args:
        mod: Any module.
        global_vars: The functions, by variable or name.

    Returns:
        ``mod`` itself when none is given.

    Raises:
        UnknownNameError: If the module has no function of a name.
        PassError: If no other compiler owns one of the functions.

    Complexity:
        Linear in distinct nodes of ``mod`` and of what results; no recursion.

    Source:
        Relay ``InlineCompilerFunctionsBoundTo``.

    Example:
        >>> from relayish.text import parse
        >>> from relayish.transform import InlineCompilerFunctionsBoundTo
        >>> mod = parse('''#[version = "0.0.5"]
        ... def @region(%p: int32, Compiler="other") { negative(%p) }
        ... def @main(%x: int32) { @region(%x) }''')
        >>> out = InlineCompilerFunctionsBoundTo(["region"])(mod)
        >>> [name.name_hint for name in out], out["main"].body.op.name
        (['main'], 'negative')
    """
    given = [var if isinstance(var, str) else var.name_hint for var in global_vars]
    names = [mod.get_global_var(name) for name in given]
    if not names:
        return mod
    taken: dict[GlobalVar, Function] = {}
    for name in names:
        func = mod[name]
        if type(func) is not Function or compiler_of_function(func) is None:
            raise PassError(
                f"@{name.name_hint} belongs to no other compiler, it has no attribute Compiler; "
                f"Inline puts other functions in the place of their calls"
            )
        taken[name] = func
    bare = {
        name: inline_composites_in(func, mod).with_fields(attrs=None)
        for name, func in taken.items()
    }
    chosen = {name.name_hint for name in names}
    image = inline_functions(mod.with_functions(bare), lambda entry: entry.name in chosen)
    graph = CallGraph(mod)
    left = {name: func for name, func in taken.items() if name in image}
    kept = {name: func for name, func in left.items() if graph.ref_count(name.name_hint)}
    return image.with_functions(kept).without_functions(left.keys() - kept.keys())
