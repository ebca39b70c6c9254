"""Partial evaluation: compute what is known before the program runs, and leave the rest.

Before::

    let %f = fn (%t: (int32, int32)) { multiply(%t.0, %t.1) };
    let %r = ref(%f((%x, add(1, 2))));
    ref_read(%r)

After, and after ``DeadCodeElimination{inline_once=true, ref_precision=true}``::

    multiply(%x, 3)
"""

from __future__ import annotations

from typing import Final

from relayish._support.collector import pause_collection
from relayish.analysis.call_graph import CallGraph
from relayish.analysis.effectful import EffectfulNodes
from relayish.analysis.infer_type import infer_type
from relayish.analysis.post_order_visit import count_nodes
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.adt import Clause, Match
from relayish.ir.relay.expr import Expr, Function, GlobalVar, If, Let
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes.scoping import has_scopes
from relayish.pass_infra import register_pass
from relayish.passes.relay.fold.partial_eval.evaluator import Evaluator, is_left_alone
from relayish.passes.relay.normal_form.functions import transform_body, transform_functions
from relayish.passes.relay.normal_form.let_insertion import bind_shared
from relayish.passes.relay.normal_form.to_basic_block_normal_form import bind_all_shared


@register_pass("PartialEvaluate", opt_level=1, infer_types=True)
def partial_evaluate(mod: IRModule) -> IRModule:
    """Partial evaluation: compute what is known before the program runs, and leave the rest.

    Return ``mod`` with what is known of each function computed.

    Known are constants, tuples and data structures with all that is known of their fields,
    functions, and the contents of references until something may have written to them. Calls of
    operators on constants, projections, branches, matches, reads, and calls of functions of which
    it is known which they are, are evaluated; what is left is a chain of bindings, in the order of
    evaluation. What nobody needs any more is left to ``DeadCodeElimination``, which had better
    inline what is used once.

    A call of a function within itself is evaluated as long as its arguments get smaller: numbers
    towards zero, data structures towards their leaves. How much is evaluated is bounded in
    proportion to the program besides; what is not evaluated is left as a call. Of a global function
    that calls enter, what was left of it is evaluated, not the whole of it again.

    Args:
        mod: A module with types. Nodes that several branches share are bound in front of them, as
            ``ToBasicBlockNormalForm`` does.

    Returns:
        ``mod`` itself when what is left are the same functions.

    Raises:
        PassError: If what blocks share may act, as ``ToBasicBlockNormalForm`` does.

    Complexity:
        Linear in the number of distinct nodes, but for functions that are needed as values in many
        environments: each of these is evaluated for its own. No recursion.

    Source:
        Relay ``PartialEvaluate``, which makes the code of every function at once, whether it
        is needed or not.
    """
    made = _evaluate(infer_type(_bind_shared(bind_all_shared(mod))))
    typed = infer_type(mod.with_functions(made))
    changed = [name for name in made if not structural_equal(typed[name], mod[name])]
    return mod.with_functions({name: typed[name] for name in changed})


def _evaluate(mod: IRModule) -> dict[GlobalVar, Function]:
    """Return what is left of the functions of ``mod``; what was known of values is gone then."""
    evaluator = Evaluator(mod, sum(map(count_nodes, mod.functions_of(Expr).values())))
    with pause_collection():  # values and environments live until the end
        return {
            entry.global_var: evaluator.function(entry.name)
            for entry in CallGraph(mod).topological_order()
            if isinstance(entry.function, Function) and not is_left_alone(entry.function)
        }


_ENTERED: Final = frozenset({Clause, Function, If, Let, Match})
"""Relay's kinds with scopes, of which the evaluator knows when these run."""


def _bind_shared(mod: IRModule) -> IRModule:
    """Return ``mod`` with what several scopes share bound, also where one surely runs, once.

    In Relay's own kinds such scopes are those of lets, which are no matter.
    """
    find_effectful = EffectfulNodes(mod)

    def bind(func: Function) -> Expr:
        kinds = {type(node) for node in EXPRESSIONS.post_order(func)}
        if not any(has_scopes(kind) and kind not in _ENTERED for kind in kinds):
            return func
        return transform_body(func, lambda body: bind_shared(body, find_effectful))

    return transform_functions(mod, bind)
