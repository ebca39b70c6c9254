"""Dead-function elimination: drop the functions that the entry functions do not need.

Before::

    def @unused(%x: int32) { @helper(%x) }
    def @helper(%x: int32) { %x + 1 }
    def @main(%x: int32) { %x }

After::

    def @main(%x: int32) { %x }
"""

from __future__ import annotations

from relayish.analysis.call_graph import CallGraph
from relayish.errors import UnknownNameError
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass


@register_pass("RemoveUnusedFunctions", opt_level=1, idempotent=True)
def remove_unused_functions(
    mod: IRModule, *, entry_functions: tuple[str, ...] = ("main",)
) -> IRModule:
    """Dead-function elimination: drop functions that the entry functions do not reach.

    Return ``mod`` with only the functions that ``entry_functions`` refer to, and these.

    A reference counts whether it calls the function or not. Types stay.

    Returns:
        ``mod`` itself when every function is needed.

    Raises:
        UnknownNameError: If ``mod`` does not define one of ``entry_functions``.

    Complexity:
        Linear in distinct nodes; no recursion.

    Source:
        Relay ``RemoveUnusedFunctions``.
    """
    for name in entry_functions:
        if name not in mod:
            raise UnknownNameError(
                f"the module has no function @{name}, which should be kept with what it needs; "
                f"name in entry_functions where programs are entered"
            )
    # what another language may be entered by is not known here
    foreign = mod.functions.keys() - mod.functions_of(Expr).keys()
    used = CallGraph(mod).reachable([*entry_functions, *foreign])
    return mod.without_functions([name for name in mod if name.name_hint not in used])
