"""Make global functions of the branches of ifs.

Before::

    def @main(%c: bool, %x: int32, %y: int32) {
      if (%c) { %x + 1 } else { %y * 2 }
    }

After::

    def @true_branch_0(%x: int32, %y: int32) { %x + 1 }
    def @false_branch_0(%x: int32, %y: int32) { %y * 2 }
    def @main(%c: bool, %x: int32, %y: int32) {
      if (%c) { @true_branch_0(%x, %y) } else { @false_branch_0(%x, %y) }
    }
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from relayish._support.graph import post_order
from relayish.analysis import free_type_vars, free_vars
from relayish.analysis.function_types import function_type
from relayish.ir.nodes.node import ATOMS, VARIABLES, Node
from relayish.ir.relay.expr import Call, Expr, Function, GlobalVar, If, Var
from relayish.ir.relay.function_attributes import is_opaque
from relayish.ir.relay.global_var_supply import GlobalVarSupply
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes.scoping import bound_by
from relayish.pass_infra import register_pass
from relayish.passes.relay.functions.interprocedural.copy import (
    copy_expr,
    has_said_type,
    make_fresh_var,
)
from relayish.passes.relay.functions.interprocedural.shared_effects import bind_shared_effects
from relayish.passes.relay.normal_form.functions import iterate_open_functions, transform_functions


class _Branches:
    """The branches of one function of a module, and the variables they use."""

    def __init__(self, root: Function) -> None:
        self.root = root
        self.regions: dict[Expr, tuple[Node, ...]] = {}
        """By its outermost expression, what is evaluated together, each after what it needs.

        A region is the body of a function, or a branch, without branches inside.
        """
        self.free_vars: dict[Expr, tuple[Expr, ...]] = {}
        """The free variables of regions, those of inner ones first."""
        self.ifs: dict[If, None] = {}
        """All ifs in the order in which they are met, outer ones before those in their branches."""
        self.is_polymorphic = any(
            type(node) is Function and bool(node.type_params)
            for node in EXPRESSIONS.pre_order(root)
        )
        walked: dict[Expr, tuple[tuple[Expr, ...], frozenset[Node]]] = {}

        def branches_in(expr: Expr) -> list[Expr]:
            uses, _ = walked[expr] = self._walk(expr)
            inner = [used for used in uses if type(used) is If]
            self.ifs.update(dict.fromkeys(inner))
            return [branch for branching in inner for branch in _branches(branching)]

        start: Expr = root
        for expr in post_order([start], branches_in):
            self.free_vars[expr] = self._sum_up(*walked.pop(expr))
        used = dict.fromkeys(chain.from_iterable(self.free_vars.values()))
        self.is_typed = not self.is_polymorphic and all(map(has_said_type, used))
        """Whether types can be handed on to what is made of branches, and of variables."""

    def find_free_vars(self, branching: If) -> tuple[Expr, ...]:
        """Return the variables that the branches of ``branching`` use, in order."""
        found: dict[Expr, None] = {}
        for branch in _branches(branching):
            found.update(dict.fromkeys(self.free_vars[branch]))
        return tuple(found)

    def _walk(self, root: Expr) -> tuple[tuple[Expr, ...], frozenset[Node]]:
        """Return the variables, and the ifs, that occur in a region, and what it binds."""
        uses: dict[Expr, None] = {}
        bound: set[Node] = set()
        region = EXPRESSIONS.order_after(root, self._list_prerequisites)
        self.regions[root] = tuple(region)
        for node in region:
            bound.update(bound_by(node))
            if type(node) in VARIABLES or type(node) is If:
                uses[node] = None  # type: ignore[index]  # an expression
            elif type(node) is Function and self._is_closed(node):
                uses.update(dict.fromkeys(free_vars(node)))
        return tuple(uses), frozenset(bound)

    def _list_prerequisites(self, node: Node) -> tuple[Node, ...] | None:
        """Return what is evaluated before ``node``, in the region it is in."""
        if type(node) is If:
            return (node.cond,)
        return () if type(node) is Function and self._is_closed(node) else None

    def _is_closed(self, function: Function) -> bool:
        return function is not self.root and is_opaque(function)

    def _sum_up(self, uses: tuple[Expr, ...], bound: frozenset[Node]) -> tuple[Expr, ...]:
        found: dict[Expr, None] = {}
        for used in uses:
            for var in self.find_free_vars(used) if type(used) is If else (used,):
                if var not in bound:
                    found[var] = None
        return tuple(found)

    def image(self, root: Expr, images: dict[If, If]) -> Expr:
        """Return the region of ``root`` with each if in it replaced, but for its condition."""
        memo: dict[Node, Node] = {}
        table = EXPRESSIONS.retain if self.is_typed else EXPRESSIONS.rebuild
        for node in self.regions[root]:
            if type(node) is If:
                image = images[node]
                cond = memo[node.cond]
                assert isinstance(cond, Expr)
                memo[node] = _refill(image, cond, _branches(image), typed=self.is_typed)
            elif type(node) is Function and self._is_closed(node):
                memo[node] = node
            else:
                memo[node] = table[type(node)](node, memo.get)
        made = memo[root]
        assert isinstance(made, Expr)
        return made


def _branches(branching: If) -> tuple[Expr, Expr]:
    return branching.true_branch, branching.false_branch


class _Lifter:
    """Names the branches of a module, and makes functions of them."""

    def __init__(self, mod: IRModule) -> None:
        self._supply = GlobalVarSupply(mod)
        self._number = 0
        self.added: dict[GlobalVar | str, Expr] = {}

    def lift(self, root: Function) -> Function:
        """Return ``root`` with calls in the place of branches; add the functions they call."""
        branches = _Branches(root)
        if all(_is_lifted(b) for branching in branches.ifs for b in _branches(branching)):
            return root
        typed = branches.is_typed
        images: dict[If, If] = {}
        lifted: list[tuple[GlobalVar, Expr, tuple[Expr, ...]]] = []
        for branching in branches.ifs:
            free = branches.find_free_vars(branching)
            calls = list(_branches(branching))
            names = () if all(map(_is_lifted, calls)) else self._names()
            for index, name in enumerate(names):
                branch = calls[index]
                if not _is_lifted(branch):
                    ty = branch.checked_type if typed else None
                    calls[index] = Call(name, free, span=branch.span, checked_type=ty)
                    lifted.append((name, branch, free))
            images[branching] = _refill(branching, branching.cond, calls, typed=typed)
        for name, branch, free in lifted:
            params: dict[Expr, Var] = {var: make_fresh_var(var, typed=typed) for var in free}
            body = copy_expr(branches.image(branch, images), params, typed=typed)
            ret_type = branch.checked_type
            ty = function_type(tuple(params.values()), ret_type) if typed else None
            function = Function(tuple(params.values()), body, ret_type, checked_type=ty)
            if branches.is_polymorphic:
                function = function.with_fields(type_params=free_type_vars(function))
            self.added[name] = function
        image = branches.image(root, images)
        assert isinstance(image, Function)
        return image

    def _names(self) -> tuple[GlobalVar, GlobalVar]:
        """Return names for both branches of an if, of one number."""
        while True:
            names = f"true_branch_{self._number}", f"false_branch_{self._number}"
            self._number += 1
            if not any(self._supply.name_supply.contains_name(n, add_prefix=False) for n in names):
                of_true, of_false = [self._supply.fresh_global(n, add_prefix=False) for n in names]
                return of_true, of_false


def _refill(branching: If, cond: Expr, branches: Sequence[Expr], *, typed: bool) -> If:
    true, false = branches
    if not typed:
        return branching.with_fields(cond=cond, true_branch=true, false_branch=false)
    ty = branching.checked_type
    return branching.with_fields(cond=cond, true_branch=true, false_branch=false, checked_type=ty)


def _is_lifted(branch: Expr) -> bool:
    """Return whether ``branch`` is but a call of a global function."""
    if type(branch) is not Call or type(branch.op) is not GlobalVar:
        return False
    return all(type(arg) in ATOMS for arg in branch.args)


def _has_branches(function: Function) -> bool:
    """Return whether ``function`` has branches that are still to be lifted."""
    return any(
        not all(map(_is_lifted, _branches(node)))
        for node in EXPRESSIONS.pre_order(function.body)
        if type(node) is If
    )


@register_pass("LiftBranchBody", opt_level=0, infer_types=True, idempotent=True)
def lift_branch_body(mod: IRModule) -> IRModule:
    """Branch outlining: make global functions of the branches of ifs.

    Return ``mod`` with every branch of an if made a function of the module.

    Both functions of an if take all variables that either branch uses, in order of first use; they
    are called ``@true_branch_N`` and ``@false_branch_N``, with the first numbers that are free. A
    branch that is but a call of a global function, its arguments variables and constants, stays.
    What is inside functions of other compilers, and inside primitive ones, is not looked at.

    What a branch shares with its surroundings is evaluated in both, so what is costly should be
    bound by a let. What must not be evaluated twice, because it has an effect, say, is bound here.

    Args:
        mod: A typed module, see :func:`~relayish.analysis.infer_type`.

    Returns:
        ``mod`` itself when there was nothing to lift. Expressions carry the types they had, but for
        those of polymorphic functions, and where variables have types that cannot be said.

    Raises:
        PassError: If what a branch shares may act, and no let evaluates it just when it is needed
            first.

    Complexity:
        Linear in the distinct nodes of each function and branch, and in the variables they use; no
        recursion.

    Source:
        RAF ``LiftBranchBody``, which recurses, and fails on branches that call a closure or are a
        call of a global function already.
    """
    mod = bind_shared_effects(mod, _has_branches)
    lifter = _Lifter(mod)
    return transform_functions(mod, lifter.lift, iterate_open_functions).with_functions(
        lifter.added
    )
