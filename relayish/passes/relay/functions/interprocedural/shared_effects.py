"""Let insertion for side effects that a piece of program shares with what is around it.

Before::

    %0 = ref_write(%r, 1);
    %1 = fn () { %0 };
    (%0, %1())

After::

    let %x_0 = ref_write(%r, 1);
    %1 = fn () { %x_0 };
    (%x_0, %1())
"""

from __future__ import annotations

from collections.abc import Callable

from relayish.analysis import infer_type
from relayish.analysis.referential_transparency import find_opaque_nodes
from relayish.ir.relay.expr import Expr, Function
from relayish.ir.relay.function_attributes import is_transparent
from relayish.ir.relay.module import IRModule
from relayish.ir.scopes.node_scopes import Scopes
from relayish.passes.relay.normal_form.functions import iterate_open_functions, transform_functions
from relayish.passes.relay.normal_form.to_basic_block_normal_form import to_basic_block_normal_form


def bind_shared_effects(mod: IRModule, takes: Callable[[Function], bool]) -> IRModule:
    """Return ``mod`` with what must not be evaluated twice bound where several blocks share it.

    A pass that makes functions of blocks can take the variables they use from there, but not what
    was evaluated around them.

    Args:
        mod: A typed module.
        takes: Tells the functions in which the pass finds such blocks: others stay as they are.

    Returns:
        ``mod`` itself where nothing is shared so; else a typed module.

    Complexity:
        Linear in distinct nodes, but for a logarithmic factor on what several scopes share; no
        recursion.
    """

    def bound(function: Function) -> Expr:
        shares = takes(function) and _shares_effects(function.body)
        return to_basic_block_normal_form(function, mod, whole=True) if shares else function

    image = transform_functions(mod, bound, iterate_open_functions)
    return mod if image is mod else infer_type(image)


def _shares_effects(body: Expr) -> bool:
    opaque = find_opaque_nodes(body)
    if not opaque:
        return False
    lifted = Scopes(body, enter=is_transparent).lifted
    return any(node in opaque and type(node) is not Function for node in lifted)
