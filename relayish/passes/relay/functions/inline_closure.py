"""Closure inlining: put closures that are called once in the place of that call.

Before::

    let %f = fn (%a: int32) { let %b = %a * %x; %b + 1 };
    let %y = %f(%z);
    %y

After::

    let %y = { let %b = %z * %x; %b + 1 };
    %y
"""

from __future__ import annotations

from collections.abc import Mapping

from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.relay.expr import Call, Expr, Function, GlobalVar, Let, Var
from relayish.ir.relay.function_attributes import is_closure, is_opaque
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.pass_infra import register_pass
from relayish.passes.relay.functions.interprocedural.call_site import (
    Arguments,
    find_declaring_calls,
)
from relayish.passes.relay.functions.interprocedural.copy import copy_function, substitute_all
from relayish.passes.relay.functions.interprocedural.dropping import (
    DroppingMutator,
    count_uses,
    find_recursive_vars,
)
from relayish.passes.relay.functions.interprocedural.moving import Moves


class _Inliner(DroppingMutator):
    """Expands the calls of closures that are called once."""

    def __init__(
        self,
        root: Expr,
        mod: IRModule | None,
        closures: dict[Expr, Expr],
        dropped: set[Var],
        uses: Mapping[Node, int],
    ) -> None:
        self._mod = mod
        self._closures = closures
        self._uses = uses
        self._moves = Moves(Arguments(root, mod))
        self._assembled: dict[Function, Function] = {}
        self.dropped = dropped

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        made = self._closures.get(pre.op)
        if made is None:
            return post
        function = self.visit(made)
        if isinstance(function, Call):
            function = copy_function(_find_made_by(function, self._mod))
        elif self._uses[made] > 1:
            assert isinstance(function, Function)
            function = copy_function(self._restore(function))
        assert isinstance(function, Function)
        return self._moves.move(function, pre, post.args)

    def inline(self, root: Expr) -> Expr:
        """Return ``root`` with the calls expanded."""
        return self._moves.assemble(self.visit(root))

    def _restore(self, function: Function) -> Function:
        """Return ``function``, which is used elsewhere too, without holes, so it can be copied."""
        if function not in self._assembled:
            whole = self._moves.assemble(function)
            assert isinstance(whole, Function)
            self._assembled[function] = whole
        return self._assembled[function]


def _find_made_by(call: Call, mod: IRModule | None) -> Function:
    """Return the function that ``call``, of a global closure, returns."""
    assert mod is not None
    assert isinstance(call.op, GlobalVar)
    closure = mod[call.op.name_hint]
    assert isinstance(closure, Function)
    values: dict[Expr, Expr] = dict(zip(closure.params, call.args, strict=True))
    function = substitute_all(closure.body, values)
    assert isinstance(function, Function)
    return function


def _arity(made: Expr, mod: IRModule | None) -> int | None:
    """Return how many parameters the closure ``made`` has, or ``None`` if it is none of ours."""
    if isinstance(made, Function):
        return None if made.type_params or is_opaque(made) else len(made.params)
    if mod is None or type(made) is not Call or type(made.op) is not GlobalVar:
        return None
    if made.op not in mod:
        return None
    closure = mod.function_of(Node, made.op)
    if (
        not isinstance(closure, Function)
        or not is_closure(closure)
        or closure.type_params
        or len(closure.params) != len(made.args)
        or any(type(arg) not in ATOMS for arg in made.args)
        or type(closure.body) is not Function
    ):
        return None
    return _arity(closure.body, mod)


@register_pass("InlineClosure", opt_level=1)
def inline_closure(expr: Expr, mod: IRModule | None = None) -> Expr:
    """Closure inlining: put closures that are called once in the place of that call.

    Return ``expr`` with closures that are called once, and not used otherwise, inlined.

    A closure is a function that stands where it is called or is bound by a let, or what a call of a
    global function marked ``Closure`` makes, as ``LambdaLift`` leaves it. It may not refer to
    itself, have type parameters, or belong to another compiler. Its parameters become the
    arguments, or are bound to them where these have an effect or make a reference. What a closure
    shares with its surroundings, and has an effect or makes a reference, should be bound by a let.

    Args:
        expr: Any well-formed expression.
        mod: Where the functions are that ``expr`` calls by global name.

    Returns:
        ``expr`` itself when no closure is called once.

    Complexity:
        Linear in distinct nodes, and in what global closures, and functions that are used elsewhere
        too, put into the result; no recursion but for lets in the values of lets.

    Source:
        RAF ``InlineClosure``.
    """
    uses, calls = count_uses(expr)
    closures: dict[Expr, Expr] = {}
    dropped: set[Var] = set()
    recursive: set[Var] | None = None
    for node in EXPRESSIONS.pre_order(expr):
        if type(node) is Let and uses[node.var] == calls[node.var] == 1:
            if _arity(node.value, mod) is None:
                continue
            recursive = find_recursive_vars(expr) if recursive is None else recursive
            if node.var not in recursive:
                closures[node.var] = node.value
                dropped.add(node.var)
        elif type(node) is Call and uses[node.op] == 1 and _arity(node.op, mod) is not None:
            closures[node.op] = node.op
    if closures:
        for call in find_declaring_calls(expr):
            closures.pop(call.op, None)
        dropped.intersection_update(closures)
    if not closures:
        return expr
    return _Inliner(expr, mod, closures, dropped, uses).inline(expr)
