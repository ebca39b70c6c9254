"""Say of functions that other compilers own that they are compiled by now.

Before::

    def @region(%x, Compiler="dnnl", Primitive=1, global_symbol="region") { exp(%x) }

After::

    def @region(%x, Extern=1) { exp(%x) }
"""

from __future__ import annotations

from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.expr import Function
from relayish.ir.relay.function_attributes import EXTERN, compiler_of_function
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass


@register_pass("MarkCompilerFunctionsAsExtern", opt_level=0, idempotent=True)
def mark_compiler_functions_as_extern(mod: IRModule, *, compiler_filter: str = "") -> IRModule:
    """External marking: say of functions of other compilers that they are compiled by now.

    Return ``mod`` with the attribute ``Extern``, in place of all it had, on each function of the
    module that another compiler owns.

    Args:
        mod: Any module.
        compiler_filter: The compiler whose functions are marked; by default all.

    Returns:
        ``mod`` itself when there is none.

    Complexity:
        Linear in the number of functions.

    Source:
        Relay ``MarkCompilerFunctionsAsExtern``.

    Example:
        >>> from relayish.text import parse
        >>> from relayish.transform import MarkCompilerFunctionsAsExtern
        >>> mod = parse('''#[version = "0.0.5"]
        ... def @region(%x: int32, Compiler="other", Primitive=1) { negative(%x) }''')
        >>> MarkCompilerFunctionsAsExtern()(mod)["region"].attrs
        DictAttrs({'Extern': 1})
    """
    return mod.with_functions(
        {
            name: func.with_fields(attrs=DictAttrs({EXTERN: 1}), checked_type=func.checked_type)
            for name, func in mod.functions_of(Function).items()
            if (compiler := compiler_of_function(func)) is not None
            and compiler_filter in ("", compiler)
        }
    )
